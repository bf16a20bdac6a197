"""InternBootcamp: puzzles on grids; four of its files are checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from facelet.pipeline.set_audit.checkers import grid_rules
from facelet.pipeline.set_audit.grid_puzzles import (
    GridPuzzle,
    build_binairo,
    build_campsite,
    build_latin,
    list_cells,
)
from facelet.pipeline.set_audit.puzzle_set import (
    HOLDS,
    CheckBudget,
    Finding,
    PuzzleSet,
    SetItem,
    Witness,
)
from facelet.pipeline.set_audit.set_reader import list_files, parse_object, read_lines

CHECKED = ("binairo", "campsite", "starbattle", "sudoku")
PROMISES = ("exactly one valid solution", "only one unique solution")
"""What a prompt says if it promises one solution, in lower case."""


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the items of the files that are checked."""
    for path in list_files(folder, "*.jsonl"):
        if path.stem in CHECKED:
            for number, text in read_lines(path):
                yield SetItem(f"{path.stem}:{number}", path.stem, text, _read_answer(text))


def _read_answer(text: str) -> str:
    try:
        answer = read_truth(text).get("solution")
    except ValueError:
        return ""
    return json.dumps(answer) if answer else ""


def read_truth(text: str) -> dict[str, Any]:
    """Return the field ground_truth of an item.

    Raises:
        ValueError: there is none.
    """
    truth = parse_object(text).get("ground_truth")
    if not isinstance(truth, dict):
        raise ValueError("it has no object named ground_truth")
    return truth


def to_texts(rows: list[list[Any]]) -> list[list[str]]:
    """Return the cells of a grid as texts; empty ones, in any of the set's spellings, as ""."""
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


def read_givens(kind: str, truth: dict[str, Any]) -> list[list[str]]:
    """Return the published grid."""
    rows = to_texts(truth["puzzle" if kind in ("binairo", "sudoku") else "input_grid"])
    return (
        [["" if cell == "0" else cell for cell in row] for row in rows]
        if kind == "sudoku"
        else rows
    )


def build_puzzle(kind: str, truth: dict[str, Any]) -> GridPuzzle:
    """Return the puzzle of an item."""
    rows = read_givens(kind, truth)
    list_cells(rows)
    if kind == "binairo":
        return build_binairo(rows)
    if kind == "campsite":
        return build_campsite(rows, truth["row_constraints"], truth["col_constraints"])
    return build_latin(rows, (truth["region_rows"], truth["region_cols"]))


def check_puzzle(item: SetItem, budget: CheckBudget) -> Finding:
    """Check that there is a solution, and only one if the prompt promises that.

    Raises:
        ValueError: it is no item of this set.
    """
    truth, prompt = read_truth(item.text), parse_object(item.text).get("prompt", "")
    if item.split == "starbattle":
        return check_star_battle(truth)
    puzzle = build_puzzle(item.split, truth)
    if "solution" in truth:
        broken = puzzle.find_broken_cell(to_texts(truth["solution"]))
        if broken:
            return Finding("refuted", "the stored solution breaks a rule", {"cell": list(broken)})
    promised = any(words in prompt.lower() for words in PROMISES)
    found, complete = puzzle.find_solutions(budget.nodes, 2 if promised else 1)
    if len(found) == 2:
        reason = "it has two solutions, and its prompt promises one"
        return Finding("refuted", reason, {"solutions": found})
    if not complete:
        return Finding("not proven", "the search reached its limit")
    return HOLDS if found else Finding("not proven", "the search found no solution")


def check_star_battle(truth: dict[str, Any]) -> Finding:
    """Check that there is a placement of stars, row by row."""
    regions = read_givens("starbattle", truth)
    size = len(list_cells(regions)) // len(regions)
    if size != len(regions):
        raise ValueError("the grid is no square")
    partial: list[tuple[int, ...]] = [()]
    for row in regions:
        partial = [
            (*stars, x)
            for stars in partial
            for x in range(size)
            if x not in stars
            and (not stars or abs(stars[-1] - x) > 1)
            and row[x] not in {regions[y][star] for y, star in enumerate(stars)}
        ][:100_000]
    if partial:
        return HOLDS
    return Finding("refuted", "no placement of stars obeys its rules", {"placements": 0})


def confirm(item: SetItem, witness: Witness) -> bool:
    """Accept two solutions, a stored solution that breaks a rule, or a grid without any."""
    truth = read_truth(item.text)
    givens = read_givens(item.split, truth)

    def is_right(grid: list[list[str]]) -> bool:
        if item.split == "binairo":
            return grid_rules.is_binairo(givens, grid)
        if item.split == "campsite":
            counts = truth["row_constraints"], truth["col_constraints"]
            return grid_rules.is_campsite(givens, grid, counts)
        return grid_rules.is_latin(givens, grid, (truth["region_rows"], truth["region_cols"]))

    if item.split == "starbattle":
        return grid_rules.has_no_star_battle(givens)
    if "cell" in witness:
        return not is_right(to_texts(truth["solution"]))
    first, second = witness["solutions"]
    return bool(first != second and is_right(first) and is_right(second))


PUZZLE_SET = PuzzleSet(
    title="InternBootcamp_eval",
    source="github.com/InternLM/InternBootcamp, commit 18a5525, InternBootcamp_eval",
    licence="Apache-2.0",
    claim="Each puzzle has a solution, and only one where its prompt promises that (binairo, "
    "campsite); a stored solution obeys the rules.",
    claim_source='the prompts: "Exactly one valid solution" (binairo, rule 4), "Each puzzle has '
    'and has only one unique solution" (campsite, rule 6)',
    form="binairo.jsonl, campsite.jsonl, starbattle.jsonl, sudoku.jsonl (any of them)",
    corrects=True,
    iterate_items=iterate_items,
    check=check_puzzle,
    confirm=confirm,
)
