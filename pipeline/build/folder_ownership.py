"""Reserve a dataset folder for one plan, and refuse folders with anything else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import cast

from facelet.pipeline.build.build_folder import LEADER, BuildFolder
from facelet.pipeline.build.build_plan import PlanMark
from facelet.pipeline.build.job_runner import worker_count
from facelet.pipeline.build.plan_diff import describe_plan_diff
from facelet.pipeline.build.shard_store import WORK
from facelet.pipeline.card import dataset_card
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.file_lock import hold_lock
from facelet.pipeline.dataset.row_columns import CANARY
from facelet.pipeline.dataset.store_address import StoreAddress

PRODUCTS = (dataset_reader.MANIFEST, *dataset_card.FILES)
"""Published files beside the shards."""


_UNCLAIMED_FILES = frozenset(("lock", "tmp", "plan.json", f"{LEADER}.json"))
"""Files of a build that was killed before it wrote its plan."""


@contextmanager
def own_folder(
    folder: BuildFolder, mark: PlanMark, runner: RunnerSettings, *, replace: bool
) -> Iterator[None]:
    """Reserve a dataset folder for a plan during the block.

    A refusal leaves the folder unchanged.

    Args:
        folder: the folder.
        mark: marks the folder as the plan's.
        runner: where shards are made.
        replace: whether a dataset of another plan may be replaced.

    Raises:
        ValueError: the folder contains something else, belongs to another plan and may not be
            replaced, or another build is running in it.
    """
    out = folder.out
    if isinstance(out, StoreAddress) and out.scheme == "memory" and worker_count(runner) > 1:
        raise ValueError(f"out={out} is the memory of one process; use workers=1, or another out")
    _check_folder(folder, mark, replace=replace)
    busy = f"another build is running in {out}; wait for it, or choose another out=..."
    with nullcontext() if isinstance(out, StoreAddress) else hold_lock(folder.work / "lock", busy):
        outdated = PRODUCTS if _check_folder(folder, mark, replace=replace) else ()
        with folder.open_run(mark, outdated):
            yield


def _check_folder(folder: BuildFolder, mark: PlanMark, *, replace: bool) -> bool:
    """Return whether a folder contains a dataset of another plan, which is to be replaced.

    Raises:
        ValueError: it contains something else, or that dataset may not be replaced.
    """
    out = folder.out
    if out.exists() and not out.is_dir():
        raise ValueError(f"out={out} is a file; name a folder")
    if folder.work.is_symlink():
        raise ValueError(f"{folder.work} is a link; name another folder as out, or remove the link")
    if (old_mark := _read_mark(folder)) is None:
        if not _is_unclaimed(folder):
            raise ValueError(
                f"out={out} contains other files and no dataset of Facelet; name an empty or a "
                "new folder"
            )
        return False
    if old_mark["hash"] == mark["hash"]:
        return False
    if not replace:
        known = "content" in old_mark
        how = describe_plan_diff(old_mark["content"], mark["content"]) if known else "plan hash"
        raise ValueError(
            f"{out} belongs to another configuration ({how}); choose another out=..., "
            "or rebuild it with replace=true"
        )
    return True


def _is_unclaimed(folder: BuildFolder) -> bool:
    """Whether a folder contains only files that a build writes before its plan."""
    if not folder.out.is_dir() or not any(folder.out.iterdir()):
        return True
    if [path.name for path in folder.out.iterdir()] != [WORK] or not folder.work.is_dir():
        return False
    names = {path.name for path in folder.work.iterdir()}
    return all(name in _UNCLAIMED_FILES or name.startswith(".plan.json.") for name in names)


def _read_mark(folder: BuildFolder) -> PlanMark | None:
    """Return the mark of a folder, or what its manifest says; None if it has neither.

    Other programs may write a manifest.json too; one of this program has its canary.
    """
    if (old_mark := folder.load_json("plan")) is not None and isinstance(old_mark.get("hash"), str):
        return cast(PlanMark, old_mark)
    try:
        manifest = dataset_reader.read_manifest(folder.out)
    except (ValueError, RecursionError):
        return None
    return {"hash": manifest.plan_hash} if manifest.canary == CANARY else None
