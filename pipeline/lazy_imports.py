"""Sparing: a process of this program's own does not load what it never uses.

Arrow loads pandas as soon as it is handed a list, to see whether the list is one of pandas. That
takes a third of a second and 40 MB in each process. Whoever asks Arrow for a data frame later still
gets one. In a process of somebody else nothing is changed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _PandasBlocker(MetaPathFinder):
    """Finds that there is no pandas."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise for pandas; of other modules nothing is said."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
        return None


_CLAIMED: set[str] = set()


def claim_process() -> None:
    """Say that this process is the program's own: nobody else runs in it."""
    _CLAIMED.add("process")


def block_pandas() -> None:
    """Let Arrow take it that there is no pandas, in an own process where nobody has loaded it."""
    if not _CLAIMED or "pandas" in sys.modules:
        return
    import pyarrow as pa

    without = _PandasBlocker()
    sys.meta_path.insert(0, without)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(without)
