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


def iterate_classes(found: Sequence[Population]) -> Iterator[tuple[dict[str, str], Bools]]:
    """Yield all rows of several populations, then those of each class, if all tasks are classed.

    Args:
        found: the populations, whose rows follow each other.

    Yields:
        The class by its column, nothing for all; the mask of its rows.
    """
    yield {}, np.ones(sum(population.row_count for population in found), dtype=bool)
    columns = [population.part.load_installed_task.classed_by for population in found]
    if all(columns):
        coded = [population.by[column] for column, population in zip(columns, found, strict=True)]
        classes = [str(values[code]) for codes, values in coded for code in codes.tolist()]
        names = np.array(classes)
        yield from (({columns[0]: name}, names == name) for name in np.unique(names).tolist())


def row_clusters(found: Sequence[Population]) -> Ints:
    """Return the cluster of each row of several populations, one after the other."""
    first, parts = 0, []
    for population in found:
        parts.append(population.row_cluster + first)
        first += int(population.row_cluster.max(initial=-1)) + 1
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True, eq=False)
class PooledCell:
    """A set of rows of several tasks of a suite, as one model answered them.

    Attributes:
        pool: the model's entries on all tasks of the suite.
        by: the class that its rows share, by its column; nothing for all.
        difficulty: their difficulty; None for all.
        items: number of rows.
        parts: the splits that its rows are of.
    """

    pool: Sequence[Population]
    by: Mapping[str, str]
    difficulty: int | None
    items: int
    parts: tuple[ScoredSplit, ...]


def iterate_pooled(found: Sequence[Population]) -> Iterator[Estimand[PooledCell]]:
    """Yield what is to be estimated over each suite whose tasks are classed, all rows first.

    Args:
        found: the populations of all models.
    """
    suites: dict[tuple[str, str, str], list[Population]] = {}
    for population in found:
        if population.part.load_installed_task.classed_by:
            key = (population.model, *population.suite_split)
            suites.setdefault(key, []).append(population)
    for (_, suite, split), pool in suites.items():
        difficulty = np.concatenate([population.row_difficulty for population in pool])
        counted = np.concatenate([population.counted for population in pool])
        clusters, tables = row_clusters(pool), list(_iterate_shared_tables(pool))
        place = np.repeat(np.arange(len(pool)), [population.row_count for population in pool])
        for by, mask in iterate_classes(pool):
            for level in (None, *np.unique(difficulty).tolist()):
                inside = counted & mask if level is None else counted & mask & (difficulty == level)
                chosen = np.flatnonzero(inside)
                if level is not None and not len(chosen):
                    continue
                parts = tuple(pool[k].part for k in np.unique(place[chosen]).tolist())
                cell = PooledCell(pool, by, level, len(chosen), parts)
                own = RowClusters.from_groups(clusters[chosen])
                yield from (
                    Estimand(cell, table, chosen, own, (suite, split, table.name))
                    for table in tables
                )


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
