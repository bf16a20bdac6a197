"""Ownership: a dataset folder belongs to one plan, and nothing else is ever touched."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.shards import WORK, Folder
from facelet.pipeline.build.stages import Build
from facelet.pipeline.card import card
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.files import only_one
from facelet.pipeline.dataset.hashing import canonical_json

PRODUCTS = (reading.MANIFEST, *card.FILES)
"""Published files beside the shards."""


@contextmanager
def owned(build: Build) -> Iterator[None]:
    """Hold the dataset folder for the length of the block, as this plan's and nobody else's.

    Raises:
        ValueError: the folder holds something else, is another plan's and may not be replaced, or
            another build is at work in it.
    """
    out = build.folder.out
    _check(out)
    busy = f"another build is at work in {out}; wait for it, or choose another out=..."
    with only_one(build.folder.work / "lock", busy):
        _take(build.folder, build.plan, replace=build.settings.replace)
        build.folder.begin()
        yield
        build.folder.end()


def _check(out: Path) -> None:
    """Raise ValueError if a folder holds something that is no dataset of this program."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"out={out} is a file; name a folder")
    ours = (out / WORK).is_dir() or (out / reading.MANIFEST).is_file()
    if out.is_dir() and any(out.iterdir()) and not ours:
        raise ValueError(f"out={out} holds other files; name an empty or a new folder")


def _take(folder: Folder, plan: Plan, *, replace: bool) -> None:
    """Make the folder this plan's.

    Raises:
        ValueError: it is another plan's, and may not be replaced.
    """
    content = json.loads(canonical_json(plan.content()))
    found = _found_plan(folder)
    if found is not None and found.get("hash") != plan.hash:
        if not replace:
            how = differences(found["content"], content) if "content" in found else "plan hash"
            raise ValueError(
                f"{folder.out} belongs to another configuration ({how}); choose another out=..., "
                "or rebuild it with replace=true"
            )
        for name in PRODUCTS:
            (folder.out / name).unlink(missing_ok=True)
        remove_strays(folder.out, [])
    folder.keep("plan", {"hash": plan.hash, "content": content})


def _found_plan(folder: Folder) -> dict[str, Any] | None:
    """Return the plan that a folder belongs to, or what its manifest says of it, or None."""
    found = folder.kept("plan")
    if found is None and (folder.out / reading.MANIFEST).is_file():
        return {"hash": reading.manifest(folder.out).get("plan_hash")}
    return found


def remove_strays(out: Path, keep: Sequence[str]) -> None:
    """Remove published shards that are not of this build, and folders left empty."""
    kept = {out / path for path in keep}
    for path in reading.shard_paths(out):
        if path not in kept:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return in words where the contents of two plans differ."""
    found: list[str] = []
    for key in sorted(new.keys() | old.keys()):
        if key in ("cells", "pools", "left_out") or old.get(key) == new.get(key):
            continue
        found.append(f"{key} was {old.get(key)!r}, is {new.get(key)!r}")
    olds, news = (_by_config(content.get("cells", ())) for content in (old, new))
    found += _named("it holds", [name for name in olds if name not in news])
    found += _named("asked for are", [name for name in news if name not in olds])
    # Cells of configs that both have: a config that only one has is told by its name.
    before = [line for name, lines in olds.items() if name in news for line in lines]
    after = [line for name, lines in news.items() if name in olds for line in lines]
    changed = [line for line in difflib.ndiff(before, after) if line[:1] in "+-"]
    found += [f"{'now' if line[0] == '+' else 'before'} {line[2:]}" for line in changed[:4]]
    if len(changed) > 4:
        found.append(f"and {len(changed) - 4} more")
    return "; ".join(found) or "the pools differ"


def _by_config(cells: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return one line a cell, by config."""
    lines: dict[str, list[str]] = {}
    for cell in cells:
        lines.setdefault(cell["config"], []).append(
            f"{cell['config']}/{cell['label']} ({cell['task']} version {cell['task_version']}, "
            f"{cell['asked']} items, {dict(cell['params'])})"
        )
    return lines


def _named(what: str, names: Sequence[str]) -> list[str]:
    """Return the first three names in words, if there are any."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [f"{what} {', '.join(names[:3])}{more}"] if names else []
