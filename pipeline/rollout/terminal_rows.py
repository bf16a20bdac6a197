"""Find the dataset and the rows that a person plays in the terminal."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset_info import align_table
from facelet.pipeline.rollout.row_opener import find_row, rows
from facelet.pipeline.shell_commands import format_command

BUILDS = Path("data/out")
"""Folder of builds, searched if no dataset is named."""


def list_configs(folder: Path) -> str:
    """Return a table of the configs of a dataset with an item of each, and the next command.

    Raises:
        ValueError: the dataset does not exist or has no rows.
    """
    rows = [("config", "split", "rows", "difficulty", "first item")]
    for part in dataset_reader.list_splits(folder):
        ids = [row["id"] for row in part.iterate_rows(["id"])]
        if ids:
            labels = list(dict.fromkeys(key.rpartition("/")[0].rpartition("/")[2] for key in ids))
            span = labels[0] if len(labels) == 1 else f"{labels[0]}..{labels[-1]}"
            rows.append((part.config, part.name, f"{len(ids):,}", span, ids[0]))
    if len(rows) == 1:
        raise ValueError(f"{str(folder)!r} has no rows")
    return "\n".join(
        [
            *align_table(rows, left=(0, 1, 3, 4)),
            "",
            "Items of each difficulty are numbered from 000000. Start with:",
            f"  {format_command('play', rows[1][-1], dataset=folder)}",
        ]
    )


def find_item(folder: Path, item: str) -> dict[str, Any]:
    """Return the row with an id, or the first row of a config, named with or without its suite.

    Raises:
        ValueError: the dataset does not exist, or has no such row or config.
    """
    configs = {part.config for part in dataset_reader.list_splits(folder)}
    named = [one for one in configs if item in (one, one.partition(".")[2])]
    if len(named) == 1:
        return next(rows(folder, named[0]))
    if Path(item).is_dir():
        raise ValueError(f"{item!r} is a folder; `{format_command('play', dataset=item)}` opens it")
    return find_row(folder, item)


def only_build() -> Path:
    """Return the one dataset in data/out.

    Raises:
        ValueError: there are several, or none.
    """
    found = sorted(path.parent for path in BUILDS.glob(f"*/{dataset_reader.MANIFEST}"))
    if len(found) == 1:
        return found[0]
    if found:
        words = ", ".join(shlex.quote(f"dataset={path}") for path in found)
        raise ValueError(f"name a dataset; data/out has {words}")
    raise ValueError(
        f"name a dataset with dataset=FOLDER; {BUILDS} has none. "
        "`facelet build profile=smoke` builds a small one"
    )
