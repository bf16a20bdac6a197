"""Ownership: a dataset folder belongs to one plan, and nothing else is ever touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from facelet.pipeline.build.build_folder import LEADER, BuildFolder
from facelet.pipeline.build.build_plan import BuildPlan
from facelet.pipeline.build.build_stages import BuildState
from facelet.pipeline.build.job_runner import worker_count
from facelet.pipeline.build.plan_diff import describe_plan_diff
from facelet.pipeline.build.shard_store import WORK
from facelet.pipeline.card import dataset_card
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import remove_file
from facelet.pipeline.dataset.content_hash import canonical_json
from facelet.pipeline.dataset.file_lock import hold_lock
from facelet.pipeline.dataset.row_columns import CANARY
from facelet.pipeline.dataset.store_address import StoreAddress

PRODUCTS = (dataset_reader.MANIFEST, *dataset_card.FILES)
"""Published files beside the shards."""


_UNCLAIMED_FILES = frozenset(("lock", "tmp", "plan.json", f"{LEADER}.json"))
"""What stands in the work folder of a build that was killed before it kept its plan."""


@contextmanager
def own_folder(build: BuildState) -> Iterator[None]:
    """Hold the dataset folder for the length of the block, as this plan's and nobody else's.

    A refusal leaves the folder as it was, or not there.

    Raises:
        ValueError: the folder holds something else, is another plan's and may not be replaced, or
            another build is at work in it.
    """
    folder, replace = build.folder, build.settings.replace
    _check_workers_reach(build)
    _check_plan_match(folder, build.plan, replace=replace)
    busy = f"another build is at work in {folder.out}; wait for it, or choose another out=..."
    stored = isinstance(folder.out, StoreAddress)
    with nullcontext() if stored else hold_lock(folder.work / "lock", busy):
        others = _check_plan_match(folder, build.plan, replace=replace)
        folder.mark_leader()
        if others:
            for name in PRODUCTS:
                remove_file(folder.out / name)
            folder.remove_strays([])
        content = json.loads(canonical_json(build.plan.to_dict()))
        folder.save_json("plan", {"hash": build.plan.plan_hash, "content": content})
        folder.prepare_temporary()
        yield
        folder.remove_temporary()


def _check_workers_reach(build: BuildState) -> None:
    """Raise ValueError if the workers of a build would not see its folder."""
    out, runner = build.folder.out, build.settings.runner
    if isinstance(out, StoreAddress) and out.scheme == "memory" and worker_count(runner) > 1:
        raise ValueError(f"out={out} is the memory of one process; use workers=1, or another out")


def _check_plan_match(folder: BuildFolder, plan: BuildPlan, *, replace: bool) -> bool:
    """Return whether a folder is another plan's, which is to be replaced.

    Raises:
        ValueError: it is not ours to write in, or another plan's and may not be replaced.
    """
    out = folder.out
    if out.exists() and not out.is_dir():
        raise ValueError(f"out={out} is a file; name a folder")
    if folder.work.is_symlink():
        raise ValueError(f"{folder.work} is a link; name another folder as out, or remove the link")
    found = _read_plan_mark(folder)
    if found is None:
        if not _is_unclaimed(folder):
            raise ValueError(
                f"out={out} holds other files and no dataset of this program; name an empty or a "
                "new folder"
            )
        return False
    if found["hash"] == plan.plan_hash:
        return False
    if not replace:
        content = json.loads(canonical_json(plan.to_dict()))
        how = describe_plan_diff(found["content"], content) if "content" in found else "plan hash"
        raise ValueError(
            f"{out} belongs to another configuration ({how}); choose another out=..., "
            "or rebuild it with replace=true"
        )
    return True


def _is_unclaimed(folder: BuildFolder) -> bool:
    """Whether a folder holds nothing but what a build makes before it keeps its plan."""
    if not folder.out.is_dir() or not any(folder.out.iterdir()):
        return True
    if [path.name for path in folder.out.iterdir()] != [WORK] or not folder.work.is_dir():
        return False
    names = {path.name for path in folder.work.iterdir()}
    return all(name in _UNCLAIMED_FILES or name.startswith(".plan.json.") for name in names)


def _read_plan_mark(folder: BuildFolder) -> dict[str, Any] | None:
    """Return the plan that a folder says it belongs to, or what its manifest says; else None.

    Others, too, call a file manifest.json; one of this program lists its shards and holds its mark.
    """
    found = folder.load_json("plan")
    if found is not None and isinstance(found.get("hash"), str):
        return found
    try:
        manifest = dataset_reader.read_manifest(folder.out)
    except (ValueError, RecursionError):
        return None
    ours = manifest.canary == CANARY
    return {"hash": manifest.plan_hash} if ours else None
