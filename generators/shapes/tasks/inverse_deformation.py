"""Inverse deformation: which operations make a result of a shape? Inf-Bench, section 4.1."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.options.deformation.questions import Direction
from facelet.generators.shapes.deformation_task import ShapeDeformation


class InverseDeformation(ShapeDeformation):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/inverse_deformation"
    version: ClassVar[int] = 4
    direction: ClassVar[Direction] = "inverse"


TASK = InverseDeformation()
