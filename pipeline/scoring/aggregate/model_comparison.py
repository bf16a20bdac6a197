"""Comparing on the same puzzles: two models, or one on two looks of them.

Always paired, never interval against interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from facelet.pipeline.json_values import JSON
from facelet.pipeline.scoring.counting.figure_table import Pairs
from facelet.pipeline.scoring.judging.judge import Judged
from facelet.pipeline.scoring.judging.looks import Twins
from facelet.pipeline.scoring.judging.population import Population
from facelet.pipeline.scoring.taking.intake import is_person

Couple = tuple[Population, Population]
"""The populations of two models on the same split of a config."""

MAX_PAIRED = 5
"""Up to this many models are compared all with all; more need names, and so do people."""


def couples(judged: Judged, wanted: Sequence[str]) -> list[list[Couple]]:
    """Return the populations of each two models to compare, on each split that both have.

    Splits of which too little arrived are left out.

    Args:
        judged: what became of the predictions.
        wanted: the models that were asked for; none asks for all, if there are few.

    Raises:
        ValueError: a wanted model has no predictions, or only one is wanted.
    """
    found = {(one.model, one.part.name): one for one in judged.populations}
    names = [part.name for part in judged.dataset.parts]
    return [
        [
            (found[first, name], found[second, name])
            for name in names
            if all(
                (model, name) in found and found[model, name].shares.suffice
                for model in (first, second)
            )
        ]
        for first, second in _chosen(judged.models, wanted)
    ]


def _chosen(models: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of models to compare.

    Args:
        models: the models that have predictions.
        wanted: the models that were asked for; none asks for all, if there are few.

    Raises:
        ValueError: a wanted model has no predictions, or only one is wanted.
    """
    if not wanted:
        own = [name for name in models if not is_person(name)]
        return list(combinations(own, 2)) if len(own) <= MAX_PAIRED else []
    for name in wanted:
        if name not in models:
            raise ValueError(f"compare={name}: no predictions of it; there are {', '.join(models)}")
    if len(set(wanted)) < 2:
        raise ValueError("compare needs at least two different models, such as compare=a,b")
    return list(combinations(dict.fromkeys(wanted), 2))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two models on one split.

    Attributes:
        config: the config.
        split: the split.
        models: their names.
        items: number of rows that both were asked.
        vouched: whether the dataset was checked at all.
    """

    config: str
    split: str
    models: tuple[str, str]
    items: int
    vouched: bool


@dataclass(frozen=True, slots=True, eq=False)
class LooksDifference:
    """What a change of looks costs a model in one figure: `value` less `clean_value`.

    Attributes:
        model: name of the model.
        config: the config with other looks.
        clean: the config with the default ones.
        split: the split of both.
        looks: the params that differ, with their values in `config`.
        figure: the figure.
        difficulty: the difficulty of the items; None for all.
        items: number of pairs of rows.
        clean_value: mean of the figure over the clean rows; None without a row.
        value: mean of the figure over the others; None without a row.
        vouched: whether the dataset was checked at all.
    """

    model: str
    config: str
    clean: str
    split: str
    looks: Mapping[str, JSON]
    figure: str
    difficulty: int | None
    items: int
    clean_value: float | None
    value: float | None
    vouched: bool


def comparisons(chosen: Iterable[Couple]) -> Iterator[Pairs[Comparison]]:
    """Yield the differences of the accuracies of two models, the first's less the second's.

    Args:
        chosen: the populations of two models on the same split.
    """
    for first, second in chosen:
        rows = np.flatnonzero(first.graded & first.counted & second.counted)
        shares = [one.right[rows] / one.samples for one in (first, second)]
        yield Pairs(
            Comparison(
                *first.part.name, (first.model, second.model), len(rows), first.part.vouched
            ),
            shares[0] - shares[1],
            first.group[rows],
            ("facelet-score", "compare", *first.part.name, first.model, second.model),
            first.samples == second.samples == 1,
        )


def invariance(every: Iterable[Twins]) -> Iterator[Pairs[LooksDifference]]:
    """Yield what changes of looks cost, figure by figure: over all difficulties, and at each.

    Args:
        every: the models and configs to compare with clean looks.
    """
    for twins in every:
        first, second = twins.clean, twins.changed
        difficulty, alone = second.difficulty[twins.rows], first.samples == second.samples == 1
        for figure, (before, after) in twins.shares.items():
            for level in (None, *np.unique(difficulty).tolist()):
                every_one = np.ones(len(twins.rows), dtype=bool)
                inside = np.flatnonzero(every_one if level is None else difficulty == level)
                name = (first.part.name[0], *second.part.name, second.model, figure, level)
                about = LooksDifference(
                    second.model,
                    second.part.name[0],
                    first.part.name[0],
                    second.part.name[1],
                    twins.looks,
                    figure,
                    level,
                    len(inside),
                    float(before[inside].mean()) if len(inside) else None,
                    float(after[inside].mean()) if len(inside) else None,
                    second.part.vouched,
                )
                yield Pairs(
                    about,
                    after[inside] - before[inside],
                    second.group[twins.rows[inside]],
                    ("facelet-score", "looks", *map(str, name)),
                    alone and figure == "accuracy",
                )
