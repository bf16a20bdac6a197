"""Forward deformation: what do the operations make of a shape? Inf-Bench, section 4.1."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.options.deformation.deformation_task import task_columns
from facelet.generators.options.deformation.questions import Direction
from facelet.generators.shapes.deformation_task import ShapeDeformation, ShapeInstance


class ForwardDeformation(ShapeDeformation):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/forward_deformation"
    version: ClassVar[int] = 4
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = task_columns(ShapeInstance, "forward")


TASK = ForwardDeformation()
