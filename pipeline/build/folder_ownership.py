"""Reserve a dataset folder for one plan, and describe how the plan of another differs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, cast

from facelet.pipeline.build.build_folder import LEADER, WORK, BuildFolder
from facelet.pipeline.build.build_plan import PlanMark
from facelet.pipeline.build.job_runner import worker_count
from facelet.pipeline.card import dataset_card
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import hold_lock
from facelet.pipeline.dataset.row_columns import CANARY
from facelet.pipeline.dataset.store_address import StoreAddress


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
