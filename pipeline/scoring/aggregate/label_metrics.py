"""Build figure tables over labels: two-class figures, and figures over a confusion matrix.

The metrics page of the documentation names the source of each definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from facelet.generators.core.measures import Binary, Confusion
from facelet.generators.core.seeding import make_generator
from facelet.pipeline.scoring.aggregate.figure_table import FigureTable, Formula, Ratio
from facelet.pipeline.scoring.aggregate.statistics import safe_ratio
from facelet.pipeline.scoring.array_types import Floats, Ints, expand_rows
from facelet.pipeline.scoring.grade.population import Population

_GUESSES = 1000
"""Simulated players that guess."""

MISSING = "MISSING"
"""Name of the confusion matrix's column for elements without an answer."""


def count_binary(population: Population, measure: Binary) -> FigureTable:
    """Return the two-class figures of first labels.

    A missing answer is an error of its gold class, and is not in the shares among parsed answers.
    """
    settled = population.settled
    gold = _gold_labels(population)[0]
    answers = settled.answer_codes
    entries = settled.source[population.kept]
    answer = np.zeros(len(entries), dtype=np.int64)
    answered = answers.lengths[entries] > 0
    answer[answered] = answers.codes[answers.starts[entries[answered]]]
    positive = settled.ledger.labels.get(measure.positive, -1)
    graded = population.has_gold
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
            (safe_ratio(t[..., 0], t[..., 1]) + safe_ratio(t[..., 2], t[..., 3])) / 2
        ),
        "tpr": Ratio(0, 1),
        "tnr": Ratio(2, 3),
        "positive_rate": Ratio(5, 4),
        "label_bias": lambda t: safe_ratio(t[..., 5] - t[..., 6], t[..., 4]),
    }
    name = f"binary {measure.positive}"
    return FigureTable(name, measure.by, np.arange(population.row_count), columns, formulas)


def count_confusion(population: Population, measure: Confusion) -> FigureTable:
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
    lengths = lengths * population.has_gold
    # Every element of every kept entry: its row, its place in the gold list, its gold class.
    row, offset = expand_rows(population.row, lengths)
    gold = class_of[settled.gold_codes[0].codes[starts[row] + offset]]
    entries = settled.source[population.kept]
    answers = settled.answer_codes
    entry = np.repeat(entries, lengths[population.row])
    same_length = answers.lengths[entry] == lengths[row]
    answer = np.full(len(row), width, dtype=np.int64)
    answer[same_length] = class_of[
        answers.codes[answers.starts[entry[same_length]] + offset[same_length]]
    ]
    cells = width * (width + 1)
    every, all_offset = expand_rows(np.arange(population.row_count), lengths)
    all_gold = class_of[settled.gold_codes[0].codes[starts[every] + all_offset]]
    if np.any(all_gold == width):
        raise ValueError(
            f"{population.part.task_name} has gold labels outside {measure.classes}; "
            "its measure and its labels do not fit"
        )
    columns = np.bincount(
        row * cells + gold * (width + 1) + answer, minlength=population.row_count * cells
    ).astype(np.float64)
    absent = every * cells + all_gold * (width + 1) + width
    columns += np.bincount(
        absent, weights=population.missing_counts[every], minlength=population.row_count * cells
    )
    columns = columns.reshape(population.row_count, cells)
    formulas = confusion_formulas(width)
    units = np.arange(population.row_count)
    return FigureTable("confusion", measure.by, units, columns, formulas, measure.classes)


def _gold_labels(population: Population) -> tuple[Ints, Ints, Ints]:
    """Return, by row of the part: first label (0 without one), start and number of labels."""
    codes, place = population.settled.gold_codes
    part = population.part
    mine = place[part.first_number : part.first_number + part.count]
    starts, lengths = codes.starts[mine], codes.lengths[mine]
    first = np.zeros(part.count, dtype=np.int64)
    first[lengths > 0] = codes.codes[starts[lengths > 0]]
    return first, starts, lengths


def macro_f1_baselines(gold: Sequence[int]) -> dict[str, float]:
    """Return the macro F1 of uniform guesses, simulated, and that of the best constant answer.

    Args:
        gold: number of elements of each gold class; at least one element.
    """
    width, largest = len(gold), max(gold) / sum(gold)
    guesses = make_generator("facelet-score", "macro F1 by chance").multinomial(
        gold, [1 / width] * width, size=(_GUESSES, width)
    )
    totals = np.zeros((_GUESSES, width, width + 1))
    totals[..., :width] = guesses
    by_chance = confusion_formulas(width)["macro_f1"](totals.reshape(_GUESSES, -1))
    return {
        "chance": round(float(by_chance.mean()), 6),
        "constant": 2 * largest / (1 + largest) / width,
    }


def confusion_formulas(width: int) -> dict[str, Formula]:
    """Return the figures over a confusion matrix with `width` classes and a MISSING column.

    With n elements, pi the shares of gold classes and q those of answers: p_o is the diagonal's
    share, p_e = sum of pi * q, kappa = (p_o - p_e) / (1 - p_e). A missing element is in n, in pi
    and in no class of q. In kappa_of_answers q are the shares among the answers; the two
    are equal where nothing is missing. F1 of a class that neither side names is 0, as in
    scikit-learn.
    """

    def confusion_matrix(totals: Floats) -> Floats:
        return totals.reshape(*totals.shape[:-1], width, width + 1)

    def compute_observed_agreement(totals: Floats) -> Floats:
        counts = confusion_matrix(totals)
        diagonal = np.einsum("...ii->...", counts[..., :width])
        return safe_ratio(diagonal, counts.sum(axis=(-1, -2)))

    def compute_expected_agreement(totals: Floats, *, of_answers: bool = False) -> Floats:
        counts = confusion_matrix(totals)
        n = counts.sum(axis=(-1, -2))
        answers = counts.sum(axis=-2)[..., :width]
        agreement = (counts.sum(axis=-1) * answers).sum(axis=-1)
        return safe_ratio(agreement, n * (answers.sum(axis=-1) if of_answers else n))

    def cohen_kappa(totals: Floats, *, of_answers: bool = False) -> Floats:
        p_o, p_e = (
            compute_observed_agreement(totals),
            compute_expected_agreement(totals, of_answers=of_answers),
        )
        return safe_ratio(p_o - p_e, 1 - p_e)

    def macro_f1(totals: Floats) -> Floats:
        counts = confusion_matrix(totals)
        hits = np.einsum("...ii->...i", counts[..., :width])
        either = counts.sum(axis=-1) + counts.sum(axis=-2)[..., :width]
        scores = np.nan_to_num(safe_ratio(2 * hits, either))
        return np.where(counts.sum(axis=(-1, -2)) > 0, scores.mean(axis=-1), np.nan)

    return {
        "micro_accuracy": compute_observed_agreement,
        "macro_f1": macro_f1,
        "kappa": cohen_kappa,
        "p_e": compute_expected_agreement,
        "kappa_of_answers": partial(cohen_kappa, of_answers=True),
    }
