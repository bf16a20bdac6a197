"""Inverse writing: any list of operations that makes a result of a cube, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.cube.deformation.deformation_task import CubeWriting
from facelet.generators.options.deformation.questions import Direction


class InverseWriting(CubeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "cube/inverse_writing"
    version: ClassVar[int] = 2
    direction: ClassVar[Direction] = "inverse"


TASK = InverseWriting()
