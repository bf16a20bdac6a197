"""The published rules of a ladder, and one climb by them.

A climb starts at the lowest level. A visit to a level asks five questions; three right answers lead
one level up, fewer lead one level down and count as a failure of the level. The climb ends at the
second failure of a level, or below the lowest level, which is R = 0. It also ends at the top, after
the highest level.

The paper's formula lowers R on a failure and ends at R when R has failed twice, so it is open
whether R is the level that failed twice or the one below it. Both readings are computed: `failed`
and `below`. They are equal where a climb ends at the top or at 0.

No level is visited more than VISITS times: once from below at first, once from above (a second
return from above would follow a second failure there), and once from below after its own first
failure, as the second one ends the climb.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

VISIT_QUESTIONS = 5
"""Questions of a visit."""
PASS_COUNT = 3
"""Right answers that lead up."""
VISITS = 3
RUNS = 10
"""Climbs, as many as the paper's (section 5.2)."""

ClimbEnd = Literal["failed", "bottom", "top", "open"]


@dataclass(frozen=True, slots=True)
class LevelVisit:
    """A visit: the index of the level, and the number of the visit to it, both from 0."""

    place: int
    number: int


@dataclass(frozen=True, slots=True)
class LadderClimb:
    """One climb.

    Attributes:
        end: failed (a level failed twice), bottom, top, or open (the next visit has no result yet).
        place: index of the level at which it ended, or of the open visit; -1 at the bottom.
        open_visit: the visit without a result, or None.
    """

    end: ClimbEnd
    place: int
    open_visit: LevelVisit | None = None


def climb_levels(levels: int, passed: Callable[[LevelVisit], bool | None]) -> LadderClimb:
    """Return the climb of a player.

    Args:
        levels: number of levels.
        passed: whether the player passes a visit; None if unknown.
    """
    failures, seen = [0] * levels, [0] * levels
    place = 0
    while True:
        if place < 0:
            return LadderClimb("bottom", -1)
        if place == levels:
            return LadderClimb("top", levels - 1)
        visit = LevelVisit(place, seen[place])
        if (result := passed(visit)) is None:
            return LadderClimb("open", place, visit)
        seen[place] += 1
        if result:
            place += 1
            continue
        failures[place] += 1
        if failures[place] == 2:
            return LadderClimb("failed", place)
        place -= 1


@dataclass(frozen=True, slots=True)
class ReachedLevel:
    """R of one climb, or its expectation, by both readings."""

    failed: float
    below: float


def find_reached_level(found: LadderClimb, levels: Sequence[float]) -> ReachedLevel | None:
    """Return R of a finished climb; None of an open one.

    Args:
        found: the climb.
        levels: the levels, ascending.
    """
    if found.end == "open":
        return None
    if found.end == "bottom":
        return ReachedLevel(0, 0)
    level = levels[found.place]
    if found.end == "top":
        return ReachedLevel(level, level)
    return ReachedLevel(level, levels[found.place - 1] if found.place else 0)
