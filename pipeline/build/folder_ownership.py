"""Ownership: a dataset folder belongs to one plan, and nothing else is ever touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from facelet.pipeline.build.differences import differences
from facelet.pipeline.build.folder import LEADER, Folder
from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.runner import worker_count
from facelet.pipeline.build.shards import WORK
from facelet.pipeline.build.stages import Build
from facelet.pipeline.card import card
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.addresses import Address
from facelet.pipeline.dataset.files import remove
from facelet.pipeline.dataset.hashing import canonical_json
from facelet.pipeline.dataset.locks import only_one
from facelet.pipeline.dataset.rows import CANARY

PRODUCTS = (reading.MANIFEST, *card.FILES)
"""Published files beside the shards."""


_NOT_YET = frozenset(("lock", "tmp", "plan.json", f"{LEADER}.json"))
"""What stands in the work folder of a build that was killed before it kept its plan."""


@contextmanager
def owned(build: Build) -> Iterator[None]:
    """Hold the dataset folder for the length of the block, as this plan's and nobody else's.

    A refusal leaves the folder as it was, or not there.

    Raises:
        ValueError: the folder holds something else, is another plan's and may not be replaced, or
            another build is at work in it.
    """
    folder, replace = build.folder, build.settings.replace
    _reached(build)
    _check(folder, build.plan, replace=replace)
    busy = f"another build is at work in {folder.out}; wait for it, or choose another out=..."
    stored = isinstance(folder.out, Address)
    with nullcontext() if stored else only_one(folder.work / "lock", busy):
        others = _check(folder, build.plan, replace=replace)
        folder.lead()
        if others:
            for name in PRODUCTS:
                remove(folder.out / name)
            folder.remove_strays([])
        content = json.loads(canonical_json(build.plan.content()))
        folder.keep("plan", {"hash": build.plan.hash, "content": content})
        folder.begin()
        yield
        folder.end()


def _reached(build: Build) -> None:
    """Raise ValueError if the workers of a build would not see its folder."""
    out, runner = build.folder.out, build.settings.runner
    if isinstance(out, Address) and out.scheme == "memory" and worker_count(runner) > 1:
        raise ValueError(f"out={out} is the memory of one process; use workers=1, or another out")


def _check(folder: Folder, plan: Plan, *, replace: bool) -> bool:
    """Return whether a folder is another plan's, which is to be replaced.

    Raises:
        ValueError: it is not ours to write in, or another plan's and may not be replaced.
    """
    out = folder.out
    if out.exists() and not out.is_dir():
        raise ValueError(f"out={out} is a file; name a folder")
    if folder.work.is_symlink():
        raise ValueError(f"{folder.work} is a link; name another folder as out, or remove the link")
    found = _mark(folder)
    if found is None:
        if not _empty(folder):
            raise ValueError(
                f"out={out} holds other files and no dataset of this program; name an empty or a "
                "new folder"
            )
        return False
    if found["hash"] == plan.hash:
        return False
    if not replace:
        content = json.loads(canonical_json(plan.content()))
        how = differences(found["content"], content) if "content" in found else "plan hash"
        raise ValueError(
            f"{out} belongs to another configuration ({how}); choose another out=..., "
            "or rebuild it with replace=true"
        )
    return True


def _empty(folder: Folder) -> bool:
    """Whether a folder holds nothing but what a build makes before it keeps its plan."""
    if not folder.out.is_dir() or not any(folder.out.iterdir()):
        return True
    if [path.name for path in folder.out.iterdir()] != [WORK] or not folder.work.is_dir():
        return False
    names = {path.name for path in folder.work.iterdir()}
    return all(name in _NOT_YET or name.startswith(".plan.json.") for name in names)


def _mark(folder: Folder) -> dict[str, Any] | None:
    """Return the plan that a folder says it belongs to, or what its manifest says; else None.

    Others, too, call a file manifest.json; one of this program lists its shards and holds its mark.
    """
    found = folder.kept("plan")
    if found is not None and isinstance(found.get("hash"), str):
        return found
    try:
        manifest = reading.manifest(folder.out)
    except (ValueError, RecursionError):
        return None
    ours = manifest.canary == CANARY
    return {"hash": manifest.plan_hash} if ours else None
