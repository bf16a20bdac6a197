"""Families of figures: what each declared measure counts in a population, and the formulas over it.

A family is a table with one line a unit (a row of the split, or an item of linked rows) and
columns of counts over its samples; every figure is a function of the columns' totals. Counts are
multiplied by the number of samples where that keeps them whole, so a figure over several samples
is the mean over samples. Definitions: Cube Bench, sections 4.3.1 to 4.3.6 and A.1 to A.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generators.core.measures import (
    Accuracy,
    Binary,
    Confusion,
    MeanOf,
    Measure,
    Revision,
    WeightedMeanOf,
)
from pipeline.scoring.ledger import PARSED, RECEIVED, Ints
from pipeline.scoring.population import Population
from pipeline.scoring.statistics import Floats, ratio

MISSING = "MISSING"
"""Name of the confusion matrix's column for elements without an answer."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The quotient of two columns' totals: a share of the denominator's units."""

    numerator: int
    denominator: int

    def __call__(self, totals: Floats) -> Floats:
        """Return the figure of totals, (..., columns) -> (...)."""
        return ratio(totals[..., self.numerator], totals[..., self.denominator])


Formula = Ratio | Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Figures that share their columns.

    Attributes:
        name: what the family is called, for its seed.
        by: published columns to split by, besides the difficulty.
        units: (units,) the row that says the unit's difficulty, group and `by` columns.
        columns: (units, columns) counts.
        formulas: the figures by name.
        classes: for a confusion matrix, its classes in order.
    """

    name: str
    by: tuple[str, ...]
    units: Ints
    columns: Floats
    formulas: Mapping[str, Formula]
    classes: tuple[str, ...] = ()


def families(population: Population) -> Iterator[Family]:
    """Yield the families of a population: what every report has, then the task's measures.

    Raises:
        ValueError: the dataset's labels do not fit a measure of the task.
    """
    yield _accuracy(population, ())
    if population.samples > 1:
        yield _spread(population)
    for measure in population.part.task.measures:
        yield _family(population, measure)


def _family(population: Population, measure: Measure) -> Family:
    if isinstance(measure, Accuracy):
        return _accuracy(population, measure.by)
    if isinstance(measure, MeanOf):
        return _mean(population, measure)
    if isinstance(measure, Binary):
        return _binary(population, measure)
    if isinstance(measure, Confusion):
        return _confusion(population, measure)
    if isinstance(measure, Revision):
        return _revision(population, measure)
    raise ValueError(f"the scorer knows no measure {type(measure).__name__}")


def _accuracy(population: Population, by: tuple[str, ...]) -> Family:
    graded = population.graded
    parsed = np.isin(population.status, list(PARSED))
    received = np.isin(population.status, list(RECEIVED))
    judged = graded[population.row]
    columns = np.column_stack(
        (
            population.per_row(population.correct),
            population.per_row(population.correct & population.strict),
            graded * population.samples,
            population.per_row(parsed & judged),
            population.per_row(parsed & population.strict & judged),
            population.per_row(received & judged),
        )
    )
    formulas: dict[str, Formula] = {
        "accuracy": Ratio(0, 2),
        "strict_accuracy": Ratio(1, 2),
        "parse_rate": Ratio(3, 5),
        "strict_parse_rate": Ratio(4, 5),
    }
    return Family("accuracy", by, np.arange(population.size), columns, formulas)


def _spread(population: Population) -> Family:
    # With k samples an item, the share of items with any right is the unbiased pass@k.
    right = population.per_row(population.correct)
    graded = population.graded
    columns = np.column_stack(
        ((right > 0) & graded, (right == population.samples) & graded, graded)
    ).astype(np.float64)
    formulas = {"any_sample_correct": Ratio(0, 2), "all_samples_correct": Ratio(1, 2)}
    return Family("spread", (), np.arange(population.size), columns, formulas)


def _mean(population: Population, measure: MeanOf) -> Family:
    values = population.settled.metric(measure.metric)[population.settled.source[population.kept]]
    values = np.where(np.isfinite(values), values, measure.default)
    graded = population.graded
    if isinstance(measure, WeightedMeanOf):
        weights = population.settled.metric(measure.weight)
        weights = np.nan_to_num(weights[population.settled.source[population.kept]])
        sums, totals = population.per_row(values * weights), population.per_row(weights)
    else:
        sums = population.per_row(values) + population.missing * measure.default
        totals = np.full(population.size, float(population.samples))
    columns = np.column_stack((sums * graded, totals * graded))
    name = f"mean {measure.metric}"
    formulas = {measure.metric: Ratio(0, 1)}
    return Family(name, measure.by, np.arange(population.size), columns, formulas)


def _binary(population: Population, measure: Binary) -> Family:
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
    return Family(name, measure.by, np.arange(population.size), columns, formulas)


def _gold_labels(population: Population) -> tuple[Ints, Ints, Ints]:
    """Return, by row of the part: first label (0 without one), start and number of labels."""
    codes, place = population.settled.golds
    part = population.part
    mine = place[part.start : part.start + part.count]
    starts, lengths = codes.starts[mine], codes.lengths[mine]
    first = np.zeros(part.count, dtype=np.int64)
    first[lengths > 0] = codes.codes[starts[lengths > 0]]
    return first, starts, lengths


def _confusion(population: Population, measure: Confusion) -> Family:
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
    row, offset = _elements(population.row, lengths)
    gold = class_of[settled.golds[0].codes[starts[row] + offset]]
    entries = settled.source[population.kept]
    answers = settled.answers
    entry = np.repeat(entries, lengths[population.row])
    told = answers.lengths[entry] == lengths[row]
    answer = np.full(len(row), width, dtype=np.int64)
    answer[told] = class_of[answers.codes[answers.starts[entry[told]] + offset[told]]]
    cells = width * (width + 1)
    every, all_offset = _elements(np.arange(population.size), lengths)
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
    return Family("confusion", measure.by, units, columns, formulas, measure.classes)


def _elements(rows: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Return, for rows in any order, each row as often as it has elements, and their offsets."""
    counts = lengths[rows]
    ends = np.cumsum(counts)
    offset = np.arange(int(counts.sum())) - np.repeat(ends - counts, counts)
    return np.repeat(rows, counts), offset


def confusion_formulas(width: int) -> dict[str, Formula]:
    """Return the figures over a confusion matrix with `width` classes and a MISSING column.

    With n elements, pi the shares of gold classes and q those of answers: p_o is the diagonal's
    share, p_e = sum of pi * q, kappa = (p_o - p_e) / (1 - p_e). A missing element is in n, in pi
    and in no class of q. F1 of a class that neither side names is 0, as in scikit-learn.
    """

    def matrix(totals: Floats) -> Floats:
        return totals.reshape(*totals.shape[:-1], width, width + 1)

    def observed(totals: Floats) -> Floats:
        counts = matrix(totals)
        diagonal = np.einsum("...ii->...", counts[..., :width])
        return ratio(diagonal, counts.sum(axis=(-1, -2)))

    def expected(totals: Floats) -> Floats:
        counts = matrix(totals)
        n = counts.sum(axis=(-1, -2))
        agreement = (counts.sum(axis=-1) * counts.sum(axis=-2)[..., :width]).sum(axis=-1)
        return ratio(agreement, n * n)

    def kappa(totals: Floats) -> Floats:
        p_o, p_e = observed(totals), expected(totals)
        return ratio(p_o - p_e, 1 - p_e)

    def macro_f1(totals: Floats) -> Floats:
        counts = matrix(totals)
        hits = np.einsum("...ii->...i", counts[..., :width])
        either = counts.sum(axis=-1) + counts.sum(axis=-2)[..., :width]
        scores = np.nan_to_num(ratio(2 * hits, either))
        return np.where(counts.sum(axis=(-1, -2)) > 0, scores.mean(axis=-1), np.nan)

    return {"micro_accuracy": observed, "macro_f1": macro_f1, "kappa": kappa, "p_e": expected}


def _revision(population: Population, measure: Revision) -> Family:
    part, k = population.part, population.samples
    links = part.codes(measure.link)[0]
    stage_codes, stages = part.codes(measure.stage)
    stage = np.array([str(name) for name in stages], dtype=object)[stage_codes]
    drafts = np.flatnonzero(stage == measure.draft)
    finals = np.flatnonzero(stage == measure.final)
    draft_of = np.full(int(links.max(initial=-1)) + 1, -1, dtype=np.int64)
    draft_of[links[drafts]] = drafts
    finals = finals[draft_of[links[finals]] >= 0]
    first = draft_of[links[finals]]
    # Sample j of the draft belongs to sample j of the re-answer.
    right = np.unique((population.row * k + population.rank)[population.correct])
    counts = population.per_row(population.correct)
    pairs = _both(right, first, finals, k)
    initial, final = counts[first], counts[finals]
    columns = np.column_stack(
        (np.full(len(finals), k), initial, final, final - pairs, initial - pairs, k - initial)
    ).astype(np.float64)
    formulas: dict[str, Formula] = {
        "initial_accuracy": Ratio(1, 0),
        "final_accuracy": Ratio(2, 0),
        "gain": lambda t: ratio(t[..., 2] - t[..., 1], t[..., 0]),
        "error_fix_rate": Ratio(3, 5),
        "overthink_rate": Ratio(4, 1),
    }
    return Family("revision", measure.by, finals, columns, formulas)


def _both(right: Ints, first: Ints, second: Ints, k: int) -> npt.NDArray[np.float64]:
    """Return, for pairs of rows, the number of samples that are right in both."""
    rows, ranks = right // k, right % k
    starts = np.searchsorted(rows, second)
    lengths = np.searchsorted(rows, second, side="right") - starts
    pair, offset = _elements(np.arange(len(second)), lengths)
    twin = first[pair] * k + ranks[starts[pair] + offset]
    place = np.minimum(np.searchsorted(right, twin), max(len(right) - 1, 0))
    found = right[place] == twin if len(right) else np.zeros(0, dtype=bool)
    return np.bincount(pair[found], minlength=len(second)).astype(np.float64)
