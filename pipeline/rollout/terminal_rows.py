"""Playing: which dataset and row a person plays in the terminal."""

from __future__ import annotations

import shlex
from pathlib import Path

from facelet.pipeline.commands import command
from facelet.pipeline.dataset import reading
from facelet.pipeline.info import table

BUILDS = Path("data/out")
"""Where builds are looked for when no dataset is named."""


def listing(folder: Path) -> str:
    """Return the configs of a dataset with an item of each, and what to type next.

    Raises:
        ValueError: there is no such dataset, or it holds no rows.
    """
    rows = [("config", "split", "rows", "difficulty", "first item")]
    for part in reading.splits(folder):
        ids = [row["id"] for row in part.rows(["id"])]
        if ids:
            labels = list(dict.fromkeys(key.rpartition("/")[0].rpartition("/")[2] for key in ids))
            span = labels[0] if len(labels) == 1 else f"{labels[0]}..{labels[-1]}"
            rows.append((part.config, part.name, f"{len(ids):,}", span, ids[0]))
    if len(rows) == 1:
        raise ValueError(f"{str(folder)!r} holds no rows")
    return "\n".join(
        [
            *table(rows, left=(0, 1, 3, 4)),
            "",
            "In each difficulty, items are numbered from 000000. Begin with:",
            f"  {command('play', rows[1][-1], dataset=folder)}",
        ]
    )


def only_build() -> Path:
    """Return the one dataset in data/out.

    Raises:
        ValueError: there are several, or none.
    """
    found = sorted(path.parent for path in BUILDS.glob(f"*/{reading.MANIFEST}"))
    if len(found) == 1:
        return found[0]
    if found:
        words = ", ".join(shlex.quote(f"dataset={path}") for path in found)
        raise ValueError(f"name a dataset; here are {words}")
    raise ValueError(
        f"name a dataset with dataset=FOLDER; there is none in {BUILDS}. "
        "`facelet build profile=smoke` makes a small one in seconds"
    )
