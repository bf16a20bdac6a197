"""Folders of any name, in a locale that has ASCII only: a build, its score, its description."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typed import parse_settings

from facelet.pipeline.verbs import report

MAIN = "from facelet.pipeline.cli import main; raise SystemExit(main())"


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_names_beyond_ascii(tmp_path: Path, locale: str) -> None:
    home = tmp_path / "größe 北"
    home.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": locale}

    def call_verb(*words: str) -> str:
        command = [sys.executable, "-c", MAIN, *words]
        done = subprocess.run(command, cwd=home, env=env, capture_output=True, timeout=600)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    task = "labyrinth/board_parsing"
    call_verb("build", "profile=smoke", "suites=[marble]", f"tasks=[{task}]", "out=dätä", "count=2")
    row = "marble.board_parsing/b1/000000"
    said = {"id": row, "prediction": "nördlich 北"}
    (home / "sägt.jsonl").write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8")
    call_verb("score", "dataset=dätä", "predictions=sägt.jsonl", "out=ergebnis 北")
    report = json.loads((home / "ergebnis 北" / "results.json").read_text(encoding="utf-8"))
    assert "marble.board_parsing" in json.dumps(report)
    assert "marble.board_parsing" in call_verb("info", "dätä")


def test_pages_land_beside_what_they_show() -> None:
    for typed, pages in (
        ("made.score/run-0001", "made.report/run-0001"),
        ("/a/made.v1.score/m", "/a/made.v1.report/m"),
        ("scores", "scores.report"),
        ("runs/a b", "runs/a b.report"),
    ):
        settings = parse_settings("report", [f"results={typed}"])
        assert str(report.locate_pages(settings)) == pages
    assert report.locate_pages(parse_settings("report", ["made.score/m", "out=x"])) == Path("x")
