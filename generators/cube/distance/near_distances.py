"""Compute distances near the solved cube with numpy alone.

All states near the solved cube are known by their keys, sorted, each with its distance: 621,649
states up to 5 moves (htm) or 983,926 up to 6 quarter turns (qtm). A state farther away is searched
from, move by move, until it meets them. A state is 20 numbers, where a piece at a place is
3 * corner + twist or 2 * edge + flip. Its key is a sum of 64-bit numbers, one a piece and place.
Two states of one key would be found out: the numbers of known states at each distance are checked,
and an answer is only given with a solution that solves the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from facelet.generators.core.compiled_parts import missing_part_error
from facelet.generators.cube.engine import cubies, moves
from facelet.generators.cube.engine.notation import (
    COST,
    FACE_MOVES,
    FACES,
    SOLVED,
    UNIT_MOVES,
    Maneuver,
    Metric,
)

States = npt.NDArray[np.uint8]
"""States, uint8 (n, 20): the corners at their places, then the edges."""

COUNTS: dict[Metric, tuple[int, ...]] = {
    "htm": (1, 18, 243, 3240, 43239, 574908),
    "qtm": (1, 12, 114, 1068, 10011, 93840, 878880),
}
"""States at each distance (Rokicki and others); those beyond are searched for."""

REACH: dict[Metric, int] = {"htm": 10, "qtm": 12}
"""The greatest distance that is searched: beyond, a state takes minutes."""

_PLACES, _CODES = 20, 24
_AT_ONCE = 1 << 16
"""States that are looked up in one piece, which keeps memory small."""


class DistanceReport(NamedTuple):
    """How far a state is from solved, and which way leads there.

    Attributes:
        distance: its exact distance from solved.
        closer: the face moves that reduce it, in the order of FACE_MOVES; none if solved.
        solution: of all optimal solutions in canonical form (see engine.scrambles), the first in
            the order of FACE_MOVES.
    """

    distance: int
    closer: tuple[str, ...]
    solution: Maneuver


def find_near_distance(metric: Metric, facelets: str, limit: int) -> DistanceReport | None:
    """Return what is known of a state; None if its distance is beyond the limit.

    Args:
        metric: "htm" or "qtm".
        facelets: the state.
        limit: the greatest distance that is asked for.

    Raises:
        IllegalCube: face turns cannot reach the state.
        NotCompiled: its distance is beyond REACH, and within the limit.
    """
    state = facelets_to_pieces(facelets)
    if facelets == SOLVED:
        return DistanceReport(0, (), ())
    after = apply_moves(state, range(len(FACE_MOVES)))
    for distance in range(1, min(limit, REACH[metric]) + 1):
        closer = _are_within(metric, after, distance - 1)
        if closer[list_unit_moves(metric)].any():
            names = tuple(FACE_MOVES[i] for i in np.flatnonzero(closer))
            solution = _least_solution(metric, state, distance, -1)
            if solution is None or moves.apply_maneuver(facelets, solution) != SOLVED:
                raise AssertionError(f"two states have one key, and {facelets} is one of them")
            return DistanceReport(distance, names, solution)
    if limit <= REACH[metric]:
        return None
    raise missing_part_error(
        f"the exact solver, which a state more than {REACH[metric]} moves from solved needs,"
    )


def is_unsolvable_within(metric: Metric, facelets: str, limit: int) -> bool:
    """Return whether no maneuver of at most `limit` moves solves a state.

    It shares no table and no compiled code with the exact solver, so it can confirm its proofs.

    Args:
        metric: counts the moves; in "qtm" a half turn counts two.
        facelets: the state.
        limit: the length, at most REACH.

    Raises:
        IllegalCube: face turns cannot reach the state.
        ValueError: the limit is out of range.
    """
    if not 0 <= limit <= REACH[metric]:
        raise ValueError(f"limit={limit} is out of range; allowed: 0 to {REACH[metric]} ({metric})")
    return not _are_within(metric, facelets_to_pieces(facelets), limit)[0]


def _least_solution(metric: Metric, state: States, distance: int, last: int) -> Maneuver | None:
    """Return the first canonical solution of this length after a turn of face `last`; None if none.

    Canonical: of two adjacent turns of opposite faces, that of U, R or F comes first.
    """
    if distance == 0:
        return () if (state == facelets_to_pieces(SOLVED)).all() else None
    for index, name in enumerate(FACE_MOVES):
        face, left = index // 3, distance - COST[metric][index % 3]
        if left < 0 or face == last or (last >= 3 and face == last - 3):
            continue
        after = apply_moves(state, (index,))
        if _are_within(metric, after, left)[0]:
            rest = _least_solution(metric, after, left, face)
            if rest is not None:
                return (name, *rest)
    return None


def _are_within(metric: Metric, states: States, limit: int) -> npt.NDArray[np.bool_]:
    """Return which of some states have at most a distance; bool (n,)."""
    radius = len(COUNTS[metric]) - 1
    if limit <= radius:
        return _lookup_depths(metric, states) <= limit
    return np.array([_meets_levels(metric, state[None], limit - radius, -1) for state in states])


def _meets_levels(metric: Metric, state: States, levels: int, last: int) -> bool:
    """Return whether a state is at most so many unit moves away from the known ones."""
    states, faces = state, np.array([last])
    if (_lookup_depths(metric, states) < 255).any():
        return True
    for level in range(levels):
        ahead = []
        for index in list_unit_moves(metric):
            face = index // 3
            # Two turns of a face are one (or, in quarter turns, a half turn), and opposite faces
            # are turned in one order.
            idle = (faces == face + 3) if face < 3 else np.zeros(len(faces), dtype=np.bool_)
            if metric == "htm":
                idle = idle | (faces == face)
            kept = states[~idle]
            for start in range(0, len(kept), _AT_ONCE):
                after = apply_moves(kept[start : start + _AT_ONCE], (index,))
                if (_lookup_depths(metric, after) < 255).any():
                    return True
                if level + 1 < levels:
                    ahead.append((after, face))
        if ahead:
            states = np.concatenate([after for after, _ in ahead])
            faces = np.concatenate([np.full(len(after), face) for after, face in ahead])
    return False


def list_unit_moves(metric: Metric) -> list[int]:
    """Return the places in FACE_MOVES of the moves of length one."""
    return [FACE_MOVES.index(name) for name in UNIT_MOVES[metric]]


# --- states ---------------------------------------------------------------------------------------


def facelets_to_pieces(facelets: str) -> States:
    """Return one state as an array of one row."""
    cube = cubies.from_facelets(facelets)
    corners = [3 * piece + twist for piece, twist in zip(cube.cp, cube.co, strict=True)]
    edges = [2 * piece + flip for piece, flip in zip(cube.ep, cube.eo, strict=True)]
    return np.array([[*corners, *edges]], dtype=np.uint8)


@cache
def _move_tables() -> tuple[npt.NDArray[np.intp], States]:
    """Return where each place's piece comes from, (18, 20), and what it becomes, (18, 20, 24)."""
    sources = np.empty((len(FACE_MOVES), _PLACES), dtype=np.intp)
    becomes = np.empty((len(FACE_MOVES), _PLACES, _CODES), dtype=np.uint8)
    codes = np.arange(_CODES)
    for index, name in enumerate(FACE_MOVES):
        turn = cubies.from_facelets(moves.apply_maneuver(SOLVED, (name,)))
        sources[index] = [*turn.cp, *(8 + place for place in turn.ep)]
        for place in range(8):
            becomes[index, place] = codes // 3 * 3 + (codes % 3 + turn.co[place]) % 3
        for place in range(12):
            becomes[index, 8 + place] = codes ^ turn.eo[place]
    return sources, becomes


def apply_moves(states: States, indices: Iterable[int]) -> States:
    """Return all states after each of some moves of FACE_MOVES, move by move."""
    sources, becomes = _move_tables()
    places = np.arange(_PLACES)
    return np.concatenate([becomes[index][places, states[:, sources[index]]] for index in indices])


@cache
def _piece_numbers() -> npt.NDArray[np.uint64]:
    """Return the 64-bit number of each piece at each place, (20, 24): always the same."""
    return np.random.default_rng(len(FACES)).integers(
        0, 2**64, size=(_PLACES, _CODES), dtype=np.uint64
    )


def state_keys(states: States) -> npt.NDArray[np.uint64]:
    """Return the key of each state."""
    numbers = _piece_numbers()
    keys = np.zeros(len(states), dtype=np.uint64)
    for place in range(_PLACES):
        keys += numbers[place][states[:, place]]
    return keys


# --- what is known --------------------------------------------------------------------------------


@cache
def list_known_distances(metric: Metric) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """Return the keys of all states within the known distances, sorted, and the distances."""
    units = list_unit_moves(metric)
    states = facelets_to_pieces(SOLVED)
    shells = [np.sort(state_keys(states))]
    for count in COUNTS[metric][1:]:
        reached = apply_moves(states, units)
        keys, first = np.unique(state_keys(reached), return_index=True)
        for shell in shells[-2:]:
            place = np.minimum(np.searchsorted(shell, keys), len(shell) - 1)
            fresh = shell[place] != keys
            keys, first = keys[fresh], first[fresh]
        if len(keys) != count:
            raise AssertionError(f"{len(keys)} states at distance {len(shells)}, not {count}")
        states = reached[first]
        shells.append(keys)
    everything = np.concatenate(shells)
    depths = np.repeat(np.arange(len(shells), dtype=np.uint8), [len(shell) for shell in shells])
    order = np.argsort(everything)
    return everything[order], depths[order]


def _lookup_depths(metric: Metric, states: States) -> npt.NDArray[np.uint8]:
    """Return the distances of states; 255 where they are not known."""
    known, depths = list_known_distances(metric)
    keys = state_keys(states)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[place] == keys, depths[place], np.uint8(255))
