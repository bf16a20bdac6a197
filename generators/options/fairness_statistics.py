"""Statistics of fairness: pure functions from labels and counts to numbers, and their bounds.

Knows nothing of tasks, files or builds. Divergences are in bits (0 to 1). Probabilities are exact
(binomial) or the textbook chi-square tail. Labels are given in item order, since balance is a
promise about blocks of items, not about averages.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Balance:
    """How evenly labels fall in blocks of consecutive items.

    Attributes:
        block: the smallest block length, a multiple of the number of classes, such that every full
            block holds each class equally often and the last, unfinished one could still do so; 0
            when there is no such length up to `MAX_REPEATS` times the number of classes.
        deviation: the greatest |count - share| of a class over the full blocks of that length, or
            of the number of classes when there is no such length.
    """

    block: int
    deviation: int


MAX_REPEATS = 16


def normalize_counts(count: npt.ArrayLike) -> Floats:
    """Return counts as shares of their sum.

    Raises:
        ValueError: a count is negative, or all are zero.
    """
    array = np.asarray(count, dtype=np.float64)
    if array.min(initial=0.0) < 0 or array.sum() <= 0:
        raise ValueError(f"shares need non-negative counts with a positive sum, not {array}")
    result: Floats = array / array.sum()
    return result


def measure_balance(labels: Sequence[Hashable], classes: Sequence[Hashable]) -> Balance:
    """Return how evenly a label sequence in item order falls in blocks."""
    place = {label: index for index, label in enumerate(classes)}
    code = np.fromiter((place[label] for label in labels), np.int64, len(labels))
    size = len(classes)
    full = len(code) // size
    # Counts before each stretch of as many labels as there are classes, and of all of them.
    stretch = np.repeat(np.arange(full), size)
    inside = np.bincount(stretch * size + code[: full * size], minlength=full * size)
    seen = np.zeros((full + 1, size), dtype=np.int64)
    np.cumsum(inside.reshape(full, size), axis=0, out=seen[1:])
    total = np.bincount(code, minlength=size)
    for repeats in range(1, MAX_REPEATS + 1):
        rest = total - seen[full // repeats * repeats]
        if _greatest_deviation(seen, repeats) == 0 and int(rest.max(initial=0)) <= repeats:
            return Balance(repeats * size, 0)
    return Balance(0, max(1, _greatest_deviation(seen, 1)))


def _greatest_deviation(seen: Counts, repeats: int) -> int:
    """Return the greatest |count - repeats| over the full blocks; `seen` holds prefix counts."""
    return int(np.abs(np.diff(seen[::repeats], axis=0) - repeats).max(initial=0))


def chi_square(observed: npt.ArrayLike) -> float:
    """Return the probability that even shares of the classes give counts at least as uneven."""
    count = np.asarray(observed, dtype=np.float64)
    if (total := count.sum()) == 0 or count.size < 2:
        return 1.0
    share = np.full(count.shape, 1 / count.size)
    statistic = float(((count - total * share) ** 2 / (total * share)).sum())
    return chi_square_tail(statistic, count.size - 1)


def homogeneity_test(table: npt.ArrayLike) -> float:
    """Return the probability that rows of one mix give a table at least as uneven.

    Args:
        table: counts, shape (rows, classes); rows and columns without a count are left out.
    """
    count = np.asarray(table, dtype=np.float64)
    count = count[count.sum(axis=1) > 0][:, count.sum(axis=0) > 0]
    if (dof := max(0, (count.shape[0] - 1) * (count.shape[1] - 1))) == 0:
        return 1.0
    expected = count.sum(axis=1, keepdims=True) * count.sum(axis=0, keepdims=True) / count.sum()
    statistic = float(((count - expected) ** 2 / expected).sum())
    return chi_square_tail(statistic, dof)


def chi_square_tail(statistic: float, dof: int) -> float:
    """Return the probability that a chi-square variable exceeds `statistic`.

    It is the incomplete gamma function of half-integers in closed form, a sum of positive terms,
    exact up to rounding.

    Args:
        statistic: the value to exceed.
        dof: degrees of freedom.
    """
    if dof < 1 or statistic <= 0:
        return 1.0
    half = statistic / 2
    odd = dof % 2
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    for step in range(dof // 2):
        power = step + 0.5 if odd else float(step)
        tail += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return min(1.0, tail)


def chi_square_bound(p: float, dof: int) -> float:
    """Return the statistic whose tail probability is `p`, by bisection.

    Args:
        p: a probability between 0 and 1.
        dof: degrees of freedom.
    """
    low, high = 0.0, 1.0
    while chi_square_tail(high, dof) > p:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle, dof) > p else (low, middle)
    return high


def jensen_shannon(left: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """Return the Jensen-Shannon divergence of two mixes, in bits: 0 when equal, 1 when disjoint."""
    p, q = normalize_counts(left), normalize_counts(right)
    middle = (p + q) / 2

    def divergence_excess(x: Floats) -> float:
        kept = x > 0
        return float((x[kept] * np.log2(x[kept] / middle[kept])).sum())

    return max(0.0, (divergence_excess(p) + divergence_excess(q)) / 2)


def jensen_shannon_bound(p: float, classes: int, draws: int) -> float:
    """Return the divergence that `draws` independent draws exceed with probability about `p`.

    Of n draws from a mix, 8 n ln(2) times the divergence of their shares from it tends to a
    chi-square variable with classes - 1 degrees of freedom.

    Args:
        p: the probability, between 0 and 1.
        classes: number of classes of the mix.
        draws: number of draws, n.

    Returns:
        A divergence in bits; 1 where there is nothing to compare.
    """
    if classes < 2 or draws < 1:
        return 1.0
    return min(1.0, chi_square_bound(p, classes - 1) / (8 * draws * math.log(2)))


def binomial_tail(hits: int, trials: int, chance: float) -> float:
    """Return the exact probability of at least `hits` successes.

    Args:
        hits: number of successes.
        trials: number of independent trials.
        chance: probability of success in each.
    """
    if hits <= 0:
        return 1.0
    if hits > trials or chance <= 0:
        return 0.0
    if chance >= 1:
        return 1.0
    k = np.arange(hits, trials + 1, dtype=np.float64)
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, trials + 1)))))
    log_terms = (
        log_factorial[trials]
        - log_factorial[hits:]
        - log_factorial[trials - hits :: -1]
        + k * math.log(chance)
        + (trials - k) * math.log1p(-chance)
    )
    top = float(log_terms.max())
    return min(1.0, math.exp(top) * float(np.exp(log_terms - top).sum()))


# Many players at many levels of one size are asked about.
@lru_cache(maxsize=1 << 10)
def accuracy_bound(p: float, trials: int, chance: float) -> float:
    """Return the greatest accuracy that guessing still reaches with a probability above `p`.

    Args:
        p: the probability, between 0 and 1.
        trials: number of answers.
        chance: probability that a guess is right.

    Returns:
        A share of the trials; 1.0 when with so few trials no accuracy is that improbable.
    """
    low, high = 0, trials + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_tail(middle, trials, chance) > p else (low, middle)
    return low / trials if trials else 1.0


def doubling_target(feasible: npt.ArrayLike, items: int, *, alpha: float = 1.0) -> Floats:
    """Return the target mix of classes when each item shows every class once and one twice.

    Cube Bench, appendix A.7.2: of len(feasible) + 1 slots one goes to each class, the last in
    proportion to the smoothed share of items in which the class can be doubled.

    Args:
        feasible: per class, the number of items that have two distinct options of it.
        items: the number of items.
        alpha: the smoothing pseudo-count.
    """
    odds = (np.asarray(feasible, dtype=np.float64) + alpha) / (items + 2 * alpha)
    slots = odds.size + 1
    result: Floats = (1.0 + odds / odds.sum()) / slots
    return result
