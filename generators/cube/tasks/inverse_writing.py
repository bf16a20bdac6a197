"""Inverse writing: any list of operations that makes a result of a cube, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.core.task import Column
from facelet.generators.cube.deforming.deformation import CubeInstance, CubeWriting, Params
from facelet.generators.options.deforming.questions import Direction
from facelet.generators.options.deforming.writing import written_columns


class InverseWriting(CubeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "cube/inverse_writing"
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[CubeInstance]] = CubeInstance
    direction: ClassVar[Direction] = "inverse"
    columns: ClassVar[tuple[Column, ...]] = written_columns(CubeInstance, "inverse")


TASK = InverseWriting()
