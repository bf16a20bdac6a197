"""Assemble, easy: arrays, no flips, four pieces in place already. MARBLE, 2.2: CUBE-easy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.jigsaw.assembly_task.instances import Modality, Params
from facelet.generators.jigsaw.assembly_task.task import AssemblyTask


@dataclass(frozen=True, slots=True)
class EasyParams(Params):
    """The params of facelet.generators.jigsaw.assembly_task with other defaults."""

    missing: int = 2
    flips: bool = False
    modality: Modality = "arrays"


class AssembleEasy(AssemblyTask):
    """The task; see facelet.generators.jigsaw.assembly_task.task."""

    name: ClassVar[str] = "jigsaw/assemble_easy"
    params: ClassVar[type[Params]] = EasyParams


TASK = AssembleEasy()
