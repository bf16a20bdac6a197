"""Pool the figures of a model over all tasks of a suite, by class and by difficulty.

A suite is pooled if its tasks name a column that classes them (`Task.classed_by`), as games have
four classes. Every row counts once, so a task counts by its rows. Only figures that all of the
tasks have and that are quotients of sums are pooled: accuracy, turns, shares of invalid replies.
Two tasks never share a base puzzle, so their clusters differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.pipeline.scoring.aggregate.figure_table import Estimand, FigureTable, Ratio
from facelet.pipeline.scoring.aggregate.metric_registry import figure_tables
from facelet.pipeline.scoring.aggregate.statistics import RowClusters
from facelet.pipeline.scoring.array_types import Bools, Ints
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.scored_dataset import ScoredSplit


def by_suite(found: Sequence[Population]) -> dict[tuple[str, str, str], list[Population]]:
    """Return populations by model, suite and split, those alone whose tasks are classed."""
    suites: dict[tuple[str, str, str], list[Population]] = {}
    for population in found:
        if population.part.load_installed_task.classed_by:
            key = (population.model, *population.suite_split)
            suites.setdefault(key, []).append(population)
    return suites


def row_classes(population: Population) -> list[str]:
    """Return the class of each row."""
    codes, values = population.by[population.part.load_installed_task.classed_by]
    return [str(values[code]) for code in codes.tolist()]


def row_clusters(found: Sequence[Population]) -> Ints:
    """Return the cluster of each row of several populations, one after the other."""
    first, parts = 0, []
    for population in found:
        parts.append(population.row_cluster + first)
        first += int(population.row_cluster.max(initial=-1)) + 1
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True, eq=False)
class SuitePool:
    """All tasks of a suite, as one model answered them.

    Attributes:
        model: name of the model.
        suite: the suite.
        split: the split.
        classed_by: the column that classes its tasks.
        difficulty_axis: name of the difficulty.
        tasks: number of tasks.
        items: number of rows that count.
        vouched: whether the dataset was checked at all.
    """

    model: str
    suite: str
    split: str
    classed_by: str
    difficulty_axis: str
    tasks: int
    items: int
    vouched: bool


@dataclass(frozen=True, slots=True, eq=False)
class PooledCell:
    """A set of rows of several tasks.

    Attributes:
        pool: the tasks.
        by: the class that its rows share, by its column; nothing for all.
        difficulty: their difficulty; None for all.
        items: number of rows.
        parts: the splits that its rows are of.
    """

    pool: SuitePool
    by: Mapping[str, str]
    difficulty: int | None
    items: int
    parts: tuple[ScoredSplit, ...]


def iterate_pooled(found: Sequence[Population]) -> Iterator[Estimand[PooledCell]]:
    """Yield what is to be estimated over each suite whose tasks are classed.

    Args:
        found: the populations of all models.
    """
    for (model, suite, split), populations in by_suite(found).items():
        rows = _PooledRows.from_populations(populations)
        tables = list(_iterate_shared_tables(populations))
        column = populations[0].part.load_installed_task.classed_by
        pool = SuitePool(
            model,
            suite,
            split,
            column,
            populations[0].part.difficulty_axis,
            len(populations),
            int(np.count_nonzero(rows.counted)),
            all(population.part.is_vouched for population in populations),
        )
        place = np.repeat(np.arange(len(populations)), [one.row_count for one in populations])
        for by, difficulty, chosen in rows.iterate_cells(column):
            parts = tuple(populations[k].part for k in np.unique(place[chosen]).tolist())
            cell = PooledCell(pool, by, difficulty, len(chosen), parts)
            own = RowClusters.from_groups(rows.clusters[chosen])
            yield from (
                Estimand(cell, table, chosen, own, (suite, split, table.name)) for table in tables
            )


@dataclass(frozen=True, slots=True, eq=False)
class _PooledRows:
    """The rows of several populations, one after the other.

    Attributes:
        names: class of each row.
        difficulty: its difficulty.
        clusters: its cluster.
        counted: whether it counts.
    """

    names: Sequence[str]
    difficulty: Ints
    clusters: Ints
    counted: Bools

    @staticmethod
    def from_populations(populations: Sequence[Population]) -> _PooledRows:
        return _PooledRows(
            [name for population in populations for name in row_classes(population)],
            np.concatenate([population.row_difficulty for population in populations]),
            row_clusters(populations),
            np.concatenate([population.counted for population in populations]),
        )

    def iterate_cells(self, column: str) -> Iterator[tuple[Mapping[str, str], int | None, Ints]]:
        """Yield what each cell is split by, its difficulty (None for all), and its rows."""
        names = np.array(self.names)
        every: list[tuple[Mapping[str, str], Bools]] = [({}, self.counted)]
        every.extend(
            ({column: name}, self.counted & (names == name)) for name in sorted(set(self.names))
        )
        for by, mask in every:
            yield by, None, np.flatnonzero(mask)
            for level in np.unique(self.difficulty).tolist():
                chosen = np.flatnonzero(mask & (self.difficulty == level))
                if len(chosen):
                    yield by, level, chosen


def _iterate_shared_tables(populations: Sequence[Population]) -> Iterator[FigureTable]:
    """Yield the tables that all populations have, their lines one after the other.

    Counts are divided by the number of samples, which may differ, so that every row counts once.
    """
    every = [{table.name: table for table in figure_tables(one)} for one in populations]
    for name, table in every[0].items():
        same = [tables[name] for tables in every if name in tables]
        if len(same) < len(every) or not all(
            _is_poolable(one, population) and one.formulas.keys() == table.formulas.keys()
            for one, population in zip(same, populations, strict=True)
        ):
            continue
        columns = np.concatenate(
            [
                one.columns / population.samples
                for one, population in zip(same, populations, strict=True)
            ]
        )
        yield FigureTable(name, (), np.arange(len(columns)), columns, table.formulas)


def _is_poolable(table: FigureTable, population: Population) -> bool:
    """Return whether a table counts rows, is not split, and has quotients only."""
    return (
        not (table.by or table.classes or table.histogram)
        and len(table.columns) == population.row_count
        and all(isinstance(formula, Ratio) for formula in table.formulas.values())
    )
