"""Deviations: where a task does otherwise than the paper that defines it, said beside the task.

They become the page DEVIATIONS.md and a part of each dataset's card. `restore` names params as
`name=value`, several with commas; a suite `<paper>_as_published` sets all of them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"`?(\w+)=([\w.]+)`?")


class Deviation(NamedTuple):
    """Where a task departs from its paper, or decides what the paper leaves open.

    Attributes:
        paper: what the paper says or its data does.
        here: what the task does.
        why: the reason.
        restore: how the paper's choice is had back; "" where it is not.
    """

    paper: str
    here: str
    why: str
    restore: str = ""

    @property
    def params(self) -> dict[str, str]:
        """The params that restore the paper's choice, and their values as text."""
        return dict(_WORD.findall(self.restore))
