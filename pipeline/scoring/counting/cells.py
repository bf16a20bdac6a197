"""Cells: every figure of a population, over all its rows, per difficulty, and by columns.

A cell is a set of rows of one split: all of them, those of one difficulty, or those that share a
value of the columns a measure is split by, alone or with one difficulty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from facelet.pipeline.scoring.arrays import Bools, Ints
from facelet.pipeline.scoring.counting.figure_table import Estimand, FigureTable
from facelet.pipeline.scoring.counting.labels import MISSING
from facelet.pipeline.scoring.dataset import Value
from facelet.pipeline.scoring.judging.columns import STATUSES
from facelet.pipeline.scoring.judging.population import Population

By = tuple[tuple[str, Value], ...]
"""What a cell is split by: columns, and the values that its rows share."""


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
class Cell:
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
    def order(self) -> tuple[list[tuple[str, str]], bool, int]:
        """What cells of a split are sorted by: that of all rows is first."""
        by = [(name, str(value)) for name, value in self.by]
        return by, self.difficulty is not None, self.difficulty or 0


def estimands(population: Population, tables: Iterable[FigureTable]) -> Iterator[Estimand[Cell]]:
    """Yield what is to be estimated of one model on one split, table by table.

    Args:
        population: the model's entries on the split.
        tables: the tables of its figures.
    """
    cells: dict[tuple[By, int | None], Cell] = {}
    for table in tables:
        for by, difficulty, chosen in _cells(population, table):
            if (by, difficulty) not in cells:
                rows = _rows(population, by, difficulty)
                counts = _counts(population, rows)
                cells[by, difficulty] = Cell(population, by, difficulty, len(rows), counts)
            cell = cells[by, difficulty]
            if table.classes:
                cell.confusions[:] = [_confusion(table, chosen, population.samples)]
            if table.histogram:
                cell.histograms[table.histogram] = _histogram(table, chosen)
            # One seed for all cells of a table: equal sets of rows have equal intervals.
            seed = (*population.part.name, table.name)
            yield Estimand(cell, table, chosen, population.group[table.units], seed)


def _cells(population: Population, table: FigureTable) -> Iterator[tuple[By, int | None, Ints]]:
    """Yield the cells of a table: split values, difficulty (None for all), places of units.

    Args:
        population: the entries.
        table: the table.
    """
    difficulty = population.difficulty[table.units]
    levels = np.unique(difficulty).tolist()
    for by, mask in _splits(population, table.by, table.units):
        chosen = np.flatnonzero(mask & population.counted[table.units])
        yield by, None, chosen
        for level in levels:
            inside = chosen[difficulty[chosen] == level]
            if len(inside):
                yield by, level, inside


def _splits(population: Population, by: tuple[str, ...], units: Ints) -> Iterator[tuple[By, Bools]]:
    if not by:
        yield (), np.ones(len(units), dtype=bool)
        return
    encoded = [population.by[column] for column in by]
    keys = np.stack([codes[units] for codes, _ in encoded], axis=1)
    for key in np.unique(keys, axis=0):
        values = (encoded[i][1][code] for i, code in enumerate(key.tolist()))
        yield tuple(zip(by, values, strict=True)), np.all(keys == key, axis=1)


def _rows(population: Population, by: By, difficulty: int | None) -> Ints:
    mask = population.counted.copy()
    if difficulty is not None:
        mask &= population.difficulty == difficulty
    for column, value in by:
        codes, values = population.by[column]
        mask &= codes == values.index(value)
    return np.flatnonzero(mask)


def _counts(population: Population, rows: Ints) -> dict[str, int]:
    totals = population.counts[rows].sum(axis=0).tolist()
    return {status.value: int(total) for status, total in zip(STATUSES, totals, strict=True)}


def _histogram(table: FigureTable, chosen: Ints) -> HistogramCounts:
    *counts, others = table.columns[chosen].sum(axis=0).astype(np.int64).tolist()
    return HistogramCounts(table.bins, tuple(counts), others)


def _confusion(table: FigureTable, chosen: Ints, samples: int) -> ConfusionMatrix:
    width = len(table.classes)
    matrix = table.columns[chosen].sum(axis=0).reshape(width, width + 1)
    counts = tuple(tuple(int(number) for number in row) for row in matrix.tolist())
    return ConfusionMatrix(table.classes, (*table.classes, MISSING), counts, samples)
