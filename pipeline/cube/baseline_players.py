"""Blind players of cubes: lists of turns for `cube/navigate`, the Bayesian player of attempts.

Partial-view players (`shortcuts`, `no_shortcut`) are in facelet.pipeline.cube.partial_view_players.

A tour is a list of quarter turns that passes every state within some moves of the start, so it
solves each cube that is at most that many moves from solved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from facelet.generators.cube.attempts.task import AttemptTask
from facelet.generators.cube.deformation.deformation_task import CubeDeformation, CubeWriting
from facelet.generators.cube.engine.notation import UNIT_MOVES
from facelet.generators.cube.navigation.replies import Mode, format_commands
from facelet.generators.cube.pools.pool_spec import EXHAUSTIVE
from facelet.pipeline.audit.baseline_players import BlindPolicy, ReplyPieces
from facelet.pipeline.cube.partial_view_players import no_shortcut as no_shortcut
from facelet.pipeline.cube.partial_view_players import shortcuts as shortcuts
from facelet.pipeline.cube.posterior_player import AttemptForm, build_policy
from facelet.pipeline.family_modules import AnyTask

LONGEST = 512
"""Turns of the longest random list."""
FAR = 3
"""Half-turn moves that the longest tour reaches."""
COST = 1 / 16
"""Plain replies that a turn counts as: turns are carried out fast."""


_STATE_TEXT = re.compile(
    r"^(?: *[a-z](?: +[a-z]){2,})(?:\n *[a-z](?: +[a-z]){2,})*$|\b(?:[A-Z]{54}|[a-z]{54})\b",
    re.MULTILINE,
)
_TURNS = tuple(sorted(UNIT_MOVES["qtm"]))


def pieces(task: AnyTask, half: Sequence[Any]) -> ReplyPieces | None:
    """Return the turns that a list is made of; None for tasks without lists."""
    if task.name != "cube/navigate":
        return None
    join = partial(_format_turn_list, mode=half[0].mode)
    tours = [covering_tour(far) for far in range(1, FAR + 1)]
    series = tuple((join(turns), len(turns)) for turns in tours)
    return ReplyPieces(draw_turns, LONGEST, join, series, COST)


def players(task: AnyTask, half: Sequence[Any]) -> Mapping[str, Sequence[BlindPolicy]]:
    """Return the Bayesian player of attempts; none for other tasks.

    It knows depths whose states the generator enumerates. Farther away a player that undid its
    moves solved at most 2% with the default attempts.
    """
    if not isinstance(task, AttemptTask):
        return {}
    form = AttemptForm.from_instance(half[0], recovery=task.recovery)
    if form.depth > EXHAUSTIVE[form.metric]:
        return {}
    return {"posterior": [build_policy(form, waiting=waiting) for waiting in {False, form.redrawn}]}


def hide_puzzle(task: AnyTask, text: str) -> str | None:
    """Return a prompt's text without the states that it writes, as nets or as 54 letters.

    None for deformed cubes, whose pieces are written in many ways.
    """
    if isinstance(task, CubeDeformation | CubeWriting):
        return None
    return _STATE_TEXT.sub("(hidden)", text)


def draw_turns(length: int, rng: np.random.Generator) -> list[str]:
    """Return so many quarter turns."""
    return [_TURNS[place] for place in rng.integers(len(_TURNS), size=length)]


@cache
def covering_tour(far: int) -> tuple[str, ...]:
    """Return quarter turns that pass every state within `far` half-turn moves of the start."""
    return tuple(_iterate_tour(far, ""))


def _iterate_tour(far: int, last: str) -> Iterator[str]:
    """Yield the turns of a tour that ends where it began.

    Args:
        far: how many moves it may go away.
        last: the face that was turned last; it is not turned again.
    """
    for face in dict.fromkeys(turn[0] for turn in _TURNS):
        if face == last:
            continue
        for quarter in range(1, 5):  # quarter turns: by 90, 180 and 270 degrees, and home
            yield face
            if far > 1 and quarter < 4:
                yield from _iterate_tour(far - 1, face)


def _format_turn_list(turns: Sequence[str], *, mode: Mode) -> str:
    return format_commands(turns, mode, dense=True)
