"""Forward writing: the code of what operations make of a shape, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.options.deforming.questions import Direction
from facelet.generators.options.deforming.writing import written_columns
from facelet.generators.shapes.deforming import Params, ShapeInstance, ShapeWriting


class ForwardWriting(ShapeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "shapes/forward_writing"
    version: ClassVar[int] = 3
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[ShapeInstance]] = ShapeInstance
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = written_columns(ShapeInstance, "forward")


TASK = ForwardWriting()
