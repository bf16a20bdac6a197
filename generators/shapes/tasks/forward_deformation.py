"""Forward deformation: what do the operations make of a shape? Inf-Bench, section 4.1."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.options.deforming.questions import Direction
from facelet.generators.options.deforming.tasks import columns
from facelet.generators.shapes.deforming import Params, ShapeDeformation, ShapeInstance


class ForwardDeformation(ShapeDeformation):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/forward_deformation"
    version: ClassVar[int] = 4
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[ShapeInstance]] = ShapeInstance
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = columns(ShapeInstance, "forward")


TASK = ForwardDeformation()
