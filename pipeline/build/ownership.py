"""Claiming a folder: a dataset folder belongs to one plan, and nothing else is ever touched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from facelet.pipeline.build.plan import Plan, differences
from facelet.pipeline.build.shards import WORK, Folder
from facelet.pipeline.card import card
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.dataset.hashing import canonical_json

PRODUCTS = (reading.MANIFEST, *card.FILES)
"""Published files beside the shards."""


def check_folder(out: Path) -> None:
    """Raise ValueError if a folder holds something that is no dataset of this program."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"out={out} is a file; name a folder")
    ours = (out / WORK).is_dir() or (out / reading.MANIFEST).is_file()
    if out.is_dir() and any(out.iterdir()) and not ours:
        raise ValueError(f"out={out} holds other files; name an empty or a new folder")


def claim(folder: Folder, plan: Plan, *, replace: bool) -> None:
    """Make the folder this plan's.

    Raises:
        ValueError: it is another plan's, and may not be replaced.
    """
    path = folder.work / "plan.json"
    content = json.loads(canonical_json(plan.content()))
    found = _found_plan(folder.out, path)
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
    write_text(path, json.dumps({"hash": plan.hash, "content": content}, indent=1) + "\n")


def _found_plan(out: Path, path: Path) -> dict[str, Any] | None:
    """Return the plan that a folder belongs to, or what its manifest says of it, or None."""
    if path.is_file():
        found = json.loads(path.read_text(encoding="utf-8"))
        return dict(found)
    if (out / reading.MANIFEST).is_file():
        return {"hash": reading.manifest(out).get("plan_hash")}
    return None


def remove_strays(out: Path, keep: Sequence[str]) -> None:
    """Remove published shards that are not of this build, and folders left empty."""
    kept = {out / path for path in keep}
    for path in reading.shard_paths(out):
        if path not in kept:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
