"""Records of studies: written whole, read back, of this version of the task alone; all replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from facelet.generators.core import task_registry
from facelet.pipeline.audit.studies import study_configs
from facelet.pipeline.audit.studies.study_configs import StudyConfig, StudyEffort
from facelet.pipeline.dataset import floor_studies
from facelet.pipeline.dataset.floor_studies import FloorStudy
from tests.shared import recorded_studies

ONE = FloorStudy("d01", {"depth": 1}, "answers", 0.3, 0.2, 0.4, 50, "climbed", ("U", "R"), 60, 1000)
TWO = replace(ONE, label="d02", params={"depth": 2}, player="boosted", says=())


def test_what_is_written_is_read_and_kept_beside_what_is_there(tmp_path: Path) -> None:
    path = floor_studies.write_studies(tmp_path, "cube/navigate", 2, [ONE])
    first = path.read_bytes()
    assert floor_studies.read_studies(path) == (2, [ONE])
    floor_studies.write_studies(tmp_path, "cube/navigate", 2, [TWO])
    assert floor_studies.read_studies(path) == (2, [ONE, TWO])
    assert floor_studies.has_study(tmp_path, "cube/navigate", 2, ONE.params)
    assert not floor_studies.has_study(tmp_path, "cube/navigate", 3, ONE.params)
    assert not floor_studies.has_study(tmp_path, "cube/recovery", 2, ONE.params)
    floor_studies.write_studies(tmp_path, "cube/navigate", 3, [ONE])
    assert floor_studies.read_studies(path) == (3, [ONE]), (
        "another version says nothing of this one"
    )
    floor_studies.write_studies(tmp_path, "cube/navigate", 2, [ONE])
    assert path.read_bytes() == first, "the same bytes in any order"


def test_every_task_has_a_study_of_its_version_or_waits_for_one() -> None:
    """A task whose version moves needs a new study: make floors TASK=..."""
    recorded = recorded_studies.list_studied_tasks()
    for name, task in task_registry.tasks().items():
        if study_configs.needs_naming(name):
            continue
        assert recorded.get(name) == task.version, f"make floors TASK={name}"
    assert not {name for name in recorded if name not in task_registry.tasks()}


@pytest.mark.parametrize("name", sorted(recorded_studies.list_studied_tasks()))
def test_records_are_whole(name: str) -> None:
    task = task_registry.tasks()[name]
    for one in recorded_studies.list_task_studies(name):
        assert 0 <= one.low <= one.value <= one.high <= 1 and one.items > 0
        task.params(**one.params).validate()
        assert floor_studies.find_study(name, task.version, one.params) == one
        assert floor_studies.find_study(name, task.version + 1, one.params) is None


def replay_recorded_player(
    suite: str, name: str, task: str, level: str, tmp_path: Path, count: int
) -> None:
    """Play the recorded player of a level on fresh puzzles."""
    (found,) = [
        one
        for one in recorded_studies.list_task_studies(task)
        if one.label == level and one.params == _level_params(suite, name, level, tmp_path)
    ]
    effort = StudyEffort(count, 4_000, 4)
    fresh = study_configs.build_study_input(
        StudyConfig(suite, name, task), effort, tmp_path, seed=987_654
    )
    won = recorded_studies.replay_study(found, fresh)
    assert won is not None
    value, items = won
    spread = 3 * (0.25 / items) ** 0.5
    assert found.low - spread <= value <= found.high + spread, (found, won)


def _level_params(suite: str, name: str, level: str, tmp_path: Path) -> object:
    fresh = study_configs.build_study_input(
        StudyConfig(suite, name, ""), StudyEffort(8, 1, 4), tmp_path, seed=1
    )
    return fresh.params[level]


@pytest.mark.slow
@pytest.mark.parametrize(
    "suite, name, task, level",
    [
        ("cube_bench", "move_prediction", "cube/move_prediction", "d03"),
        ("cube_bench", "verification", "cube/verification", "d03"),
        ("cubebench", "navigate", "cube/navigate", "d02"),
        ("marble", "maze", "labyrinth/plan", "t4"),
    ],
)
def test_a_recorded_player_does_as_well_on_fresh_puzzles(
    suite: str, name: str, task: str, level: str, tmp_path: Path
) -> None:
    replay_recorded_player(suite, name, task, level, tmp_path, 200)


def test_a_player_is_played_again(tmp_path: Path) -> None:
    replay_recorded_player("cube_bench", "step_by_step", "cube/step_by_step", "d02", tmp_path, 60)


def test_a_named_task_is_found_in_whatever_suite_it_is() -> None:
    names = task_registry.task_names()
    assert {one.task for one in study_configs.list_study_configs((), names)} == set(names)


def test_an_unknown_task_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(ValueError, match=r"'labyrint/plan'; did you mean labyrinth/plan or"):
        study_configs.list_study_configs((), ("labyrint/plan",))
