"""Families of figures: what each declared measure counts in a population.

Definitions: Cube Bench, sections 4.3.1 to 4.3.6 and A.1 to A.7.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from facelet.generators.core.measures import (
    Accuracy,
    Binary,
    Called,
    Confusion,
    Histogram,
    MeanAmong,
    MeanOf,
    Measure,
    MedianOf,
    Proportion,
    Revision,
    Walk,
    WeightedMeanOf,
)
from facelet.pipeline.scoring.distributions import histogram, quantity
from facelet.pipeline.scoring.family import Family, Formula, Ratio, elements
from facelet.pipeline.scoring.labels import binary, confusion
from facelet.pipeline.scoring.ledger import PARSED, RECEIVED
from facelet.pipeline.scoring.population import Bools, Population
from facelet.pipeline.scoring.statistics import Floats, Ints, ratio
from facelet.pipeline.scoring.walking import walks


def families(population: Population) -> Iterator[Family]:
    """Yield the families of a population: what every report has, then the task's measures.

    Raises:
        ValueError: the dataset's labels do not fit a measure of the task.
    """
    yield _accuracy(population, ())
    if population.samples > 1:
        yield _spread(population)
    for measure in population.part.task.measures:
        if not isinstance(measure, Called):
            yield _family(population, measure)


def _family(population: Population, measure: Measure) -> Family:
    if isinstance(measure, Accuracy):
        return _accuracy(population, measure.by)
    if isinstance(measure, MeanOf):
        return _mean(population, measure)
    if isinstance(measure, Proportion):
        return _proportion(population, measure)
    if isinstance(measure, MedianOf):
        return quantity(population, measure)
    if isinstance(measure, Histogram):
        return histogram(population, measure)
    if isinstance(measure, Binary):
        return binary(population, measure)
    if isinstance(measure, Confusion):
        return confusion(population, measure)
    if isinstance(measure, Revision):
        return _revision(population, measure)
    if isinstance(measure, Walk):
        return walks(population, measure)
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
    among = measure.among if isinstance(measure, MeanAmong) else ""
    default = _default(population, measure)
    values = population.metric(measure.metric)
    values = np.where(np.isfinite(values), values, default[population.row])
    counted = _among(population, among)
    graded = population.graded
    if isinstance(measure, WeightedMeanOf):
        weights = population.metric(measure.weight)
        absent = _default_weight(population, measure)
        weights = np.where(np.isfinite(weights), weights, absent[population.row]) * counted
        sums = population.per_row(values * weights) + population.missing * absent * default
        totals = population.per_row(weights) + population.missing * absent
    else:
        sums = population.per_row(values * counted) + population.missing * default
        totals = population.per_row(counted) + population.missing
    columns = np.column_stack((sums * graded, totals * graded))
    name = f"mean {measure.metric}"
    formulas = {measure.metric: Ratio(0, 1, share=measure.share)}
    return Family(name, measure.by, np.arange(population.size), columns, formulas)


def _default(population: Population, measure: MeanOf) -> Floats:
    """Return, for each row, what a prediction without the metric counts."""
    if not isinstance(measure, MeanAmong) or not measure.default_column:
        return np.full(population.size, measure.default)
    return np.asarray(population.part.column(measure.default_column), dtype=np.float64)


def _default_weight(population: Population, measure: WeightedMeanOf) -> Floats:
    """Return, for each row, what a prediction without the weight weighs."""
    column, value = measure.unless
    weights = np.full(population.size, measure.default_weight)
    if measure.default_weight and column:
        codes, names = population.part.codes(column)
        weights[np.array([str(name) == value for name in names], dtype=bool)[codes]] = 0.0
    return weights


def _proportion(population: Population, measure: Proportion) -> Family:
    counted = _among(population, measure.among)
    true = (population.metric(measure.metric) == 1) & counted
    totals = population.per_row(counted) + population.missing
    graded = population.graded
    columns = np.column_stack((population.per_row(true) * graded, totals * graded))
    formulas = {f"{measure.metric}_rate": Ratio(0, 1)}
    name = f"proportion {measure.metric}"
    return Family(name, measure.by, np.arange(population.size), columns, formulas)


def _among(population: Population, metric: str) -> Bools:
    """Return which of the kept entries are counted: those where a 0/1 metric is not 0."""
    if not metric:
        return np.ones(len(population.row), dtype=bool)
    counted: Bools = population.metric(metric) != 0
    return counted


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


def _both(right: Ints, first: Ints, second: Ints, k: int) -> Floats:
    """Return, for pairs of rows, the number of samples that are right in both."""
    rows, ranks = right // k, right % k
    starts = np.searchsorted(rows, second)
    lengths = np.searchsorted(rows, second, side="right") - starts
    pair, offset = elements(np.arange(len(second)), lengths)
    twin = first[pair] * k + ranks[starts[pair] + offset]
    place = np.minimum(np.searchsorted(right, twin), max(len(right) - 1, 0))
    found = right[place] == twin if len(right) else np.zeros(0, dtype=bool)
    return np.bincount(pair[found], minlength=len(second)).astype(np.float64)
