"""Base of the cube's deformation tasks: params, instances, deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import param
from facelet.generators.core.row_schema import nest_record
from facelet.generators.cube.deformation.cube_world import Cubes, Start
from facelet.generators.options.deformation.deformation_task import (
    Deformation,
    DeformationParams,
    Setting,
)
from facelet.generators.options.deformation.questions import Question
from facelet.generators.options.deformation.world_protocol import World
from facelet.generators.options.deformation.written_answers import WrittenAnswers


@dataclass(frozen=True, slots=True)
class Params(DeformationParams):
    """Knobs."""

    start: Start = param("scrambled", "whether cubes start scrambled, by 25 rotations, or solved")


@dataclass(frozen=True, slots=True)
class CubeInstance:
    """A question about a cube."""

    world: Cubes = nest_record(Cubes)
    question: Question = nest_record(Question)
    setting: Setting = nest_record(Setting)


class CubeDeformation(Deformation[Params, CubeInstance]):
    """Base of the tasks with options."""

    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[CubeInstance]] = CubeInstance
    shared_group: ClassVar[str] = "of short lists about a solved cube, symmetry makes many the same"
    deviations: ClassVar[tuple[Deviation, ...]] = (
        *Deformation.deviations,
        Deviation(
            "",
            "the 54 rotations are the 45 listed and nine turns of the whole cube",
            "the paper claims 54",
        ),
        Deviation(
            "",
            "the start is a cube scrambled by 25 rotations",
            "a solved start makes inverse questions easy",
            "start=solved",
        ),
    )

    def _params_world(self, params: Params) -> Cubes:
        return Cubes(params.start)

    def _one_start(self, world: World[Any]) -> bool:
        return isinstance(world, Cubes) and world.cube_start == "solved"


class CubeWriting(WrittenAnswers[Params, CubeInstance], CubeDeformation):
    """Base of the two tasks whose answers are written."""

    deviations: ClassVar[tuple[Deviation, ...]] = (
        *WrittenAnswers.deviations,
        *CubeDeformation.deviations[len(Deformation.deviations) :],
    )
