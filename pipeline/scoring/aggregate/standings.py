"""Rank models over the configs of a suite, with ties, and compute the accuracy of people.

The figure of a suite is the mean of the accuracies of its configs; every config has the same
weight, whatever its number of rows. Configs whose rows reveal their own answer are left out. Two
models are compared on the rows that both were asked, with the same weights: a paired test over
clusters of rows that show the same, also across configs. The p-values of all pairs of a suite are
one family for Holm's correction. A rank is a range: after the models that are significantly better,
before those that are significantly worse.

People (models whose names share a prefix) are not ranked among models: all of them together are one
figure. The answers of one person are not independent, so the clusters are people, and the interval
covers what other people would have scored on these rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.pipeline.scoring.aggregate.estimates import (
    ALPHA,
    Estimate,
    EstimatedFigures,
    TestedDifference,
    by_family,
    estimate_figures,
    test_differences,
)
from facelet.pipeline.scoring.aggregate.figure_table import (
    Estimand,
    FigureTable,
    PairedEstimand,
    Ratio,
)
from facelet.pipeline.scoring.aggregate.statistics import RowClusters
from facelet.pipeline.scoring.array_types import Bools, Floats, Ints, rank_texts
from facelet.pipeline.scoring.grade.arrival_shares import Shares
from facelet.pipeline.scoring.grade.population import Population, Suite
from facelet.pipeline.scoring.ingest.prediction_reader import is_person

ModelDuel = TestedDifference[tuple[Suite, tuple[str, str], int]]
"""Two models over a suite: the suite, the models, the number of rows that both were asked."""


@dataclass(frozen=True, slots=True, eq=False)
class ConfigAnswers:
    """What a model got right in one config of a suite.

    Attributes:
        config: the config.
        rows: names or numbers of the rows that count, as an Arrow array.
        clusters: cluster of each, as a place in `keys`.
        keys: key of each cluster, the same in all configs, as an Arrow array.
        shares: (rows,) share of its samples that are correct.
        beside: what arrived and was readable.
    """

    config: str
    rows: pa.Array
    clusters: Ints
    keys: pa.Array
    shares: Floats
    beside: Shares


@dataclass(frozen=True, slots=True)
class ModelStanding:
    """How one model stands in a suite.

    Attributes:
        model: its name.
        configs: the configs that it was asked, those aside that tell the answer.
        items: number of rows.
        accuracy: the mean of its accuracies over configs.
        shares: what arrived and was readable, the mean over configs.
        first: the best rank that it may have, from 1; None where too little arrived.
        last: the worst.
    """

    model: str
    configs: tuple[str, ...]
    items: int
    accuracy: Estimate
    shares: Shares
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class SuiteStandings:
    """The standings of a suite, best first.

    Attributes:
        suite: the suite.
        split: the split.
        models: the models.
        duels: all pairs of them.
        left_out: configs that tell their own answer, which no mean counts.
    """

    suite: str
    split: str
    models: tuple[ModelStanding, ...]
    duels: tuple[ModelDuel, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SuiteRivals:
    """All models in one suite, before anything is estimated.

    Attributes:
        suite: the suite and the split.
        answers: what each model got right, config by config.
        left_out: configs that tell their own answer, which no mean counts.
    """

    suite: Suite
    answers: Mapping[str, Sequence[ConfigAnswers]]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """All people together on a level of a config, on a config, or on a suite.

    Attributes:
        suite: the suite.
        split: the split.
        config: the config; "" for the whole suite.
        level: the difficulty of the rows; None for all.
        people: number of people.
        answers: number of their answers.
        configs: the configs behind it.
        left_out: configs that tell their own answer, which no mean counts.
    """

    suite: str
    split: str
    config: str
    level: int | None
    people: int
    answers: int
    configs: tuple[str, ...]
    left_out: tuple[str, ...]


def group_rivals(found: Sequence[Population]) -> list[SuiteRivals]:
    """Return the models of each suite that has rows with a right answer.

    Args:
        found: the populations of all models.
    """
    suites: dict[Suite, dict[str, list[ConfigAnswers]]] = {}
    skipped = _leaks(found)
    for population in found:
        name = population.suite_split
        if is_person(population.model) or population.part.split_name[0] in skipped[name]:
            continue
        if (answers := answers_of(population, population.counted)) is None:
            continue
        suites.setdefault(name, {}).setdefault(population.model, []).append(answers)
    return [SuiteRivals(name, by_model, skipped[name]) for name, by_model in suites.items()]


def find_leaks(configs: Iterable[tuple[Suite, str, bool]]) -> dict[Suite, tuple[str, ...]]:
    """Return the configs that no mean of their suite counts; none where all are such.

    Args:
        configs: suite and name of each config, and whether it tells its own answer.
    """
    suites: dict[Suite, dict[str, bool]] = {}
    for suite, config, leaks in configs:
        suites.setdefault(suite, {})[config] = leaks
    return {
        suite: () if all(own.values()) else tuple(name for name, leaks in own.items() if leaks)
        for suite, own in suites.items()
    }


def _leaks(found: Iterable[Population]) -> dict[Suite, tuple[str, ...]]:
    """Return what `find_leaks` does, of the configs of all models."""
    return find_leaks((one.suite_split, one.part.split_name[0], one.part.leaks) for one in found)


def iterate_accuracies(every: Iterable[SuiteRivals]) -> Iterator[Estimand[tuple[Suite, str]]]:
    """Yield the accuracy of each model in each suite, to be estimated."""
    yield from (
        _suite_accuracy(one.suite, model, answers)
        for one in every
        for model, answers in one.answers.items()
    )


def iterate_duels(
    every: Iterable[SuiteRivals],
) -> Iterator[PairedEstimand[tuple[Suite, tuple[str, str], int]]]:
    """Yield the differences of each two models in each suite, and over how many rows."""
    yield from (
        _suite_difference(one.suite, pair, one.answers)
        for one in every
        for pair in combinations(_list_ranked_models(one), 2)
    )


def iterate_people(found: Sequence[Population]) -> Iterator[Estimand[PeopleFigures]]:
    """Yield the accuracy of people on each suite, each of its configs, and each level of these.

    A config comes before its levels. A row that a person was not asked does not count, whatever
    becomes of those of models.

    Args:
        found: the populations of all models.
    """
    suites: dict[Suite, dict[str, dict[int | None, list[tuple[str, ConfigAnswers]]]]] = {}
    skipped = _leaks(found)
    for population in found:
        if not is_person(population.model):
            continue
        asked = np.bincount(population.row, minlength=population.row_count) > 0
        if (answers := answers_of(population, asked)) is None:
            continue
        name, difficulty = population.suite_split, population.row_difficulty
        own = suites.setdefault(name, {}).setdefault(answers.config, {})
        own.setdefault(None, []).append((population.model, answers))
        for level in np.unique(difficulty[asked]).tolist():
            if (part := answers_of(population, asked & (difficulty == level))) is not None:
                own.setdefault(level, []).append((population.model, part))
    for name, configs in suites.items():
        out = skipped[name]
        whole = [levels[None] for config, levels in configs.items() if config not in out]
        if whole:
            yield _pool_people(name, "", None, whole, out)
        for config, levels in configs.items():
            yield _pool_people(name, config, None, [levels.pop(None)])
            for level, single in sorted((k, v) for k, v in levels.items() if k is not None):
                yield _pool_people(name, config, level, [single])


def _pool_people(
    name: Suite,
    config: str,
    level: int | None,
    parts: Sequence[Sequence[tuple[str, ConfigAnswers]]],
    left_out: tuple[str, ...] = (),
) -> Estimand[PeopleFigures]:
    """Return the accuracy of people over some configs, each counted the same.

    Args:
        name: the suite and the split.
        config: the config; "" for the whole suite.
        level: the difficulty of the rows; None for all.
        parts: for each config, who answered it, and what was right.
        left_out: configs that tell their own answer.
    """
    each = row_weights(sum(len(one.rows) for _, one in own) for own in parts)
    shares = np.concatenate([one.shares for own in parts for _, one in own])
    who = [person for own in parts for person, one in own for _ in one.rows]
    names, groups = np.unique(np.array(who), return_inverse=True)
    places = np.arange(len(each))
    columns = np.column_stack((shares * each, each))
    table = FigureTable("people", (), places, columns, {"accuracy": Ratio(0, 1)})
    configs = tuple(own[0][1].config for own in parts)
    about = PeopleFigures(*name, config, level, len(names), len(each), configs, left_out)
    seed = ("people", *name, config) + (() if level is None else (str(level),))
    return Estimand(about, table, places, RowClusters(groups, len(names)), seed)


def rank_models(
    every: Iterable[SuiteRivals],
    figures: Iterable[EstimatedFigures[tuple[Suite, str]]],
    tests: Iterable[ModelDuel],
) -> Iterator[SuiteStandings]:
    """Yield the standings of each suite.

    Args:
        every: the models.
        figures: their accuracies.
        tests: their differences, with p-values that are corrected suite by suite.
    """
    accuracy = {one.about: one.figures["accuracy"] for one in figures}
    duels: dict[Suite, list[ModelDuel]] = {}
    for test in tests:
        duels.setdefault(test.about[0], []).append(test)
    for one in every:
        own = tuple(duels.get(one.suite, ()))
        behind = dict.fromkeys(_list_ranked_models(one), 0)
        before = dict(behind)
        for duel in own:
            if (winner := _duel_winner(duel)) is not None:
                before[winner] += 1
                behind[next(model for model in duel.about[1] if model != winner)] += 1
        models = [
            ModelStanding(
                model,
                tuple(asked.config for asked in answers),
                sum(len(asked.rows) for asked in answers),
                accuracy[one.suite, model],
                Shares.mean([asked.beside for asked in answers]),
                1 + behind[model] if model in behind else None,
                len(before) - before[model] if model in before else None,
            )
            for model, answers in one.answers.items()
        ]
        # Those without a rank stand last.
        models.sort(
            key=lambda one: (not one.first, -(one.accuracy.value or 0.0), one.first, one.model)
        )
        yield SuiteStandings(*one.suite, tuple(models), own, one.left_out)


def build_standings(
    name: Suite,
    found: Mapping[str, Sequence[ConfigAnswers]],
    resamples: int,
    left_out: tuple[str, ...],
) -> SuiteStandings:
    """Return the standings of one suite.

    Args:
        name: the suite and the split.
        found: what each model got right, config by config.
        resamples: number of bootstrap replicates.
        left_out: configs that tell their own answer; none of them is in `found`.
    """
    one = [SuiteRivals(name, found, left_out)]
    figures = estimate_figures(iterate_accuracies(one), resamples)
    tests = by_family(test_differences(iterate_duels(one), resamples), lambda about: about[0])
    return next(rank_models(one, figures, tests))


def _list_ranked_models(rivals: SuiteRivals) -> list[str]:
    """Return the models of which enough arrived for a rank."""
    every = rivals.answers.items()
    return [name for name, own in every if Shares.mean([one.beside for one in own]).suffice]


def _duel_winner(duel: ModelDuel) -> str | None:
    """Return the model that is told apart as the better one; None where they are not."""
    p, difference = duel.found.p_holm, duel.found.difference
    if p is None or p >= ALPHA or not difference:
        return None
    return duel.about[1][difference < 0]


def answers_of(population: Population, counted: Bools) -> ConfigAnswers | None:
    """Return what a model got right of one split; None where no row has a right answer.

    Args:
        population: its entries.
        counted: (rows,) which rows count.
    """
    rows = np.flatnonzero(population.has_gold & counted)
    if not len(rows):
        return None
    part, shares = population.part, population.correct_counts[rows] / population.samples
    clusters, keys = part.row_clusters
    if len(rows) < part.count:  # or they are shared by all models
        clusters = clusters[rows]
    numbers = pa.array((rows + part.first_number).astype(np.int32))
    return ConfigAnswers(part.split_name[0], numbers, clusters, keys, shares, population.shares)


def row_weights(sizes: Iterable[int]) -> Floats:
    """Return the weight of each row, with a mean of 1, so that every config counts the same."""
    counts = np.array(list(sizes), dtype=np.int64)
    each: Floats = np.repeat(counts.sum() / (len(counts) * np.maximum(counts, 1)), counts)
    return each


def _suite_accuracy(
    suite: Suite, model: str, answers: Sequence[ConfigAnswers]
) -> Estimand[tuple[Suite, str]]:
    """Return the mean of the accuracies of a model over configs, to be estimated."""
    each = row_weights(len(one.rows) for one in answers)
    right = np.concatenate([one.shares for one in answers]) * each
    places = np.arange(len(each))
    columns = np.column_stack((right, each))
    table = FigureTable("suite", (), places, columns, {"accuracy": Ratio(0, 1)})
    own = RowClusters.from_groups(_number_clusters([(one.clusters, one.keys) for one in answers]))
    return Estimand((suite, model), table, places, own, ("suite", *suite))


def _suite_difference(
    suite: Suite, pair: tuple[str, str], found: Mapping[str, Sequence[ConfigAnswers]]
) -> PairedEstimand[tuple[Suite, tuple[str, str], int]]:
    """Return the differences over the rows that both models were asked."""
    second = {one.config: one for one in found[pair[1]]}
    sizes: list[int] = []
    differences: list[Floats] = []
    clusters: list[tuple[Ints, pa.Array]] = []
    for one in found[pair[0]]:
        if (other := second.get(one.config)) is None:
            continue
        if one.rows.equals(other.rows):
            own = theirs = np.arange(len(one.rows))
        else:
            places = pc.index_in(one.rows, value_set=other.rows)
            own = np.flatnonzero(places.is_valid().to_numpy(zero_copy_only=False))
            theirs = places.drop_null().to_numpy()
        if not len(own):
            continue
        sizes.append(len(own))
        differences.append(one.shares[own] - other.shares[theirs])
        clusters.append((one.clusters[own], one.keys))
    weighted = np.concatenate(differences) * row_weights(sizes) if sizes else np.zeros(0)
    seed = ("facelet-score", "suite", *suite, *pair)
    return PairedEstimand(
        (suite, pair, sum(sizes)), weighted, _number_clusters(clusters), seed, exact=False
    )


def _number_clusters(parts: Sequence[tuple[Ints, pa.Array]]) -> Ints:
    """Return numbers of the clusters of rows, part by part, in the order of their keys.

    Args:
        parts: the cluster of each row, as a place among the keys of its part, and these.
    """
    if not parts:
        return np.zeros(0, dtype=np.int32)
    numbers, _ = rank_texts(pa.concat_arrays([keys for _, keys in parts]))
    ends = np.cumsum([len(keys) for _, keys in parts])
    own = np.split(numbers, ends[:-1])
    return np.concatenate([number[of] for number, (of, _) in zip(own, parts, strict=True)])
