"""Drawing: a start and four lists of operations, none of which gives away that it is the right one.

Inf-Bench (section 4.2) draws a list and makes each wrong one by replacing r of its operations. Here
the four lists are drawn side by side: they share every operation but those at r places. So each of
the four is any other one with at most r operations replaced, every demand is made of all four
alike, and which of them is right is drawn last: given the start, the four lists and their four
results, each is right with the same probability.

What the four do at those places is chosen so that their states look alike: of the operations that
are drawn, those are taken that leave nearly the same pieces in nearly the same number. Otherwise
a player that carries nothing out would find the list whose color, or whose cut, is to be seen in
the result.

The four results stay apart from the last such place to the end: an operation that would make two
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
POOL = 10
"""Draws of one operation from which those are chosen that look alike."""
SEEDS = 4
"""Operations of which each is tried as the one that the others should look like."""
_FAR = 1 << 30
"""More than any two states are unlike."""

_Taken = tuple[Step, S, int]
"""An operation that a state takes, where it leads, and how that looks."""

RETREATS = 64
"""How often steps are taken back, and one more for each step, before the question is given up."""
STUCK = "no operations keep the results apart"
"""Why a question is given up."""


@dataclass(frozen=True, slots=True)
class Four(Generic[S]):
    """Four lists of operations from one start.

    Attributes:
        start: the start.
        lists: the lists, all of one length.
        results: what they lead to, all different.
    """

    start: S
    lists: tuple[tuple[Step, ...], ...]
    results: tuple[S, ...]


def most_edits(level: int) -> int:
    """Return the greatest number of places at which lists of a length differ."""
    return max(1, level - 1)


def edited(level: int, edits: int, dice: Dice) -> list[int]:
    """Return the places, from 0, at which lists may differ, ascending.

    Args:
        level: number of operations.
        edits: number of places.
        dice: the randomness.
    """
    return sorted(dice.order(most_edits(level))[:edits])


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
    places = edited(level, edits, dice)
    reached: list[list[S]] = [[start]]
    taken: list[list[Step]] = []
    back, left = 1, RETREATS + level
    while len(taken) < level:
        tracks = reached[-1]
        place = len(taken)
        if place in places:
            wide = tracks if len(tracks) == OPTIONS else tracks * OPTIONS
            found = _apart(world, wide, dice, last=place == places[-1])
        else:
            found = _together(world, tracks, dice, apart=place > places[-1])
        if found is not None:
            taken.append(found[0])
            reached.append(found[1])
            continue
        if not left:
            raise Reject(STUCK)
        left -= 1
        keep = max(0, place - back)
        back = 2 * back if keep else 1
        del taken[keep:], reached[keep + 1 :]
    every = (steps if len(steps) == OPTIONS else steps * OPTIONS for steps in taken)
    lists = tuple(zip(*every, strict=True))
    return Four(start, lists, tuple(reached[-1]))


def _together(
    world: World[S], tracks: Sequence[S], dice: Dice, *, apart: bool
) -> tuple[list[Step], list[S]] | None:
    """Return an operation that all tracks take, and where it leads them, if any.

    Args:
        world: the rules.
        tracks: where the lists have led.
        dice: the randomness.
        apart: whether it must keep them apart.
    """
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
            if not apart or len(set(after)) == len(after):
                return [step], after
    return None


def _apart(
    world: World[S], tracks: Sequence[S], dice: Dice, *, last: bool
) -> tuple[list[Step], list[S]] | None:
    """Return an operation for each track, and where they lead, all looking alike, if there are any.

    Args:
        world: the rules.
        tracks: where the lists have led; four.
        dice: the randomness.
        last: whether the lists differ nowhere later, so that the states must be apart from now on.
    """
    known: dict[S, list[_Taken[S]]] = {}
    for state in tracks:
        if state not in known:
            known[state] = _pool(world, state, dice)
    pools = [known[state] for state in tracks]
    best: dict[int, _Taken[S]] = {}
    least = -1
    for _ in range(SEEDS):
        group, unlike = _group(world, tracks, pools, dice, last=last)
        if group and (least < 0 or unlike < least):
            best, least = group, unlike
        if least == 0:
            break
    if not best:
        return None
    picked = [best[track] for track in range(len(tracks))]
    return [step for step, _, _ in picked], [state for _, state, _ in picked]


def _group(
    world: World[S],
    tracks: Sequence[S],
    pools: Sequence[list[_Taken[S]]],
    dice: Dice,
    *,
    last: bool,
) -> tuple[dict[int, _Taken[S]], int]:
    """Return one operation for each track, all looking like one of them, and how unlike they are.

    Args:
        world: the rules.
        tracks: where the lists have led.
        pools: by track, operations and where they lead.
        dice: the randomness.
        last: whether the states must differ.
    """
    first, *others = dice.order(len(tracks))
    if not pools[first]:
        return {}, 0
    seed = pools[first][dice.below(len(pools[first]))]
    seed_step, _, look = seed
    chosen = {first: seed}
    held = [seed[1]]
    total = 0
    for track in others:
        pool = pools[track]
        turn = dice.below(len(pool)) if pool else 0
        nearest: _Taken[S] | None = None
        least = _FAR
        for one in pool[turn:] + pool[:turn]:
            unlike = (one[2] ^ look).bit_count()
            if unlike < least and not (last and one[1] in held):
                nearest, least = one, unlike
                if not unlike:
                    break
        if least:
            after = world.apply(tracks[track], seed_step)
            if world.offered(tracks[track], after) and not (last and after in held):
                shown = world.look(after)
                unlike = (shown ^ look).bit_count()
                if unlike < least:
                    nearest, least = (seed_step, after, shown), unlike
        if nearest is None:
            return {}, 0
        chosen[track] = nearest
        held.append(nearest[1])
        total += least
    return chosen, total


def _pool(world: World[S], state: S, dice: Dice) -> list[_Taken[S]]:
    """Return some operations that a state takes, all different."""
    draw, apply, offered, look = world.step, world.apply, world.offered, world.look
    found: dict[Step, _Taken[S]] = {}
    for _ in range(POOL):
        step = draw(dice)
        if step not in found:
            after = apply(state, step)
            if offered(state, after):
                found[step] = step, after, look(after)
    return list(found.values())
