"""The page of results: players are right where they have to be, and the page has every config."""

from __future__ import annotations

from pathlib import Path

import make_results
import pytest
import yaml

FEW = """results:
  tasks:
    forward_2d:
      task: shapes/forward_deformation
      params: {space: "2d", input: text}
      usual_levels: 1-2
    safepath_finding:
      task: arcade/safepath_finding
      sweep: {level: [1]}
"""


def test_the_page_has_every_config_and_player() -> None:
    text = make_results.PAGE.read_text(encoding="utf-8")
    head, *lines = (line for line in text.splitlines() if line.startswith("|"))
    players = (
        make_results.GUESSER,
        make_results.BLIND,
        make_results.PARTIAL,
        make_results.MODEL,
        make_results.REFERENCE,
    )
    assert [cell.strip() for cell in head.split("|")[1:-1]] == ["config", "rows", *players]
    suite = yaml.safe_load(make_results.SUITE.read_text(encoding="utf-8"))
    assert {line.split("|")[1].strip() for line in lines[1:]} == set(suite["results"]["tasks"])


def test_a_small_run_scores_all_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, before = tmp_path / "few.yaml", make_results.PAGE.read_bytes()
    suite.write_text(FEW, encoding="utf-8")
    monkeypatch.setattr(make_results, "SUITE", suite)
    words = ["count=4", "model=false", f"out={tmp_path / 'out'}"]
    assert make_results.main(words) == 0
    printed = capsys.readouterr().out
    lines = [line for line in printed.splitlines() if line.startswith("| forward_2d |")]
    (cells,) = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    assert cells[:2] == ["forward_2d", "8"] and cells[-1].startswith("100 (")
    assert (tmp_path / "out" / "site" / "index.html").is_file()
    assert make_results.PAGE.read_bytes() == before, "a run without the model writes no page"
