"""Counts of "chamber/minority": precision, recall and F1 of one of two labels."""

from __future__ import annotations

import numpy as np

from facelet.generators.chamber.measures import MinorityF1
from facelet.pipeline.scoring.arrays import Floats
from facelet.pipeline.scoring.counting.figure_table import FigureTable, Formula
from facelet.pipeline.scoring.judging.population import Population


def count(population: Population, measure: MinorityF1) -> FigureTable:
    """Return the figures of a population, one unit a row.

    Args:
        population: the predictions.
        measure: names the label.
    """
    settled = population.settled
    label = settled.ledger.labels.get(measure.label, -1)
    codes, place = settled.golds
    part = population.part
    mine = place[part.start : part.start + part.count]
    gold = np.zeros(part.count, dtype=np.int64)
    told = codes.lengths[mine] > 0
    gold[told] = codes.codes[codes.starts[mine[told]]]
    entries = settled.source[population.kept]
    answer = np.zeros(len(entries), dtype=np.int64)
    said = settled.answers.lengths[entries] > 0
    answer[said] = settled.answers.codes[settled.answers.starts[entries[said]]]
    yes = (gold == label) & population.graded
    claimed = (answer == label) & population.graded[population.row]
    columns = np.column_stack(
        (
            population.per_row(claimed) * yes,
            population.per_row(claimed),
            yes * population.samples,
        )
    )
    formulas: dict[str, Formula] = {
        "f1": lambda t: _share(2 * t[..., 0], t[..., 1] + t[..., 2]),
        "precision": lambda t: _share(t[..., 0], t[..., 1]),
        "recall": lambda t: _share(t[..., 0], t[..., 2]),
    }
    name = f"minority {measure.label}"
    return FigureTable(name, measure.by, np.arange(population.size), columns, formulas)


def _share(part: Floats, whole: Floats) -> Floats:
    """Return quotients, 0 where nothing is counted."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole != 0)
