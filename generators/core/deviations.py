"""The record of a difference between a task and the paper that defines it.

They become the page DEVIATIONS.md and a part of each dataset's card. `restore` names params as
`name=value`, several with commas; a suite `<paper>_as_published` sets all of them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"`?(\w+)=([\w.]+)`?")


class Deviation(NamedTuple):
    """A difference from the paper, or a reading of what the paper leaves open.

    Attributes:
        paper: what the paper or its data does; "" for a reading: the paper is silent, or
            contradicts itself.
        here: what the task does.
        why: the reason.
        restore: the setting for the other choice; "" if there is none.
    """

    paper: str
    here: str
    why: str
    restore: str = ""

    @property
    def paper_params(self) -> dict[str, str]:
        """The params for the other choice, and their values as text."""
        return dict(_WORD.findall(self.restore))

    @property
    def setting(self) -> str:
        """The setting for the other choice, its params as code."""
        return _WORD.sub(r"`\1=\2`", self.restore)
