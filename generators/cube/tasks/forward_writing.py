"""Forward writing: the code of what operations make of a cube, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.cube.deformation.deformation_task import CubeInstance, CubeWriting, Params
from facelet.generators.options.deformation.questions import Direction
from facelet.generators.options.deformation.written_answers import list_written_columns


class ForwardWriting(CubeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "cube/forward_writing"
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[CubeInstance]] = CubeInstance
    direction: ClassVar[Direction] = "forward"
    columns: ClassVar[tuple[Column, ...]] = list_written_columns(CubeInstance, "forward")


TASK = ForwardWriting()
