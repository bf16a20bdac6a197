"""Partial-view players of shapes: one quadrant, a mask, turns, or half of the operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.generators.options.deformation.world_protocol import Step
from facelet.generators.shapes.deformation_task import ShapeDeformation, ShapeWriting
from facelet.generators.shapes.turn_algebra import CLOCKWISE, MIRROR
from facelet.pipeline.audit.baseline_players import PartialViewPlayer
from facelet.pipeline.audit.deformation_players import (
    PartialPlayer,
    WritingPlayer,
    build_drawing_looker,
    build_followers,
    last_half,
)
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.shapes.visible_relations import MATCHING

_LAST = "the last half of the operations, rounded up, and never all"
_TYPE = 3
"""Bits of a piece below its type: the colour."""


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    if not isinstance(task, ShapeDeformation):
        return {}
    if isinstance(task, ShapeWriting):
        if task.direction == "inverse":
            return {"fifty_lists": build_drawing_looker()}
        return {
            "turns": WritingPlayer(
                "turns and mirrors, not cuts, colours or fills", _turn_steps
            ).build_looker(),
            "last_half": WritingPlayer(_LAST, last_half).build_looker(),
        }
    found = {
        "one_quadrant": PartialPlayer("one quadrant, at which options differ most", followed=1),
        "mask": PartialPlayer("which quadrants are filled, not with what", _fill_mask),
        "turns": PartialPlayer(
            "turns and mirrors, not cuts, colours or fills", keep_steps=_turn_steps
        ),
        "turns_of_types": PartialPlayer(
            "turns and mirrors, and types without colours", _type_parts, _turn_steps
        ),
        "last_half": PartialPlayer(_LAST, keep_steps=last_half),
    }
    lookers = {name: player.build_looker(task.direction) for name, player in found.items()}
    lookers |= build_followers("quadrant", task.direction)
    return {**lookers, "matching": MATCHING.build_looker(task.direction)}


def _fill_mask(parts: Sequence[int]) -> Sequence[int]:
    return [int(piece != 0) for piece in parts]


def _type_parts(parts: Sequence[int]) -> Sequence[int]:
    return [piece >> _TYPE for piece in parts]


def _turn_steps(steps: Sequence[Step]) -> Sequence[Step]:
    return [step for step in steps if CLOCKWISE <= step[0] <= MIRROR]
