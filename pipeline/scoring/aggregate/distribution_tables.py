"""Build figure tables over the distribution of a metric: median, maximum and histogram.

The columns of such a table count the predictions of each distinct value, so that every figure is a
function of the columns' totals, like all others. Each sample of a row is one prediction; a missing
one has no value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from facelet.generators.core.measures import Histogram, MaxOf, MedianOf
from facelet.pipeline.scoring.aggregate.figure_table import FigureTable, QuantityFormula
from facelet.pipeline.scoring.array_types import Floats
from facelet.pipeline.scoring.grade.population import Population


def count_median(population: Population, measure: MedianOf) -> FigureTable:
    """Return the median of a metric."""
    return _quantity_table(population, measure, "median", _median_of_counts)


def count_maximum(population: Population, measure: MaxOf) -> FigureTable:
    """Return the largest value of a metric; resampling does not tell how sure an extreme is."""
    return _quantity_table(population, measure, "maximum", _largest_of_counts, resampled=False)


def _quantity_table(
    population: Population,
    measure: MedianOf,
    what: str,
    of: Callable[[Floats, Floats], Floats],
    *,
    resampled: bool = True,
) -> FigureTable:
    """Return a figure of the distribution of a metric.

    Args:
        population: the entries.
        measure: the metric, and the one that an entry must have to count.
        what: how the name of the figure begins.
        of: from counts by value, and the distinct values, to the figure.
        resampled: whether resampling tells how sure it is.
    """
    values = population.metric_values(measure.metric)
    counted = np.isfinite(values) & population.has_gold[population.row]
    if measure.weight:
        counted &= np.nan_to_num(population.metric_values(measure.weight)) > 0
    distinct = np.unique(values[counted])
    columns = _count_values(population, np.where(counted, values, np.nan), distinct)
    name = f"{what}_{measure.metric}"
    formula = QuantityFormula(lambda totals: of(totals, distinct), resampled)
    return FigureTable(name, measure.by, np.arange(population.row_count), columns, {name: formula})


def count_histogram(population: Population, measure: Histogram) -> FigureTable:
    """Return how many predictions have each value of a metric, and how many have none of them."""
    values = population.metric_values(measure.metric)
    graded = population.has_gold
    values = np.where(graded[population.row], values, np.nan)
    if measure.up_to_column:
        largest = max(population.part.read_column(measure.up_to_column).to_pylist(), default=0)
        bins = np.arange(1, largest + 1, dtype=np.float64)
    elif measure.values:
        bins = np.array(measure.values, dtype=np.float64)
    else:
        bins = np.unique(values[np.isfinite(values)])
    counts = _count_values(population, values, bins)
    rest = graded * population.samples - counts.sum(axis=1)
    return FigureTable(
        f"histogram {measure.metric}",
        measure.by,
        np.arange(population.row_count),
        np.column_stack((counts, rest)),
        {},
        histogram=measure.metric,
        bins=tuple(bins.tolist()),
    )


def _count_values(population: Population, values: Floats, distinct: Floats) -> Floats:
    """Return (rows, distinct values): how many kept entries of each row have each value.

    Args:
        population: the entries.
        values: (kept entries,), NaN where an entry does not count.
        distinct: the values to count, ascending.
    """
    if not (width := len(distinct)):
        return np.zeros((population.row_count, 0))
    place = np.minimum(np.searchsorted(distinct, values), width - 1)
    found = distinct[place] == values
    cells = population.row[found].astype(np.int64) * width + place[found]
    counts = np.bincount(cells, minlength=population.row_count * width)
    return counts.reshape(population.row_count, width).astype(np.float64)


def _median_of_counts(totals: Floats, distinct: Floats) -> Floats:
    """Return the medians of counts by value, (..., values) -> (...); NaN where there are none."""
    result = np.full(totals.shape[:-1], np.nan)
    below = np.cumsum(totals, axis=-1)
    number = totals.sum(axis=-1)
    some = number > 0
    if some.any():
        # The values on either side of the middle; the same one unless the number is even.
        left = np.argmax(2 * below >= number[..., np.newaxis], axis=-1)
        right = np.argmax(2 * below > number[..., np.newaxis], axis=-1)
        result[some] = ((distinct[left] + distinct[right]) / 2)[some]
    return result


def _largest_of_counts(totals: Floats, distinct: Floats) -> Floats:
    """Return the largest values that are counted, (..., values) -> (...); NaN where none is."""
    result = np.full(totals.shape[:-1], np.nan)
    some = (totals > 0).any(axis=-1)
    if some.any():
        last = totals.shape[-1] - 1 - np.argmax(totals[..., ::-1] > 0, axis=-1)
        result[some] = distinct[last][some]
    return result
