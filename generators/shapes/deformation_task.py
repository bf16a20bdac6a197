"""Params, instances and base classes of the shape tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import param
from facelet.generators.core.row_schema import nest_record
from facelet.generators.options.deformation.deformation_task import (
    Deformation,
    DeformationParams,
    Setting,
    WrittenAnswers,
)
from facelet.generators.options.deformation.questions import Question
from facelet.generators.shapes.shape_codes import Coloring, Filler, Space, Steps, Types
from facelet.generators.shapes.shape_world import Shapes


@dataclass(frozen=True, slots=True)
class Params(DeformationParams):
    """Knobs.

    Those below choose readings of the rules, see facelet.generators.shapes.shape_codes.
    """

    space: Space = param("2d", "one layer (2d) or up to four (2.5d)")
    types: Types = param("five", "whether pieces have five types, or four, without F")
    coloring: Coloring = param("top", "whether coloring paints the top layer or all")
    filling: bool = param(True, "whether filling is an operation of 2.5d")
    filler: Filler = param(
        "piece", "whether filling puts one piece everywhere, or another shape's piece of each place"
    )
    floating: bool = param(False, "whether steps that leave quadrants unsupported are offered")
    steps: Steps = param(
        "live",
        "live: no step can be left out; effective: each changes the shape and leaves some, which "
        "is all that holds where options are replaced; any",
    )


@dataclass(frozen=True, slots=True)
class ShapeInstance:
    """A question about a shape."""

    world: Shapes = nest_record(Shapes)
    question: Question = nest_record(Question)
    setting: Setting = nest_record(Setting)


class ShapeDeformation(Deformation[Params, ShapeInstance]):
    """Base of the tasks with options."""

    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[ShapeInstance]] = ShapeInstance
    deviations: ClassVar[tuple[Deviation, ...]] = (
        *Deformation.deviations,
        Deviation(
            "",
            "codes have type before colour, lowest layer first, and `--` for an empty quadrant",
            "most of the examples do",
        ),
        Deviation(
            "",
            "all five listed types, a fan being a wedge; four in the engine",
            "the list has priority",
            "types=four",
        ),
        Deviation(
            "",
            "colouring paints the filled quadrants of the top layer",
            "both prompts do; `coloring` has all layers as another reading",
        ),
        Deviation(
            "",
            "filling is an operation of 2.5D; one prompt leaves it out",
            "the text has priority",
            "filling=false",
        ),
        Deviation(
            "",
            "filling puts one piece into every empty quadrant",
            "a rectangle or a circle is the example; `filler=shape` takes another shape's pieces",
        ),
        Deviation(
            "",
            "a step that leaves parts without support is not offered",
            "the support rules hold for every shape; `floating` allows such steps",
        ),
        Deviation(
            "",
            "no step of a list can be left out",
            "otherwise a level is easier than its number: of 30 random steps, 12 can be left out",
            "steps=any",
        ),
        Deviation(
            "",
            "emptied layers and stacked shapes behave as in the open game that the tasks build on",
            "the paper names it",
        ),
    )

    def _params_world(self, params: Params) -> Shapes:
        # Operations that are replaced at random are seldom all live.
        effective = params.replaced and params.steps == "live"
        return Shapes(
            params.space,
            params.types,
            params.coloring,
            params.filling,
            params.floating,
            "effective" if effective else params.steps,
            params.filler,
        )


class ShapeWriting(WrittenAnswers[Params, ShapeInstance], ShapeDeformation):
    """Base of the tasks with written answers."""

    deviations: ClassVar[tuple[Deviation, ...]] = (
        *WrittenAnswers.deviations,
        *ShapeDeformation.deviations[len(Deformation.deviations) :],
    )
