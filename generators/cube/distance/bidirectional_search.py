"""Search from both ends: that no short maneuver solves a state, without any pruning table.

All states within some turns of the solved cube, and all within some of the state, are enumerated;
if none is in both, no maneuver of the two lengths together solves it. It shares no table and no
compiled code with the solver, so it can bear witness for it; it reaches REACH only, since the
number of states grows tenfold with each turn. Words are canonical: no two turns of one face in a
row, and of two opposite faces in a fixed order, which reaches every state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.engine import facelets, moves
from facelet.generators.cube.engine.facelets import FACES, SOLVED
from facelet.generators.cube.engine.notation import FACE_MOVES
from facelet.generators.cube.engine.turn_metrics import Metric

Keys = npt.NDArray[np.uint64]

_BALL: dict[Metric, int] = {"htm": 5, "qtm": 6}
"""Turns that each end looks: 621,649 (htm) and 983,926 (qtm) states at most."""

REACH: dict[Metric, int] = {metric: 2 * turns for metric, turns in _BALL.items()}
"""The greatest length that is exhausted."""

_NO_CENTRES = [place for place in range(54) if place % 9 != 4]
_DIGITS = np.array([6**power for power in range(24)], dtype=np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class _SolvedBall:
    """States around the solved cube: mixed keys, ascending, and the whole keys beside them."""

    mixed: Keys
    whole: Keys


def unsolvable_within(metric: Metric, state: str, limit: int) -> bool:
    """Whether no maneuver of at most `limit` moves solves a state.

    Args:
        metric: counts the moves; in "qtm" a half turn counts two.
        state: its facelets.
        limit: the length, at most REACH.

    Raises:
        ValueError: the limit is out of range.
    """
    if not 0 <= limit <= REACH[metric]:
        raise ValueError(f"limit={limit} is out of range; allowed: 0 to {REACH[metric]} ({metric})")
    near = limit // 2
    ball = _around_solved(metric, limit - near)
    return not any(
        _intersects_ball(ball, _state_keys(layer)) for layer in _word_layers(metric, state, near)
    )


def _intersects_ball(ball: _SolvedBall, keys: Keys) -> bool:
    """Whether one of some states is in the ball."""
    mixed = _mix_keys(keys)
    place = np.minimum(np.searchsorted(ball.mixed, mixed), len(ball.mixed) - 1)
    return bool(np.any(np.all(ball.whole[place] == keys, axis=1)))


@cache
def _around_solved(metric: Metric, turns: int) -> _SolvedBall:
    """Return all states within so many turns of the solved cube."""
    whole = np.concatenate([_state_keys(layer) for layer in _word_layers(metric, SOLVED, turns)])
    whole = np.unique(whole, axis=0)
    mixed = _mix_keys(whole)
    order = np.argsort(mixed)
    if len(np.unique(mixed)) != len(whole):
        raise RuntimeError(f"two states within {turns} turns have one key; choose another mixture")
    return _SolvedBall(mixed[order], whole[order])


def _word_layers(metric: Metric, state: str, turns: int) -> list[npt.NDArray[np.uint8]]:
    """Return the states that canonical words of length 0 to `turns` lead to: uint8 (n, 54)."""
    layers = [facelets.to_array(state)[np.newaxis]]
    last = [np.full(1, -1)]
    for length in range(1, turns + 1):
        found, ends = [], []
        for move in FACE_MOVES:
            before = length - (2 if metric == "qtm" and move.endswith("2") else 1)
            if before >= 0:
                fitting = layers[before][_FOLLOWS[last[before], FACES.index(move[0])]]
                found.append(moves.apply_batch(fitting, moves.MOVE_INDEX[move]))
                ends.append(np.full(len(fitting), FACES.index(move[0])))
        layers.append(np.concatenate(found))
        last.append(np.concatenate(ends))
    return layers


def _may_follow(last: int, face: int) -> bool:
    """Whether a turn of a face may follow one of another; FACES has opposite ones 3 apart."""
    return last == -1 or (last != face and not (last % 3 == face % 3 and last > face))


_FOLLOWS = np.array(
    [[_may_follow(last, face) for face in range(6)] for last in (0, 1, 2, 3, 4, 5, -1)]
)
"""By last face, -1 for none, and face."""


def _state_keys(states: npt.NDArray[np.uint8]) -> Keys:
    """Return what tells states apart: uint64 (n, 2), 24 stickers each as digits of base 6."""
    stickers = states[:, _NO_CENTRES].astype(np.uint64).reshape(len(states), 2, 24)
    return np.asarray(stickers @ _DIGITS, dtype=np.uint64)


def _mix_keys(keys: Keys) -> Keys:
    """Return one number for the two of each key."""
    return np.asarray(keys[:, 0] * _MIX ^ keys[:, 1])
