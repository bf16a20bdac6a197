"""Forward deformation: what do the operations make of a cube? Inf-Bench, section 4.1."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.cube.deformation.deformation_task import (
    CubeDeformation,
)
from facelet.generators.options.deformation.questions import Direction


class ForwardDeformation(CubeDeformation):
    """The task; see the module."""

    name: ClassVar[str] = "cube/forward_deformation"
    version: ClassVar[int] = 3
    direction: ClassVar[Direction] = "forward"


TASK = ForwardDeformation()
