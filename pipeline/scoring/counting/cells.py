"""Cells: every figure of a population, over all its rows, per difficulty, and by columns.

A cell is a set of rows of one split: all of them, those of one difficulty, or those that share a
value of the columns a measure is split by, alone or with one difficulty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from facelet.generators.core.measures import Called
from facelet.pipeline.dataset import chances, floors
from facelet.pipeline.dataset.alike import effective
from facelet.pipeline.scoring.arrays import Bools, Ints
from facelet.pipeline.scoring.counting.counters import figure_tables
from facelet.pipeline.scoring.counting.estimates import Estimate, estimate
from facelet.pipeline.scoring.counting.figure_table import FigureTable
from facelet.pipeline.scoring.counting.labels import MISSING
from facelet.pipeline.scoring.dataset import Value
from facelet.pipeline.scoring.judging.ledger import STATUSES
from facelet.pipeline.scoring.judging.population import Missing, Population

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


@dataclass(frozen=True, slots=True)
class Cell:
    """The figures of a set of rows.

    Attributes:
        by: what it is split by.
        difficulty: its difficulty; None for all.
        items: number of its rows.
        counts: number of entries by status.
        figures: figures by name.
        histograms: by metric.
        confusions: the confusion matrix, or nothing.
    """

    by: By
    difficulty: int | None
    items: int
    counts: Mapping[str, int]
    figures: dict[str, Estimate] = field(default_factory=dict)
    histograms: dict[str, HistogramCounts] = field(default_factory=dict)
    confusions: list[ConfusionMatrix] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SplitFigures:
    """The figures of one model on one split.

    Attributes:
        config: the config.
        split: the split.
        task: the task that made the rows.
        task_version: its version.
        items: number of rows.
        items_counted: number of rows that count.
        effective: how many independent trials these are worth, by what they show.
        samples: samples of each row.
        chance: what guessing scores, as the manifest says.
        floor: what the best blind player scored, as the manifest says.
        counts: number of entries by status.
        replies: how replies ended; see `Population.endings`.
        difficulty_axis: name of the difficulty.
        called: what papers call figures, where that differs.
        cells: the cells, those of all rows first.
        vouched: whether the dataset was checked at all.
    """

    config: str
    split: str
    task: str
    task_version: int
    items: int
    items_counted: int
    effective: float
    samples: int
    chance: chances.Record | None
    floor: floors.Record | None
    counts: Mapping[str, int]
    replies: Mapping[str, int]
    difficulty_axis: str
    called: Mapping[str, str]
    cells: tuple[Cell, ...]
    vouched: bool


def split_figures(
    population: Population, resamples: int, missing: Missing = "wrong"
) -> SplitFigures:
    """Return the figures of one model on one split.

    Args:
        population: the model's entries on the split.
        resamples: number of bootstrap replicates.
        missing: whether rows without any prediction count.
    """
    part = population.part
    cells: dict[tuple[By, int | None], Cell] = {}
    counted = population.counted(missing)
    for table in figure_tables(population):
        for by, difficulty, chosen in _cells(population, table, counted):
            if (by, difficulty) not in cells:
                rows = _rows(population, by, difficulty, counted)
                counts = _counts(population, rows)
                cells[by, difficulty] = Cell(by, difficulty, len(rows), counts)
            cell = cells[by, difficulty]
            # One seed for all cells of a table: equal sets of rows have equal intervals.
            seed = (*part.name, table.name)
            groups = population.group[table.units]
            for name, figure in estimate(table, chosen, groups, seed, resamples).items():
                # Two measures of one name say the same; the first has it.
                cell.figures.setdefault(name, figure)
            if table.classes:
                cell.confusions[:] = [_confusion(table, chosen, population.samples)]
            if table.histogram:
                cell.histograms[table.histogram] = _histogram(table, chosen)
    dataset = population.settled.ledger.dataset
    return SplitFigures(
        *part.name,
        part.task_name,
        part.task_version,
        population.size,
        int(np.count_nonzero(counted)),
        round(effective(population.group[counted].tolist()), 1),
        population.samples,
        dataset.chance(*part.name),
        dataset.floor(part.name[0]),
        _counts(population, np.arange(population.size)),
        population.endings(),
        part.column("difficulty_axis")[0].as_py(),
        {
            name: called
            for measure in part.task.measures
            if isinstance(measure, Called)
            for name, called in measure.names
        },
        tuple(cells[key] for key in sorted(cells, key=_order)),
        part.vouched,
    )


def _order(key: tuple[By, int | None]) -> tuple[list[tuple[str, str]], bool, int]:
    by, difficulty = key
    return [(name, str(value)) for name, value in by], difficulty is not None, difficulty or 0


def _cells(
    population: Population, table: FigureTable, counted: Bools
) -> Iterator[tuple[By, int | None, Ints]]:
    """Yield the cells of a table: split values, difficulty (None for all), places of units.

    Args:
        population: the entries.
        table: the table.
        counted: (rows,) which rows count.
    """
    difficulty = population.difficulty[table.units]
    levels = np.unique(difficulty).tolist()
    for by, mask in _splits(population, table.by, table.units):
        chosen = np.flatnonzero(mask & counted[table.units])
        yield by, None, chosen
        for level in levels:
            inside = chosen[difficulty[chosen] == level]
            if len(inside):
                yield by, level, inside


def _splits(population: Population, by: tuple[str, ...], units: Ints) -> Iterator[tuple[By, Bools]]:
    if not by:
        yield (), np.ones(len(units), dtype=bool)
        return
    encoded = [population.part.codes(column) for column in by]
    keys = np.stack([codes[units] for codes, _ in encoded], axis=1)
    for key in np.unique(keys, axis=0):
        values = (encoded[i][1][code] for i, code in enumerate(key.tolist()))
        yield tuple(zip(by, values, strict=True)), np.all(keys == key, axis=1)


def _rows(
    population: Population,
    by: By,
    difficulty: int | None,
    counted: Bools,
) -> Ints:
    mask = counted.copy()
    if difficulty is not None:
        mask &= population.difficulty == difficulty
    for column, value in by:
        codes, values = population.part.codes(column)
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
