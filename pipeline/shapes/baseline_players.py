"""Players of shapes that do a part of what is asked: one quadrant, a mask, turns or half a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.generators.options.deforming.worlds import Step
from facelet.generators.shapes.deforming import ShapeDeformation, ShapeWriting
from facelet.generators.shapes.turning import CLOCKWISE, MIRROR
from facelet.pipeline.audit.deforming import Partial, Writer, drawing, last_half
from facelet.pipeline.audit.policies import Looker
from facelet.pipeline.families import AnyTask
from facelet.pipeline.shapes.matching import MATCHING

_LAST = "the last half of the operations, rounded up, and never all"
_TYPE = 3
"""Bits of a piece below its type: the colour."""


def shortcuts(task: AnyTask) -> Mapping[str, Looker]:
    """Return the players that look at a part, by name."""
    if not isinstance(task, ShapeDeformation):
        return {}
    if isinstance(task, ShapeWriting):
        if task.direction == "inverse":
            return {"fifty_lists": drawing()}
        return {
            "turns": Writer("turns and mirrors, not cuts, colours or fills", _turns).looker(),
            "last_half": Writer(_LAST, last_half).looker(),
        }
    found = {
        "one_quadrant": Partial("one quadrant, at which options differ most", one=True),
        "mask": Partial("which quadrants are filled, not with what", _filled),
        "turns": Partial("turns and mirrors, not cuts, colours or fills", kept=_turns),
        "turns_of_types": Partial("turns and mirrors, and types without colours", _types, _turns),
        "last_half": Partial(_LAST, kept=last_half),
    }
    lookers = {name: player.looker(task.direction) for name, player in found.items()}
    return {**lookers, "matching": MATCHING.looker(task.direction)}


def _filled(parts: Sequence[int]) -> Sequence[int]:
    return [int(piece != 0) for piece in parts]


def _types(parts: Sequence[int]) -> Sequence[int]:
    return [piece >> _TYPE for piece in parts]


def _turns(steps: Sequence[Step]) -> Sequence[Step]:
    return [step for step in steps if CLOCKWISE <= step[0] <= MIRROR]
