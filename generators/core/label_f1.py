"""Base of measures of one rare label by its F1 score, which chance and floor are then stated in.

Where one of two labels is rare, the share of right answers praises whoever never says it. A task
that is measured by the F1 of that label declares its chance in that unit (`LabelF1.name`), and the
audit scores its blind players so too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.core.measures import Measure

UNIT = "F1 of "
"""How the name of such a score begins."""


@dataclass(frozen=True, slots=True)
class LabelF1(Measure):
    """A measure of one label; a subclass says what counts it.

    Attributes:
        label: the label, as golds have it.
    """

    labelled: ClassVar[bool] = True
    label: str = ""

    @property
    def name(self) -> str:
        """What chance and floor are said to be of."""
        return f"{UNIT}{self.label}"
