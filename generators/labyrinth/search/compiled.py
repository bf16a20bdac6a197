"""The compiled search, or an error that says how to get it.

It is loaded at its first use, so that other families work where it could not be compiled.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType


@cache
def core() -> ModuleType:
    """Return the compiled search.

    Raises:
        ImportError: it is missing; the message says how to get it.
    """
    try:
        from facelet.generators.labyrinth.search import _search
    except ImportError as error:
        raise ImportError(
            "the labyrinth's compiled search is missing: install a C compiler (gcc) and run "
            "`make setup`, or `pip install -e .`, again"
        ) from error
    return _search
