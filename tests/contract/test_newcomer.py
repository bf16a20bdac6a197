"""Newcomers: a game in one module, and a family with a picture of its own; nothing else is edited.

tests/newcomer holds what a stranger would add. It is laid over a copy of the project, where the
contract tests, a build, a play and the scorer take it like all else. Newcomers that are broken are
told what to do.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

import additions
import pytest
from additions import ROOT, list_relative_files, run_python
from making import count_items, find_repeats, make_item

from facelet.generators.core.task import Reject
from facelet.generators.core.text_game import Game

ADDED = ROOT / "tests" / "newcomer"
MODULE = "generators/guessing/tasks/hidden_number.py"
CONFIGS = {"guessing": "guessing.hidden_number", "dots": "dots.count"}
PICTURED = (
    "generators/dots/__init__.py",
    "generators/dots/tasks/__init__.py",
    "generators/dots/tasks/count.py",
    "renderers/scenes/dots.py",
    "renderers/painters/dots.py",
    "conf/suite/dots.yaml",
    "tests/golden/tasks/dots/count.txt",
    "tests/golden/renders/dots.txt",
    "tests/renderers/recorded/dots.py",
)

LOOP = """
import json
from facelet import environment
from facelet.generators.core import task_registry as registry

with open("said.jsonl", "w") as out:
    for config in ("guessing.hidden_number", "dots.count"):
        task = registry.load_task(config.replace(".", "/"))
        for row in environment.rows("made", config):
            assert bool(row["image_hashes"]) == (config == "dots.count")
            play = environment.open_row(row)
            for reply in task.reference(task.decode(row)):
                assert not play.done
                play.reply(reply)
            assert play.done and play.outcome.status == "correct", play.outcome
            out.write(json.dumps(play.transcript("reference")) + "\\n")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the newcomer's files laid over it."""
    return additions.copy_project(tmp_path_factory.mktemp("project"), ADDED)


def test_nothing_else_is_added() -> None:
    assert list_relative_files(ADDED) == {
        MODULE,
        "generators/guessing/__init__.py",
        "generators/guessing/tasks/__init__.py",
        "conf/suite/guessing.yaml",
        "tests/golden/tasks/guessing/hidden_number.txt",
        *PICTURED,
    }
    assert len((ADDED / MODULE).read_text().splitlines()) <= 82


def test_it_keeps_the_contract(project: Path) -> None:
    tests = ("tests/contract/test_contract.py", "tests/contract/test_goldens.py")
    chosen = "guessing or dots"
    out = run_python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *tests)
    assert "[100%]" in out


def test_its_picture_is_drawn_and_recorded(project: Path) -> None:
    tests = ("tests/renderers/test_golden_renders.py", "tests/renderers/test_pictures.py")
    chosen = "dots or recorded_picture or painter or golden_has"
    out = run_python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *tests)
    assert "[100%]" in out


def test_its_floors_are_studied_without_naming_its_suite(project: Path) -> None:
    words = ("tasks=[guessing/hidden_number]", "levels=1", "count=30", "out=floors", "work=studied")
    out = run_python(project, "-m", "facelet", "floors", *words)
    assert out.startswith("guessing.hidden_number\n  l01: ")
    record = json.loads((project / "floors" / "guessing" / "hidden_number.json").read_text())
    assert record["version"] == 1 and record["levels"][0]["puzzles"] == 30


@pytest.mark.slow
def test_it_is_built_played_and_scored(project: Path) -> None:
    words = ("profile=smoke", "suites=[guessing,dots]", "out=made", "workers=1", "progress=false")
    run_python(project, "-m", "facelet", "build", *words)
    run_python(project, "-c", LOOP)
    score = ("predictions=said.jsonl", "out=scores")
    run_python(project, "-m", "facelet", "score", "dataset=made", *score)
    results = json.loads((project / "scores" / "results.json").read_text())
    (model,) = results["models"]
    cells = []
    for config in CONFIGS.values():
        cells += model["configs"][config]["splits"]["test"]["cells"]
    assert {cell["figures"]["accuracy"]["value"] for cell in cells} == {1.0}
    played = model["configs"][CONFIGS["guessing"]]["splits"]["test"]["cells"]
    assert {cell["figures"]["format_errors"]["value"] for cell in played} == {0.0}
    # A game of no paper has no figure under a paper's rule, in no file that the scorer writes.
    assert not [name for cell in cells for name in cell["figures"] if name.startswith("paper_")]
    for path in sorted((project / "scores").rglob("*")):
        if path.suffix in (".json", ".jsonl", ".md", ".csv", ".html"):
            said = path.read_text()
            assert not re.search("paper_(accuracy|parse_rate)|EvolArena|published_", said), path
    run_python(project, "-m", "facelet", "verify", "dataset=made", "all=true", "workers=1")


# --- newcomers that are broken --------------------------------------------------------------------


@pytest.fixture(scope="module")
def hidden_number() -> Any:
    """The module of the newcomer's game."""
    spec = importlib.util.spec_from_file_location("hidden_number", ADDED / MODULE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_a_game_without_a_player_is_told_to_define_one(hidden_number: Any) -> None:
    class PlayerlessGame(hidden_number.HiddenNumber):
        player = Game.player

    with pytest.raises(
        TypeError, match=r"PlayerlessGame lacks player; define\n  player: Play well\."
    ):
        PlayerlessGame()


def test_a_game_of_few_items_is_told_to_say_how_many(hidden_number: Any) -> None:
    class SmallGame(hidden_number.HiddenNumber):
        def make(self, params: Any, draw: Any) -> Any:
            return hidden_number.Puzzle(3, 1 + draw.unique_number("number", 3))

    class CountedGame(SmallGame):
        def capacity(self, params: Any) -> int:
            return 3

    class EmptyGame(SmallGame):
        def capacity(self, params: Any) -> int:
            return 0

    def find_complaint(task: Any) -> str:
        params = task.params()
        count = count_items(task, params, None, 24)
        items = [make_item(task, params, None, (0, "few"), index) for index in range(count)]
        return find_repeats(task, params, [instance for item in items for instance in item])

    assert re.search(
        r"24 rows hold 3 different .*Draw\.number.*`capacity`", find_complaint(SmallGame())
    )
    assert find_complaint(CountedGame()) == ""
    with pytest.raises(ValueError, match=r"room for 0 items .*`capacity` .*at least 1"):
        find_complaint(EmptyGame())


def test_a_game_that_always_rejects_is_told_why(hidden_number: Any) -> None:
    class RejectingGame(hidden_number.HiddenNumber):
        def make(self, params: Any, draw: Any) -> Any:
            raise Reject("too easy" if draw.attempt % 5 else "")

    with pytest.raises(ValueError) as caught:
        make_item(RejectingGame(), hidden_number.Params(), None, (0, "picky"), 7)
    said = str(caught.value)
    assert "item 7 was rejected 50 times with Params(level=1)" in said
    assert "too easy (40 times); no reason given (10 times). Draw what can be used" in said
