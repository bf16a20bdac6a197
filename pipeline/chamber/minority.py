"""Metrics of "chamber/minority": precision, recall and F1 of one of two labels."""

from __future__ import annotations

import numpy as np

from facelet.generators.chamber.rare_label_f1 import MinorityF1
from facelet.pipeline.scoring.aggregate.figure_table import FigureTable, Formula
from facelet.pipeline.scoring.array_types import Floats
from facelet.pipeline.scoring.grade.population import Population


def count(population: Population, measure: MinorityF1) -> FigureTable:
    """Return the figures of a population, one unit a row.

    Args:
        population: the predictions.
        measure: names the label.
    """
    settled = population.settled
    label = settled.ledger.labels.get(measure.label, -1)
    codes, place = settled.gold_codes
    part = population.part
    mine = place[part.first_number : part.first_number + part.count]
    gold = np.zeros(part.count, dtype=np.int64)
    answered = codes.lengths[mine] > 0
    gold[answered] = codes.codes[codes.starts[mine[answered]]]
    entries = settled.source[population.kept]
    answer = np.zeros(len(entries), dtype=np.int64)
    said = settled.answer_codes.lengths[entries] > 0
    answer[said] = settled.answer_codes.codes[settled.answer_codes.starts[entries[said]]]
    yes = (gold == label) & population.has_gold
    claimed = (answer == label) & population.has_gold[population.row]
    columns = np.column_stack(
        (
            population.per_row(claimed) * yes,
            population.per_row(claimed),
            yes * population.samples,
        )
    )
    formulas: dict[str, Formula] = {
        "f1": lambda t: _safe_ratio(2 * t[..., 0], t[..., 1] + t[..., 2]),
        "precision": lambda t: _safe_ratio(t[..., 0], t[..., 1]),
        "recall": lambda t: _safe_ratio(t[..., 0], t[..., 2]),
    }
    name = f"minority {measure.label}"
    return FigureTable(name, measure.by, np.arange(population.row_count), columns, formulas)


def _safe_ratio(part: Floats, whole: Floats) -> Floats:
    """Return quotients, 0 where nothing is counted."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole != 0)
