"""Forward deformation: what do the operations make of a cube? Inf-Bench, section 4.1."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.cube.deforming.deformation import CubeDeformation, CubeInstance, Params
from facelet.generators.options.deforming.questions import Direction
from facelet.generators.options.deforming.tasks import columns


class ForwardDeformation(CubeDeformation):
    """The task; see the module."""

    name: ClassVar[str] = "cube/forward_deformation"
    version: ClassVar[int] = 3
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[CubeInstance]] = CubeInstance
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = columns(CubeInstance, "forward")


TASK = ForwardDeformation()
