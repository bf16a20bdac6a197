"""Draw a start and four lists of operations, by design or as published.

By design: the four lists share all operations but those at two places, and at each of the two there
are two operations to choose from. That makes four lists, and the places and the choices are drawn
until

- each sticker or quadrant of the four results is the same in all of them, or splits them two and
  two, so that a player that follows one alone is right half of the time at most;
- players that do a part of the work tell at most one choice of the two: see the compiled forms, one
  a world (`_four.c`), for which players those are;
- every operation is live: without it, the list leads elsewhere. Cubes also have no two neighbours
  that one rotation could replace, shapes none that undo each other.

All four lists must meet the same conditions, and each could have been the first one that is drawn.
So given the start, the lists and the results, each is right with the same probability; which one is
right is drawn last.

Where a list is too short for that, the draw is taken that comes nearest. With one operation there
is one place, with four operations to choose from.

As published (Inf-Bench, section 4.2): a list is drawn, and each wrong one is that list with r
operations replaced, at any places, by others that are drawn as all are.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.generators.core.compiled_parts import CompiledPart
from facelet.generators.core.task import Reject
from facelet.generators.options.deformation.world_protocol import Dice, FourLists, S, Step, World

OPTIONS = 4
TRIES = 200
"""Draws of one operation, or of one wrong list, before a question is given up."""
SEEDS = 1 << 53
"""How many seeds there are for compiled forms."""
STUCK = "no operations keep the results apart"
"""Why a question is given up."""


def draw_designed(
    level: int, dice: Dice, start: S, *, package: str, rules: bytes, packed: bytes
) -> FourLists[S]:
    """Return four lists by design.

    Args:
        level: number of operations.
        dice: the randomness.
        start: the start.
        package: where the compiled form is.
        rules: the rules as it reads them.
        packed: the start as it reads it.

    Raises:
        Reject: none were found.
        NotCompiled: the compiled form is missing.
    """
    part = CompiledPart(f"{package}._four", "the sampler of deformation questions")
    if (lists := part.draw_four(rules, packed, level, dice.below(SEEDS))) is None:
        raise Reject(STUCK)
    return FourLists(start, *lists)


def draw_published(
    world: World[S], level: int, replaced: int, dice: Dice, start: S
) -> FourLists[S]:
    """Return a list and three that are it with some operations replaced; the list comes first.

    Args:
        world: the rules.
        level: number of operations.
        replaced: how many operations of each wrong list are replaced, at most all.
        dice: the randomness.
        start: the start.

    Raises:
        Reject: some step found no operation, or no wrong list one with a result of its own.
    """
    right: list[Step] = []
    state = start
    for _ in range(level):
        step, state = _draw_step(world, state, dice)
        right.append(step)
    return replace_steps(world, right, replaced, dice, start)


def replace_steps(
    world: World[S], right: Sequence[Step], replaced: int, dice: Dice, start: S
) -> FourLists[S]:
    """Return a list and three that are it with some operations replaced; the list comes first.

    Args:
        world: the rules.
        right: the list; each of its operations may be asked about.
        replaced: how many operations of each wrong list are replaced, at most all.
        dice: the randomness.
        start: the start.

    Raises:
        Reject: no wrong list was found with a result of its own.
    """
    end = carry_out(world, start, right)
    assert end is not None
    lists, results = [tuple(right)], [end]
    for _ in range(TRIES):
        steps = list(right)
        for place in dice.draw_order(len(right))[:replaced]:
            while steps[place] == right[place]:
                steps[place] = world.draw_step(dice)
        if (end := carry_out(world, start, steps)) is not None and end not in results:
            lists.append(tuple(steps))
            results.append(end)
            if len(lists) == OPTIONS:
                return FourLists(start, tuple(lists), tuple(results))
    raise Reject(STUCK)


def _draw_step(world: World[S], state: S, dice: Dice) -> tuple[Step, S]:
    for _ in range(TRIES):
        step = world.draw_step(dice)
        after = world.apply_step(state, step)
        if world.is_offered(state, after):
            return step, after
    raise Reject(STUCK)


def carry_out(world: World[S], start: S, steps: Sequence[Step]) -> S | None:
    """Return what some operations lead to; None where one may not be asked about."""
    state = start
    for step in steps:
        after = world.apply_step(state, step)
        if not world.is_offered(state, after):
            return None
        state = after
    return state
