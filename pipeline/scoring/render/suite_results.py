"""Describe the standings and baselines of suites in the form of results.json.

Chance, floor and shortcut of a suite are means over its configs, like the models' figures: every
config has the same weight, whatever its number of rows. All are shares of whole answers. If a
config states baselines of parts of answers, its floor is what the commonest right answer wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.dataset import floor_record
from facelet.pipeline.scoring.aggregate.claims import (
    ANSWERS,
    UNVERIFIED,
    Baselines,
    Claim,
    find_baselines,
    mean_baselines,
)
from facelet.pipeline.scoring.aggregate.estimates import EstimatedFigures
from facelet.pipeline.scoring.aggregate.standings import PeopleFigures, SuiteStandings
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.scored_dataset import ScoredSplit


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of a config.

    Attributes:
        chance: what guessing scores.
        floor: what the best blind player scores, as a share of whole answers.
        leaks: whether its rows tell their own answer.
    """

    chance: floor_record.ChanceRecord | None
    floor: floor_record.FloorRecord | None
    leaks: bool

    @classmethod
    def of(cls, part: ScoredSplit) -> Stated:
        """Return what is stated of the config of a split."""
        return cls(part.read_chance, part.answer_floor, part.leaks)

    def baselines(self, difficulty: int | None = None) -> Baselines:
        """Return what of whole answers is won without the skill, over all rows or at a level."""
        return find_baselines(ANSWERS, self.chance, self.floor, difficulty)


def describe_suite(
    found: SuiteStandings, stated: Mapping[str, Stated], *, vouched: bool = True
) -> results_schema.Suite:
    """Return a suite's standings as plain values.

    Args:
        found: the standings.
        stated: what is stated of each config of the split.
        vouched: whether the dataset was checked at all.
    """
    left_out = found.left_out
    ruled = [
        name
        for name, one in stated.items()
        if name.partition(".")[0] == found.suite and floor_record.known_rule_note(one.floor)
    ]
    kept = mean_baselines(
        [
            one.baselines()
            for name, one in stated.items()
            if name.partition(".")[0] == found.suite and name not in left_out
        ]
    )
    return {
        "suite": found.suite,
        "split": found.split,
        "guess": {
            "chance": kept.get("chance"),
            "floor": kept.get("floor"),
            "shortcut": kept.get("shortcut"),
        },
        "left_out": list(left_out),
        "models": [
            {
                "model": one.model,
                "configs": len(one.configs),
                "items": one.items,
                "accuracy": Claim(
                    one.accuracy,
                    ANSWERS,
                    mean_baselines([stated[name].baselines() for name in one.configs]),
                    caveats_of(vouched, left_out, ruled),
                    *one.shares,
                ).to_record(),
                "first": one.first,
                "last": one.last,
            }
            for one in found.models
        ],
        "duels": [
            {
                "models": list(one.about[1]),
                "items": one.about[2],
                "difference": one.found.difference,
                "low": one.found.low,
                "high": one.found.high,
                "p_value": one.found.p_value,
                "p_holm": one.found.p_holm,
                "test": one.found.test,
            }
            for one in found.duels
        ],
    }


def caveats_of(
    vouched: bool,
    left_out: Sequence[str] = (),
    ruled: Sequence[str] = (),
    *,
    leaks: bool = False,
) -> tuple[str, ...]:
    """Return what a reader must know of a figure.

    Args:
        vouched: whether the dataset was checked at all.
        left_out: configs that tell their own answer, which the mean does not count.
        ruled: configs that a known rule solves at all levels.
        leaks: whether the config tells its own answer.
    """
    without, solved = (
        ", ".join(name.partition(".")[2] for name in names) for names in (left_out, ruled)
    )
    return (
        *([] if vouched else [UNVERIFIED]),
        *([f"without {without}, whose rows reveal their answer"] if left_out else []),
        *([f"a known rule solves all levels of {solved}"] if ruled else []),
        *(["rows reveal their answer"] if leaks else []),
    )


def build_people(
    every: Iterable[EstimatedFigures[PeopleFigures]],
    stated: Mapping[str, Mapping[str, Stated]],
    *,
    vouched: bool,
) -> list[results_schema.People]:
    """Return the figures of people as plain values.

    Args:
        every: the figures, those of a config before those of its levels.
        stated: what is stated of each config, by split.
        vouched: whether the dataset was checked at all.
    """
    told: list[results_schema.People] = []
    levels: list[results_schema.PeopleLevel] = []
    for found in every:
        about = found.about
        accuracy = Claim(
            found.figures["accuracy"],
            ANSWERS,
            mean_baselines(
                [stated[about.split][name].baselines(about.level) for name in about.configs]
            ),
            caveats_of(vouched, about.left_out),
        ).to_record()
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
