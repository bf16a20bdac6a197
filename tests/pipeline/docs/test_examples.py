"""The example programs of the documentation: that they do what they say."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import yaml

from facelet import create_dataset, environment
from facelet.generators.core import task_registry
from facelet.generators.core.task import Status

EXAMPLES = Path(__file__).resolve().parents[3] / "conf" / "docs" / "examples"


@pytest.fixture(scope="module")
def gradient() -> Iterator[ModuleType]:
    spec = spec_from_file_location("policy_gradient", EXAMPLES / "policy_gradient.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_returns_are_discounted_from_the_end(gradient: ModuleType) -> None:
    assert gradient.compute_discounted_returns([0, 1, 0, 4], 0.5) == [1.0, 2.0, 2.0, 4.0]


def test_a_state_is_one_colour_a_sticker(gradient: ModuleType) -> None:
    found = gradient.encode_states(["R" * 53 + "W", "G" * 54]).reshape(2, 54, 6)
    assert (found.sum(axis=2) == 1).all()
    assert found[0, 0, 0] == found[0, 53, 5] == found[1, 7, 1] == 1


def test_the_gradient_is_that_of_differences(gradient: ModuleType) -> None:
    """Of the mean of worth times the logarithm of the probability of what was taken."""
    rng = np.random.default_rng(1)
    policy = gradient.MovePolicy(gradient.Settings(width=5, layers=2), rng)
    policy.weights = [rng.standard_normal(weight.shape) / 3 for weight in policy.weights]
    states = rng.standard_normal((7, 324))
    taken, worth = rng.integers(12, size=7), rng.standard_normal(7)

    def policy_value() -> float:
        return float((worth * policy.forward_layers(states)[-1][np.arange(7), taken]).mean())

    for weight, slope in zip(
        policy.weights, policy.policy_gradient(states, taken, worth), strict=True
    ):
        assert weight.shape == slope.shape
        for place in rng.integers(weight.size, size=10):
            before = weight.flat[place]
            weight.flat[place] = before + 1e-5
            above = policy_value()
            weight.flat[place] = before - 1e-5
            difference = (above - policy_value()) / 2e-5
            weight.flat[place] = before
            assert difference == pytest.approx(slope.flat[place], rel=1e-4, abs=1e-8)


def test_it_learns_to_solve_what_is_one_turn_away(gradient: ModuleType) -> None:
    """And its plays are judged by the episode, and replayed from their transcripts."""
    settings = gradient.Settings(width=64, layers=1, rate=8e-3, moves=4)
    rng = np.random.default_rng(1)
    policy, start = gradient.MovePolicy(settings, rng), gradient.random_starts(1, seed=0)

    def solved_share() -> float:
        plays = [gradient.finish_play(policy, start(rng), settings.moves, rng) for _ in range(100)]
        return sum(play.outcome.status is Status.CORRECT for play in plays) / len(plays)

    random = solved_share()
    assert random < 0.25, "of 12 turns one solves, and there are four"
    shares = gradient.train(policy, start, 4_000, settings, rng)
    assert len(shares) > 15
    assert solved_share() > 0.5 > 2 * random


def test_a_play_is_a_transcript_that_replays(gradient: ModuleType) -> None:
    data = create_dataset(
        "cube/navigate", size=3, metric="qtm", depth=1, observation="symbolic", moves=16
    )
    entry = data[0]
    rng = np.random.default_rng(0)
    policy = gradient.MovePolicy(gradient.Settings(width=8, layers=1), rng)
    play = gradient.finish_play(policy, gradient.begin_rollout(data.play(entry)), 5, rng)
    again = environment.open_row(entry["metadata"], replies=play.replies)
    assert play.done and again.outcome == play.outcome
    assert again.outcome.metrics["make_moves"] <= 5


def test_a_row_without_functions_is_refused(gradient: ModuleType) -> None:
    data = create_dataset("cube/navigate", size=1, depth=1, observation="symbolic", mode="no_code")
    with pytest.raises(ValueError, match="has no functions"):
        gradient.begin_rollout(data.play(data[0]))


@pytest.fixture(scope="module")
def edge() -> Iterator[ModuleType]:
    spec = spec_from_file_location("edge_of_ability", EXAMPLES / "edge_of_ability.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module


def test_the_guide_shows_the_curves_as_they_are(edge: ModuleType) -> None:
    guide = (EXAMPLES.parent / "figures.md").read_text()
    lines = edge.format_success_table(str(EXAMPLES / "edge_of_ability.jsonl"))
    assert "\n".join(lines) in guide
    low, high = edge.wilson_interval(30, 60)
    assert 0.37 < low < 0.39 and 0.61 < high < 0.63


def test_a_policy_learns_from_what_is_worth_more(edge: ModuleType) -> None:
    policy = edge.ChoicePolicy(np.random.default_rng(0))
    seen = np.random.default_rng(1).integers(0, 2, (8, 324)).astype(float)
    before = policy.choice_probabilities(seen)[0]
    for _ in range(20):
        policy.update_weights(seen, np.array([1, 2]), np.array([1.0, -1.0]))
    after = policy.choice_probabilities(seen)[0]
    assert after[0, 1] > before[0, 1] and after[1, 2] < before[1, 2]


def test_a_play_is_a_play_of_the_stream(edge: ModuleType) -> None:
    stream = edge.open_stream(0, "2", "frontier")
    row = next(stream)
    policy, rng = edge.ChoicePolicy(np.random.default_rng(0)), np.random.default_rng(0)
    rewards, who, seen, said = edge.play_group(stream, row, policy, rng, 8)
    assert set(rewards) <= {0.0, 1.0} and len(who) == len(said) == len(seen) // 4
    assert set(who) == set(range(8))
    assert edge.play_group(stream, row, policy)[0].shape == (1,)


def test_the_set_of_a_fine_tuning_stands_beside_its_settings(tmp_path: Path) -> None:
    """Rank, rate, batches and epochs as printed; the set is the one that the settings name."""
    recipe = runpy.run_path(str(EXAMPLES / "inf_bench_finetuning.py"))
    words = [str(tmp_path / "sft"), "--samples", "6", "--highest", "2", "--input", "text"]
    assert recipe["main"](words) == 0
    text = (tmp_path / "sft" / "train.yaml").read_text()
    found = yaml.safe_load(text)
    assert found["lora_rank"] == 8 and found["learning_rate"] == 1e-4
    assert (found["per_device_train_batch_size"], found["gradient_accumulation_steps"]) == (4, 4)
    assert found["num_train_epochs"] == 3 and "z3" in found["deepspeed"]
    about = json.loads((Path(found["dataset_dir"]) / "dataset_info.json").read_text())
    lines = (tmp_path / "sft" / about[found["dataset"]]["file_name"]).read_text().splitlines()
    asked = [json.loads(line)["system"] for line in lines]
    assert ["cube" in one for one in asked] == [False, False, True] * 2


def test_replies_are_sorted_as_in_the_figure_of_errors(tmp_path: Path) -> None:
    errors = runpy.run_path(str(EXAMPLES / "inf_bench_errors.py"))
    data = create_dataset("shapes/forward_deformation", size=8, level=3, input="text")
    rows = [entry["metadata"] for entry in data]
    task = task_registry.load_task("shapes/forward_deformation")
    file = tmp_path / "said.jsonl"
    with file.open("w") as out:
        for number, row in enumerate(rows):
            thought = task.write_reasoned_reply(task.decode(row))
            said = thought if number % 2 else "It looks like none.\nE"
            out.write(json.dumps({"id": row["id"], "prediction": said}) + "\n")
    ((ways, wrong),) = errors["classify_replies"](
        rows, dict(errors["iterate_replies"](file))
    ).values()
    assert ways == {"direct": 4, "stepwise": 4} and wrong == {"pairing": 4}
    assert (
        "| 8 | 50.0 | 4 | 100.0 | 0.0 | 0.0 | 0.0 |"
        in errors["format_error_table"]({"x": (ways, wrong)})[2]
    )
