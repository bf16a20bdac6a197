"""Figure tables over the distribution of a metric: its median, its largest value, its histogram.

The columns of such a table count the predictions of each distinct value, so that every figure is
a function of the columns' totals, as everywhere. Several samples of a row are so many predictions;
one that is missing has no value.
"""

from __future__ import annotations

import numpy as np

from facelet.generators.core.measures import Histogram, MaxOf, MedianOf
from facelet.pipeline.scoring.arrays import Floats
from facelet.pipeline.scoring.counting.figure_table import FigureTable, Quantity
from facelet.pipeline.scoring.judging.population import Population


def median(population: Population, measure: MedianOf) -> FigureTable:
    """Return the median of a metric."""
    distinct, columns = _distinct(population, measure)
    formula = Quantity(lambda totals: _median(totals, distinct))
    name = f"median_{measure.metric}"
    return FigureTable(name, measure.by, np.arange(population.size), columns, {name: formula})


def maximum(population: Population, measure: MaxOf) -> FigureTable:
    """Return the largest value of a metric."""
    distinct, columns = _distinct(population, measure)
    formula = Quantity(lambda totals: _largest(totals, distinct), resampled=False)
    name = f"maximum_{measure.metric}"
    return FigureTable(name, measure.by, np.arange(population.size), columns, {name: formula})


def _distinct(population: Population, measure: MedianOf) -> tuple[Floats, Floats]:
    """Return the distinct values of a metric, ascending, and how often each row has each."""
    values = population.metric(measure.metric)
    counted = np.isfinite(values) & population.graded[population.row]
    if measure.weight:
        counted &= np.nan_to_num(population.metric(measure.weight)) > 0
    distinct = np.unique(values[counted])
    return distinct, _counts(population, np.where(counted, values, np.nan), distinct)


def histogram(population: Population, measure: Histogram) -> FigureTable:
    """Return how many predictions have each value of a metric, and how many have none of them."""
    values = population.metric(measure.metric)
    graded = population.graded
    values = np.where(graded[population.row], values, np.nan)
    if measure.up_to_column:
        largest = max(population.part.column(measure.up_to_column).to_pylist(), default=0)
        bins = np.arange(1, largest + 1, dtype=np.float64)
    elif measure.values:
        bins = np.array(measure.values, dtype=np.float64)
    else:
        bins = np.unique(values[np.isfinite(values)])
    counts = _counts(population, values, bins)
    rest = graded * population.samples - counts.sum(axis=1)
    return FigureTable(
        f"histogram {measure.metric}",
        measure.by,
        np.arange(population.size),
        np.column_stack((counts, rest)),
        {},
        histogram=measure.metric,
        bins=tuple(bins.tolist()),
    )


def _counts(population: Population, values: Floats, distinct: Floats) -> Floats:
    """Return (rows, distinct values): how many kept entries of each row have each value.

    Args:
        population: the entries.
        values: (kept entries,), NaN where an entry does not count.
        distinct: the values to count, ascending.
    """
    width = len(distinct)
    if not width:
        return np.zeros((population.size, 0))
    place = np.minimum(np.searchsorted(distinct, values), width - 1)
    found = distinct[place] == values
    cells = population.row[found].astype(np.int64) * width + place[found]
    counts = np.bincount(cells, minlength=population.size * width)
    return counts.reshape(population.size, width).astype(np.float64)


def _median(totals: Floats, distinct: Floats) -> Floats:
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


def _largest(totals: Floats, distinct: Floats) -> Floats:
    """Return the largest values that are counted, (..., values) -> (...); NaN where none is."""
    result = np.full(totals.shape[:-1], np.nan)
    some = (totals > 0).any(axis=-1)
    if some.any():
        last = totals.shape[-1] - 1 - np.argmax(totals[..., ::-1] > 0, axis=-1)
        result[some] = distinct[last][some]
    return result
