"""reasoning-gym: rows that its package draws with the two seeds of its trainer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from facelet.pipeline.input_gate import parse_object
from facelet.pipeline.set_audit.puzzle_set import HOLDS, CheckBudget, Finding, PuzzleSet, SetItem
from facelet.pipeline.set_audit.set_reader import list_files, read_lines


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the rows of TASK-SPLIT.jsonl; the text of an item is its question with its answer."""
    for path in list_files(folder, "*-*.jsonl"):
        split = path.stem.rpartition("-")[2]
        for number, text in read_lines(path):
            try:
                row = parse_object(text)
            except ValueError:
                row = {}
            told = [row.get("question"), row.get("answer")]
            yield SetItem(f"{path.stem}:{number}", split, json.dumps(told), str(told[1]))


def check_row(item: SetItem, budget: CheckBudget) -> Finding:
    """Check that a row has a question; repeats are judged by the runner.

    Raises:
        ValueError: it has none.
    """
    if not isinstance(json.loads(item.text)[0], str):
        raise ValueError("the row has no question")
    return HOLDS


PUZZLE_SET = PuzzleSet(
    title="reasoning-gym",
    source="pip install reasoning-gym==0.1.25; the rows of seed 1 and seed 2",
    licence="Apache-2.0",
    claim="No row of the validation seed (2) is a row of the training seed (1). The answers are "
    "not checked.",
    claim_source="training/train_grpo.py, prepare_datasets: seed=1 to train, seed=2 to validate",
    form="TASK-train.jsonl and TASK-valid.jsonl, one row of the package a line (the guide shows "
    "how to write them)",
    corrects=True,
    distinct_splits=True,
    iterate_items=iterate_items,
    check=check_row,
    confirm=lambda item, witness: False,
)
