"""Gymnasium's own checker accepts the environment, and its rewards are the scorer's verdicts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import facelet.pipeline.adapters.gymnasium as adapter
from facelet.generators.core import task_registry
from facelet.pipeline.rollout.row_episode import open_row

GUIDE = Path(__file__).parents[3] / "conf" / "docs" / "trainers.md"


def test_the_name_of_the_guide_needs_no_import():
    (name,) = re.findall(r'gymnasium\.make\("(facelet\.pipeline[^"]+)"\)', GUIDE.read_text())
    code = f"import gymnasium; print(gymnasium.make({name!r}).reset(seed=0)[0]['text'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    assert done.returncode == 0, done.stderr
    assert "cube" in done.stdout


@pytest.fixture
def acting(publish):
    return publish("labyrinth/act", turns=2, setting="visual")


@pytest.mark.parametrize("mode", [None, "rgb_array", "ansi"])
@pytest.mark.parametrize("task", ["labyrinth_plan", "shapes_forward_deformation"])
def test_the_checker_finds_nothing(task, mode):
    made = gymnasium.make(f"facelet/{task}-v0", size=3, render_mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped, skip_render_check=mode is None)


def test_pictures_of_any_size_make_a_space():
    space = gymnasium.spaces.Sequence(adapter.PictureSpace())
    space.seed(3)
    samples = [space.sample() for _ in range(20)]
    assert all(map(space.contains, samples)) and len({one.shape for s in samples for one in s}) > 3
    told = space.from_jsonable(space.to_jsonable(samples))
    assert all(
        np.array_equal(one, other)
        for given, back in zip(samples, told, strict=True)
        for one, other in zip(given, back, strict=True)
    )
    large = np.zeros((900, 896, 3), np.uint8)
    assert space.contains((large,)) and space.contains(())
    for wrong in (large.astype(float), large[..., :1], large[0], large[:0], "a picture"):
        assert not space.contains((wrong,))
    assert adapter.AnyText().contains("\U0001f642" * 100_000) and not adapter.AnyText().contains(
        b""
    )


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_environments_stand_side_by_side(acting, mode):
    """Episodes to their ends in one process and in several: every picture due, pixel for pixel."""
    told = {"dataset": str(acting.folder), "config": "suite.act"}
    # Pictures have sizes of their own, so no static memory holds them.
    more = {"vector_kwargs": {"shared_memory": False}} if mode == "async" else {}
    many = gymnasium.make_vec(
        "facelet/rows-v0", num_envs=2, vectorization_mode=mode, **told, **more
    )
    assert many.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    seen, info = many.reset(seed=0)
    assert list(info["id"]) == [row["id"] for row in acting.rows[:2]]
    plays = [open_row(row, "transformers") for row in acting.rows[:2]]
    replies = [list(acting.references[name]) for name in info["id"]]
    for turn in range(max(map(len, replies))):
        for place, play in enumerate(plays):
            if not play.done:
                due = [np.array(one) for one in play.images[count_older_pictures(play) :]]
                got = seen["images"][place]
                assert len(due) == len(got) == 1
                assert np.array_equal(due[0], got[0]) and play.begins_chat == (turn == 0)
        said = [own[turn] if turn < len(own) else "over" for own in replies]
        going = [not play.done for play in plays]
        seen, rewards, ended, cut, _ = many.step(said)
        for place, play in enumerate(plays):
            if going[place]:
                play.reply(said[place])
                assert ended[place] == play.done and not cut[place]
                assert rewards[place] == (1.0 if play.done else 0.0)
    assert all(play.outcome.status == "correct" for play in plays)
    many.close()


def count_older_pictures(play):
    """How many pictures of a play are older than its last turn."""
    new = [part for one in play.new_messages for part in one["content"]]
    return len(play.images) - sum(part["type"] == "image" for part in new)


def test_what_is_rendered_is_all_of_the_chat(acting):
    told = {"dataset": str(acting.folder), "config": "suite.act", "render_mode": "rgb_array"}
    env = gymnasium.make("facelet/rows-v0", **told).unwrapped
    assert env.render() is None
    (first,) = env.reset(seed=0)[0]["images"]
    (second,) = env.step(acting.references[acting.rows[0]["id"]][0])[0]["images"]
    assert np.array_equal(env.render(), np.concatenate([first, second]))
    small = np.zeros((1, 2, 3), np.uint8)
    assert adapter._stack_pictures([small, small[:, :1]]).tolist() == [
        [[0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [255, 255, 255]],
    ]


def test_rows_that_are_not_there_are_named(acting):
    told = {"dataset": str(acting.folder)}
    with pytest.raises(ValueError, match=r"unknown config 'suite.at' .did you mean 'suite.act'"):
        gymnasium.make("facelet/rows-v0", config="suite.at", **told)
    with pytest.raises(ValueError, match="unknown split 'train'"):
        gymnasium.make("facelet/rows-v0", config="suite.act", split="train", **told)


def test_the_reference_player_is_rewarded_and_others_are_not():
    env = gymnasium.make("facelet/labyrinth_act-v0", size=2, params={"turns": 1}).unwrapped
    entry = env.source.entries[1]
    seen, info = env.reset(seed=1)
    assert info["id"] == entry["metadata"]["id"]
    assert len(seen["images"]) == 1 and np.ptp(seen["images"][0]) > 0
    total, ended = 0.0, False
    for said in entry["answer"]:
        assert not ended
        seen, reward, ended, cut, info = env.step(said)
        assert env.observation_space.contains(seen) and not cut
        total += reward
    assert ended and total == 1 and info["status"] == "correct"
    env.reset(seed=1)
    _, reward, ended, _, info = env.step("I give up.")
    assert ended and reward == 0 and info["status"] == "unparsed"


def test_every_task_has_a_name_there():
    assert {adapter.environment_id(name) for name in task_registry.task_names()} <= set(
        gymnasium.registry
    )


@pytest.mark.parametrize("name", ["cube_move_effect", "arcade_hidden_number_finding"])
def test_a_task_with_few_puzzles_is_made_by_its_name_alone(name):
    """The guide names `cube_move_effect`, which has fewer entries than the usual number."""
    env = gymnasium.make(f"facelet/{name}-v0")
    seen, info = env.reset(seed=0)
    assert seen["text"] and info["id"]
    assert 0 < len(env.unwrapped.source.entries) < 100


def test_a_position_is_saved_and_continued():
    def make(seed=7):
        return gymnasium.make("facelet/arcade_bit_query-v0", size=5, seed=seed)

    def play_entries(env, count):
        found = []
        for _ in range(count):
            found.append(env.reset()[1]["id"])
            over = False
            while not over:
                over = env.step("I do not know.")[2]
        return found

    whole = play_entries(make(), 8)
    first = make()
    begun = play_entries(first, 3)
    first.reset()  # this play is not finished, so it starts again
    state = json.loads(json.dumps(first.unwrapped.state_dict()))
    again = make()
    again.unwrapped.load_state_dict(state)
    assert begun + play_entries(again, 5) == whole
    with pytest.raises(ValueError, match=r"'seed': 7.*'seed': 8"):
        make(seed=8).unwrapped.load_state_dict(state)
    state["entries"]["version"] += 1
    with pytest.raises(ValueError, match="the state belongs to the entries"):
        make().unwrapped.load_state_dict(state)
