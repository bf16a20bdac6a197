"""Define figure tables: counts by unit, and figures that are formulas over the columns' totals.

A table has one line for each unit (a row of the split, or an item of linked rows) and columns of
counts over the unit's samples. Every figure is a function of the columns' totals. Counts are
multiplied by the number of samples if that keeps them whole, so a figure over several samples is
the mean over samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from facelet.generators.core.seeding import Name
from facelet.pipeline.scoring.aggregate.statistics import RowClusters, safe_ratio
from facelet.pipeline.scoring.array_types import Floats, Ints


@dataclass(frozen=True, slots=True)
class Ratio:
    """The quotient of two columns' totals: a share of the denominator's units, or their mean.

    Attributes:
        numerator: place of the column on top.
        denominator: place of the column below.
        share: whether the figure lies between 0 and 1 by definition. Another mean may happen to
            do so; it has no interval that knows of these bounds.
    """

    numerator: int
    denominator: int
    share: bool = True

    def __call__(self, totals: Floats) -> Floats:
        """Return the figure of totals, (..., columns) -> (...)."""
        return safe_ratio(totals[..., self.numerator], totals[..., self.denominator])


@dataclass(frozen=True, slots=True)
class QuantityFormula:
    """A figure of a distribution, whose columns count the predictions of each value.

    Attributes:
        of: the figure of totals, (..., columns) -> (...).
        resampled: whether resampling tells how sure it is; it does not for an extreme.
    """

    of: Callable[[Floats], Floats]
    resampled: bool = True

    def __call__(self, totals: Floats) -> Floats:
        """Return the figure of totals."""
        return self.of(totals)


@dataclass(frozen=True, slots=True)
class MeanOfRatios:
    """The mean of several quotients, each counted once; those without a denominator are left out.

    Attributes:
        numerators: places of the columns on top.
        denominators: places of the columns below, in the same order.
    """

    numerators: tuple[int, ...]
    denominators: tuple[int, ...]

    def __call__(self, totals: Floats) -> Floats:
        """Return the figure of totals, (..., columns) -> (...)."""
        each = safe_ratio(totals[..., list(self.numerators)], totals[..., list(self.denominators)])
        known = np.isfinite(each)
        sums: Floats = np.where(known, each, 0.0).sum(axis=-1)
        return safe_ratio(sums, known.sum(axis=-1).astype(np.float64))


Formula = Ratio | QuantityFormula | Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class FigureTable:
    """Figures that share their columns.

    Attributes:
        name: what the table is called, for its seed.
        by: published columns to split by, besides the difficulty.
        units: (units,) the row that says the unit's difficulty, group and `by` columns.
        columns: (units, columns) counts.
        formulas: the figures by name.
        classes: for a confusion matrix, its classes in order.
        histogram: for a histogram, its metric; the last column counts what is in none of `bins`.
        bins: the values that the other columns of a histogram count.
    """

    name: str
    by: tuple[str, ...]
    units: Ints
    columns: Floats
    formulas: Mapping[str, Formula]
    classes: tuple[str, ...] = ()
    histogram: str = ""
    bins: tuple[float, ...] = ()


About = TypeVar("About")
"""What figures are about, such as a cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimand(Generic[About]):
    """Units of a table whose figures are to be estimated.

    Attributes:
        about: what the figures are about; several tables may be about one thing.
        table: the table.
        chosen: places of the units, ascending.
        clusters: which of the chosen units are no independent trials.
        seed: names that the resampling draws depend on.
    """

    about: About
    table: FigureTable
    chosen: Ints
    clusters: RowClusters
    seed: tuple[Name, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PairedEstimand(Generic[About]):
    """Paired differences of shares, whose mean is to be estimated.

    Attributes:
        about: what they are differences of.
        difference: (pairs,) the differences.
        groups: (pairs,) cluster of each.
        seed: names that the random numbers come from.
        exact: whether differences are -1, 0 or 1, so that McNemar's test is exact where no two
            pairs share a cluster.
    """

    about: About
    difference: Floats
    groups: Ints
    seed: tuple[str, ...]
    exact: bool
