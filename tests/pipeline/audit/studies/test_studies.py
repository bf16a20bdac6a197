"""Records of studies: written whole, read back, of this version of the task alone; all replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from facelet.generators.core import registry
from facelet.pipeline.dataset import studies
from facelet.pipeline.dataset.studies import Study
from facelet.pipeline.floors import configs
from facelet.pipeline.floors.configs import Config, Effort
from facelet.pipeline.floors.replaying import replay

ONE = Study("d01", {"depth": 1}, "answers", 0.3, 0.2, 0.4, 50, "climbed", ("U", "R"), 60, 1000)
TWO = replace(ONE, label="d02", params={"depth": 2}, player="boosted", says=())


def test_what_is_written_is_read_and_kept_beside_what_is_there(tmp_path: Path) -> None:
    path = studies.write(tmp_path, "cube/navigate", 2, [ONE])
    first = path.read_bytes()
    assert studies.read(path) == (2, [ONE])
    studies.write(tmp_path, "cube/navigate", 2, [TWO])
    assert studies.read(path) == (2, [ONE, TWO])
    assert studies.has(tmp_path, "cube/navigate", 2, ONE.params)
    assert not studies.has(tmp_path, "cube/navigate", 3, ONE.params)
    assert not studies.has(tmp_path, "cube/recovery", 2, ONE.params)
    studies.write(tmp_path, "cube/navigate", 3, [ONE])
    assert studies.read(path) == (3, [ONE]), "another version says nothing of this one"
    studies.write(tmp_path, "cube/navigate", 2, [ONE])
    assert path.read_bytes() == first, "the same bytes in any order"


def test_every_task_has_a_study_of_its_version_or_waits_for_one() -> None:
    """A task whose version moves needs a new study: make floors TASK=..."""
    recorded = studies.every()
    for name, task in registry.tasks().items():
        if configs.waits(name):
            continue
        assert recorded.get(name) == task.version, f"make floors TASK={name}"
    assert not {name for name in recorded if name not in registry.tasks()}


@pytest.mark.parametrize("name", sorted(studies.every()))
def test_records_are_whole(name: str) -> None:
    task = registry.tasks()[name]
    for one in studies.of_task(name):
        assert 0 <= one.low <= one.value <= one.high <= 1 and one.items > 0
        task.params(**one.params).validate()
        assert studies.recorded(name, task.version, one.params) == one
        assert studies.recorded(name, task.version + 1, one.params) is None


def again(suite: str, name: str, task: str, level: str, tmp_path: Path, count: int) -> None:
    """Play the recorded player of a level on fresh puzzles."""
    (found,) = [
        one
        for one in studies.of_task(task)
        if one.label == level and one.params == _params(suite, name, level, tmp_path)
    ]
    effort = Effort(count, 4_000, 4)
    fresh = configs.asked(Config(suite, name, task), effort, tmp_path, seed=987_654)
    won = replay(found, fresh)
    assert won is not None
    value, items = won
    spread = 3 * (0.25 / items) ** 0.5
    assert found.low - spread <= value <= found.high + spread, (found, won)


def _params(suite: str, name: str, level: str, tmp_path: Path) -> object:
    built = configs.params_of(Config(suite, name, ""), Effort(8, 1, 4), tmp_path)
    return built[level]


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
    again(suite, name, task, level, tmp_path, 200)


def test_a_player_is_played_again(tmp_path: Path) -> None:
    again("cube_bench", "step_by_step", "cube/step_by_step", "d02", tmp_path, 60)
