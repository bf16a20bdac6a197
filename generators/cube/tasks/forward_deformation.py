"""Forward deformation: what do the operations make of a cube? Inf-Bench, section 4.1."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.cube.deformation.deformation_task import (
    CubeDeformation,
    CubeInstance,
    Params,
)
from facelet.generators.options.deformation.deformation_task import task_columns
from facelet.generators.options.deformation.questions import Direction


class ForwardDeformation(CubeDeformation):
    """The task; see the module."""

    name: ClassVar[str] = "cube/forward_deformation"
    version: ClassVar[int] = 3
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[CubeInstance]] = CubeInstance
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = task_columns(CubeInstance, "forward")


TASK = ForwardDeformation()
