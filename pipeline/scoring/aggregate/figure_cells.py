"""Split the rows of a population into cells: all rows, each difficulty, and values of columns.

A cell is a set of rows of one split: all of them, those of one difficulty, or those that share a
value of the columns that a measure is split by, alone or with one difficulty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from facelet.pipeline.scoring.aggregate.figure_table import Estimand, FigureTable
from facelet.pipeline.scoring.aggregate.label_metrics import MISSING
from facelet.pipeline.scoring.aggregate.statistics import RowClusters
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.scored_dataset import Value

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
