"""Forward writing: the code of what operations make of a shape, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.options.deformation.questions import Direction
from facelet.generators.options.deformation.written_answers import list_written_columns
from facelet.generators.shapes.deformation_task import ShapeInstance, ShapeWriting


class ForwardWriting(ShapeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/forward_writing"
    version: ClassVar[int] = 3
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = list_written_columns(ShapeInstance, "forward")


TASK = ForwardWriting()
