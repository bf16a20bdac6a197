"""What the two tasks of shapes share: their params and instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facelet.generators.core.columns import nested
from facelet.generators.core.params import param
from facelet.generators.options.deforming.questions import Question
from facelet.generators.options.deforming.tasks import Deformation, DeformationParams, Setting
from facelet.generators.options.deforming.worlds import World
from facelet.generators.shapes.decisions import Space
from facelet.generators.shapes.world import Coloring, Shapes, Steps, Types


@dataclass(frozen=True, slots=True)
class Params(DeformationParams):
    """Knobs; those below choose readings of the rules, see facelet.generators.shapes.decisions."""

    space: Space = param("2d", "one layer (2d) or up to four (2.5d)")
    types: Types = param("five", "whether pieces have five types, or four, without F")
    coloring: Coloring = param("top", "whether coloring paints the top layer or all")
    filling: bool = param(True, "whether filling is an operation of 2.5d")
    floating: bool = param(False, "whether steps that leave quadrants unsupported are offered")
    steps: Steps = param(
        "effective", "whether steps that change nothing, or leave nothing, are offered"
    )


@dataclass(frozen=True, slots=True)
class ShapeInstance:
    """A question about a shape."""

    world: Shapes = nested(Shapes)
    question: Question = nested(Question)
    setting: Setting = nested(Setting)


class ShapeDeformation(Deformation[Params, ShapeInstance]):
    """Base of the two tasks."""

    def _world(self, instance: ShapeInstance) -> Shapes:
        return instance.world

    def _rules(self, params: Params) -> Shapes:
        return Shapes(
            params.space,
            params.types,
            params.coloring,
            params.filling,
            params.floating,
            params.steps,
        )

    def _made(self, world: World[Any], question: Question, how: Setting) -> ShapeInstance:
        assert isinstance(world, Shapes)
        return ShapeInstance(world, question, how)
