"""Certified states: the resource that cube tasks are handed.

A state is published with its proof: a solution of length d (the witness) and the fact that every
maneuver of at most d - 1 moves was exhausted against a pruning table with a known hash.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from facelet.generators.core.task import Claim, Need
from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.metrics import Metric
from facelet.generators.cube.engine.notation import Maneuver


@dataclass(frozen=True, slots=True)
class CertifiedState:
    """A cube state whose optimal depth is proven.

    Attributes:
        facelets: facelet string, 54 letters in URFDLB order.
        metric: "htm" (half turns count one) or "qtm" (half turns count two).
        optimal_depth: exact distance to solved in that metric.
        solution: the witness, a maneuver in Singmaster notation of that length that solves it.
        sampling: how it was found: "exhaustive" (drawn from all states of the depth),
            "random_word" (a random canonical word that proved optimal), "random_state" (a uniform
            state that proved to be of the depth), "symmetric", "subword"; after "stored/" a
            seeded image or inverse of a state from the committed store. Only "exhaustive" and
            "random_state" are uniform over the depth's states.
        family: key of the family it was derived from; states of a family share a split.
        canonical: facelet string of the least of its 48 symmetric images: equal for states that
            are the same up to symmetry.
        exhausted: the greatest length proven too short, optimal_depth - 1.
        table_hash: hash of the pruning table that the exhaustion used.
        nodes: positions that the exhaustion visited.
    """

    facelets: str
    metric: Metric
    optimal_depth: int
    solution: str
    sampling: str
    family: str
    canonical: str
    exhausted: int
    table_hash: str
    nodes: int

    @property
    def witness(self) -> Maneuver:
        """The solution as moves.

        Raises:
            ValueError: the text of the solution is no maneuver.
        """
        return _parsed(self.solution)


_parsed = lru_cache(maxsize=4096)(notation.parse)
"""One state is asked for its moves many times: by its checks, its tasks and each of its rows."""


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedStates:
    """The pool of one metric, depth and split, in its published order.

    Attributes:
        metric: as in CertifiedState.
        optimal_depth: the depth that all states share.
        states: the states; item number i of a task uses states[i].
        neighbours: None, or an int8 array (len(states), 18): the exact distance after each face
            move, in the order of facelet.generators.cube.engine.moves.FACE_MOVES.
    """

    metric: Metric
    optimal_depth: int
    states: tuple[CertifiedState, ...]
    neighbours: npt.NDArray[np.int8] | None = None

    @property
    def capacity(self) -> int:
        """Number of items that the pool can carry."""
        return len(self.states)


KIND = "cube/states"


def need(metric: Metric, depth: int, *, neighbours: bool = False) -> Need:
    """Return the need for a pool of certified states, with neighbour distances if asked."""
    args = {"metric": metric, "depth": depth, "neighbours": int(neighbours)}
    return Need(KIND, tuple(sorted(args.items())))


DISTANCE = "cube/distance"


def distance_claim(facelets: str, metric: Metric, depth: int, solution: str = "") -> Claim:
    """Return the claim that a state is exactly `depth` moves from solved.

    Args:
        facelets: the state.
        metric: how moves are counted.
        depth: the claimed distance.
        solution: a maneuver of that length that solves it, if known: with a witness, a proof only
            has to exhaust what is shorter.
    """
    args: dict[str, str | int] = {"facelets": facelets, "metric": metric, "depth": depth}
    if solution:
        args["solution"] = solution
    return Claim(DISTANCE, tuple(sorted(args.items())))
