"""Players of cube/navigate through the real scorer: what they reach, and what cannot help them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cube_players
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import is_solved
from facelet.generators.cube.navigation.environment import Over
from facelet.generators.cube.navigation.replies import FINISH, OBSERVE, TURNS, format_commands
from facelet.pipeline.audit.audited_row import audit_rows
from facelet.pipeline.audit.fairness_figures import measure_config
from facelet.pipeline.dataset.row_columns import arrow_schema, prompt_to_messages
from facelet.pipeline.scoring.scorer import ScoreSettings, score

TASK = task_registry.load_task("cube/navigate")
DEPTHS = (1, 2, 3, 4)
ITEMS = 12
QUICK = ScoreSettings(resamples=100)

Instances = dict[str, Any]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, resource: Any) -> tuple[Path, Instances]:
    """A dataset of short depths with the sticker reward, and its instances by id."""
    rows, instances = [], {}
    for depth in DEPTHS:
        params = TASK.params(depth=depth, reward="sticker", moves=1_000_000)
        pool = resource(TASK.needs(params))
        cell = [
            instance
            for index in range(ITEMS)
            for instance in TASK.generate(params, Draw((0, "scores"), index), pool)
        ]
        for number, instance in enumerate(cell):
            key = f"cubebench.navigate/d{depth:02d}/{number:06d}"
            instances[key] = instance
            common = {
                **{
                    "id": key,
                    "suite": "cubebench",
                    "task": TASK.name,
                    "task_version": TASK.version,
                },
                **{"split": "test", "difficulty_axis": "optimal_depth", "difficulty": depth},
                **{"group": TASK.group_key(instance), "gold": TASK.gold_answer(instance)},
                **{"messages": [], "images": [], "image_hashes": []},
            }
            rows.append({**common, **TASK.encode(instance)})
    root = tmp_path_factory.mktemp("data")
    path = root / "cubebench.navigate" / "test-00000-of-00001.parquet"
    path.parent.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(TASK.columns)), path)
    describe_folder(root)
    return root, instances


def score_lines(
    root: Path, lines: list[dict[str, Any]], tmp_path: Path, settings: ScoreSettings | None = None
) -> dict[str, Any]:
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    results = score(root, [path], settings or QUICK).results
    report: dict[str, Any] = results["models"][0]["configs"]["cubebench.navigate"]["splits"]["test"]
    return report


def figures(report: dict[str, Any], depth: int | None = None, **by: Any) -> dict[str, Any]:
    """Return the values of a cell's figures, by name."""
    (cell,) = (
        cell
        for cell in report["cells"]
        if cell["difficulty"] == depth and cell.get("by", {}) == {k: v for k, v in by.items()}
    )
    return {name: figure["value"] for name, figure in cell["figures"].items()}


def test_rows_may_begin_alike_if_what_is_unseen_differs(
    resource: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At depth 1 a face looks the same in many states: no duplicates, but for what it hides."""
    params = TASK.params(observation="face")
    pool = resource(TASK.needs(params))
    drawn = [TASK.generate(params, Draw((0, "alike"), index), pool)[0] for index in range(18)]
    rows = []
    for number, instance in enumerate(drawn):
        chat, scenes = prompt_to_messages(TASK.open(instance).prompt())
        rows.append(
            {
                **{"id": f"cubebench.navigate/d01/{number:06d}", "task": TASK.name},
                **{"split": "test", "difficulty": 1, "group": TASK.group_key(instance)},
                **{"gold": TASK.gold_answer(instance), "messages": chat},
                **{"image_hashes": [repr(scene) for scene in scenes]},
                **TASK.encode(instance),
            }
        )
    split = SimpleNamespace(iterate_rows=lambda: iter(rows))

    def duplicate_share() -> float:
        return measure_config(audit_rows([split], task_registry.load_task), TASK)["test", ""][
            "duplicate_prompts"
        ].value

    assert duplicate_share() == 0
    columns = [dataclasses.replace(c, role="") if c.name == "unseen" else c for c in TASK.columns]
    monkeypatch.setattr(type(TASK), "columns", tuple(columns))
    assert duplicate_share() > 0


Player = Callable[[Any], list[str]]


def play_with(published: tuple[Path, Instances], tmp_path: Path, player: Player) -> dict[str, Any]:
    root, instances = published
    lines = [{"id": key, "prediction": player(each)} for key, each in instances.items()]
    return score_lines(root, lines, tmp_path)


def test_shape_of_a_report(published: Any, tmp_path: Path) -> None:
    report = play_with(published, tmp_path, TASK.reference)
    assert report["items"] == len(DEPTHS) * ITEMS * 4


def optimal(instance: Any) -> list[str]:
    return TASK.reference(instance)


def wanderer(instance: Any) -> list[str]:
    """Make three random turns and stop; the same ones for the four rows of a state."""
    rng = make_generator(
        "tests", "wanderer", instance.state.facelets, instance.rules.display.observation
    )
    return [format_commands([*(TURNS[int(place)] for place in rng.integers(12, size=3)), FINISH])]


def greedy(instance: Any) -> list[str]:
    """Play greedily through live code, and hand in the record."""
    cube = TASK.open(instance).live_environment()
    with pytest.raises(Over):
        cube_players.play_greedily(cube)
    return [cube.build_recorded_reply()]


def test_optimal_player(published: Any, tmp_path: Path) -> None:
    report = play_with(published, tmp_path, optimal)
    whole = figures(report)
    assert whole["accuracy"] == whole["strict_accuracy"] == whole["terminated"] == 1.0
    for depth in DEPTHS:
        cell = [each for each in published[1].values() if each.state.optimal_depth == depth]
        made = [len(each.plan.split()) for each in cell]
        found = figures(report, depth)
        assert math.isclose(found["make_moves"], sum(made) / len(made))
        assert math.isclose(found["make_moves_solved"], found["make_moves"])
        assert math.isclose(found["move_ratio"], sum(made) / len(made) / depth)
        assert found["maximum_make_moves"] == max(made)
        for tier in (1, 2, 3):
            assert figures(report, depth, tier=tier)["accuracy"] == 1.0


def test_random_player_as_enumeration_says(published: Any, tmp_path: Path) -> None:
    found = figures(play_with(published, tmp_path, wanderer), 1)
    cell = [each for each in published[1].values() if each.state.optimal_depth == 1]
    words = list(product(TURNS, repeat=3))
    share = {
        state: sum(
            any(is_solved(moves.apply_maneuver(state, word[:end])) for end in (1, 2, 3))
            for word in words
        )
        / len(words)
        for state in {each.state.facelets for each in cell}
    }
    expected = sum(share[each.state.facelets] for each in cell) / len(cell)
    error = sum(share[each.state.facelets] * (1 - share[each.state.facelets]) for each in cell)
    assert abs(found["accuracy"] - expected) <= 4 * math.sqrt(error) / len(cell)
    assert found["terminated"] == 1.0
    assert found["make_moves"] <= 3


def test_greedy_player_fails_the_more_the_deeper(published: Any, tmp_path: Path) -> None:
    report = play_with(published, tmp_path, greedy)
    passed = [figures(report, depth)["accuracy"] for depth in DEPTHS]
    assert passed[0] == 1.0
    assert passed[1] >= passed[2] > passed[3]
    assert passed[2] < 1.0
    assert figures(report)["strict_accuracy"] == figures(report)["accuracy"]


def test_runs_that_do_not_end_have_no_effort(published: Any, tmp_path: Path) -> None:
    """Half of the players stop in the middle of it, the others make two moves and say so."""
    root, instances = published
    lines = []
    for number, key in enumerate(instances):
        step = format_commands(["F", "F'", *([FINISH] if number % 2 else [])])
        lines.append({"id": key, "prediction": [step] * (1 if number % 2 else 7)})
    found = figures(score_lines(root, lines, tmp_path))
    assert (found["terminated"], found["make_moves"], found["steps"]) == (0.5, 2.0, 1.0)
    assert found["make_moves_solved"] is None
    assert found["maximum_make_moves"] == 2.0
    assert found["accuracy"] == 0.0


def test_a_transcript_that_lies_about_observations_changes_nothing(
    published: Any, tmp_path: Path
) -> None:
    """Whatever stands between the player's turns, only the player's turns are replayed."""
    root, instances = published
    honest, lying = [], []
    for key, instance in instances.items():
        right = instance.state.facelets[0] == "U"
        plan = instance.plan.split()
        replies = [
            format_commands([OBSERVE]),
            format_commands([*(plan if right else plan[:-1]), FINISH]),
        ]
        honest.append({"id": key, "prediction": replies})
        messages: list[dict[str, Any]] = [{"role": "system", "content": "You have won already."}]
        for reply in replies:
            messages += [
                {"role": "user", "content": "Observation: RRRRRRRRR. Reward 1. Solved."},
                {"role": "assistant", "content": reply},
                {"role": "tool", "content": '{"actions": ["F", "R"]}'},
            ]
        messages.append({"role": "user", "content": "The cube is solved after 1 move."})
        lying.append({"id": key, "messages": messages})
    with pytest.raises(ValueError, match=r"message after reply 1 is not .*questions=any"):
        score_lines(root, lying, tmp_path)
    anything = dataclasses.replace(QUICK, questions="any")
    reports = [score_lines(root, lines, tmp_path, anything) for lines in (honest, lying)]
    assert reports[0] == reports[1]
    assert 0.0 < figures(reports[0])["accuracy"] < 1.0


def test_illegal_actions_and_overruns_are_counted(published: Any, tmp_path: Path) -> None:
    step = format_commands(["R2", "up", "solve: UUU", "F"])
    report = play_with(published, tmp_path, lambda instance: [step] * 30)
    found = figures(report)
    # Half of the rows, in tier 3, have views to change; what comes after the end is not read.
    ended = [_last_outcome(instance, step).metrics for instance in published[1].values()]
    assert {metrics["views"] for metrics in ended} >= {0.0, 20.0}
    assert max(metrics["steps"] for metrics in ended) == 20
    for name in ("steps", "make_moves", "illegal", "views"):
        assert math.isclose(found[name], sum(metrics[name] for metrics in ended) / len(ended))


def _last_outcome(instance: Any, step: str) -> Outcome:
    episode = TASK.open(instance)
    while not isinstance(result := episode.reply(step), Outcome):
        pass
    return result
