"""A sixth paper: one folder, and its name stands in the card, in the citations and in the scores.

tests/newpaper holds what a stranger would add; it is of the game of tests/newcomer.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from additions import ROOT, copy_project, list_relative_files, run_python

GAME, ADDED = ROOT / "tests" / "newcomer", ROOT / "tests" / "newpaper"
ROOM = "pipeline/papers/number_bench"
TITLE = "Number Bench: Who Finds the Hidden Number?"

# All levels are bisected. Replies of the second are spelled otherwise than the rules spell them,
# which the paper's rule does not read.
LOOP = """
import json
from facelet import environment
from facelet.generators.core import task_registry as registry

task = registry.load_task("guessing/hidden_number")
with open("said.jsonl", "w") as out:
    for row in environment.rows("made", "guessing.hidden_number"):
        play = environment.open_row(row)
        for reply in task.reference(task.decode(row)):
            play.reply(reply if row["difficulty"] != 2 else reply.lower())
        out.write(json.dumps(play.transcript("bisector")) + "\\n")
"""


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the game and its paper, a dataset there, and its scores."""
    copy = copy_project(tmp_path_factory.mktemp("paper"), GAME, ADDED)
    words = ("profile=smoke", "suites=[guessing]", "out=made", "workers=1", "progress=false")
    run_python(copy, "-m", "facelet", "build", *words)
    run_python(copy, "-c", LOOP)
    run_python(
        copy, "-m", "facelet", "score", "dataset=made", "predictions=said.jsonl", "out=scores"
    )
    return copy


def test_it_is_one_folder() -> None:
    assert list_relative_files(ADDED) == {f"{ROOM}/__init__.py", f"{ROOM}/tables.json"}
    assert not (ROOT / ROOM).exists()


def test_it_stands_in_the_card_and_among_the_citations(scored: Path) -> None:
    card = (scored / "made" / "README.md").read_text()
    assert card.count(TITLE) == 2, "once in words, once as an entry"
    assert "@misc{number-bench,\n  author = {A. Person and B. Person}" in card
    assert "Facelet: Number Bench" in card
    assert "Number Bench reports of people: 99.0% of its numbers." in card


def test_a_scored_model_stands_in_its_table(scored: Path) -> None:
    (model,) = json.loads((scored / "scores" / "results.json").read_text())["models"]
    (part,) = model["papers"]
    assert (part["paper"], part["table"], part["comparable"]) == ("number_bench", "4", True)
    ((first, second, third),) = (row["values"] for row in part["rows"])
    assert first == third == 100 and second is not None
    text = (scored / "scores" / "tables.md").read_text()
    assert "Number Bench" in text and "Bisector-7B" in text and "91.5" in text


def test_its_rule_reads_the_replies(scored: Path) -> None:
    (model,) = json.loads((scored / "scores" / "results.json").read_text())["models"]
    cells = model["configs"]["guessing.hidden_number"]["splits"]["test"]["cells"]
    read = {
        cell["difficulty"]: cell["figures"]["paper_parse_rate"]["value"]
        for cell in cells
        if not cell["by"]
    }
    assert read[1] == read[3] == 1.0 and read[2] == 0.0
