"""What is typed wins over what a suite says, that over a profile, that over a default.

Suites of the tests' own say every key that a suite can say; plans show what became of it.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typed import resolve_words

from facelet.pipeline import family_modules
from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.cli import main
from facelet.pipeline.config.build_settings import EntrySchema
from facelet.pipeline.config.setting_precedence import list_params, list_unaffected_configs

GAME = {"task": "arcade/min_max"}
CUBE = {"task": "cube/face_recognition"}

Cells = dict[int, int]
"""Items by difficulty."""


@pytest.fixture
def built(tmp_path: Path):
    """Return a function: what a suite's entry says, and what is typed; out come the plan's cells.

    The suite is called `mine` and its entry `one`.
    """

    def plan_cells(says: dict[str, Any], *words: str) -> Cells:
        path = tmp_path / "mine.yaml"
        path.write_text(yaml.safe_dump({"mine": {"tasks": {"one": says}}}), encoding="utf-8")
        plan = compute_plan(resolve_words([f"suites=[{path}]", *words])[0])
        return {cell.difficulty.value: cell.asked for cell in plan.cells}

    return plan_cells


def level_span(first: int, last: int, count: int = 100) -> Cells:
    return dict.fromkeys(range(first, last + 1), count)


CASES: dict[str, list[tuple[dict[str, Any], str, Cells]]] = {
    "count": [
        (GAME | {"count": 30}, "", {1: 30}),
        (GAME | {"count": 30}, "profile=smoke", {1: 30}),
        (GAME | {"count": 30}, "count=300", {1: 300}),
        (GAME | {"count": 30}, "mine.one.count=7", {1: 7}),
        (GAME | {"count": 30}, "count=300 mine.one.count=7", {1: 7}),
        (GAME | {"count": 30}, "mine.one={count:7}", {1: 7}),
        (GAME | {"count": 30}, "mine.one.count=null", {1: 100}),
        (GAME, "profile=smoke", {1: 8}),
        (GAME, "profile=smoke count=3", {1: 3}),
    ],
    "times": [
        (GAME | {"times": 2}, "", {1: 200}),
        (GAME | {"times": 2}, "count=30", {1: 60}),
        (GAME | {"times": 2}, "mine.one.count=30", {1: 30}),
        (GAME | {"times": 2}, "mine.one.times=3", {1: 300}),
        (GAME | {"count": 30}, "mine.one.times=3", {1: 300}),
        (GAME | {"count": 30}, "mine.one.times=3 count=5", {1: 15}),
    ],
    "levels": [
        (GAME | {"levels": "1-3"}, "", level_span(1, 3)),
        (GAME | {"levels": "1-3"}, "levels=2-5", level_span(2, 3)),
        (GAME | {"levels": "1-3"}, "mine.one.levels=2-5", level_span(2, 5)),
        (GAME | {"levels": "1-3"}, "levels=1 mine.one.levels=2-5", level_span(2, 5)),
        (GAME | {"levels": "1-3"}, "max_level=2", level_span(1, 2)),
        (GAME | {"levels": "1-3"}, "mine.one.params.level=7", {7: 100}),
        (GAME | {"levels": "1-3"}, "mine.one.sweep.level=[7]", {7: 100}),
    ],
    "max_level": [
        (GAME | {"levels": "1-3", "max_level": 2}, "", level_span(1, 2)),
        (GAME | {"max_level": 2}, "levels=1-3", level_span(1, 2)),
        (GAME | {"max_level": 2}, "levels=1-5 mine.one.max_level=4", level_span(1, 4)),
        (GAME | {"max_level": 2}, "mine.one.levels=3", {3: 100}),
        (GAME | {"max_level": 2}, "mine.one.levels=1-3 mine.one.max_level=2", level_span(1, 2)),
        (GAME | {"max_level": 2}, "mine.one.sweep.level=[3]", {3: 100}),
    ],
    "usual_levels": [
        (GAME | {"usual_levels": "1-3"}, "", level_span(1, 3)),
        (GAME | {"usual_levels": "1-3"}, "levels=4-6", level_span(4, 6)),
        (GAME | {"usual_levels": "1-3"}, "max_level=2", level_span(1, 2)),
        (GAME | {"usual_levels": "1-3"}, "mine.one.usual_levels=5", {5: 100}),
        (GAME | {"usual_levels": "1-3"}, "mine.one.levels=6", {6: 100}),
    ],
    "sweep": [
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "", level_span(1, 3)),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "levels=4-6", level_span(4, 6)),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "max_level=2", level_span(1, 2)),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "mine.one.sweep.level=[5]", {5: 100}),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "levels=4 mine.one.sweep.level=[5]", {5: 100}),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "mine.one.levels=6", {6: 100}),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "mine.one.params.level=6", {6: 100}),
        (GAME | {"sweep": {"level": [1, 2, 3]}}, "mine.one.params={level:6}", {6: 100}),
        (CUBE | {"sweep": {"depth": [1, 9]}}, "profile=smoke", {1: 8, 9: 8}),
        (CUBE | {"sweep": {"depth": [1, 9]}}, "depths=2-3", level_span(2, 3)),
        (CUBE | {"sweep": {"depth": [1, 9]}}, "max_depth=8", {1: 100}),
    ],
    "params": [
        (GAME | {"params": {"level": 3}}, "", {3: 100}),
        (GAME | {"params": {"level": 3}}, "levels=2-4", {3: 100}),
        (GAME | {"params": {"level": 3}}, "mine.one.params.level=9", {9: 100}),
        (GAME | {"params": {"level": 3}}, "mine.one.levels=4-5", level_span(4, 5)),
        (GAME | {"params": {"level": 3}}, "mine.one.sweep.level=[4,5]", level_span(4, 5)),
    ],
    "depths": [
        (CUBE | {"depths": "3,9"}, "", {3: 100, 9: 100}),
        (CUBE | {"depths": "3,9"}, "profile=smoke", {3: 8}),
        (CUBE | {"depths": "3,9"}, "profile=smoke depths=1-20", {3: 8, 9: 8}),
        (CUBE | {"depths": "3,9"}, "profile=smoke mine.one.depths=9", {9: 8}),
        (CUBE | {"depths": "3,9"}, "depths=1-3 mine.one.depths=9", {9: 100}),
        (CUBE | {"depths": "3,9"}, "mine.one.depths=null", level_span(1, 20)),
        (CUBE, "profile=smoke", level_span(1, 5, 8)),
        (CUBE, "profile=smoke depths=1-8", level_span(1, 8, 8)),
        (CUBE, "profile=smoke depths=1-8 max_depth=6", level_span(1, 6, 8)),
    ],
    "max_depth": [
        (CUBE | {"max_depth": 12}, "", level_span(1, 12)),
        (CUBE | {"max_depth": 12}, "depths=10-20", level_span(10, 12)),
        (CUBE | {"max_depth": 12}, "max_depth=11", level_span(1, 11)),
        (CUBE | {"max_depth": 12}, "mine.one.max_depth=14", level_span(1, 14)),
        (CUBE | {"max_depth": 12}, "mine.one.depths=14", {14: 100}),
    ],
    "usual_depths": [
        (CUBE | {"usual_depths": "2,7"}, "", {2: 100, 7: 100}),
        (CUBE | {"usual_depths": "2,7"}, "depths=3", {3: 100}),
        (CUBE | {"usual_depths": "2,7"}, "mine.one.usual_depths=4", {4: 100}),
    ],
    "few": [
        (GAME | {"few": 8}, "levels=2", {2: 100}),
        (GAME | {"few": 8}, "levels=2 profile=smoke", {2: 1}),
        (GAME | {"few": 7}, "levels=2 profile=smoke", {2: 8}),
        (GAME | {"few": 8}, "levels=2 profile=smoke mine.one.count=3", {2: 3}),
    ],
    "task": [(GAME, "mine.one.task=arcade/guess_max mine.one.levels=2", {2: 100})],
}


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("says", "words", "cells"),
    [pytest.param(*case, id=f"{key}-{case[1]}") for key, found in CASES.items() for case in found],
)
def test_what_is_typed_wins(says, words, cells, built):
    assert built(says, *words.split()) == cells


def test_every_key_that_a_suite_can_set_is_tried():
    assert {item.name for item in dataclasses.fields(EntrySchema)} == set(CASES)


@pytest.mark.parametrize(
    ("says", "words", "message"),
    [
        (GAME, "mine.one.count=3 mine.one.times=2", r"mine\.one\.count and mine\.one\.times excl"),
        (GAME, "mine.one.levels=3 mine.one.params.level=2", r"one\.levels and .*params\.level"),
        (GAME, "mine.one.levels=3 mine.one.sweep.level=[2]", r"one\.levels and .*sweep\.level"),
        (GAME, "mine.one.params.level=3 mine.one.sweep.level=[2]", r"params\.level and .*sweep"),
        (
            GAME,
            "mine.one.depths=3",
            r"mine\.one\.depths does nothing: arcade/min_max has no depths",
        ),
        (GAME, "mine.one.max_level=3 mine.one.params.level=2", r"max_level does nothing: params"),
        (GAME, "mine.one.sweep.turns=[9] levels=1-2 mine.one.sweep.level=[1]", "sweep one param"),
        (
            GAME | {"params": {"level": 3}},
            "levels=1-2",
            r"left out by levels=1-2, as its suite has params\.level=3; set mine\.one\.params\.lev",
        ),
        (GAME | {"params": {"level": 3}}, "max_level=2", "left out by max_level=2"),
        (CUBE | {"depths": "3"}, "depths=1-2", r"depths 1-2 are left out \(mine\.one\.depths=3\)"),
    ],
)
def test_what_excludes_each_other_is_refused(says, words, message, built):
    with pytest.raises(ValueError, match=message):
        built(says, *words.split())


def planned_metrics(says: dict[str, Any], tmp_path: Path, *words: str) -> set[Any]:
    """Return the metrics of the cells of a suite's entry."""
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"mine": {"tasks": {"one": says}}}), encoding="utf-8")
    plan = compute_plan(resolve_words([f"suites=[{path}]", "depths=1", *words])[0])
    return {dict(cell.params)["metric"] for cell in plan.cells}


def test_what_a_family_is_told_wins_over_params(tmp_path):
    fixed = CUBE | {"params": {"metric": "qtm"}}
    assert planned_metrics(fixed, tmp_path) == {"qtm"}
    assert planned_metrics(fixed, tmp_path, "metric=htm") == {"htm"}
    assert planned_metrics(fixed, tmp_path, "metric=htm", "mine.one.params.metric=qtm") == {"qtm"}
    assert planned_metrics(CUBE, tmp_path, "metric=qtm") == {"qtm"}
    swept = CUBE | {"sweep": {"metric": ["qtm"]}, "params": {"depth": 1}}
    assert planned_metrics(swept, tmp_path) == {"qtm"}
    assert planned_metrics(swept, tmp_path, "metric=htm") == {"htm"}


def list_notes(*words: str) -> list[str]:
    settings = resolve_words(words)[0]
    params = {
        e.config_name: list_params(family_modules.load_task(e.task)) for e in settings.entries
    }
    return list_unaffected_configs(settings, params)


def test_a_key_that_concerns_no_config_is_refused():
    for word in ("depths=1-3", "max_depth=9", "levels=1", "max_level=2", "metric=qtm"):
        with pytest.raises(
            ValueError, match=rf"^{word} concerns none of the 9 chosen configs: .*;"
        ):
            list_notes("suites=[marble]", word)
    with pytest.raises(ValueError, match="they have no levels; leave it out"):
        list_notes("suites=[cube_bench]", "levels=1-3")
    assert list_notes("suites=[marble]", "table=small", "cache=/tmp/x", "seed=3") == []


def test_configs_that_a_key_does_not_concern_are_named():
    (line,) = list_notes("suites=[cube_bench,marble]", "depths=1-3")
    assert line.startswith("depths=1-3 does not concern configs that have no depths: marble.ass")
    assert line.endswith("and 6 more")
    (line,) = list_notes("suites=[marble]", "tasks=[assemble,maze]", "count=3")
    assert line == "count=3 is multiplied by suites: marble.assemble 10 times, marble.maze 10 times"
    assert list_notes("suites=[evolarena]", "count=300", "levels=1-4") == []
    assert list_notes() == []


def test_the_command_line_says_so_before_it_builds(capsys):
    assert main(["build", "suites=[marble]", "levels=1-3"]) == 2
    assert "levels=1-3 concerns none of the 9 chosen configs" in capsys.readouterr().err
    assert main(["build", "suites=[cube_bench,marble]", "depths=1-3", "--show"]) == 0
    shown = capsys.readouterr().out
    assert "# depths=1-3 does not concern configs that have no depths: marble" in shown
    assert "# cube_bench.recovery: depths 1-2 are left out" in shown


def test_the_suite_of_the_arcade_follows_what_is_typed():
    """`count=300` and `levels=4-6` built 30 items of levels 1 to 3, without a word."""
    plan = compute_plan(resolve_words(["suites=[evolarena]", "count=300", "levels=4-6"])[0])
    assert len(plan.cells_by_config()) == 40
    assert {(cell.difficulty.value, cell.asked) for cell in plan.cells} == {
        (4, 300),
        (5, 300),
        (6, 300),
    }


def make_command(*variables: str) -> str:
    """Return the command that `make dataset` would give."""
    root = Path(__file__).resolve().parents[3]
    words = ["make", "-n", "-o", "setup", "dataset", "WORKERS=1", *variables]
    # A make that runs this test hands its own flags and depth down.
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        words, cwd=root, env=own, capture_output=True, text=True, check=True, timeout=60
    )
    return " ".join(done.stdout.replace("\\\n", " ").split())


def test_variables_of_the_make_file_are_typed_words():
    base = ".venv/bin/facelet build profile=paper seed=0 workers=1"
    assert make_command() == base
    assert make_command("DEPTHS=1-20") == f"{base} 'depths=\"1-20\"'"
    line = make_command("LEVELS=1-3", "COUNT=300", "SUITES=evolarena", "PROFILE=smoke")
    assert line == (
        ".venv/bin/facelet build profile=smoke seed=0 workers=1 'levels=\"1-3\"' 'count=300' "
        "'suites=[evolarena]'"
    )
