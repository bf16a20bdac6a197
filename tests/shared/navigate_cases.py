"""Puzzles of cube/navigate to play in tests, and how they are played."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome
from facelet.generators.cube.engine.notation import SUFFIXES, Maneuver
from facelet.generators.cube.navigation.environment import MOVES, CubeEnvironment
from facelet.generators.cube.navigation.episode import NavigationEpisode
from facelet.generators.cube.navigation.replies import format_commands
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.generators.cube.tasks.navigate import TASK, Instance, Params

Pools = Callable[..., CertifiedStates]


def make_instances(pools: Pools, count: int = 6, **values: Any) -> list[Instance]:
    """Return puzzles of some params; of as many moves as a player likes where they say nothing."""
    params = Params(**{"moves": MOVES} | values)
    params.validate()
    pool = pools(params.metric, params.depth, max(count, 100))
    found = []
    for index in range(min(count, pool.capacity)):
        found += TASK.generate(params, Draw((0, "navigate"), index), pool)
    return found


def episode_tools(episode: NavigationEpisode) -> CubeEnvironment:
    """Return the cube of a live step."""
    cube = episode.live_environment()
    assert cube is not None
    return cube


def make_one(pools: Pools, **values: Any) -> Instance:
    return make_instances(pools, 1, **{"observation": "symbolic"} | values)[0]


def prompt_texts(prompt: Prompt | Outcome) -> str:
    assert isinstance(prompt, Prompt)
    parts = (part for message in prompt.messages for part in message.parts)
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def format_step(*commands: str) -> str:
    return format_commands(commands)


def read_answer(text: str) -> Maneuver:
    """Return the moves of a solver's answer, which looks like "U3 F2 R1 (3f)"."""
    found = re.fullmatch(r"((?:[URFDLB][123] )*)\(([0-9]+)f\)", text)
    assert found is not None, text
    words = found[1].split()
    assert len(words) == int(found[2]), text
    return tuple(word[0] + SUFFIXES[int(word[1]) - 1] for word in words)
