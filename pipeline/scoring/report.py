"""The report: every figure of every population, per difficulty and overall, as plain JSON values.

A cell is a set of rows of one split: all of them, those of one difficulty, or those that share a
value of the columns a measure is split by, alone or with one difficulty. Undefined figures are
null. The form has a version, SCHEMA_VERSION; a reader should check it. results.json holds

    schema_version, generator, options, not_scored: [config/split]
    unavailable: [{config, split, reason}]                  # their tasks cannot be had here
    dataset: {name, content_hash, verified: content, rows, files or no (see
              facelet.pipeline.dataset.vouching), expected, manifest_sha256}
    inputs: [{file, sha256, bytes, formats, predictions, broken, broken_examples, unknown_ids,
              unknown_examples, other_filters, other_questions, stopped,
              evidence: {what shows which build is answered: predictions}}]
    models: [{model, settings: [{predictions, settings}], pooled, papers,
              configs: {config: {splits: {split: {task, task_version, items, items_counted,
              samples_per_item, chance, floor, counts, replies, difficulty_axis, called, cells}}},
              replies, looks: see facelet.pipeline.scoring.asking,
              facelet.pipeline.scoring.papers.beside and facelet.pipeline.scoring.invariance}]
    replies: {replies, reason_told, cut, filtered, null, empty}    # numbers of replies; see
                                                            # facelet.pipeline.scoring.endings
    called: {name: what papers call this figure}            # where that differs
    cells: [{by, difficulty (null for all), items, counts, figures, confusion?, histograms?}]
    figures: {name: {value, low, high, method, units}}     # shares from 0 to 1, 95% intervals;
                                                           # and unverified: true, if verify=false
    histograms: {metric: {values, counts, others}}         # others: with none of these values
    pooled: as facelet.pipeline.scoring.pooling says       # over all tasks of a suite
    efficiencies: as facelet.pipeline.scoring.efficiency says
    comparisons: [{config, split, models, items, difference, low, high, only_first, only_second,
                   p_value, test}]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from facelet.generators.core.measures import Called
from facelet.pipeline.scoring.counting import figure_tables
from facelet.pipeline.scoring.estimates import Estimate, estimate
from facelet.pipeline.scoring.figure_table import FigureTable
from facelet.pipeline.scoring.labels import MISSING
from facelet.pipeline.scoring.ledger import STATUSES
from facelet.pipeline.scoring.population import Bools, Missing, Population
from facelet.pipeline.scoring.statistics import Ints

SCHEMA_VERSION = 1
"""Version of results.json."""


def split_report(
    population: Population, resamples: int, missing: Missing = "wrong"
) -> dict[str, Any]:
    """Return the figures of one model on one split.

    Args:
        population: the model's entries on the split.
        resamples: number of bootstrap replicates.
        missing: whether rows without any prediction count.
    """
    part = population.part
    axis = part.column("difficulty_axis")[0].as_py()
    cells: dict[tuple[tuple[tuple[str, Any], ...], int | None], dict[str, Any]] = {}
    counted = population.counted(missing)
    for table in figure_tables(population):
        for by, difficulty, chosen in _cells(population, table, counted):
            cell = cells.setdefault((by, difficulty), {})
            if not cell:
                rows = _rows(population, by, difficulty, counted)
                cell["by"] = dict(by)
                cell["difficulty"] = difficulty
                cell["items"] = len(rows)
                cell["counts"] = _counts(population, rows)
                cell["figures"] = {}
            # One seed for all cells of a table: equal sets of rows have equal intervals.
            seed = (*part.name, table.name)
            groups = population.group[table.units]
            for name, figure in estimate(table, chosen, groups, seed, resamples).items():
                # Two measures of one name say the same; the first has it.
                cell["figures"].setdefault(name, figure_record(figure, verified=part.vouched))
            if table.classes:
                cell["confusion"] = _confusion(table, chosen, population.samples)
            if table.histogram:
                histograms = cell.setdefault("histograms", {})
                histograms[table.histogram] = _histogram(table, chosen)
    return {
        "task": part.task_name,
        "task_version": part.task_version,
        "items": population.size,
        "items_counted": int(np.count_nonzero(counted)),
        "samples_per_item": population.samples,
        "chance": population.settled.ledger.dataset.chance.get(part.name),
        "floor": population.settled.ledger.dataset.floor.get(part.name[0]),
        "counts": _counts(population, np.arange(population.size)),
        "replies": population.endings(),
        "difficulty_axis": axis,
        "called": {
            name: called
            for measure in part.task.measures
            if isinstance(measure, Called)
            for name, called in measure.names
        },
        "cells": [cells[key] for key in sorted(cells, key=_order)],
    }


def _order(key: tuple[tuple[tuple[str, Any], ...], int | None]) -> tuple[Any, ...]:
    by, difficulty = key
    return [(name, str(value)) for name, value in by], difficulty is not None, difficulty or 0


def _cells(
    population: Population, table: FigureTable, counted: Bools
) -> Iterator[tuple[tuple[tuple[str, Any], ...], int | None, Ints]]:
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


def _splits(
    population: Population, by: tuple[str, ...], units: Ints
) -> Iterator[tuple[tuple[tuple[str, Any], ...], Any]]:
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
    by: tuple[tuple[str, Any], ...],
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


def figure_record(figure: Estimate, *, verified: bool) -> dict[str, Any]:
    """Return a figure as plain values.

    Args:
        figure: the figure.
        verified: whether the dataset was checked at all.
    """
    return {
        **({} if verified else {"unverified": True}),
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "method": figure.method,
        "units": figure.units,
    }


def _histogram(table: FigureTable, chosen: Ints) -> dict[str, Any]:
    *counts, others = table.columns[chosen].sum(axis=0).astype(np.int64).tolist()
    return {"values": list(table.bins), "counts": counts, "others": others}


def _confusion(table: FigureTable, chosen: Ints, samples: int) -> dict[str, Any]:
    width = len(table.classes)
    matrix = table.columns[chosen].sum(axis=0).reshape(width, width + 1)
    return {
        "gold": list(table.classes),
        "answer": [*table.classes, MISSING],
        "counts": [[int(number) for number in row] for row in matrix.tolist()],
        "samples_per_item": samples,
    }
