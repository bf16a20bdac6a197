"""Audits of grid puzzles: planted faults are refuted, sound items hold, checkers reject errors.

All fixtures are made here, in the format of each set.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.set_audit.audit_runner import check_item
from facelet.pipeline.set_audit.checkers import grid_rules
from facelet.pipeline.set_audit.puzzle_set import CheckBudget, SetItem
from facelet.pipeline.set_audit.set_registry import load_set

BUDGET = CheckBudget(100_000)
BINAIRO = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]]
SUDOKU = ["1234", "3412", "2143", "4321"]


def run_audit(name: str, folder: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    out = folder / "out"
    code = main(["audit-set", name, f"folder={folder}", f"out={out}", "workers=1"])
    assert code in (0, 1)
    lines = [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]
    return code, {line["id"]: line for line in lines}


def blank_cells(grid: list[list[int]], cells: list[tuple[int, int]]) -> list[list[int | None]]:
    return [[None if (y, x) in cells else v for x, v in enumerate(r)] for y, r in enumerate(grid)]


def write_items(path: Path, prompt: str, truths: list[Any]) -> None:
    lines = [json.dumps({"prompt": prompt, "ground_truth": truth}) for truth in truths]
    path.write_text("\n".join(lines) + "\n")


def test_binairo_finds_each_planted_fault(tmp_path: Path) -> None:
    every = [(y, x) for y in range(4) for x in range(4)]
    wrong = [row[::-1] for row in BINAIRO]
    sound = {"puzzle": blank_cells(BINAIRO, [(0, 0), (3, 3)]), "solution": BINAIRO}
    truths = [
        sound,
        {"puzzle": blank_cells(BINAIRO, every), "solution": BINAIRO},
        {"puzzle": sound["puzzle"], "solution": wrong},
        {"puzzle": [[0, 0, 0, None]] * 4},
        "none",
        {"puzzle": [[0] * 40] * 40},
    ]
    write_items(tmp_path / "binairo.jsonl", "4. Exactly one valid solution", truths)
    code, found = run_audit("internbootcamp", tmp_path)
    assert code == 1 and [line["verdict"] for line in found.values()] == [
        *("holds", "refuted", "refuted", "not proven", "not read", "not read")
    ]
    first, second = found["binairo:2"]["witness"]["solutions"]
    assert first != second


def test_several_solutions_are_no_fault_where_none_is_promised(tmp_path: Path) -> None:
    write_items(tmp_path / "binairo.jsonl", "Solve this.", [{"puzzle": [[None] * 4] * 4}])
    code, found = run_audit("internbootcamp", tmp_path)
    assert code == 0 and found["binairo:1"]["verdict"] == "holds"


def test_campsite_finds_each_planted_fault(tmp_path: Path) -> None:
    sound = {
        "input_grid": [list("TXX"), list("XXX"), list("XXX")],
        **{"row_constraints": [1, 0, 0], "col_constraints": [0, 1, 0]},
    }
    several = {
        "input_grid": [list("XTX"), list("XXX"), list("XTX")],
        **{"row_constraints": [1, 0, 1], "col_constraints": [1, 0, 1]},
    }
    strange = {**sound, "row_constraints": [1]}
    none = {**sound, "row_constraints": [0, 0, 1], "col_constraints": [0, 0, 1]}
    prompt = "6.Each puzzle has and has only one unique solution."
    write_items(tmp_path / "campsite.jsonl", prompt, [sound, several, strange, none])
    code, found = run_audit("internbootcamp", tmp_path)
    assert code == 1 and [line["verdict"] for line in found.values()] == [
        *("holds", "refuted", "not read", "not proven")
    ]


def test_star_battle_and_sudoku_find_each_planted_fault(tmp_path: Path) -> None:
    sound = ["AAAA", "BBBA", "CBDD", "CCDD"]
    none = ["AAAA", "ABBA", "CCDD", "CCDD"]
    stars = [{"input_grid": [list(row) for row in rows]} for rows in (sound, none, ["AB"])]
    write_items(tmp_path / "starbattle.jsonl", "Place stars.", stars)
    givens = [[0, *map(int, row[1:])] for row in SUDOKU]
    broken = [[1, 1, 0, 0], *givens[1:]]
    truths = [{"puzzle": rows, "region_rows": 2, "region_cols": 2} for rows in (givens, broken)]
    write_items(tmp_path / "sudoku.jsonl", "Solve.", truths)
    code, found = run_audit("internbootcamp", tmp_path)
    verdicts = {name: line["verdict"] for name, line in found.items()}
    assert code == 1 and verdicts == {
        **{"starbattle:1": "holds", "starbattle:2": "refuted", "starbattle:3": "not read"},
        **{"sudoku:1": "holds", "sudoku:2": "not proven"},
    }


def test_a_grid_checker_that_rejects_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle_set = load_set("internbootcamp")
    text = json.dumps(
        {"prompt": "Exactly one valid solution", "ground_truth": {"puzzle": [[None] * 4] * 4}}
    )
    item = SetItem("a", "binairo", text)
    assert check_item(puzzle_set, item, budget=BUDGET).verdict == "refuted"
    strict = replace(puzzle_set, confirm=lambda item, witness: False)
    assert check_item(strict, item, budget=BUDGET).verdict == "not proven"
    monkeypatch.setattr(grid_rules, "is_binairo", lambda givens, grid: False)
    assert check_item(puzzle_set, item, budget=BUDGET).verdict == "not proven"


def test_the_grid_checkers_reject_each_broken_rule() -> None:
    empty = [[""] * 4] * 4
    right = [[str(cell) for cell in row] for row in BINAIRO]
    assert grid_rules.is_binairo(empty, right)
    for rows in ("0011 1100 0011 1100", "0001 1110 0110 1001", "0101 1010 0110 1001 0101"):
        assert not grid_rules.is_binairo(empty, [list(row) for row in rows.split()]), rows
    assert not grid_rules.is_binairo([["1", *[""] * 3], *empty[1:]], right)
    latin = [list(row) for row in SUDOKU]
    assert grid_rules.is_latin(empty, latin, (2, 2))
    turned = [list(row) for row in ("1234", "2341", "3412", "4123")]
    assert grid_rules.is_latin(empty, turned) and not grid_rules.is_latin(empty, turned, (2, 2))
    assert not grid_rules.is_latin(empty, [latin[0], *latin[:3]])
    tent = [list("TCX"), list("XXX")]
    givens = [list("TXX"), list("XXX")]
    assert grid_rules.is_campsite(givens, tent, ([1, 0], [0, 1, 0]))
    assert not grid_rules.is_campsite(givens, tent, ([1, 0], [1, 0, 0]))
    for rows, counts in (
        ("TXC XXX", ([1, 0], [0, 0, 1])),
        ("TCX CXX", ([1, 1], [1, 1, 0])),
        ("XCX XXX", ([1, 0], [0, 1, 0])),
    ):
        assert not grid_rules.is_campsite(givens, [list(row) for row in rows.split()], counts), rows
    assert grid_rules.has_no_star_battle(["AB", "AB"])
    assert not grid_rules.has_no_star_battle(["AAAA", "BBBA", "CBDD", "CCDD"])


def write_questions(path: Path, questions: list[tuple[str, str, str]]) -> None:
    lines = [
        json.dumps({"idx": str(k), "rule_id": rule, "question": text, "answer": answer})
        for k, (rule, text, answer) in enumerate(questions)
    ]
    path.write_text("\n".join([*lines, "no JSON"]) + "\n")


def test_kor_bench_finds_each_planted_fault(tmp_path: Path) -> None:
    futoshiki = "X 2 X\nX X X\nX X X\n\n(1,1)<(1,2)\n(2,1)>(2,2)\n\nAnswer"
    camp = "T\tX\tX\t1\nX\tX\tX\t0\n0\t1\t0\n\nAnswer"
    several = "X\tT\tX\t1\nX\tX\tX\t0\nX\tT\tX\t1\n1\t0\t1\n\nAnswer"
    towers = "Layout:\n\t3\t2\t1\n3\tX\tX\tX\t1\n2\tX\tX\tX\t2\n1\tX\tX\tX\t2\n\t1\t2\t2\nAnswer"
    questions = [
        ("17", futoshiki, "[[1 2 3,3 1 2,2 3 1]]"),
        ("17", futoshiki, "[[3 2 1,1 3 2,2 1 3]]"),
        ("17", futoshiki, "[[1 2 3,3 1 2]]"),
        ("20", camp, "[[T C X,X X X]]"),
        ("20", camp, "[[T X X,C X X]]"),
        ("20", several, "[[C T X,X X X,X T C]]"),
        ("25", towers, "[[1 2 3,2 3 1,3 1 2]]"),
        ("25", towers, "[[1 3 2,2 1 3,3 2 1]]"),
        ("25", "nothing", "[[1]]"),
        ("1", "a riddle", "[[a]]"),
    ]
    write_questions(tmp_path / "sample.jsonl", questions)
    code, found = run_audit("kor_bench", tmp_path)
    verdicts = [found[str(k)]["verdict"] for k in range(9)]
    assert code == 1 and verdicts == [
        *("holds", "refuted", "refuted", "holds", "refuted", "refuted"),
        *("holds", "refuted", "not read"),
    ]
    assert found["line 11"]["verdict"] == "not read" and len(found) == 10
    lines = (tmp_path / "out" / "corrections.jsonl").read_text().splitlines()
    corrections = {row["id"]: row["is"] for row in map(json.loads, lines)}
    assert corrections["4"] == "[[T C X,X X X]]" and "5" not in corrections


def test_the_kor_bench_checker_rejects_wrong_witnesses() -> None:
    confirm = load_set("kor_bench").confirm
    text = json.dumps({"question": "X 2\nX X\n\n(1,1)<(1,2)\n", "answer": "[[1 2,2 1]]"})
    item = SetItem("a", "futoshiki", text)
    right, wrong = [["1", "2"], ["2", "1"]], [["2", "1"], ["1", "2"]]
    for witness in (
        {"row": 1, "column": 1},
        {"solution": right},
        {"solutions": [right, right]},
        {"solutions": [right, wrong]},
    ):
        assert not confirm(item, witness), witness


def sudoku_row(index: int, puzzle: list[list[int]], solution: list[list[int]]) -> str:
    metadata = {"source_index": index, "puzzle": puzzle, "solution": solution}
    return json.dumps({"question": f"{puzzle}", "answer": f"{solution}", "metadata": metadata})


def test_reasoning_gym_finds_each_planted_fault(tmp_path: Path) -> None:
    solution = [[int(cell) for cell in row] for row in SUDOKU]
    givens = [[0, *row[1:]] for row in solution]
    others = [[*row[:3], 0] for row in solution]
    empty = [[0] * 4] * 4
    train = [
        sudoku_row(0, givens, solution),
        sudoku_row(1, empty, solution),
        sudoku_row(2, givens, solution[::-1]),
        "no JSON",
        sudoku_row(3, [[0] * 5] * 5, solution),
    ]
    valid = [sudoku_row(0, others, solution), sudoku_row(9, givens, solution)]
    (tmp_path / "mini_sudoku-train.jsonl").write_text("\n".join(train))
    (tmp_path / "mini_sudoku-valid.jsonl").write_text("\n".join(valid))
    code, found = run_audit("reasoning_gym", tmp_path)
    assert code == 1 and [line["verdict"] for line in found.values()] == [
        *("holds", "refuted", "refuted", "not read", "not read", "holds", "refuted")
    ]
    assert found["mini_sudoku-valid:2"]["witness"]["repeats"] == "mini_sudoku-train:1"
    item = SetItem("a", "train", train[0])
    right = [list(row) for row in SUDOKU]
    for witness in ({"cell": [0, 0]}, {"solutions": [right, right]}, {"solutions": [right, []]}):
        try:
            accepted = load_set("reasoning_gym").confirm(item, witness)
        except (ValueError, IndexError):
            accepted = False
        assert not accepted, witness
