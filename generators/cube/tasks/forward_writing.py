"""Forward writing: the code of what operations make of a cube, without options."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.cube.deformation.deformation_task import CubeWriting
from facelet.generators.options.deformation.questions import Direction


class ForwardWriting(CubeWriting):
    """The task; see the module."""

    name: ClassVar[str] = "cube/forward_writing"
    version: ClassVar[int] = 2
    direction: ClassVar[Direction] = "forward"


TASK = ForwardWriting()
