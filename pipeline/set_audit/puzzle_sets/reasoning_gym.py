"""reasoning-gym: Sudoku rows that its package draws, and its trainer's seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from facelet.pipeline.set_audit.checkers import grid_rules
from facelet.pipeline.set_audit.grid_puzzles import build_latin
from facelet.pipeline.set_audit.puzzle_set import (
    HOLDS,
    CheckBudget,
    Finding,
    PuzzleSet,
    SetItem,
    Witness,
)
from facelet.pipeline.set_audit.set_reader import list_files, parse_object, read_lines

BOXES = {4: (2, 2), 9: (3, 3)}


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the rows without their index, so that equal rows have equal texts."""
    for path in list_files(folder, "*sudoku-*.jsonl"):
        for number, text in read_lines(path):
            split = path.stem.rpartition("-")[2]
            try:
                row = parse_object(text)
            except ValueError:
                yield SetItem(f"{path.stem}:{number}", split, text)
                continue
            if isinstance(row.get("metadata"), dict):
                row["metadata"].pop("source_index", None)
            text = json.dumps(row, sort_keys=True)
            yield SetItem(f"{path.stem}:{number}", split, text, str(row.get("answer")))


def read_grids(item: SetItem) -> tuple[list[list[str]], list[list[str]]]:
    """Return the published puzzle and solution; empty cells are "".

    Raises:
        ValueError: it is no Sudoku of 4 or 9 rows.
    """
    metadata = parse_object(item.text)["metadata"]
    puzzle, solution = (
        [["" if cell == 0 else str(cell) for cell in row] for row in metadata[name]]
        for name in ("puzzle", "solution")
    )
    if len(puzzle) not in BOXES:
        raise ValueError("a Sudoku has 4 or 9 rows")
    return puzzle, solution


def check_sudoku(item: SetItem, budget: CheckBudget) -> Finding:
    """Check that the stored solution is right, and the only one.

    Raises:
        ValueError: it is no Sudoku.
    """
    rows, solution = read_grids(item)
    puzzle = build_latin(rows, BOXES[len(rows)])
    if cell := puzzle.find_broken_cell(solution):
        return Finding("refuted", "the stored solution breaks a rule", {"cell": list(cell)})
    found, complete = puzzle.find_solutions(budget.nodes)
    if len(found) == 2:
        return Finding("refuted", "it has two solutions", {"solutions": found})
    return HOLDS if complete else Finding("not proven", "the search reached its limit")


def confirm(item: SetItem, witness: Witness) -> bool:
    """Accept two solutions, or a stored solution that breaks a rule."""
    rows, solution = read_grids(item)
    box = BOXES[len(rows)]
    if "cell" in witness:
        return not grid_rules.is_latin(rows, solution, box)
    first, second = witness["solutions"]
    right = grid_rules.is_latin(rows, first, box) and grid_rules.is_latin(rows, second, box)
    return right and bool(first != second)


PUZZLE_SET = PuzzleSet(
    title="reasoning-gym",
    source="pip install reasoning-gym==0.1.25; the rows of seed 1 and seed 2",
    licence="Apache-2.0",
    claim="A Sudoku has one solution, the stored one; a row of the validation seed is no row of "
    "the training seed.",
    claim_source="reasoning_gym/games/sudoku.py, _count_solutions (one solution); "
    "training/train_grpo.py, prepare_datasets (seed=1 to train, seed=2 to validate)",
    form="TASK-train.jsonl and TASK-valid.jsonl, one row of the package a line, for sudoku and "
    "mini_sudoku (the guide shows how to write them)",
    corrects=True,
    distinct_splits=True,
    iterate_items=iterate_items,
    check=check_sudoku,
    confirm=confirm,
)
