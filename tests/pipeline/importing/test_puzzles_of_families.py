"""Anyone's boards, pieces, and starts with operations: rows under their ids, proven.

Lines are written from items of our own, by writers that share nothing with the readers; what a row
holds must be the very puzzle, and what is claimed falsely is kept apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.cli import main

Line = dict[str, Any]


def board_line(row: Line) -> Line:
    names = row["tiles"]
    placed = {
        mark: "spare" if place == 49 else [place % 7, place // 7]
        for place, mark in enumerate(row["treasures"])
        if mark != "-"
    }
    return {
        "board": [names[7 * k : 7 * k + 7] for k in range(7)],
        "spare": names[49],
        "treasures": placed,
        "pawn": [row["pawn_x"], row["pawn_y"]],
        "target": row["target"],
        "last": row["last_insert"] or None,
        **({"turns": row["minimal_turns"]} if "minimal_turns" in row else {}),
    }


def pieces_line(row: Line) -> Line:
    given = {}
    for text in row["given"]:
        letter, _, where = text.partition(": ")
        face, left, top = where.strip("()").split(", ")
        given[letter] = [face, int(left), int(top)]
    return {"pieces": row["pieces"], "assemblies": 1, **({"given": given} if given else {})}


def deformed_line(row: Line) -> Line:
    place = "ABCD".index(row["answer"])
    words = row["lists"][place].replace(", ", " ").split(" ")
    return {"start": row["start"], "operations": words, "result": row["results"][place]}


Writer = Callable[[Line], Line]
KEPT = {"board": ("tiles", "treasures", "pawn_x", "pawn_y", "last_insert", "target")}
CASES: dict[str, tuple[Line, Writer, tuple[str, ...], dict[str, Line]]] = {
    "labyrinth/plan": (
        {"turns": 3},
        board_line,
        (*KEPT["board"], "minimal_turns", "solution", "chance"),
        {
            "it claims 2 turns and needs 3": {"turns": 2},
            "does not lie on the board": {"target": "Z"},
            "names no tile": {"spare": "Q7"},
            "it needs a board": {"board": [["L0"]]},
            "it should be [x, y]": {"pawn": [7, 0]},
            "such as 'top 3'": {"last": "top 2"},
            "two treasures are on one tile": {"treasures": {"A": [0, 0], "bat": [0, 0]}},
        },
    ),
    "labyrinth/act": ({"turns": 1}, board_line, (*KEPT["board"], "minimal_turns"), {}),
    "labyrinth/board_parsing": ({}, board_line, KEPT["board"], {}),
    "jigsaw/assemble": (
        {},
        pieces_line,
        ("pieces", "flips", "missing", "given", "solutions", "distinct_solutions"),
        {
            "it claims 2 assemblies and has 1": {"assemblies": 2},
            "it needs pieces": {"pieces": ["11111/11111/11111/11111/11111"]},
            "form no cube": {"pieces": ["11111/11111/11111/11111/11111"] * 6},
            "no placement": {"given": {"A": ["Top", 1, 1]}},
            "gap inside": {"pieces": ["11111/10111/11111/11111/11111"] * 6},
        },
    ),
    "jigsaw/assemble_easy": (
        {},
        pieces_line,
        ("pieces", "flips", "missing", "given", "solution", "solutions", "distinct_solutions"),
        {},
    ),
    "jigsaw/perception": ({}, lambda row: {"piece": row["piece"].split("/")}, ("piece",), {}),
    "shapes/forward_deformation": (
        {"level": 3},
        deformed_line,
        ("start", "given", "level"),
        {
            "its operations lead to": {"result": "Cu------"},
            "it needs operations": {"operations": []},
            "is no operation": {"operations": ["melt"]},
            "it needs a start": {"start": None},
        },
    ),
    "shapes/inverse_deformation": (
        {"level": 4, "space": "2.5d"},
        deformed_line,
        ("start", "given", "level"),
        {},
    ),
    "cube/inverse_deformation": (
        {"level": 4},
        deformed_line,
        ("start", "given", "level"),
        {"no cube": {"start": "U:yyy"}},
    ),
    "cube/forward_writing": (
        {"level": 2, "start": "solved"},
        deformed_line,
        ("start", "given", "level", "target"),
        {},
    ),
}
"""By task: params of our own item, its writer, columns that must be the same, what is broken."""


def make_own_row(name: str, params: Line) -> Line:
    task: Any = task_registry.load_task(name)
    for attempt in range(100):
        try:
            (puzzle,) = task.generate(task.params(**params), Draw(("own", name), 0, attempt), None)
        except Reject:
            continue
        row: Line = task.encode(puzzle)
        return row
    raise AssertionError(name)


def import_lines(folder: Path, name: str, lines: list[Line]) -> tuple[int, list[Line], list[Line]]:
    file, out = folder / "theirs.jsonl", folder / "theirs"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    code = main(["import", "format=puzzles", f"task={name}", f"file={file}", f"out={out}"])
    rows = [row for path in out.glob("*/*.parquet") for row in pq.read_table(path).to_pylist()]
    kept = Path(f"{out}.broken.jsonl")
    broken = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    return code, rows, broken


@pytest.mark.parametrize("name", CASES)
def test_the_row_is_the_puzzle(name: str, tmp_path: Path) -> None:
    params, write, same, wrong = CASES[name]
    own = make_own_row(name, params)
    good = write(own)
    bad = [{**good, **change, "id": f"b{place}"} for place, change in enumerate(wrong.values())]
    code, rows, broken = import_lines(tmp_path, name, [{**good, "id": "Their 1"}, *bad])
    assert (code, len(rows)) == (int(bool(wrong)), 1)
    assert rows[0]["id"].endswith("/their-1")
    assert {key: rows[0][key] for key in same} == {key: own[key] for key in same}
    assert all(reason in one["reason"] for reason, one in zip(wrong, broken, strict=True)), [
        one["reason"] for one in broken
    ]
    assert main(["verify", str(tmp_path / "theirs"), "all=true", "workers=1"]) == 0


def test_one_of_four_options_is_right_and_each_letter_comes_up(tmp_path: Path) -> None:
    line = deformed_line(make_own_row("cube/inverse_deformation", {"level": 3}))
    lines = [{**line, "id": number} for number in range(8)]
    _, rows, _ = import_lines(tmp_path, "cube/inverse_deformation", lines)
    assert sorted(row["answer"] for row in rows) == sorted("ABCD" * 2)
    for row in rows:
        assert row["lists"]["ABCD".index(row["answer"])] == " ".join(line["operations"])
        assert row["results"].count(line["result"]) == 1


def test_steps_that_change_nothing_are_asked_under_looser_rules(tmp_path: Path) -> None:
    lines = [
        {"id": "idle", "start": "CuCuCuCu", "operations": "rotate_cw, color(r), rotate_ccw"},
        {"id": "filled", "start": "Cu------", "operations": "fill(CuRrSgWb), color(r)"},
        {"id": "stack", "start": "CuCuCuCu", "operations": ["stack(RuRuRuRu)", "color(b)"]},
    ]
    _, rows, broken = import_lines(tmp_path, "shapes/forward_deformation", lines)
    assert not broken
    assert {row["id"].rpartition("/")[2]: row["space"] for row in rows} == {
        "idle": "2d",
        "filled": "2d",
        "stack": "2.5d",
    }
    assert {row["id"].rpartition("/")[2]: row["steps"] for row in rows} == {
        "idle": "any",
        "filled": "effective",
        "stack": "effective",
    }
