"""Certified states: the resource of cube tasks, and their columns.

A state is published with its proof: a solution of length d (the witness) and the fact that every
maneuver of at most d - 1 moves was exhausted against a pruning table with a known hash. Every cube
row has the same columns for it, so that one reader, one proof and one split check serve all cube
tasks.

A family is a state with its symmetric images, its inverse and whatever was derived from these. All
of it has related answers, so splits never share a family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.task import Claim, Column, Need
from facelet.generators.cube.engine import cubies, moves, notation, symmetry
from facelet.generators.cube.engine.notation import DIAMETER, Maneuver, Metric


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
            state that proved to be of the depth), "symmetric" (of a symmetric class), "subword" (a
            part of another state's solution), "scramble" (a random scramble, whatever its
            distance); after "stored/" a seeded image or inverse of a state from the committed
            store. Only "exhaustive" and "random_state" are uniform over the
            depth's states.
        family: key of the state's family.
        canonical: facelet string of the least of its 48 symmetric images: equal for states that
            are the same up to symmetry.
        exhausted: the greatest length proven too short, optimal_depth - 1.
        table_hash: hash of the pruning table that the exhaustion used.
        nodes: number of nodes that the search visited.
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
    def witness_moves(self) -> Maneuver:
        """The solution as moves.

        Raises:
            ValueError: the text of the solution is no maneuver.
        """
        return _parsed(self.solution)


_parsed = lru_cache(maxsize=4096)(notation.parse_maneuver)
"""A state's checks, its tasks and its rows all ask for its moves; the text is parsed once."""


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedStates:
    """The pool of one metric, depth and split, in its published order.

    A pool of scrambles has states of several depths, and the same state more than once.

    Attributes:
        metric: as in CertifiedState.
        optimal_depth: the depth that all states share; of scrambles, their number of moves.
        states: the states; see `of_item`.
        neighbours: None, or an int8 array (len(states), 18): the exact distance after each face
            move, in the order of facelet.generators.cube.engine.moves.FACE_MOVES.
    """

    metric: Metric
    optimal_depth: int
    states: Sequence[CertifiedState]
    neighbours: npt.NDArray[np.int8] | None = None

    @property
    def capacity(self) -> int:
        """Number of states, each of which can carry an item."""
        return len(self.states)

    def of_item(self, index: int) -> CertifiedState:
        """Return the state of an item; items beyond the last state begin again at the first."""
        return self.states[index % len(self.states)]


KIND = "cube/states"


def pool_need(
    metric: Metric, depth: int, *, neighbours: bool = False, scrambled: bool = False
) -> Need:
    """Return the need for a pool of certified states.

    Args:
        metric: "htm" or "qtm".
        depth: the optimal depth of all its states, or the length of their scrambles.
        neighbours: whether it shall have neighbour distances.
        scrambled: whether it shall hold one scramble for each item.
    """
    args = {"metric": metric, "depth": depth, "neighbours": int(neighbours)}
    if scrambled:
        args["scrambled"] = 1
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


def depth_claims(state: CertifiedState) -> tuple[Claim, ...]:
    """Return the claim that the state has the depth it says."""
    return (distance_claim(state.facelets, state.metric, state.optimal_depth, state.solution),)


COLUMNS: tuple[Column, ...] = (
    Column("facelets", "string", "the state: nine letters a face, in order URFDLB", role="puzzle"),
    Column("metric", "string", "how moves are counted: htm (half turn = 1) or qtm (half turn = 2)"),
    Column("optimal_depth", "int8", "proven distance to solved in that metric"),
    Column("solution", "string", "the witness: a shortest maneuver that solves the state"),
    Column("scramble", "string", "the witness undone: a maneuver that makes the state"),
    Column("sampling", "string", "how the state was found; uniform if exhaustive or random_state"),
    Column("family", "string", "key of the family that the state belongs to", role="family"),
    Column("canonical", "string", "the least of the state's 48 symmetric images", role="canonical"),
    Column("exhausted", "int8", "all shorter maneuvers up to this length were searched"),
    Column("table_hash", "string", "hash of the pruning table that the search used"),
    Column("nodes", "int64", "nodes that the search visited"),
)

_values = itemgetter(*(field.name for field in fields(CertifiedState)))
_state = fast_constructor(CertifiedState)


def encode_state(state: CertifiedState) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    undone = notation.format_maneuver(notation.invert_maneuver(state.witness_moves))
    return {
        column.name: undone if column.name == "scramble" else getattr(state, column.name)
        for column in COLUMNS
    }


def decode_state(row: Mapping[str, Any]) -> CertifiedState:
    """Return the state that a row holds."""
    return _state(*_values(row))


def transform_certified(state: CertifiedState, s: int) -> CertifiedState:
    """Return the image of a state and its witness under symmetry s (0 to 47); depth stays."""
    return replace(
        state,
        facelets=symmetry.transform_state(state.facelets, s),
        solution=notation.format_maneuver(symmetry.transform_maneuver(state.witness_moves, s)),
    )


def invert_certified(state: CertifiedState) -> CertifiedState:
    """Return the inverse state with the inverse witness; depth, family and proof stay."""
    inverse = symmetry.inverse_state(state.facelets)
    return replace(
        state,
        facelets=inverse,
        solution=notation.format_maneuver(notation.invert_maneuver(state.witness_moves)),
        canonical=symmetry.canonical_image(inverse)[0],
    )


def find_state_faults(state: CertifiedState) -> list[str]:
    """Return what simulation finds false about a state, in words; empty if nothing.

    Checks that the metric is known, the state is legal, the witness solves it in exactly its depth
    with face moves, the depth below was exhausted, and the canonical form is the state's.
    """
    if state.metric not in DIAMETER:
        return [f"unknown metric {state.metric!r}"]
    try:
        cubies.check_legality(state.facelets)
    except notation.IllegalCube as error:
        return [f"illegal state: {error}"]
    try:
        solution = state.witness_moves
    except ValueError as error:
        return [f"the witness cannot be read: {error}"]
    wrong = []
    if not set(solution) <= set(moves.FACE_MOVES):
        wrong.append("the witness has moves that are no face moves")
    if moves.apply_maneuver(state.facelets, solution) != notation.SOLVED:
        wrong.append("the witness does not solve")
    if notation.maneuver_length(solution, state.metric) != state.optimal_depth:
        wrong.append("the witness is not as long as the depth")
    if state.exhausted != state.optimal_depth - 1:
        wrong.append(f"exhausted to {state.exhausted}, not to {state.optimal_depth - 1}")
    if symmetry.canonical_image(state.facelets)[0] != state.canonical:
        wrong.append("the canonical form is another state's")
    return wrong
