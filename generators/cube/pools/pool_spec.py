"""The specification of a pool: its states, their source, and the split of a family.

Shells up to the depth of EXHAUSTIVE are enumerated by breadth-first search, and their states are
solved optimally. Deeper states are random words, or come from the store; a pool may also give each
slot a scramble of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from facelet.generators.core.seeding import Name
from facelet.generators.core.shown_keys import split_of as split_of
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import DIAMETER, UNIT_MOVES, Maneuver, Metric
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
        return (frozenset((notation.SOLVED,)),)
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


Source = Literal["exhaustive", "random_word", "store", "scramble"]

STORED_FROM: dict[Metric, int] = {"htm": 17, "qtm": 21}
"""The least depth whose states come from the store by default; from it on a proof takes seconds."""

DRAWN_TO: dict[Metric, int] = {"htm": 17, "qtm": 20}
"""The greatest depth whose states can be drawn in a build: what the store lacks of it is."""


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """The specification of a pool.

    Attributes:
        metric: "htm" or "qtm".
        depth: exact distance to solved, from 1 to 20 (htm) or 26 (qtm); where states are scrambled
            the number of moves of the scramble instead, which the distance may be below.
        split: the split that the states are for; one of `splits`.
        splits: all splits with their weights, positive integers, in a fixed order.
        seed: root seed.
        count: how many states at most.
        stored_from: least depth that is taken from the store; None for STORED_FROM.
        scrambled: whether each slot is a scramble of its own, whatever other slots hold.
        held: states that the store has for the split, where those that it lacks are drawn; None
            where none is drawn.

    Raises:
        ValueError: a value is out of range.
    """

    metric: Metric
    depth: int
    split: str
    splits: tuple[tuple[str, int], ...]
    seed: int
    count: int
    stored_from: int | None = None
    scrambled: bool = False
    held: int | None = None

    def __post_init__(self) -> None:
        if self.metric not in DIAMETER:
            raise ValueError(f"metric {self.metric!r} is not one of 'htm', 'qtm'")
        if not 1 <= self.depth <= DIAMETER[self.metric]:
            raise ValueError(
                f"depth {self.depth} does not exist in {self.metric}; "
                f"allowed: 1 to {DIAMETER[self.metric]}"
            )
        names = [name for name, _ in self.splits]
        if self.split not in names or len(set(names)) < len(names):
            raise ValueError(f"split {self.split!r} is not one of the distinct splits {names}")
        if any(weight < 1 for _, weight in self.splits):
            raise ValueError(f"split weights are positive integers; got {dict(self.splits)}")
        if self.count < 1:
            raise ValueError(f"a pool has at least 1 state; count is {self.count}")
        if self.held is not None and not (
            self.state_source == "store" and 0 <= self.held < self.count
        ):
            raise ValueError(
                f"held={self.held} needs a pool of the store and 0 <= held < count, which is "
                f"{self.count}; leave it out where nothing is drawn"
            )

    @property
    def state_source(self) -> Source:
        """Where the states come from."""
        if self.scrambled:
            return "scramble"
        if self.depth <= EXHAUSTIVE[self.metric]:
            return "exhaustive"
        least = STORED_FROM[self.metric] if self.stored_from is None else self.stored_from
        return "store" if self.depth >= least else "random_word"

    @property
    def draw_source(self) -> int | None:
        """The first slot that is drawn by random words; None if none is."""
        return 0 if self.state_source == "random_word" else self.held

    @property
    def seed_path(self) -> tuple[Name, ...]:
        """The names from which all of the pool's seeds are made."""
        pool = "scrambles" if self.scrambled else "pool"
        return (self.seed, pool, self.metric, self.depth, self.split)
