"""A newcomer's game: one module in a new family, a line in a suite, a golden, and nothing else.

tests/newcomer holds what a stranger would add. It is laid over a copy of the project, where the
contract tests, a build, a play and the scorer take it like any other task.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import additions
import pytest
from additions import ROOT, files, run

ADDED = ROOT / "tests" / "newcomer"
MODULE = "generators/guessing/tasks/hidden_number.py"

LOOP = """
import json
from facelet import environment
from facelet.generators.core import registry

task = registry.task("guessing/hidden_number")
with open("said.jsonl", "w") as out:
    for row in environment.rows("made", "guessing.hidden_number"):
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
    return additions.project(tmp_path_factory.mktemp("project"), ADDED)


def test_it_is_one_short_module() -> None:
    assert files(ADDED) == {
        MODULE,
        "generators/guessing/__init__.py",
        "generators/guessing/tasks/__init__.py",
        "conf/suite/guessing.yaml",
        "tests/golden/tasks/guessing/hidden_number.txt",
    }
    assert len((ADDED / MODULE).read_text().splitlines()) <= 80


def test_it_keeps_the_contract(project: Path) -> None:
    tests = ("tests/contract/test_contract.py", "tests/contract/test_goldens.py")
    out = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "guessing", *tests)
    assert " passed" in out or "[100%]" in out


def test_it_is_built_played_and_scored(project: Path) -> None:
    words = ("profile=smoke", "suites=[guessing]", "out=made", "workers=1", "progress=false")
    run(project, "-m", "facelet", "build", *words)
    run(project, "-c", LOOP)
    score = ("predictions=said.jsonl", "out=scores")
    run(project, "-m", "facelet", "score", "dataset=made", *score)
    results = json.loads((project / "scores" / "results.json").read_text())
    (model,) = results["models"]
    cells = model["configs"]["guessing.hidden_number"]["splits"]["test"]["cells"]
    assert {cell["figures"]["accuracy"]["value"] for cell in cells} == {1.0}
    assert {cell["figures"]["format_errors"]["value"] for cell in cells} == {0.0}
    # A game of no paper has no figure under a paper's rule, in no file that the scorer writes.
    assert not [name for cell in cells for name in cell["figures"] if name.startswith("paper_")]
    for path in sorted((project / "scores").rglob("*")):
        if path.suffix in (".json", ".jsonl", ".md", ".csv", ".html"):
            said = path.read_text()
            assert not re.search("paper_(accuracy|parse_rate)|EvolArena|published_", said), path
    run(project, "-m", "facelet", "verify", "dataset=made", "all=true", "workers=1")
