"""What the two deformation tasks of the cube share: their params and instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.columns import nested
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import param
from facelet.generators.cube.deforming.world import Cubes, Start
from facelet.generators.options.deforming.questions import Question
from facelet.generators.options.deforming.tasks import Deformation, DeformationParams, Setting
from facelet.generators.options.deforming.worlds import World
from facelet.generators.options.deforming.writing import Written


@dataclass(frozen=True, slots=True)
class Params(DeformationParams):
    """Knobs."""

    start: Start = param("scrambled", "whether cubes start scrambled, by 25 rotations, or solved")


@dataclass(frozen=True, slots=True)
class CubeInstance:
    """A question about a cube."""

    world: Cubes = nested(Cubes)
    question: Question = nested(Question)
    setting: Setting = nested(Setting)


class CubeDeformation(Deformation[Params, CubeInstance]):
    """Base of the two tasks."""

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

    def _world(self, instance: CubeInstance) -> Cubes:
        return instance.world

    def _rules(self, params: Params) -> Cubes:
        return Cubes(params.start)

    def _made(self, world: World[Any], question: Question, how: Setting) -> CubeInstance:
        assert isinstance(world, Cubes)
        return CubeInstance(world, question, how)

    def _one_start(self, world: World[Any]) -> bool:
        return isinstance(world, Cubes) and world.cube_start == "solved"


class CubeWriting(Written[Params, CubeInstance], CubeDeformation):
    """Base of the two tasks whose answers are written."""

    deviations: ClassVar[tuple[Deviation, ...]] = (
        *Written.deviations,
        *CubeDeformation.deviations[len(Deformation.deviations) :],
    )
