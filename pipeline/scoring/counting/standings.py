"""Standings: how models stand to each other over the configs of a suite, and which ranks are ties.

The figure of a suite is the mean of the accuracies of its configs, each config counting the same,
whatever number of rows it has. Two models are compared on the rows that both were asked, by the
same weights: a paired test over clusters of rows that show the same, also across configs. The
p-values of all pairs of a suite are one family for Holm's correction. A model's rank is a range:
it stands behind the models that are told apart from it above, and before those below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from facelet.pipeline.scoring.arrays import Floats, Ints
from facelet.pipeline.scoring.counting.comparing import Paired, paired
from facelet.pipeline.scoring.counting.estimates import Estimate, estimate
from facelet.pipeline.scoring.counting.figure_table import FigureTable, Ratio
from facelet.pipeline.scoring.counting.holm import ALPHA, corrected
from facelet.pipeline.scoring.counting.pooling import Suite, suite_of
from facelet.pipeline.scoring.judging.population import Missing, Population


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a model got right in one config of a suite.

    Attributes:
        config: the config.
        rows: names of the rows that count.
        clusters: key of each one's cluster.
        shares: (rows,) share of its samples that are correct.
    """

    config: str
    rows: Sequence[str]
    clusters: Sequence[str]
    shares: Floats


@dataclass(frozen=True, slots=True)
class Standing:
    """How one model stands in a suite.

    Attributes:
        model: its name.
        configs: number of configs that it was asked.
        items: number of rows.
        accuracy: the mean of its accuracies over configs.
        first: the best rank that it may have, from 1.
        last: the worst.
    """

    model: str
    configs: int
    items: int
    accuracy: Estimate
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Duel:
    """Two models over a suite.

    Attributes:
        models: their names.
        items: number of rows that both were asked.
        found: the mean difference, the first's less the second's.
    """

    models: tuple[str, str]
    items: int
    found: Paired


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a suite, best first.

    Attributes:
        suite: the suite.
        split: the split.
        models: the models.
        duels: all pairs of them.
        vouched: whether the dataset was checked at all.
    """

    suite: str
    split: str
    models: tuple[Standing, ...]
    duels: tuple[Duel, ...]
    vouched: bool


def standings(
    found: Sequence[Population], resamples: int, missing: Missing = "wrong"
) -> Iterator[Standings]:
    """Yield the standings of each suite that has rows with a right answer.

    Args:
        found: the populations of all models.
        resamples: number of bootstrap replicates.
        missing: whether rows without any prediction count.
    """
    suites: dict[Suite, dict[str, list[Answers]]] = {}
    vouched: dict[Suite, bool] = {}
    for population in found:
        if (answers := _answers(population, missing)) is None:
            continue
        name = suite_of(population)
        suites.setdefault(name, {}).setdefault(population.model, []).append(answers)
        vouched[name] = vouched.get(name, True) and population.part.vouched
    for name, by_model in suites.items():
        yield standing(name, by_model, resamples, vouched=vouched[name])


def standing(
    name: Suite, found: Mapping[str, Sequence[Answers]], resamples: int, *, vouched: bool
) -> Standings:
    """Return the standings of one suite.

    Args:
        name: the suite and the split.
        found: what each model got right, config by config.
        resamples: number of bootstrap replicates.
        vouched: whether the dataset was checked at all.
    """
    figures = {model: _accuracy(name, answers, resamples) for model, answers in found.items()}
    pairs = list(combinations(found, 2))
    differences = [_difference(name, pair, found, resamples) for pair in pairs]
    tests = corrected([one for _, one in differences])
    duels = tuple(
        Duel(pair, items, test)
        for pair, (items, _), test in zip(pairs, differences, tests, strict=True)
    )
    behind = dict.fromkeys(found, 0)
    before = dict.fromkeys(found, 0)
    for duel in duels:
        if (winner := _winner(duel)) is not None:
            before[winner] += 1
            behind[next(model for model in duel.models if model != winner)] += 1
    models = [
        Standing(
            model,
            len(answers),
            sum(len(one.rows) for one in answers),
            figures[model],
            1 + behind[model],
            len(found) - before[model],
        )
        for model, answers in found.items()
    ]
    models.sort(key=lambda one: (-(one.accuracy.value or 0.0), one.first, one.model))
    return Standings(*name, tuple(models), duels, vouched)


def _winner(duel: Duel) -> str | None:
    """Return the model that is told apart as the better one; None where they are not."""
    p, difference = duel.found.p_holm, duel.found.difference
    if p is None or p >= ALPHA or not difference:
        return None
    return duel.models[0] if difference > 0 else duel.models[1]


def _answers(population: Population, missing: Missing) -> Answers | None:
    """Return what a model got right of one split; None where no row has a right answer."""
    rows = np.flatnonzero(population.graded & population.counted(missing))
    if not len(rows):
        return None
    ids = population.part.column("id").to_pylist()
    keys = population.part.cluster_keys
    shares = population.per_row(population.correct)[rows] / population.samples
    return Answers(
        population.part.name[0],
        [ids[row] for row in rows.tolist()],
        [keys[row] for row in rows.tolist()],
        shares,
    )


def _weights(sizes: Iterable[int]) -> Floats:
    """Return the weight of each row, with a mean of 1, so that every config counts the same."""
    counts = np.array(list(sizes), dtype=np.int64)
    each: Floats = np.repeat(counts.sum() / (len(counts) * np.maximum(counts, 1)), counts)
    return each


def _accuracy(name: Suite, answers: Sequence[Answers], resamples: int) -> Estimate:
    """Return the mean of the accuracies of a model over configs, with its interval."""
    weights = _weights(len(one.rows) for one in answers)
    right = np.concatenate([one.shares for one in answers]) * weights
    table = FigureTable(
        "suite",
        (),
        np.arange(len(weights)),
        np.column_stack((right, weights)),
        {"accuracy": Ratio(0, 1)},
    )
    groups = _codes([key for one in answers for key in one.clusters])
    places = np.arange(len(weights))
    return estimate(table, places, groups, ("suite", *name), resamples)["accuracy"]


def _codes(keys: Sequence[str]) -> Ints:
    found: Ints = np.unique(np.array(keys), return_inverse=True)[1].astype(np.int64)
    return found


def _difference(
    name: Suite,
    pair: tuple[str, str],
    found: Mapping[str, Sequence[Answers]],
    resamples: int,
) -> tuple[int, Paired]:
    """Return the number of rows that both models were asked, and the difference over them."""
    second = {one.config: one for one in found[pair[1]]}
    sizes: list[int] = []
    differences: list[Floats] = []
    keys: list[str] = []
    for one in found[pair[0]]:
        if (other := second.get(one.config)) is None:
            continue
        place = {row: index for index, row in enumerate(other.rows)}
        both = [(index, place[row]) for index, row in enumerate(one.rows) if row in place]
        if not both:
            continue
        own, theirs = np.array(both, dtype=np.int64).T
        sizes.append(len(both))
        differences.append(one.shares[own] - other.shares[theirs])
        keys += [one.clusters[index] for index in own.tolist()]
    if not sizes:
        return 0, Paired(0, 0)
    weighted = np.concatenate(differences) * _weights(sizes)
    seed = ("facelet-score", "suite", *name, *pair)
    return sum(sizes), paired(weighted, _codes(keys), seed, resamples, exact=False)
