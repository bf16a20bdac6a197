"""Drawing: a start and four lists of operations, none of which gives away that it is the right one.

Inf-Bench (section 4.2) draws a list and makes each wrong one by replacing r of its operations. Here
the four lists are drawn side by side: they share every operation but those at r places, at each of
which the four have four different ones. So each of the four is any other one with r operations
replaced, every demand is made of all four alike, and which of them is right is drawn last: given
the start, the four lists and their four results, each is right with the same probability.

The four results stay apart from the first such place to the end: an operation that would make two
of them equal, at whatever step, is not drawn. So a departure at the beginning of a long list is
seen at its end, and the cost is linear in the length.

Where no operation keeps them apart, some steps are taken back, each time twice as many, and drawn
again.

With two operations or more the last one is never among the replaced: a player that undoes the last
operation of each list and compares learns nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from facelet.generators.core.task import Reject
from facelet.generators.options.deforming.worlds import Dice, S, Step, World

OPTIONS = 4
TRIES = 400
"""Draws of one operation before steps are taken back."""
RETREATS = 64
"""How often steps are taken back, and one more for each step, before the question is given up."""


@dataclass(frozen=True, slots=True)
class Four(Generic[S]):
    """Four lists of operations from one start.

    Attributes:
        start: the start.
        lists: the lists, all of one length.
        results: what they lead to, all different.
        places: the places, from 0, at which the lists differ, ascending.
    """

    start: S
    lists: tuple[tuple[Step, ...], ...]
    results: tuple[S, ...]
    places: tuple[int, ...]


def most_edits(level: int) -> int:
    """Return the greatest number of places at which lists of a length differ."""
    return max(1, level - 1)


def four(world: World[S], level: int, edits: int, dice: Dice, start: S) -> Four[S]:
    """Return four lists of operations.

    Args:
        world: the rules.
        level: number of operations.
        edits: number of places at which the lists differ, 1 to most_edits(level).
        dice: the randomness.
        start: the start.

    Raises:
        Reject: some step found no operations.
    """
    places = sorted(dice.order(most_edits(level))[:edits])
    apart = frozenset(places)
    reached: list[list[S]] = [[start]]
    taken: list[list[Step]] = []
    back, left = 1, RETREATS + level
    while len(taken) < level:
        tracks = reached[-1]
        if len(taken) in apart:
            found = _apart(world, tracks if len(tracks) == OPTIONS else tracks * OPTIONS, dice)
        else:
            found = _together(world, tracks, dice)
        if found is not None:
            taken.append(found[0])
            reached.append(found[1])
            continue
        if not left:
            raise Reject("no operations keep the results apart")
        left -= 1
        keep = max(0, len(taken) - back)
        back = 2 * back if keep else 1
        del taken[keep:], reached[keep + 1 :]
    every = (steps if len(steps) == OPTIONS else steps * OPTIONS for steps in taken)
    lists = tuple(zip(*every, strict=True))
    return Four(start, lists, tuple(reached[-1]), tuple(places))


def _together(
    world: World[S], tracks: Sequence[S], dice: Dice
) -> tuple[list[Step], list[S]] | None:
    """Return an operation that all tracks take, and where it leads them, all apart, if any."""
    apply, offered = world.apply, world.offered
    for _ in range(TRIES):
        step = world.step(dice)
        after: list[S] = []
        for state in tracks:
            new = apply(state, step)
            if not offered(state, new):
                break
            after.append(new)
        else:
            if len(after) == 1 or len(set(after)) == len(after):
                return [step], after
    return None


def _apart(world: World[S], tracks: Sequence[S], dice: Dice) -> tuple[list[Step], list[S]] | None:
    """Return an operation for each track, all different, and where they lead, all apart."""
    steps: list[Step] = []
    after: list[S] = []
    for state in tracks:
        for _ in range(TRIES):
            step = world.step(dice)
            if step in steps:
                continue
            new = world.apply(state, step)
            if new not in after and world.offered(state, new):
                break
        else:
            return None
        steps.append(step)
        after.append(new)
    return steps, after
