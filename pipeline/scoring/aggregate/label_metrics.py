"""Figure tables over labels: two-class figures, and figures over a confusion matrix.

The metrics page of the documentation says whose definitions these are.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from facelet.generators.core.measures import Binary, Confusion
from facelet.pipeline.scoring.arrays import Floats, Ints, elements
from facelet.pipeline.scoring.counting.figure_table import FigureTable, Formula, Ratio
from facelet.pipeline.scoring.counting.statistics import ratio
from facelet.pipeline.scoring.judging.population import Population

MISSING = "MISSING"
"""Name of the confusion matrix's column for elements without an answer."""


def binary(population: Population, measure: Binary) -> FigureTable:
    """Return the two-class figures of first labels.

    A missing answer is an error of its gold class, and is not in the shares among parsed answers.
    """
    settled = population.settled
    gold = _gold_labels(population)[0]
    answers = settled.answers
    entries = settled.source[population.kept]
    answer = np.zeros(len(entries), dtype=np.int64)
    told = answers.lengths[entries] > 0
    answer[told] = answers.codes[answers.starts[entries[told]]]
    positive = settled.ledger.labels.get(measure.positive, -1)
    graded = population.graded
    yes = (gold == positive) & graded
    no = (gold != positive) & graded
    right = (answer == gold[population.row]) & (answer != 0)
    parsed = population.per_row((answer != 0) & graded[population.row])
    columns = np.column_stack(
        (
            population.per_row(right) * yes,
            yes * population.samples,
            population.per_row(right) * no,
            no * population.samples,
            parsed,
            population.per_row((answer == positive) & graded[population.row]),
            parsed * yes,
        )
    )
    formulas: dict[str, Formula] = {
        "balanced_accuracy": lambda t: (
            (ratio(t[..., 0], t[..., 1]) + ratio(t[..., 2], t[..., 3])) / 2
        ),
        "tpr": Ratio(0, 1),
        "tnr": Ratio(2, 3),
        "positive_rate": Ratio(5, 4),
        "label_bias": lambda t: ratio(t[..., 5] - t[..., 6], t[..., 4]),
    }
    name = f"binary {measure.positive}"
    return FigureTable(name, measure.by, np.arange(population.size), columns, formulas)


def confusion(population: Population, measure: Confusion) -> FigureTable:
    """Return the figures over all elements of gold and answer.

    Raises:
        ValueError: the dataset has gold labels that are none of the measure's classes.
    """
    settled = population.settled
    width = len(measure.classes)
    known = settled.ledger.labels
    class_of = np.full(len(known), width, dtype=np.int64)
    for index, name in enumerate(measure.classes):
        if name in known:
            class_of[known[name]] = index
    _, starts, lengths = _gold_labels(population)
    lengths = lengths * population.graded
    # Every element of every kept entry: its row, its place in the gold list, its gold class.
    row, offset = elements(population.row, lengths)
    gold = class_of[settled.golds[0].codes[starts[row] + offset]]
    entries = settled.source[population.kept]
    answers = settled.answers
    entry = np.repeat(entries, lengths[population.row])
    told = answers.lengths[entry] == lengths[row]
    answer = np.full(len(row), width, dtype=np.int64)
    answer[told] = class_of[answers.codes[answers.starts[entry[told]] + offset[told]]]
    cells = width * (width + 1)
    every, all_offset = elements(np.arange(population.size), lengths)
    all_gold = class_of[settled.golds[0].codes[starts[every] + all_offset]]
    if np.any(all_gold == width):
        raise ValueError(
            f"{population.part.task_name} has gold labels outside {measure.classes}; "
            "its measure and its labels do not fit"
        )
    columns = np.bincount(
        row * cells + gold * (width + 1) + answer, minlength=population.size * cells
    ).astype(np.float64)
    absent = every * cells + all_gold * (width + 1) + width
    columns += np.bincount(
        absent, weights=population.missing[every], minlength=population.size * cells
    )
    columns = columns.reshape(population.size, cells)
    formulas = confusion_formulas(width)
    units = np.arange(population.size)
    return FigureTable("confusion", measure.by, units, columns, formulas, measure.classes)


def _gold_labels(population: Population) -> tuple[Ints, Ints, Ints]:
    """Return, by row of the part: first label (0 without one), start and number of labels."""
    codes, place = population.settled.golds
    part = population.part
    mine = place[part.start : part.start + part.count]
    starts, lengths = codes.starts[mine], codes.lengths[mine]
    first = np.zeros(part.count, dtype=np.int64)
    first[lengths > 0] = codes.codes[starts[lengths > 0]]
    return first, starts, lengths


def confusion_formulas(width: int) -> dict[str, Formula]:
    """Return the figures over a confusion matrix with `width` classes and a MISSING column.

    With n elements, pi the shares of gold classes and q those of answers: p_o is the diagonal's
    share, p_e = sum of pi * q, kappa = (p_o - p_e) / (1 - p_e). A missing element is in n, in pi
    and in no class of q. In kappa_of_answers q are the shares among the answers; the two
    are equal where nothing is missing. F1 of a class that neither side names is 0, as in
    scikit-learn.
    """

    def matrix(totals: Floats) -> Floats:
        return totals.reshape(*totals.shape[:-1], width, width + 1)

    def observed(totals: Floats) -> Floats:
        counts = matrix(totals)
        diagonal = np.einsum("...ii->...", counts[..., :width])
        return ratio(diagonal, counts.sum(axis=(-1, -2)))

    def expected(totals: Floats, *, of_answers: bool = False) -> Floats:
        counts = matrix(totals)
        n = counts.sum(axis=(-1, -2))
        answers = counts.sum(axis=-2)[..., :width]
        agreement = (counts.sum(axis=-1) * answers).sum(axis=-1)
        return ratio(agreement, n * (answers.sum(axis=-1) if of_answers else n))

    def kappa(totals: Floats, *, of_answers: bool = False) -> Floats:
        p_o, p_e = observed(totals), expected(totals, of_answers=of_answers)
        return ratio(p_o - p_e, 1 - p_e)

    def macro_f1(totals: Floats) -> Floats:
        counts = matrix(totals)
        hits = np.einsum("...ii->...i", counts[..., :width])
        either = counts.sum(axis=-1) + counts.sum(axis=-2)[..., :width]
        scores = np.nan_to_num(ratio(2 * hits, either))
        return np.where(counts.sum(axis=(-1, -2)) > 0, scores.mean(axis=-1), np.nan)

    return {
        "micro_accuracy": observed,
        "macro_f1": macro_f1,
        "kappa": kappa,
        "p_e": expected,
        "kappa_of_answers": partial(kappa, of_answers=True),
    }
