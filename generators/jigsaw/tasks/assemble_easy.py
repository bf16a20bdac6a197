"""Assemble, easy: arrays, no flips, four pieces in place already. MARBLE, 2.2: CUBE-easy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.jigsaw.assembling import Assembling, Knobs
from facelet.generators.jigsaw.puzzles import Modality


@dataclass(frozen=True, slots=True)
class EasyKnobs(Knobs):
    """The knobs of facelet.generators.jigsaw.assembling with other defaults.

    Attributes:
        missing: 2.
        flips: False.
        modality: "arrays".
    """

    missing: int = 2
    flips: bool = False
    modality: Modality = "arrays"


class AssembleEasy(Assembling):
    """The task; see facelet.generators.jigsaw.assembling."""

    name: ClassVar[str] = "jigsaw/assemble_easy"
    params: ClassVar[type[Knobs]] = EasyKnobs


TASK = AssembleEasy()
