"""A forty-first game, added by one module: made, played, compared, built, scored and evolved."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import arcade_forty_first
import pytest
from arcade_forty_first import TASK
from arcade_published import write_transcripts
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.pipeline.cli import main

SUITE = """
mine:
  tasks:
    higher_or_lower:
      task: arcade/higher_or_lower
      sweep: {level: [1, 2]}
      count: 12
"""


class Twin:
    """The rules, on the number alone."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.row = row

    def answer_line(self, line: str) -> str:
        named = line_numbers(line, "My Guess:")
        if named is None or len(named) != 1 or not 0 < named[0] <= self.row["most"]:
            return INVALID
        gap = self.row["hidden"] - named[0]
        self.has_won = True if gap == 0 else None
        return "Right" if gap == 0 else "Higher" if gap > 0 else "Lower"


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The module stands where a file of that name would."""
    name = "facelet.generators.arcade.tasks.higher_or_lower"
    monkeypatch.setitem(sys.modules, name, arcade_forty_first)
    yield


@pytest.mark.slow
def test_the_base_does_the_rest() -> None:
    """Terms, promise, measures and figures follow from the rules and what may be hidden."""
    for level, turns in ((1, 15), (3, 15), (40, 16)):
        for puzzle in make_puzzles(TASK, TASK.params(level=level), 4):
            terms = puzzle.terms
            assert TASK.find_faults(puzzle) == []
            assert terms.guarantee == "adversarial" and terms.turns == turns
            assert terms.reference_turns <= terms.bound == puzzle.most.bit_length()
    assert {"bits", "redundant_query_rate"} <= {getattr(m, "metric", "") for m in TASK.measures}
    assert compare_games(TASK, Twin, transcripts=200)["answered"]


def test_it_is_built_scored_and_evolved(
    added: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, root, out = tmp_path / "mine.yaml", tmp_path / "data", tmp_path / "scores"
    suite.write_text(SUITE)
    words = ["profile=smoke", f"suites=[{suite}]", "workers=1", "quiet=true"]
    assert main(["build", *words, f"out={root}"]) == 0
    file = write_transcripts(root, tmp_path / "model.jsonl", "model", lambda row: True)
    assert main(["score", f"dataset={root}", f"predictions={file}", f"out={out}"]) == 0
    (model,) = json.loads((out / "results.json").read_text())["models"]
    figures = model["configs"]["mine.higher_or_lower"]["splits"]["test"]["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == 1.0
    assert figures["bits_against_reference"]["value"] == 1.0
    grown = tmp_path / "next.yaml"
    words = [f"results={out}", f"dataset={root}", f"out={grown}", "count=5"]
    assert main(["evolve", *words]) == 0
    assert "        level:\n        - 3\n" in grown.read_text()
    words = [f"suites=[{grown}]", "profile=smoke", "workers=1", "quiet=true"]
    assert main(["build", *words, f"out={tmp_path / 'next'}"]) == 0
