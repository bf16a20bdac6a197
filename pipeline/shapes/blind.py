"""Players of shapes that carry out a part of what is asked: one quadrant, or turns alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.generators.options.deforming.worlds import Step
from facelet.generators.shapes.codes import BITS, LAYER_BITS, MAX_LAYERS
from facelet.generators.shapes.deforming import ShapeDeformation
from facelet.generators.shapes.world import CLOCKWISE, COUNTERCLOCKWISE, MIRROR
from facelet.pipeline.audit.deforming import Partial, last_half
from facelet.pipeline.audit.policies import Looker
from facelet.pipeline.families import AnyTask

_TURNS = (CLOCKWISE, COUNTERCLOCKWISE, MIRROR)
_PIECE = (1 << BITS) - 1


def shortcuts(task: AnyTask) -> Mapping[str, Looker]:
    """Return the players that look at a part, by name."""
    if not isinstance(task, ShapeDeformation):
        return {}
    found = {
        "one_quadrant": Partial("one quadrant, at which options differ most", _pieces, one=True),
        "mask": Partial("which quadrants are filled, not with what", _filled),
        "turns": Partial("turns and mirrors, not cuts, colours or fills", _pieces, _turns),
        "last_half": Partial("the last half of the operations", _pieces, last_half),
    }
    return {name: player.looker(task.direction) for name, player in found.items()}


def _pieces(shape: int) -> Sequence[int]:
    """Return the pieces of all quadrants of all layers, 0 where there is none."""
    places = range(0, LAYER_BITS * MAX_LAYERS, BITS)
    return [shape >> place & _PIECE for place in places]


def _filled(shape: int) -> Sequence[bool]:
    return [piece != 0 for piece in _pieces(shape)]


def _turns(steps: Sequence[Step]) -> Sequence[Step]:
    return [step for step in steps if step[0] in _TURNS]
