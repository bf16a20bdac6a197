"""Find the adapters: one module each in a folder `puzzle_sets` of any room of the pipeline."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from facelet import pipeline
from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.set_audit.puzzle_set import PuzzleSet

FOLDER = "puzzle_sets"


@cache
def find_set_rooms() -> Mapping[str, str]:
    """Return the room of the pipeline that each set is in, by the set's name."""
    return {
        part.name: room.name
        for root in pipeline.__path__
        for room in pkgutil.iter_modules([root])
        for part in pkgutil.iter_modules([str(Path(root, room.name, FOLDER))])
    }


def list_set_names() -> Sequence[str]:
    """Return the names of all sets, sorted."""
    return sorted(find_set_rooms())


def load_set(name: str) -> PuzzleSet:
    """Return a set by its name.

    Raises:
        ValueError: there is no such set.
        TypeError: its module exports no PUZZLE_SET.
    """
    if (room := find_set_rooms().get(name)) is None:
        raise unknown_word_error("set", name, list_set_names())
    path = f"{pipeline.__name__}.{room}.{FOLDER}.{name}"
    found = getattr(import_module(path), "PUZZLE_SET", None)
    if not isinstance(found, PuzzleSet):
        raise TypeError(f"{path} exports no PUZZLE_SET")
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
