"""Assemble: close the cube with six pieces seen in a picture, flips allowed. MARBLE, 2.2: CUBE."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.jigsaw.assembling.instances import Params
from facelet.generators.jigsaw.assembling.task import Assembling


class Assemble(Assembling):
    """The task; see facelet.generators.jigsaw.assembling.task."""

    name: ClassVar[str] = "jigsaw/assemble"
    params: ClassVar[type[Params]] = Params


TASK = Assemble()
