"""Map each declared measure to the code that counts it in a population.

The type of a measure selects its counter (COUNTERS). A measure that belongs to one family names
code of that family in the pipeline (`Measure.counted_by`).

The metrics page of the documentation (conf/docs/metrics.md) names the source of each definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from facelet.generators.core.measures import (
    Accuracy,
    Binary,
    Called,
    Confusion,
    Histogram,
    Looks,
    MacroMeanOf,
    MaxOf,
    MeanAmong,
    MeanOf,
    Measure,
    MedianOf,
    Proportion,
    WeightedMeanOf,
)
from facelet.pipeline import family_modules
from facelet.pipeline.scoring.aggregate.distribution_tables import (
    count_histogram,
    count_maximum,
    count_median,
)
from facelet.pipeline.scoring.aggregate.figure_table import (
    FigureTable,
    Formula,
    MeanOfRatios,
    Ratio,
)
from facelet.pipeline.scoring.aggregate.label_metrics import count_binary, count_confusion
from facelet.pipeline.scoring.array_types import Bools, Floats
from facelet.pipeline.scoring.grade.graded_columns import PARSED, RECEIVED
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.ingest.reasoning_patterns import NAMES, TURNS
from facelet.pipeline.scoring.ingest.token_usage import CODE, CODE_PLACES, METRICS
from facelet.pipeline.scoring.paper_rule_metrics import CORRECT, READ, REPLIES

Count = Callable[[Population, Any], FigureTable]
"""Takes a population and a measure of the type that it counts."""


def figure_tables(population: Population) -> Iterator[FigureTable]:
    """Yield the figures of a population: what every report has, then the task's measures.

    Raises:
        ValueError: the dataset's labels do not fit a measure of the task, or nothing counts one.
    """
    yield _count_accuracy(population, Accuracy())
    if population.samples > 1:
        yield _count_spread(population)
    yield from _iterate_published(population)
    yield from _iterate_token_usage(population)
    yield from _iterate_code_figures(population)
    if TURNS in population.settled.ledger.metrics:
        yield _count_patterns(population)
    for measure in population.part.load_installed_task.measures:
        if (count := find_counter(measure)) is not None:
            yield count(population, measure)


def find_counter(measure: Measure) -> Count | None:
    """Return what counts a measure; None where it counts nothing.

    Raises:
        ValueError: nothing is known of its type.
    """
    kind = type(measure)
    if kind.counted_by:
        count: Count = family_modules.load_export(kind.counted_by, "count")
        return count
    if kind not in COUNTERS:
        raise ValueError(
            f"the scorer knows no measure {kind.__name__}; let `counted_by` name what counts it"
        )
    return COUNTERS[kind]


def _count_accuracy(population: Population, measure: Accuracy) -> FigureTable:
    graded = population.has_gold
    parsed = np.isin(population.entry_status, list(PARSED))
    received = np.isin(population.entry_status, list(RECEIVED))
    judged = graded[population.row]
    columns = np.column_stack(
        (
            population.correct_counts,
            population.per_row(population.is_correct & population.is_strict),
            graded * population.samples,
            population.per_row(parsed & judged),
            population.per_row(parsed & population.is_strict & judged),
            population.per_row(received & judged),
            population.per_row(population.is_correct & received),
        )
    )
    formulas: dict[str, Formula] = {
        "accuracy": Ratio(0, 2),
        "answered_accuracy": Ratio(6, 5),
        "strict_accuracy": Ratio(1, 2),
        "parse_rate": Ratio(3, 5),
        "strict_parse_rate": Ratio(4, 5),
    }
    return FigureTable("accuracy", measure.by, np.arange(population.row_count), columns, formulas)


def _iterate_published(population: Population) -> Iterator[FigureTable]:
    """Yield the figures under the paper's rule for replies, where it has one.

    paper_parse_rate is a share of the replies that arrived, paper_accuracy one of all rows.
    """
    replies = population.metric_values(REPLIES)
    said = np.isfinite(replies) & population.has_gold[population.row]
    if not said.any():
        return
    graded = population.has_gold
    columns = np.column_stack(
        [
            population.per_row(np.where(said, values, 0.0))
            for values in (
                population.metric_values(READ),
                replies,
                population.metric_values(CORRECT),
            )
        ]
        + [graded * float(population.samples)]
    )
    formulas: dict[str, Formula] = {
        "paper_parse_rate": Ratio(0, 1),
        "paper_accuracy": Ratio(2, 3),
    }
    yield FigureTable("as published", (), np.arange(population.row_count), columns, formulas)


def _iterate_token_usage(population: Population) -> Iterator[FigureTable]:
    """Yield the means of what plays say that they took, over the plays that say it."""
    for name in METRICS:
        values = population.metric_values(name)
        said = np.isfinite(values)
        if said.any():
            sums = population.per_row(np.where(said, values, 0.0))
            columns = np.column_stack((sums, population.per_row(said)))
            formulas: dict[str, Formula] = {name: Ratio(0, 1, share=False)}
            yield FigureTable(
                f"spent {name}", (), np.arange(population.row_count), columns, formulas
            )


def _iterate_code_figures(population: Population) -> Iterator[FigureTable]:
    """Yield the shares of plays with code by where it ran, and the accuracy of each."""
    values = population.metric_values(CODE)
    said = np.isfinite(values) & population.has_gold[population.row]
    masks, formulas = [said], dict[str, Formula]()
    for place, name in enumerate(CODE_PLACES):
        ran = said & (values == place)
        if not ran.any():
            continue
        formulas[f"{name}_code_rate"] = Ratio(len(masks), 0)
        formulas[f"{name}_code_accuracy"] = Ratio(len(masks) + 1, len(masks))
        masks += [ran, ran & population.is_correct]
    if formulas:
        columns = np.column_stack([population.per_row(mask) for mask in masks])
        yield FigureTable("code", (), np.arange(population.row_count), columns, formulas)


def _count_spread(population: Population) -> FigureTable:
    # With k samples an item, the share of items with any right is the unbiased pass@k.
    right, graded = population.correct_counts, population.has_gold
    columns = np.column_stack(
        (
            (right > 0) & graded,
            (right == population.samples) & graded,
            population.majority_correct & graded,
            graded,
        )
    ).astype(np.float64)
    formulas = {
        "any_sample_correct": Ratio(0, 3),
        "all_samples_correct": Ratio(1, 3),
        "majority_correct": Ratio(2, 3),
    }
    return FigureTable("spread", (), np.arange(population.row_count), columns, formulas)


def _count_patterns(population: Population) -> FigureTable:
    """Return the occurrences of each pattern of reasoning a turn, where somebody counted."""
    columns = [
        population.per_row(np.nan_to_num(population.metric_values(name)))
        for name in (*(f"pattern_{name}" for name in NAMES), TURNS)
    ]
    formulas = {f"pattern_{name}": Ratio(n, len(NAMES), False) for n, name in enumerate(NAMES)}
    units = np.arange(population.row_count)
    return FigureTable("patterns", (), units, np.column_stack(columns), formulas)


def _count_mean(population: Population, measure: MeanOf) -> FigureTable:
    """Return the mean of a metric, over all entries or those among which a task measures it."""
    default, among = np.full(population.row_count, measure.default), ""
    if isinstance(measure, MeanAmong):
        among = measure.among
        if measure.default_column:
            column = population.part.read_column(measure.default_column)
            default = np.asarray(column, dtype=np.float64)
    counted = _mask_counted_entries(population, among)
    values = _fill_metric(population, measure, default)
    sums = population.per_row(values * counted) + population.missing_counts * default
    totals = population.per_row(counted) + population.missing_counts
    return _quotient_table(population, measure, sums, totals)


def _tabulate_weighted_mean(population: Population, measure: WeightedMeanOf) -> FigureTable:
    return _quotient_table(population, measure, *_list_weighted_sums(population, measure))


def _macro_mean(population: Population, measure: MacroMeanOf) -> FigureTable:
    """Return the mean over difficulties, from a column of sums and one of weights for each."""
    sums, totals = (part * population.has_gold for part in _list_weighted_sums(population, measure))
    levels = np.unique(population.row_difficulty)
    here = population.row_difficulty[:, None] == levels
    columns = np.concatenate((sums[:, None] * here, totals[:, None] * here), axis=1)
    count = len(levels)
    mean = MeanOfRatios(tuple(range(count)), tuple(range(count, 2 * count)))
    name = f"macro_{measure.metric}"
    return FigureTable(name, measure.by, np.arange(population.row_count), columns, {name: mean})


def _list_weighted_sums(population: Population, measure: WeightedMeanOf) -> tuple[Floats, Floats]:
    """Return the weighted sums of a metric and the weights, both by row."""
    default = np.full(population.row_count, measure.default)
    values = _fill_metric(population, measure, default)
    weights = population.metric_values(measure.weight)
    absent = _default_weight(population, measure)
    weights = np.where(np.isfinite(weights), weights, absent[population.row])
    sums = population.per_row(values * weights) + population.missing_counts * absent * default
    return sums, population.per_row(weights) + population.missing_counts * absent


def _fill_metric(population: Population, measure: MeanOf, default: Floats) -> Floats:
    """Return the metric of each kept entry; of one without it, the default of its row."""
    values = population.metric_values(measure.metric)
    return np.where(np.isfinite(values), values, default[population.row])


def _quotient_table(
    population: Population, measure: MeanOf, sums: Floats, totals: Floats
) -> FigureTable:
    """Return a mean as sums over totals, both by row."""
    columns = np.column_stack((sums * population.has_gold, totals * population.has_gold))
    formulas = {measure.metric: Ratio(0, 1, share=measure.share)}
    units = np.arange(population.row_count)
    return FigureTable(f"mean {measure.metric}", measure.by, units, columns, formulas)


def _default_weight(population: Population, measure: WeightedMeanOf) -> Floats:
    """Return, for each row, what a prediction without the weight weighs."""
    column, value = measure.unless
    weights = np.full(population.row_count, measure.default_weight)
    if measure.default_weight and column:
        codes, names = population.part.encode_column(column)
        weights[np.array([str(name) == value for name in names], dtype=bool)[codes]] = 0.0
    return weights


def _count_proportion(population: Population, measure: Proportion) -> FigureTable:
    counted = _mask_counted_entries(population, measure.among)
    true = (population.metric_values(measure.metric) == 1) & counted
    totals = population.per_row(counted) + population.missing_counts
    columns = np.column_stack((population.per_row(true), totals)) * population.has_gold[:, None]
    formulas = {f"{measure.metric}_rate": Ratio(0, 1)}
    name = f"proportion {measure.metric}"
    return FigureTable(name, measure.by, np.arange(population.row_count), columns, formulas)


def _mask_counted_entries(population: Population, metric: str) -> Bools:
    """Return which of the kept entries are counted: those where a 0/1 metric is not 0."""
    if not metric:
        return np.ones(len(population.row), dtype=bool)
    counted: Bools = population.metric_values(metric) != 0
    return counted


COUNTERS: Mapping[type[Measure], Count | None] = MappingProxyType(
    {
        Accuracy: _count_accuracy,
        Binary: count_binary,
        Called: None,
        Confusion: count_confusion,
        Histogram: count_histogram,
        Looks: None,
        MacroMeanOf: _macro_mean,
        MaxOf: count_maximum,
        MeanAmong: _count_mean,
        MeanOf: _count_mean,
        MedianOf: count_median,
        Proportion: _count_proportion,
        WeightedMeanOf: _tabulate_weighted_mean,
    }
)
"""What counts the measures that every family may declare."""
