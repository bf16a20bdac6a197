"""Inverse writing: any list of operations that makes a result of a shape, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.options.deformation.questions import Direction
from facelet.generators.shapes.deformation_task import ShapeWriting


class InverseWriting(ShapeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/inverse_writing"
    version: ClassVar[int] = 3
    direction: ClassVar[Direction] = "inverse"


TASK = InverseWriting()
