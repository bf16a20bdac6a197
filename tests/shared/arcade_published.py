"""Small datasets of games, written by the layout alone, and transcripts of players of known skill.

A player wins the rows that it is told to win, by the reference player's commands, after as many
unreadable replies as it is told; it loses the others by saying nothing that can be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from arcade_twins import make_puzzles
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.row_columns import arrow_schema

SUITE = "evolarena"


def publish_games(root: Path, games: Sequence[str], levels: Sequence[int], count: int) -> Path:
    """Write a dataset of some games at some levels."""
    for name in games:
        task: Any = task_registry.load_task(f"arcade/{name}")
        rows = []
        for level in levels:
            params = task.params(level=level, turns=40)
            label = params.difficulty().label
            for number, puzzle in enumerate(make_puzzles(task, params, count)):
                common = {
                    **{"id": f"{SUITE}.{name}/{label}/{number:06d}", "suite": SUITE},
                    **{"task": task.name, "task_version": task.version, "split": "test"},
                    **{"difficulty_axis": "level", "difficulty": level},
                    **{"group": task.group_key(puzzle), "gold": task.gold_answer(puzzle)},
                    **{"messages": [], "images": [], "image_hashes": []},
                }
                rows.append({**common, **task.encode(puzzle)})
        path = root / f"{SUITE}.{name}" / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(task.columns)), path)
    describe_folder(root)
    return root


def iterate_rows(root: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset."""
    for path in sorted(root.glob("*/*.parquet")):
        yield from pq.read_table(path).to_pylist()


def write_transcripts(
    root: Path,
    path: Path,
    model: str,
    wins: Callable[[Mapping[str, Any]], bool],
    waste: Callable[[Mapping[str, Any]], int] = lambda row: 0,
) -> Path:
    """Write a player's transcripts of all rows.

    Args:
        root: the dataset.
        path: the file.
        model: name of the player.
        wins: whether it wins a row.
        waste: how many unreadable replies it gives first in a row that it wins.
    """
    lines = []
    for row in iterate_rows(root):
        task = task_registry.load_task(row["task"])
        puzzle = task.decode(row)
        replies = ["?"] * waste(row) + task.reference(puzzle) if wins(row) else ["?"] * 60
        episode, messages = task.open(puzzle), []
        for reply in replies:
            messages.append({"role": "assistant", "content": reply})
            if isinstance(episode.reply(reply), Outcome):
                break
        lines.append({"id": row["id"], "model": model, "messages": messages})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
