"""Forward writing: the code of what operations make of a shape, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.options.deformation.questions import Direction
from facelet.generators.shapes.deformation_task import ShapeWriting


class ForwardWriting(ShapeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/forward_writing"
    version: ClassVar[int] = 3
    direction: ClassVar[Direction] = "forward"


TASK = ForwardWriting()
