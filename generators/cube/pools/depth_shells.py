"""Enumerate all states of a shallow depth by breadth-first search, and solve them optimally."""

from __future__ import annotations

from functools import cache

import numpy as np

from facelet.generators.cube.engine import facelets, moves, notation
from facelet.generators.cube.engine.notation import UNIT_MOVES, Maneuver, Metric
from facelet.generators.cube.engine.scrambles import shuffle_commuting

EXHAUSTIVE: dict[Metric, int] = {"htm": 4, "qtm": 5}
"""The greatest depth whose shell is enumerated: 43,239 (htm) and 93,840 (qtm) states."""


@cache
def shells_to(metric: Metric, depth: int) -> tuple[frozenset[str], ...]:
    """Return all states at distance 0 to `depth`, shell by shell, by breadth-first search.

    Memory grows tenfold with each shell; the 4 (htm) or 5 (qtm) shells that are enumerated have
    fewer than 110,000 states.

    Args:
        metric: counts the distance.
        depth: of the last shell.
    """
    if depth == 0:
        return (frozenset((facelets.SOLVED,)),)
    inner = shells_to(metric, depth - 1)
    reached = [
        moves.apply_maneuver(state, (move,)) for state in inner[-1] for move in UNIT_MOVES[metric]
    ]
    return (*inner, frozenset(reached).difference(*inner[-2:]))


def draw_descent(metric: Metric, state: str, rng: np.random.Generator) -> Maneuver:
    """Return an optimal solution of a state, choosing at random among the optimal moves.

    Args:
        metric: what optimal means.
        state: facelets of a state in the shells that breadth-first search reaches cheaply.
        rng: makes the choices.

    Raises:
        ValueError: the state is farther from solved than EXHAUSTIVE allows.
    """
    reach = EXHAUSTIVE[metric]
    depth = next((d for d in range(reach + 1) if state in shells_to(metric, d)[d]), None)
    if depth is None:
        raise ValueError(f"{state} is deeper than {reach} ({metric}); use a Solver beyond that")
    names: list[str] = []
    for shell in reversed(shells_to(metric, depth)[:depth]):
        steps = [
            (name, after)
            for name in UNIT_MOVES[metric]
            if (after := moves.apply_maneuver(state, (name,))) in shell
        ]
        name, state = steps[int(rng.integers(len(steps)))]
        names.append(name)
    return shuffle_commuting(notation.simplify_maneuver(tuple(names)), rng)
