"""Load the compiled search when it is first used.

Without it, playing and scoring use `python_search`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.core.compiled_parts import CompiledPart, load_compiled

_NAME = "facelet.generators.labyrinth.search._search"

if TYPE_CHECKING:
    from facelet.generators.labyrinth.search import _search as core
else:
    core = CompiledPart(_NAME, "the labyrinth's search")


def is_compiled() -> bool:
    """Return whether it was compiled, and may be used."""
    return load_compiled(_NAME) is not None


__all__ = ["core", "is_compiled"]
