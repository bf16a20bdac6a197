"""Verbs that write, what they are given, and what they leave."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader

SUITE = """
mine:
  tasks:
    password_breaking: {task: arcade/password_breaking, sweep: {level: [1]}, count: 3}
    board_parsing: {task: labyrinth/board_parsing, count: 2}
"""


def make_inputs(root: Path) -> Path:
    """Write a small dataset, predictions for it, and puzzles, two of which are broken."""
    (root / "mine.yaml").write_text(SUITE)
    words = [f"suites=[{root}/mine.yaml]", "unfair=write", f"out={root}/d", "workers=1"]
    assert main(["build", "profile=smoke", "progress=false", *words]) == 0
    ids = [
        row["id"]
        for split in dataset_reader.list_splits(root / "d")
        for row in split.iterate_rows(["id"])
    ]
    lines = [json.dumps({"id": name, "prediction": ["1234"]}) for name in ids]
    (root / "p.jsonl").write_text("\n".join(lines))
    puzzles = [{"id": f"a{k}", "scramble": "R U F2"[: 2 + k % 4]} for k in range(4)]
    broken = [{"id": "b"}, {"id": "c", "scramble": "R hello"}]
    (root / "theirs.jsonl").write_text("\n".join(json.dumps(one) for one in puzzles + broken))
    return root


VERBS: dict[str, Callable[[Path, Path], list[str]]] = {
    "import": lambda given, out: [
        *("format=puzzles", "task=cube/move_prediction", "table=small"),
        *(f"file={given}/theirs.jsonl", f"out={out}"),
    ],
    "repack": lambda given, out: [f"dataset={given}/d", f"out={out}", "form=webdataset"],
    "gallery": lambda given, out: [f"dataset={given}/d", f"out={out}"],
    "requests": lambda given, out: ["model=m", f"dataset={given}/d", f"out={out}"],
    "harness": lambda given, out: [f"dataset={given}/d", f"out={out}", "tool=lm-eval"],
    "finetune": lambda given, out: ["task=shapes/forward_deformation", "count=4", f"out={out}"],
    "score": lambda given, out: [
        *(f"dataset={given}/d", f"predictions={given}/p.jsonl", "resamples=100", f"out={out}"),
    ],
}
"""Words of each verb, by what it is given and where it writes."""


def read_tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }
