"""Gymnasium's own checker accepts the environment, and its rewards are the scorer's verdicts."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import facelet.pipeline.adapters.gymnasium as adapter
from facelet.generators.core import registry


def test_the_checker_finds_nothing():
    env = gymnasium.make("facelet/labyrinth_plan-v0", size=3, params={"turns": 1}).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)


def test_the_reference_player_is_rewarded_and_others_are_not():
    env = gymnasium.make("facelet/labyrinth_act-v0", size=2, params={"turns": 1}).unwrapped
    entry = env.entries[1]
    seen, info = env.reset(seed=1)
    assert info["id"] == entry["metadata"]["id"]
    assert seen["image"].shape == adapter.PICTURE and np.ptp(seen["image"]) > 0
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
    assert {adapter.environment_id(name) for name in registry.names()} <= set(gymnasium.registry)
