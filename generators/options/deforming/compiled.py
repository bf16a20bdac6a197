"""Four lists of operations, drawn by a world's compiled form, or without it by the plain one.

Both draw the same numbers and come to the same lists (see facelet.generators.options.deforming
.drawing); the compiled form is a module `_four` in the world's package, made of _drawing.h.
"""

from __future__ import annotations

from facelet.generators.core.compiled import found
from facelet.generators.core.task import Reject
from facelet.generators.options.deforming import drawing
from facelet.generators.options.deforming.drawing import Four
from facelet.generators.options.deforming.worlds import Dice, S, World


def four(
    world: World[S],
    level: int,
    edits: int,
    dice: Dice,
    start: S,
    *,
    package: str,
    rules: bytes,
    packed: bytes,
) -> Four[S]:
    """Return four lists of operations.

    Args:
        world: the rules.
        level: number of operations.
        edits: number of places at which the lists differ.
        dice: the randomness.
        start: the start.
        package: where the compiled form is.
        rules: the rules as it reads them.
        packed: the start as it reads it.

    Raises:
        Reject: some step found no operations.
    """
    compiled = found(f"{package}._four")
    if compiled is None:
        return drawing.four(world, level, edits, dice, start)
    wanted = bytearray(level)
    for place in drawing.edited(level, edits, dice):
        wanted[place] = 1
    limits = drawing.TRIES, drawing.POOL, drawing.SEEDS, drawing.RETREATS
    lists = compiled.four(rules, limits, bytes(wanted), packed, dice.left, dice.more)
    if lists is None:
        raise Reject(drawing.STUCK)
    return Four(start, *lists)
