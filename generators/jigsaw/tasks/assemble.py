"""Assemble: close the cube with six pieces seen in a picture, flips allowed. MARBLE, 2.2: CUBE."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.jigsaw.assembly_task.instances import Params
from facelet.generators.jigsaw.assembly_task.task import AssemblyTask


class Assemble(AssemblyTask):
    """The task; see facelet.generators.jigsaw.assembly_task.task."""

    name: ClassVar[str] = "jigsaw/assemble"
    params: ClassVar[type[Params]] = Params


TASK = Assemble()
