"""Split rows into cells: those of one model on one split, or on all tasks of a suite.

A cell is a set of rows of one split: all of them, those of one difficulty, or those that share a
value of the columns that a measure is split by, alone or with one difficulty.

A suite is pooled if its tasks name a column that classifies them (`Task.classed_by`), as games have
four classes. Every row counts once, so a task counts by its rows. Only figures that all of the
tasks have and that are quotients of sums are pooled: accuracy, turns, shares of invalid replies.
Two tasks never share a base puzzle, so their clusters differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from facelet.pipeline.scoring.aggregate.figure_table import Estimand, FigureTable, Ratio
from facelet.pipeline.scoring.aggregate.label_metrics import MISSING
from facelet.pipeline.scoring.aggregate.metric_registry import figure_tables
from facelet.pipeline.scoring.aggregate.statistics import RowClusters
from facelet.pipeline.scoring.array_types import Bools, Ints
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.scored_dataset import ScoredSplit, Value

By = tuple[tuple[str, Value], ...]
"""What a cell is split by: columns, and the values that its rows share."""

_ChosenUnits = tuple[By, int | None, Ints, RowClusters]
"""A cell: what it is split by, its difficulty (None for all), places of its units, and which of
them are no independent trials."""


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each gold class was answered as each class.

    Attributes:
        gold: the gold classes.
        answer: the classes of answers, and MISSING.
        counts: elements by gold class, then by answer.
        samples: samples of an item, all counted.
    """

    gold: tuple[str, ...]
    answer: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    samples: int


@dataclass(frozen=True, slots=True)
class HistogramCounts:
    """How many predictions have each value of a metric, and how many have none of them."""

    values: tuple[float, ...]
    counts: tuple[int, ...]
    others: int


@dataclass(frozen=True, slots=True, eq=False)
class FigureCell:
    """A set of rows of one split, as one model answered them.

    Attributes:
        population: the entries of the model on the split.
        by: what the cell is split by.
        difficulty: its difficulty; None for all.
        items: number of its rows.
        counts: number of entries by status.
        histograms: by metric.
        confusions: the confusion matrix, or nothing.
    """

    population: Population
    by: By
    difficulty: int | None
    items: int
    counts: Mapping[str, int]
    histograms: dict[str, HistogramCounts] = field(default_factory=dict)
    confusions: list[ConfusionMatrix] = field(default_factory=list)

    @property
    def sort_key(self) -> tuple[list[tuple[str, str]], bool, int]:
        """What cells of a split are sorted by: that of all rows is first."""
        by = [(name, str(value)) for name, value in self.by]
        return by, self.difficulty is not None, self.difficulty or 0


def iterate_estimands(
    population: Population, tables: Iterable[FigureTable]
) -> Iterator[Estimand[FigureCell]]:
    """Yield what is to be estimated of one model on one split, table by table.

    Args:
        population: the model's entries on the split.
        tables: the tables of its figures.
    """
    cells: dict[tuple[By, int | None], FigureCell] = {}
    # Most tables count all rows: their cells are the same.
    whole: dict[tuple[str, ...], list[_ChosenUnits]] = {}
    for table in tables:
        every = np.array_equal(table.units, np.arange(population.row_count))
        if not every or table.by not in whole:
            found = list(_iterate_cells(population, table))
            if every:
                whole[table.by] = found
        for by, difficulty, units, clusters in whole[table.by] if every else found:
            if (by, difficulty) not in cells:
                rows = units if every else _select_rows(population, by, difficulty)
                counts = population.count_statuses(rows)
                cells[by, difficulty] = FigureCell(population, by, difficulty, len(rows), counts)
            cell = cells[by, difficulty]
            if table.classes:
                cell.confusions[:] = [_count_confusion(table, units, population.samples)]
            if table.histogram:
                cell.histograms[table.histogram] = _count_histogram(table, units)
            # One seed for all cells of a table: equal sets of rows have equal intervals.
            seed = (*population.part.split_name, table.name)
            yield Estimand(cell, table, units, clusters, seed)


def _iterate_cells(population: Population, table: FigureTable) -> Iterator[_ChosenUnits]:
    """Yield the cells of a table, that of all difficulties before those of each.

    Args:
        population: the entries.
        table: the table.
    """
    difficulty, group = population.row_difficulty[table.units], population.row_cluster[table.units]
    levels = RowClusters.from_groups(difficulty)
    value = np.zeros(levels.count, dtype=np.int64)
    value[levels.of] = difficulty
    counted = np.flatnonzero(population.counted[table.units]).astype(np.int32)
    for by, chosen in _iterate_splits(population, table, counted):
        yield by, None, chosen, RowClusters.from_groups(group[chosen])
        for level, inside in enumerate(_split_places(levels, chosen)):
            if len(inside):
                own = RowClusters.from_groups(group[inside])
                yield by, int(value[level]), inside, own


def _iterate_splits(
    population: Population, table: FigureTable, counted: Ints
) -> Iterator[tuple[By, Ints]]:
    """Yield what a table is split by, and the units that share it.

    Args:
        population: the entries.
        table: the table.
        counted: the units that count.
    """
    if not table.by:
        yield (), counted
        return
    encoded = [population.by[column] for column in table.by]
    key = np.zeros(len(table.units), dtype=np.int64)
    for codes, values in encoded:
        key = key * len(values) + codes[table.units]
    keys = RowClusters.from_groups(key)
    first = np.zeros(keys.count, dtype=np.int64)
    first[keys.of] = np.arange(len(key))
    for unit, chosen in zip(table.units[first].tolist(), _split_places(keys, counted), strict=True):
        values_of = (values[codes[unit]] for codes, values in encoded)
        yield tuple(zip(table.by, values_of, strict=True)), chosen


def _split_places(parts: RowClusters, places: Ints) -> list[Ints]:
    """Return those of some ascending places that are in each part."""
    own = parts.of[places]
    if parts.count < 2**15:
        own = own.astype(np.int16)  # sorted in one pass
    order = np.argsort(own, kind="stable")
    ends = np.cumsum(np.bincount(own, minlength=parts.count))
    return np.split(places[order], ends[:-1]) if parts.count else []


def _select_rows(population: Population, by: By, difficulty: int | None) -> Ints:
    mask = population.counted.copy()
    if difficulty is not None:
        mask &= population.row_difficulty == difficulty
    for column, value in by:
        codes, values = population.by[column]
        mask &= codes == values.index(value)
    return np.flatnonzero(mask)


def _count_histogram(table: FigureTable, chosen: Ints) -> HistogramCounts:
    *counts, others = table.columns[chosen].sum(axis=0).astype(np.int64).tolist()
    return HistogramCounts(table.bins, tuple(counts), others)


def _count_confusion(table: FigureTable, chosen: Ints, samples: int) -> ConfusionMatrix:
    width = len(table.classes)
    matrix = table.columns[chosen].sum(axis=0).reshape(width, width + 1)
    counts = tuple(tuple(int(number) for number in row) for row in matrix.tolist())
    return ConfusionMatrix(table.classes, (*table.classes, MISSING), counts, samples)


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
