"""Join a number with everything that must be shown beside it.

A claim has a value, its unit, n, an interval, baselines in the same unit, a verdict and caveats. It
is exported in two ways only: `render` passes all of it to the form of a surface, and `to_record`
returns all of it for programs. No other module reads the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

from facelet.pipeline.dataset import floor_record
from facelet.pipeline.scoring.aggregate.estimates import Estimate, Method
from facelet.pipeline.scoring.grade.arrival_shares import LEAST_ARRIVED

UNDEFINED = "n/a"
"""What is shown for a figure that is not defined."""

UNVERIFIED = "unverified"
"""The caveat of figures of a dataset that was not checked."""

ABOVE, NO_VERDICT, NO_BASELINE = "above baselines", "no verdict", "no baseline stated"

NOT_APPLICABLE = "baseline not applicable"
"""The verdict of figures that measure no skill, such as a parse rate or a number of attempts."""
SHORT_REASON = "no baseline"
OF_PARTS = f"{SHORT_REASON}: baseline players are measured by accuracy only"
OF_CHOSEN = f"{SHORT_REASON}: the player's own replies decide what it is a share of"
"""Why a share that measures a skill has no baseline in its unit."""

ANSWERS = "answers"
"""The unit of an accuracy: a share of whole answers."""

KAPPA = "kappa"
"""The unit of agreement beyond chance, which is 0 by chance."""

FIRST_ANSWERS = "first answers"
"""The unit of the accuracy of the first of several answers to a question."""

BALANCED, MACRO_F1 = "balanced accuracy", "macro F1"
"""Units of figures whose baselines follow from the gold labels of their rows."""

SHARE, NUMBER = "share", "number"
"""Units of figures that are compared with no baseline."""

_UNITS = {
    "accuracy": ANSWERS,
    "matrix_accuracy": ANSWERS,
    "final_accuracy": ANSWERS,
    # Shares of all plays: whoever solves a play early solves it, so what is won blind bounds them.
    "solved_rate": ANSWERS,
    "solved_at_1_rate": ANSWERS,
    "solved_within_3_rate": ANSWERS,
    "element_accuracy": "elements",
    "micro_accuracy": "labels",
    "initial_accuracy": FIRST_ANSWERS,
    "balanced_accuracy": BALANCED,
    "macro_f1": MACRO_F1,
    "kappa": KAPPA,
    "kappa_of_answers": KAPPA,
    "f1": "F1 of yes",
}
"""What figures are shares of, where baselines are stated of the same."""

_SHARES = (
    *("accuracy", "rate", "correct", "gain", "bias", "tpr", "tnr"),
    *("adherence", "coverage", "apa", "terminated", "unknown"),
)
"""How the names of shares end; shares are shown in percent, other figures as they are."""

_NO_SKILL = (
    *("parse_rate", "bias", "unknown", "terminated", "positive_rate"),
    *("format_error_rate", "illegal_move_rate", "invalid_rate"),
)
"""How the names of shares end that measure no skill."""
_CHOSEN = (
    *("recovered_rate", "recovered_at_1_rate", "recovered_within_3_rate", "selective_accuracy"),
    *("overthink_rate", "error_fix_rate", "rotation_correct", "kept_winning_rate", "answer_rate"),
    *("redundant_query_rate", "coverage", "apa", "idk_rate"),
)
"""How the names of shares end whose denominator the player's own replies decide."""
_SUCCESSES = frozenset(
    ("success_at_budget", "success_beyond_budget", "success_in_fewest", "carried_out", "parts")
)
"""Numbers that measure a skill."""

_CALLED = {
    "chance": "chance",
    "constant": "the best constant answer",
    "floor": "the floor",
    "shortcut": "a shortcut",
}
"""The baselines, in the order in which a claim is compared with them, and their names."""

T = TypeVar("T")

Form = Callable[[str, str, Sequence[str]], T]
"""How a surface shows a claim: its value, its interval ("" for none), and all notes on it."""

Baselines = Mapping[str, float]
"""What is won without the skill that is measured, by name: chance, floor, shortcut."""


class Figure(TypedDict):
    """A claim in results.json: shares from 0 to 1, with the 95% interval; `units` is n.

    `unverified` is there only if verify=false. What follows `units` is there where a figure is
    compared with baselines or has caveats.
    """

    unverified: NotRequired[bool]
    value: float | None
    low: float | None
    high: float | None
    method: Method | None
    units: int
    unit: NotRequired[str]
    baselines: NotRequired[Baselines]
    verdict: NotRequired[str]
    caveats: NotRequired[Sequence[str]]
    arrived: NotRequired[float | None]
    readable: NotRequired[float | None]


@dataclass(frozen=True, slots=True)
class Claim:
    """A number with everything that must be shown beside it.

    Attributes:
        unit: what it is a share of; SHARE, NUMBER, or a unit of a paper's column.
        baselines: what is won without the skill, in the same unit.
        caveats: what else a reader must know, in words.
        arrived: share of the expected replies that arrived; None where that is not counted.
        readable: share of the arrived replies that could be read.
        no_baseline: why it has no baselines; "" where it should have some.
    """

    _found: Estimate
    unit: str
    baselines: Baselines = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    arrived: float | None = None
    readable: float | None = None
    no_baseline: str = ""

    @classmethod
    def read(cls, name: str, figure: Figure) -> Claim:
        """Return the claim that a record holds; one of an earlier release has no baselines.

        Args:
            name: name of the figure, which says the unit of a record that does not.
            figure: the record.
        """
        old_caveats = [UNVERIFIED] if figure.get("unverified") else []
        verdict = figure.get("verdict", "")
        stated = verdict if verdict in (NOT_APPLICABLE, OF_PARTS, OF_CHOSEN) else ""
        return cls(
            Estimate(
                figure["value"],
                figure.get("low"),
                figure.get("high"),
                figure.get("method"),
                figure.get("units", 0),
            ),
            figure.get("unit", unit_of(name)),
            figure.get("baselines", {}),
            tuple(figure.get("caveats", old_caveats)),
            figure.get("arrived"),
            figure.get("readable"),
            stated if verdict else no_baseline_reason(name),
        )

    @property
    def verdict(self) -> str:
        """Whether it is above its baselines by more than luck, in words."""
        if self.arrived is not None and self.arrived < LEAST_ARRIVED:
            return f"{NO_VERDICT}: {self.arrived:.1%} of replies arrived"
        if not self.baselines:
            return self.no_baseline or NO_BASELINE
        low = self._found.low
        if low is None:
            return NO_VERDICT
        reached = (name for name in _CALLED if low <= self.baselines.get(name, -1.0))
        return next((f"not above {_CALLED[name]}" for name in reached), ABOVE)

    @property
    def _has_verdict(self) -> bool:
        """Whether the verdict says more than that no skill is measured."""
        return self.unit not in (SHARE, NUMBER) or self.no_baseline in (OF_PARTS, OF_CHOSEN)

    def to_unit(self, scale: float, unit: str, caveats: Sequence[str]) -> Claim:
        """Return it in another unit, with more caveats.

        Args:
            scale: how many of the unit are 1.
            unit: the unit.
            caveats: what else a reader must know.
        """
        value, low, high = (
            None if x is None else scale * x
            for x in (self._found.value, self._found.low, self._found.high)
        )
        return replace(
            self,
            _found=replace(self._found, value=value, low=low, high=high),
            unit=unit,
            baselines={name: scale * at for name, at in self.baselines.items()},
            caveats=(*self.caveats, *caveats),
        )

    def measure_interval(self, measure: Literal["low", "high", "half width"]) -> Claim | None:
        """Return an end of the interval, or half its width; None without an interval."""
        low, high = self._found.low, self._found.high
        if low is None or high is None:
            return None
        value = {"low": low, "high": high, "half width": (high - low) / 2}[measure]
        found = Estimate(value, units=self._found.units)
        return replace(self, _found=found, baselines={}, no_baseline=NOT_APPLICABLE)

    def minus(self, other: Claim) -> Claim:
        """Return the difference to another, which has neither interval nor baselines."""
        mine, theirs = self._found, other._found
        value = (mine.value or 0.0) - (theirs.value or 0.0)
        found = Estimate(value, units=mine.units + theirs.units)
        return replace(self, _found=found, baselines={}, no_baseline=NOT_APPLICABLE)

    def render(self, form: Form[T], n: int | None = None, baselines: Baselines | None = None) -> T:
        """Return it in the form of a surface.

        Args:
            form: the form.
            n: n as it stands elsewhere in the table; another one is noted.
            baselines: the baselines that stand elsewhere in the table; others are noted.
        """
        found = self._found
        if found.value is None:
            return form(UNDEFINED, "", self.caveats)
        ends = f"[{self._write(found.low)}, {self._write(found.high)}]"
        notes = [] if n == found.units else [f"n = {found.units:,}"]
        if self.unit not in (SHARE, NUMBER):
            if self.baselines and self.baselines != baselines:
                notes.append(", ".join(f"{what} {at}" for what, at in self.columns().items()))
            notes.append(self.verdict)
        elif self._has_verdict:
            notes.append(SHORT_REASON)
        if self.arrived is not None:
            notes.append(f"{self.arrived:.1%} arrived, {self.readable or 0.0:.1%} readable")
        known = found.low is not None and found.high is not None
        return form(self._write(found.value), ends if known else "", [*notes, *self.caveats])

    def columns(self) -> dict[str, str]:
        """Return its baselines as cells of a table."""
        return {name: self._write(at) for name, at in self.baselines.items()}

    def _write(self, value: float | None) -> str:
        if value is None or self.unit not in (SHARE, NUMBER, *_UNITS.values()):
            return number_of(value)
        decimal = self.unit in (KAPPA, MACRO_F1, NUMBER)
        return f"{value:.3f}" if decimal else f"{100 * value:.1f}"

    def to_record(self) -> Figure:
        """Return all of it for programs."""
        found = self._found
        record: Figure = {
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "method": found.method,
            "units": found.units,
        }
        if UNVERIFIED in self.caveats:
            record = {"unverified": True, **record}
        if self._has_verdict:
            record["unit"], record["baselines"] = self.unit, self.baselines
            record["verdict"], record["caveats"] = self.verdict, list(self.caveats)
        if self.arrived is not None:
            record["arrived"], record["readable"] = self.arrived, self.readable
        return record


def mean_claim(claims: Sequence[Claim]) -> Claim:
    """Return the mean of claims over disjoint rows; its interval where all of them have one.

    The parts have no item in common, so the distances to the ends are added as squares (Zou and
    Donner 2008, "Construction of confidence limits about effect measures").
    """
    found, count = [one._found for one in claims], len(claims)
    mean = sum(one.value or 0.0 for one in found) / count
    low = high = None
    if all(one.low is not None and one.high is not None for one in found):
        low = mean - math.hypot(*((one.value or 0.0) - (one.low or 0.0) for one in found)) / count
        high = mean + math.hypot(*((one.high or 0.0) - (one.value or 0.0) for one in found)) / count
    return replace(
        claims[0],
        _found=Estimate(mean, low, high, found[0].method, sum(one.units for one in found)),
        baselines=mean_baselines([one.baselines for one in claims]),
        caveats=tuple(dict.fromkeys(text for one in claims for text in one.caveats)),
    )


def number_of(value: float | None) -> str:
    """Return a number of a paper's table; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:g}" if 0 < abs(value) < 0.005 else f"{value:.2f}"


def unit_of(name: str) -> str:
    """Return the unit of a figure by its name."""
    return _UNITS.get(name, SHARE if name.endswith(_SHARES) else NUMBER)


def no_baseline_reason(name: str) -> str:
    """Return why a figure has no baselines; "" where it should have some."""
    if (unit := unit_of(name)) not in (SHARE, NUMBER):
        return ""
    if name.endswith(_NO_SKILL) or (unit == NUMBER and name not in _SUCCESSES):
        return NOT_APPLICABLE
    return OF_CHOSEN if name.endswith(_CHOSEN) else OF_PARTS


def find_baselines(
    unit: str,
    chance: floor_record.ChanceRecord | None,
    floor: floor_record.FloorRecord | None,
    difficulty: int | None = None,
) -> Baselines:
    """Return what is won without the skill that is measured, by name.

    Args:
        unit: the unit of the figure; what is a share of something else is left out.
        chance: chance over the config.
        floor: the floor of the config.
        difficulty: the level; None for all.
    """
    if unit == KAPPA:
        return {"chance": 0.0}
    if unit == BALANCED:  # Both shares are of one class each, so that no guess has more or less.
        return {"chance": 0.5, "constant": 0.5}
    of = ANSWERS if unit == FIRST_ANSWERS else unit
    won = {"chance": chance["value"]} if chance is not None and chance["of"] == of else {}
    if floor is None or floor["of"] != unit:
        return won
    one: Mapping[str, Any] = floor
    compared = floor_record.list_baseline_shortcuts(floor)
    looked: Mapping[str, floor_record.ShareRecord] = compared
    if difficulty is not None:
        levels = {
            level["difficulty"]: (level, at) for _, level, at in floor_record.list_levels(floor)
        }
        one, at_level = levels.get(difficulty, (floor, {}))
        looked = {name: share for name, share in at_level.items() if name in compared}
    if one.get("chance") is not None:
        won["chance"] = one["chance"]
    won["floor"] = one["value"]
    if looked:
        won["shortcut"] = max(share["value"] for share in looked.values())
    return won


def mean_baselines(every: Sequence[Baselines]) -> Baselines:
    """Return the means over configs, each counted once; a best shortcut is at least the floor.

    A baseline is left out where a config states none.
    """
    found = [dict(one) for one in every]
    for one in found:
        if "floor" in one:
            one["shortcut"] = max(one.get("shortcut", 0.0), one["floor"])
    return {
        name: sum(one[name] for one in found) / len(found)
        for name in _CALLED
        if found and all(name in one for one in found)
    }
