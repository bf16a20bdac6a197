"""People: the figures of all people together, who answer by names that begin alike.

The answers of one person are no independent trials, so the clusters are people: the interval says
what other people would have scored on these rows. As of models, the figure of a suite is the mean
over its configs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.pipeline.scoring.counting.estimates import Estimate, estimate
from facelet.pipeline.scoring.counting.figure_table import Estimand, FigureTable, Ratio
from facelet.pipeline.scoring.counting.standings import Answers, answers_of, weights
from facelet.pipeline.scoring.judging.population import Population, Suite
from facelet.pipeline.scoring.taking.intake import is_person


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """The figures of all people on a config, or on a suite.

    Attributes:
        suite: the suite.
        split: the split.
        config: the config; "" for the whole suite.
        people: number of people.
        answers: number of their answers.
        accuracy: the share that is right.
        vouched: whether the dataset was checked at all.
    """

    suite: str
    split: str
    config: str
    people: int
    answers: int
    accuracy: Estimate
    vouched: bool


def people(found: Sequence[Population], resamples: int) -> Iterator[PeopleFigures]:
    """Yield the figures of people on each suite, then on each of its configs.

    A row that a person was not asked does not count, whatever becomes of those of models.

    Args:
        found: the populations of all models.
        resamples: number of bootstrap replicates.
    """
    suites: dict[Suite, dict[str, list[tuple[str, Answers]]]] = {}
    vouched: dict[Suite, bool] = {}
    for population in found:
        if not is_person(population.model):
            continue
        asked = np.bincount(population.row, minlength=population.size) > 0
        if (answers := answers_of(population, asked)) is None:
            continue
        name = population.suite
        own = suites.setdefault(name, {}).setdefault(answers.config, [])
        own.append((population.model, answers))
        vouched[name] = vouched.get(name, True) and population.part.vouched
    for name, configs in suites.items():
        every = [("", list(configs.values())), *((c, [own]) for c, own in configs.items())]
        for config, parts in every:
            yield _figures(name, config, parts, resamples, vouched=vouched[name])


def _figures(
    name: Suite,
    config: str,
    parts: Sequence[Sequence[tuple[str, Answers]]],
    resamples: int,
    *,
    vouched: bool,
) -> PeopleFigures:
    """Return the figures of people over some configs, each counted the same.

    Args:
        name: the suite and the split.
        config: the config; "" for the whole suite.
        parts: for each config, who answered it, and what was right.
        resamples: number of bootstrap replicates.
        vouched: whether the dataset was checked at all.
    """
    each = weights(sum(len(one.rows) for _, one in own) for own in parts)
    shares = np.concatenate([one.shares for own in parts for _, one in own])
    who = [person for own in parts for person, one in own for _ in one.rows]
    names, groups = np.unique(np.array(who), return_inverse=True)
    places = np.arange(len(each))
    columns = np.column_stack((shares * each, each))
    table = FigureTable("people", (), places, columns, {"accuracy": Ratio(0, 1)})
    wanted = Estimand(name, table, places, groups.astype(np.int64), ("people", *name, config))
    accuracy = estimate(wanted, resamples)["accuracy"]
    return PeopleFigures(*name, config, len(names), len(each), accuracy, vouched)
