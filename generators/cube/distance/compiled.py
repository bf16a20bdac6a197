"""The compiled core, or an error that says how to get it."""

from __future__ import annotations

try:
    from facelet.generators.cube.distance import _core as core
except ImportError as error:
    raise ImportError(
        "the exact solver's compiled core is missing: install a C compiler (gcc) and run "
        "`make setup`, or `pip install -e .`, again"
    ) from error

__all__ = ["core"]
