"""Assemble: close the cube with six pieces seen in a picture, flips allowed. MARBLE, 2.2: CUBE."""

from __future__ import annotations

from typing import ClassVar

from facelet.generators.jigsaw.assembling import Assembling, Knobs


class Assemble(Assembling):
    """The task; see facelet.generators.jigsaw.assembling."""

    name: ClassVar[str] = "jigsaw/assemble"
    params: ClassVar[type[Knobs]] = Knobs


TASK = Assemble()
