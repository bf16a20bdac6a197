"""Describe in words how two plans differ."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any


def describe_plan_diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return in words where the contents of two plans differ."""
    differences: list[str] = []
    for key in sorted(new.keys() | old.keys()):
        if key in ("cells", "pools", "left_out") or old.get(key) == new.get(key):
            continue
        differences.append(f"{key} was {old.get(key)!r}, is {new.get(key)!r}")
    olds, news = (_cell_lines_by_config(content.get("cells", ())) for content in (old, new))
    differences += _name_first_few("it holds", [name for name in olds if name not in news])
    differences += _name_first_few("asked for are", [name for name in news if name not in olds])
    # Cells of configs that both have: a config that only one has is told by its name.
    before = [line for name, lines in olds.items() if name in news for line in lines]
    after = [line for name, lines in news.items() if name in olds for line in lines]
    changed = [line for line in difflib.ndiff(before, after) if line[:1] in "+-"]
    differences += [f"{'now' if line[0] == '+' else 'before'} {line[2:]}" for line in changed[:4]]
    if len(changed) > 4:
        differences.append(f"and {len(changed) - 4} more")
    if not differences and old.get("left_out") != new.get("left_out"):
        differences = [
            *_name_first_few("no longer left out:", _new_omissions(old, new)),
            *_name_first_few("now", _new_omissions(new, old)),
        ]
    return "; ".join(differences) or "the pools differ"


def _new_omissions(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return what one plan says was left out and another does not."""
    return [note for note in one.get("left_out", ()) if note not in other.get("left_out", ())]


def _cell_lines_by_config(cells: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return one line a cell, by config."""
    lines: dict[str, list[str]] = {}
    for cell in cells:
        lines.setdefault(cell["config"], []).append(
            f"{cell['config']}/{cell['label']} ({cell['task']} version {cell['task_version']}, "
            f"{cell['asked']} items, {dict(cell['params'])})"
        )
    return lines


def _name_first_few(what: str, names: Sequence[str]) -> list[str]:
    """Return the first three names in words, if there are any."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [f"{what} {', '.join(names[:3])}{more}"] if names else []
