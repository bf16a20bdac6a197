"""Ownership: a dataset folder belongs to one plan, and nothing else is ever touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from facelet.pipeline.build.differences import differences
from facelet.pipeline.build.folder import Folder
from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.shards import WORK
from facelet.pipeline.build.stages import Build
from facelet.pipeline.card import card
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.hashing import canonical_json
from facelet.pipeline.dataset.locks import only_one

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
    found = _found_plan(folder)
    content = json.loads(canonical_json(plan.content()))
    if found is not None and found.get("hash") != plan.hash:
        if not replace:
            how = differences(found["content"], content) if "content" in found else "plan hash"
            raise ValueError(
                f"{folder.out} belongs to another configuration ({how}); choose another out=..., "
                "or rebuild it with replace=true"
            )
        for name in PRODUCTS:
            (folder.out / name).unlink(missing_ok=True)
        folder.remove_strays([])
    folder.keep("plan", {"hash": plan.hash, "content": content})


def _found_plan(folder: Folder) -> dict[str, Any] | None:
    """Return the plan that a folder belongs to, or what its manifest says of it, or None."""
    found = folder.kept("plan")
    if found is None and (folder.out / reading.MANIFEST).is_file():
        return {"hash": reading.manifest(folder.out).get("plan_hash")}
    return found
