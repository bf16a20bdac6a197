"""Assemble, easy: arrays, no flips, four pieces in place already. MARBLE, 2.2: CUBE-easy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.jigsaw.assembling.instances import Modality, Params
from facelet.generators.jigsaw.assembling.task import Assembling


@dataclass(frozen=True, slots=True)
class EasyParams(Params):
    """The params of facelet.generators.jigsaw.assembling with other defaults.

    Attributes:
        missing: 2.
        flips: False.
        modality: "arrays".
    """

    missing: int = 2
    flips: bool = False
    modality: Modality = "arrays"


class AssembleEasy(Assembling):
    """The task; see facelet.generators.jigsaw.assembling.task."""

    name: ClassVar[str] = "jigsaw/assemble_easy"
    params: ClassVar[type[Params]] = EasyParams


TASK = AssembleEasy()
