"""Climbing: the rules of a ladder, as published, and one climb by them.

A climb starts at the lowest level. A visit to a level asks FIVE questions; three right answers lead
one level up, fewer lead one level down and count as a failure of the level. The climb ends at the
second failure of a level, or below the lowest level, which is R = 0. It also ends at the top, when
the highest level that there is has been passed.

The paper's formula lowers R on a failure and ends at R when R has failed twice, so it leaves open
whether R is then the level that was failed twice or the one below it. Both are given: `failed` and
`below`. Where a climb ends at the top or at 0 they are the same.

No level is visited more often than VISITS times: once from below at first, once from above, because
the second return from above would follow a second failure there, and once from below after the
first failure of its own, as the second one ends the climb.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

FIVE = 5
"""Questions of a visit."""
NEEDED = 3
"""Right answers that lead up."""
VISITS = 3
RUNS = 10
"""Climbs, as many as the paper's (section 5.2)."""

End = Literal["failed", "bottom", "top", "open"]


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit: the place of the level among all levels, from 0, and which visit to it, from 0."""

    place: int
    number: int


@dataclass(frozen=True, slots=True)
class Climb:
    """One climb.

    Attributes:
        end: failed (a level was failed twice), bottom, top, or open (the next visit is unknown).
        place: place of the level at which it ended, or of the visit that is open; -1 at the bottom.
        visits: the visits with a known result, in order, and whether each was passed.
        due: the visit that is open, or None.
    """

    end: End
    place: int
    visits: tuple[tuple[Visit, bool], ...]
    due: Visit | None = None


def climb(levels: int, passed: Callable[[Visit], bool | None]) -> Climb:
    """Return the climb of a player.

    Args:
        levels: number of levels.
        passed: whether the player passes a visit; None where nobody knows yet.
    """
    failures, seen = [0] * levels, [0] * levels
    visits: list[tuple[Visit, bool]] = []
    place = 0
    while True:
        if place < 0:
            return Climb("bottom", -1, tuple(visits))
        if place == levels:
            return Climb("top", levels - 1, tuple(visits))
        visit = Visit(place, seen[place])
        result = passed(visit)
        if result is None:
            return Climb("open", place, tuple(visits), visit)
        visits.append((visit, result))
        seen[place] += 1
        if result:
            place += 1
            continue
        failures[place] += 1
        if failures[place] == 2:
            return Climb("failed", place, tuple(visits))
        place -= 1


@dataclass(frozen=True, slots=True)
class Reach:
    """R of one climb, by both readings; the same for an expectation over climbs."""

    failed: float
    below: float


def reach(found: Climb, levels: Sequence[float]) -> Reach | None:
    """Return R of a climb that has ended; None of one that is open.

    Args:
        found: the climb.
        levels: the levels, ascending.
    """
    if found.end == "open":
        return None
    if found.end == "bottom":
        return Reach(0, 0)
    level = levels[found.place]
    if found.end == "top":
        return Reach(level, level)
    return Reach(level, levels[found.place - 1] if found.place else 0)
