"""Suites: how models stand to each other, and what is won without one, in the form of results.json.

Chance, floor and shortcut of a suite are means over its configs, like the models' figures: a config
counts the same whatever number of rows it has. They are stated where every config states a share of
whole answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from facelet.pipeline.dataset import chances, floors
from facelet.pipeline.scoring.counting.estimates import Estimate, Figured
from facelet.pipeline.scoring.counting.standings import Duel, People, Standings
from facelet.pipeline.scoring.dataset import Part
from facelet.pipeline.scoring.telling import schema

WHOLE = "answers"
"""What chance and floors are shares of where they can stand beside an accuracy."""


Stated = tuple[chances.Record | None, floors.Record | None]
"""Chance and floor of a config."""


def suite(found: Standings, parts: Iterable[Part]) -> schema.Suite:
    """Return a suite's standings as plain values.

    Args:
        found: the standings.
        parts: all splits that were scored; those of the suite say what is won by guessing.
    """
    own = {
        part.name[0]: (part.chance, part.floor)
        for part in parts
        if (part.name[0].partition(".")[0], part.name[1]) == (found.suite, found.split)
    }
    return told(found, own)


def told(found: Standings, stated: Mapping[str, Stated]) -> schema.Suite:
    """Return a suite's standings as plain values.

    Args:
        found: the standings.
        stated: chance and floor of each config of the suite.
    """
    return {
        "suite": found.suite,
        "split": found.split,
        "guess": guess(list(stated.values())),
        "models": [
            {
                "model": one.model,
                "configs": one.configs,
                "items": one.items,
                "accuracy": figure(one.accuracy, vouched=found.vouched),
                "first": one.first,
                "last": one.last,
            }
            for one in found.models
        ],
        "duels": [_duel(one, vouched=found.vouched) for one in found.duels],
    }


def people(every: Iterable[Figured[People]]) -> list[schema.People]:
    """Return the figures of people as plain values.

    Args:
        every: the figures, those of a config before those of its levels.
    """
    told: list[schema.People] = []
    levels: list[schema.PeopleLevel] = []
    for found in every:
        about = found.about
        accuracy = figure(found.figures["accuracy"], vouched=about.vouched)
        if about.level is not None:
            levels.append(
                {
                    "difficulty": about.level,
                    "people": about.people,
                    "answers": about.answers,
                    "accuracy": accuracy,
                }
            )
            continue
        levels = []
        told.append(
            {
                "suite": about.suite,
                "split": about.split,
                "config": about.config,
                "people": about.people,
                "answers": about.answers,
                "accuracy": accuracy,
                "levels": levels,
            }
        )
    return told


def guess(stated: Sequence[Stated]) -> schema.Guess:
    """Return what is won without a model over some configs, each counted the same."""
    return {
        "chance": _mean([_whole(chance) for chance, _ in stated]),
        "floor": _mean([_whole(floor) for _, floor in stated]),
        "shortcut": _mean([looked(floor) for _, floor in stated]),
    }


def _whole(found: chances.Record | floors.Record | None) -> float | None:
    return found["value"] if found and found["of"] == WHOLE else None


def looked(floor: floors.Record | None) -> float | None:
    """Return what the best player wins that looks at a part, or at nothing; None if unknown."""
    if floor is None or floor["of"] != WHOLE:
        return None
    return max([floor["value"], *(one["value"] for one in floor.get("shortcuts", {}).values())])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def figure(found: Estimate, *, vouched: bool) -> schema.Figure:
    """Return a figure as plain values.

    Args:
        found: the figure.
        vouched: whether the dataset was checked at all.
    """
    told: schema.Figure = {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "units": found.units,
    }
    return told if vouched else {"unverified": True, **told}


def _duel(found: Duel, *, vouched: bool) -> schema.Duel:
    told: schema.Duel = {
        "models": list(found.models),
        "items": found.items,
        "difference": found.found.difference,
        "low": found.found.low,
        "high": found.found.high,
        "p_value": found.found.p_value,
        "p_holm": found.found.p_holm,
        "test": found.found.test,
    }
    if not vouched:
        told["unverified"] = True
    return told
