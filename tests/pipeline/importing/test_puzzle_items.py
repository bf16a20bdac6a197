"""Anyone's puzzles of cubes: rows under their ids, proven, and what is not true is kept apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from facelet.generators.cube.engine import moves, notation
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import manifest_file

GOOD = [
    {"id": "a1", "scramble": "R U F2", "depth": 3},
    {"id": "A 2", "scramble": "R U R' U'"},
    {"id": 7, "scramble": "x L2 x' U L"},
    {"id": "shorter", "scramble": "R R U U R' R'"},
]
WRONG = {
    "claims depth 5; its depth is 2 in metric=htm": {"id": "b", "scramble": "R U", "depth": 5},
    "depth=0 is out of range": {"id": "c", "scramble": "R R'"},
    "it has no state; give one of": {"id": "d"},
    "not a move": {"id": "e", "scramble": "R hello"},
    "line 1 has the same id": {"id": "a1", "scramble": "R"},
    "no id": {"scramble": "R"},
    "would have the ids of those of": {"id": "a-2", "scramble": "F U R' U'"},
    "which is no facelets": {"id": "f", "facelets": "R U"},
    "54 letters": {"id": "g", "facelets": notation.SOLVED[1:]},
    "id is too long": {"id": "h" * 60, "scramble": "R"},
}


def run_import(folder: Path, name: str, lines: list[Any]) -> tuple[int, Path]:
    file, out = folder / "theirs.jsonl", folder / name
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    said = ["format=puzzles", "task=cube/move_prediction", f"file={file}", f"out={out}"]
    return main(["import", *said, "table=small"]), out


def read_rows(out: Path) -> list[dict[str, Any]]:
    return [
        row for path in sorted(out.glob("*/*.parquet")) for row in pq.read_table(path).to_pylist()
    ]


def test_rows_are_the_puzzles_with_options_of_ours(tmp_path: Path) -> None:
    code, out = run_import(tmp_path, "theirs", GOOD)
    assert code == 0 and not Path(f"{out}.broken.jsonl").exists()
    rows = {row["id"]: row for row in read_rows(out)}
    assert len(rows) == 3 * len(GOOD)
    row = rows["puzzles.move_prediction/d03/a1-00"]
    assert row["facelets"] == moves.apply_maneuver(
        notation.SOLVED, notation.parse_maneuver("R U F2")
    )
    solving = [
        letter
        for letter, option in zip("ABCD", row["options"], strict=True)
        if moves.apply_maneuver(row["facelets"], notation.parse_maneuver(option)) == notation.SOLVED
    ]
    assert solving == [row["gold"]]
    assert {row["id"].rpartition("/")[2][:-3] for row in rows.values()} == {
        *("a1", "a-2", "7", "shorter")
    }
    assert rows["puzzles.move_prediction/d03/shorter-00"]["optimal_depth"] == 3
    again = run_import(tmp_path, "again", GOOD)[1]
    assert (
        manifest_file.read_manifest(again).content_hash
        == manifest_file.read_manifest(out).content_hash
    )
    assert main(["verify", str(out), "all=true", "workers=1"]) == 0


def test_nothing_is_dropped_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run_import(tmp_path, "theirs", [*GOOD, *WRONG.values(), "no json", "[1]"])
    assert code == 1
    kept = [json.loads(line) for line in Path(f"{out}.broken.jsonl").read_text().splitlines()]
    assert [one["line"] for one in kept] == list(range(len(GOOD) + 1, len(GOOD) + len(WRONG) + 3))
    for one, (reason, line) in zip(kept, WRONG.items(), strict=False):
        assert reason in one["reason"] and json.loads(one["held"]) == line
    assert "not JSON" in kept[-2]["reason"] and kept[-1]["reason"] == "it is not a JSON object"
    outcomes = [one["outcome"] for one in kept]
    assert outcomes == ["refuted", *["not read"] * (len(kept) - 1)]
    assert f"1 refuted, 0 not proven, {len(kept) - 1} not read" in capsys.readouterr().out
    assert len(read_rows(out)) == 3 * len(GOOD)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["task=chamber/act"], "use a task of cube, jigsaw, labyrinth, shapes"),
        (["task=labyrinth/plan"], "it needs a board"),
        (["format=others"], "mtr_bench"),
        (["dir=folder"], "dir= is not for format=puzzles"),
        (["limit=1"], "no dataset is written"),
    ],
)
def test_what_is_refused_names_what_is_read(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = {"id": "x", "scramble": "R U F2 L B D R2 U F L D2 B R U2 L F D R2"}
    file = tmp_path / "theirs.jsonl"
    file.write_text(json.dumps(deep) + "\n")
    usual = {
        "format": "puzzles",
        "task": "cube/move_prediction",
        "file": str(file),
        "out": str(tmp_path / "out"),
        "table": "small",
    }
    told = usual | dict(word.split("=") for word in words)
    assert main(["import", *(f"{name}={value}" for name, value in told.items())]) in (1, 2)
    assert said in "".join(capsys.readouterr())
    assert not (tmp_path / "out").exists()
