"""KOR-Bench puzzles: gold answers of four grid puzzles against the rules of the benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.set_audit.checkers import grid_rules
from facelet.pipeline.set_audit.grid_puzzles import (
    MAX_SIDE,
    Cell,
    Grid,
    GridPuzzle,
    build_campsite,
    build_latin,
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

KINDS = {"15": "sudoku", "17": "futoshiki", "20": "campsite", "25": "skyscrapers"}
"""The puzzles that are checked, by rule_id."""

PAIR = re.compile(r"\((\d),(\d)\)\s*([<>])\s*\((\d),(\d)\)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its gold answer.

    Attributes:
        rows: the published grid; empty cells are "", or X of a campsite.
        gold: the gold answer, one sign a cell.
        counts: tents of rows and of columns, or skyscrapers seen from left, right, top and bottom.
        less: pairs of cells of which the first is less.
    """

    rows: list[list[str]]
    gold: list[list[str]]
    counts: tuple[list[int], ...] = ()
    less: tuple[tuple[Cell, Cell], ...] = ()


def iterate_items(folder: Path) -> Iterator[SetItem]:
    """Yield the questions of sample.jsonl that are checked."""
    for path in list_files(folder, "sample.jsonl"):
        for number, text in read_lines(path):
            try:
                row = parse_object(text)
            except ValueError:
                yield SetItem(f"line {number}", "unknown", text)
                continue
            if kind := KINDS.get(str(row.get("rule_id"))):
                yield SetItem(str(row.get("idx")), kind, text, str(row.get("answer")))


def read_question(item: SetItem) -> Question:
    """Return the question of an item.

    Raises:
        ValueError: it is not written as the others.
    """
    row = parse_object(item.text)
    question, answer = str(row["question"]), str(row["answer"])
    signs = "[TXC]" if item.split == "campsite" else r"\d"
    gold = [re.findall(signs, line) for line in answer.strip("[] ,\n").split(",")]
    lines = [line.split() for line in question.split("\n")]
    if item.split == "skyscrapers":
        numbers = [k for k, words in enumerate(lines) if words and words[0].isdigit()]
        start = numbers[0]
        size = len(lines[start])
        if size > MAX_SIDE:
            raise ValueError(f"a grid has at most {MAX_SIDE} columns")
        inner = [[int(words[0]), int(words[-1])] for words in lines[start + 1 : start + 1 + size]]
        left, right = (list(side) for side in zip(*inner, strict=True))
        top, bottom = ([int(word) for word in lines[k]] for k in (start, start + 1 + size))
        return Question([[""] * size for _ in range(size)], gold, (left, right, top, bottom))
    if item.split == "campsite":
        table = [words for words in lines if words and set(words[:-1]) <= {"T", "X"}]
        rows = [words[:-1] for words in table if words[-1].isdigit() and len(words) > 1]
        bottom = [int(word) for word in lines[len(rows)]]
        return Question(rows, gold, ([int(words[-1]) for words in table[: len(rows)]], bottom))
    size = len(lines[0])
    rows = [["" if word == "X" else word for word in words] for words in lines[:size]]
    less = []
    for a, b, sign, c, d in PAIR.findall(question):
        pair = (int(a) - 1, int(b) - 1), (int(c) - 1, int(d) - 1)
        less.append(pair if sign == "<" else pair[::-1])
    return Question(rows, gold, (), tuple(less))


def build_puzzle(kind: str, question: Question) -> GridPuzzle:
    """Return the puzzle of a question."""
    if kind == "campsite":
        return build_campsite(question.rows, *question.counts)
    if kind == "sudoku":
        return build_latin(question.rows, (3, 3))
    puzzle = build_latin(question.rows, None, question.less)
    if kind == "futoshiki":
        return puzzle

    def fits(grid: Grid, cell: Cell) -> bool:
        size = len(question.rows)
        row = [grid.get((cell[0], k), "") for k in range(size)]
        column = [grid.get((k, cell[1]), "") for k in range(size)]
        left, right, top, bottom = question.counts
        views = (
            (row, left[cell[0]]),
            (row[::-1], right[cell[0]]),
            (column, top[cell[1]]),
            (column[::-1], bottom[cell[1]]),
        )
        return puzzle.fits(grid, cell) and all(
            "" in line or count_visible(line) == count for line, count in views
        )

    return GridPuzzle(puzzle.options, fits)


def count_visible(line: list[str]) -> int:
    """Return how many heights of a line exceed all before them."""
    highest = seen = 0
    for height in map(int, line):
        if height > highest:
            highest, seen = height, seen + 1
    return seen


def check_gold(item: SetItem, budget: CheckBudget) -> Finding:
    """Check that the gold answer obeys the rules, and of a campsite that no other does.

    Raises:
        ValueError: the question is not written as the others.
    """
    question = read_question(item)
    puzzle = build_puzzle(item.split, question)
    shape = [len(row) for row in question.gold]
    if shape != [len(row) for row in question.rows]:
        return refute_gold(question, puzzle, budget, "has missing or extra cells", {"shape": shape})
    if (cell := puzzle.find_broken_cell(question.gold)) is not None:
        where = {"row": cell[0] + 1, "column": cell[1] + 1}
        place = f"the lines or neighbours of row {where['row']}, column {where['column']}"
        return refute_gold(question, puzzle, budget, f"breaks a rule in {place}", where)
    if item.split != "campsite":
        return HOLDS
    found, complete = puzzle.find_solutions(budget.nodes)
    if len(found) == 2:
        reason = "it has two solutions, and rule 6 promises one"
        return Finding("refuted", reason, {"solutions": found})
    return HOLDS if complete else Finding("not proven", "the search reached its limit")


def refute_gold(
    question: Question, puzzle: GridPuzzle, budget: CheckBudget, fault: str, witness: Witness
) -> Finding:
    """Return the refutation of a gold answer, with the right one if there is exactly one.

    Args:
        question: the question with its gold answer.
        puzzle: its puzzle.
        budget: how far to search for a right answer.
        fault: what is wrong with the gold answer.
        witness: where it is wrong.
    """
    found, complete = puzzle.find_solutions(budget.nodes)
    correction = None
    if complete and len(found) == 1:
        was, is_now = (
            f"[[{','.join(' '.join(row) for row in grid)}]]" for grid in (question.gold, found[0])
        )
        correction = ("answer", was, is_now)
    right = {"solution": found[0]} if found else {}
    return Finding("refuted", f"the gold answer {fault}", {**witness, **right}, correction)


def confirm(item: SetItem, witness: Witness) -> bool:
    """Accept two right answers, or that the gold answer is wrong by the rules."""
    question = read_question(item)

    def is_right(grid: list[list[str]]) -> bool:
        if item.split == "campsite":
            return grid_rules.is_campsite(question.rows, grid, question.counts)
        if item.split == "sudoku":
            return grid_rules.is_latin(question.rows, grid, (3, 3))
        latin = grid_rules.is_latin(question.rows, grid)
        if item.split == "skyscrapers":
            return latin and grid_rules.list_views(grid) == list(question.counts)
        return latin and all(grid[a][b] < grid[c][d] for (a, b), (c, d) in question.less)

    if "solutions" in witness:
        first, second = witness["solutions"]
        return bool(first != second and is_right(first) and is_right(second))
    known = witness.get("solution")
    return not is_right(question.gold) and (known is None or is_right(known))


PUZZLE_SET = PuzzleSet(
    title="KOR-Bench puzzles",
    source="github.com/KOR-Bench/KOR-Bench, commit bb8194d, data/puzzle/sample.jsonl",
    licence="Apache-2.0",
    claim="The gold answer of a sudoku, futoshiki, campsite or skyscrapers question obeys the "
    "rules; a campsite has no other answer. Answers are read sign by sign.",
    claim_source="data/puzzle/rule.jsonl, idx 15, 17, 20 and 25; rule 6 of idx 20: "
    '"Each puzzle has and has only one unique solution"',
    form="sample.jsonl",
    corrects=True,
    iterate_items=iterate_items,
    check=check_gold,
    confirm=confirm,
)
