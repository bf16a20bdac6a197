"""Find the adapters: one module of `sets` each."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.set_audit import sets
from facelet.pipeline.set_audit.puzzle_set import PuzzleSet


def list_set_names() -> Sequence[str]:
    """Return the names of all sets, sorted."""
    return sorted(part.name for part in pkgutil.iter_modules(sets.__path__))


def load_set(name: str) -> PuzzleSet:
    """Return a set by its name.

    Raises:
        ValueError: there is no such set.
        TypeError: its module exports no PUZZLE_SET.
    """
    if name not in list_set_names():
        raise unknown_word_error("set", name, list_set_names())
    found = getattr(import_module(f"{sets.__name__}.{name}"), "PUZZLE_SET", None)
    if not isinstance(found, PuzzleSet):
        raise TypeError(f"{sets.__name__}.{name} exports no PUZZLE_SET")
    return found


def describe_sets() -> str:
    """Return the list of sets, with what each needs and claims."""
    parts = []
    for name in list_set_names():
        one = load_set(name)
        facts = (
            ("source", one.source),
            ("licence", one.licence),
            ("claim", one.claim),
            ("stated in", one.claim_source),
            ("folder", one.form),
        )
        parts.append("\n".join((f"{name}: {one.title}", *(f"  {k}: {v}" for k, v in facts))))
    return "\n\n".join(parts)
