"""Measure walking distances between the places of steps, and find the shortest fillings.

Distances are lengths of paths over open columns of the plan. They ignore doors, heights, portals
and devices. A player that fills the blanks of a plan by these distances alone must fail:
`is_betrayed_by_distance` rejects maps on which it succeeds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache

from facelet.generators.chamber.plans.plan_mistakes import Mistake
from facelet.generators.chamber.world.chamber_records import Chamber, Step, parse_chamber

Column = tuple[int, int]
Plan = Sequence[Step | None]
"""The steps of a plan; None is a blank."""


class WalkingDistances:
    """How far it is between the places of a chamber.

    Attributes:
        start: name of the fixture where the player begins.
    """

    def __init__(self, chamber: Chamber) -> None:
        """Note the column of each fixture that has a place."""
        self.start = chamber.fixtures_of("start")[0].name
        self._exit = chamber.fixtures_of("exit")[0].name
        self._chamber = chamber
        self._places = {one.name: one.first_cell[:2] for one in chamber.fixtures if one.cells}
        self._known: dict[Column, dict[Column, int]] = {}

    def walk_to_step(self, place: str, step: Step) -> tuple[str, int]:
        """Return where a step is done, and how many columns away that is.

        Args:
            place: name of the fixture where the player is.
            step: the step; it is done at the first fixture that it names, or at the exit. What has
                no place at first, as a cube that a dispenser is to drop, is where the player is.
        """
        named = step.args[0] if step.args else self._exit
        if named not in self._places:
            return place, 0
        # No way but through portals is as long as the plan has columns.
        longest = self._chamber.size[0] * self._chamber.size[1]
        return named, self._distances_from(self._places[place]).get(self._places[named], longest)

    def least_walk(
        self, plan: Plan, options: Sequence[Step], order: Sequence[int]
    ) -> tuple[int, tuple[int, ...]]:
        """Return the least columns that a filled plan walks, and the numbers of its options.

        Args:
            plan: the plan.
            options: what blanks are filled with, each once at most.
            order: all their numbers; among equal ways the one with earlier numbers wins.
        """
        best: dict[tuple[str, int], tuple[int, tuple[int, ...]]] = {(self.start, 0): (0, ())}
        for step in plan:
            after: dict[tuple[str, int], tuple[int, tuple[int, ...]]] = {}
            for (place, used), (length, chosen) in best.items():
                some = [(step, used, chosen)] if step is not None else [
                    (options[k], used | 1 << k, (*chosen, k)) for k in order if not used >> k & 1
                ]  # fmt: skip
                for done, taken, now in some:
                    ends, longer = self.walk_to_step(place, done)
                    found = (length + longer, now)
                    if (ends, taken) not in after or found[0] < after[ends, taken][0]:
                        after[ends, taken] = found
            best = after
        return min(best.values(), key=lambda found: found[0])

    def _distances_from(self, origin: Column) -> Mapping[Column, int]:
        if origin not in self._known:
            self._known[origin] = column_distances(self._chamber, origin)
        return self._known[origin]


def column_distances(chamber: Chamber, origin: Column) -> dict[Column, int]:
    """Return how many columns away each column is, over columns with free cells.

    A fixture on a wall has its place in a column of rock; ways may end there, and begin.

    Args:
        chamber: the chamber.
        origin: where the ways begin.
    """
    wide, deep, _ = chamber.size
    found, queue = {origin: 0}, deque([origin])
    while queue:
        x, y = here = queue.popleft()
        if here != origin and not chamber.is_open(here):
            continue
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if there not in found and 0 <= there[0] < wide and 0 <= there[1] < deep:
                found[there] = found[here] + 1
                queue.append(there)
    return found


@lru_cache(maxsize=64)
def walking_distances(chamber: str) -> WalkingDistances:
    """Return the ways of a chamber in text form; the same object as long as it is remembered."""
    return WalkingDistances(parse_chamber(chamber))


def is_betrayed_by_distance(
    chamber: Chamber, plan: Sequence[Step], mistakes: Sequence[Mistake]
) -> bool:
    """Return whether no filling of a plan's mistaken steps walks less than the right one.

    Args:
        chamber: its chamber.
        plan: the plan.
        mistakes: its mistakes; right and wrong steps are what blanks are filled with.
    """
    known, wrong = WalkingDistances(chamber), {mistake.number: mistake.step for mistake in mistakes}
    gaps = [None if number in wrong else step for number, step in enumerate(plan)]
    options = [*wrong.values(), *(plan[number] for number in wrong)]
    right, _ = known.least_walk(plan, (), ())
    return right <= known.least_walk(gaps, options, range(len(options)))[0]
