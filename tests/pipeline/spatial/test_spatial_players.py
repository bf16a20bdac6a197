"""Players of spatial tests: one that does a whole task is a point of a curve, and no baseline."""

from __future__ import annotations

import numpy as np
import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Status
from facelet.pipeline.audit.baseline_players import play_replies
from facelet.pipeline.rollout.memory_dataset import create_dataset
from facelet.pipeline.spatial.baseline_players import shortcuts

TASKS = [name for name in task_registry.task_names() if name.startswith("spatial/")]
PUZZLES = 24


@pytest.mark.parametrize("name", TASKS)
def test_no_baseline_wins_every_puzzle_of_the_first_level(name: str) -> None:
    task = task_registry.load_task(name)
    ((axis, low),) = ((n, about.low) for n, about, _ in list_params(task.params) if about.axis)
    entries = create_dataset(name, size=PUZZLES, seed=5, params={axis: low})
    puzzles = [task.decode(entries[place]["metadata"]) for place in range(PUZZLES)]
    rng: np.random.Generator = make_generator("test", name)
    players = shortcuts(task)
    assert players
    for key, player in players.items():
        won = sum(
            play_replies(task, puzzle, player.begin(puzzle, rng), 1).status == Status.CORRECT
            for puzzle in puzzles
        )
        assert won < PUZZLES or player.amount, key
