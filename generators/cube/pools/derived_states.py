"""New certified states from a proven one, without another search.

- The 48 symmetries and inversion keep the depth; the witness is carried along.
- Every contiguous part of an optimal maneuver is optimal: a shorter one would shorten the whole.

Derived states keep the family of their source, so that they are in the same split, and the table
hash and nodes of the search that their proof rests on.
"""

from __future__ import annotations

from dataclasses import replace

from facelet.generators.cube.engine import facelets, moves, notation, symmetry
from facelet.generators.cube.engine.notation import Maneuver
from facelet.generators.cube.states.certified_states import CertifiedState


def transform_certified(state: CertifiedState, s: int) -> CertifiedState:
    """Return the image of a state and its witness under symmetry s (0 to 47)."""
    return replace(
        state,
        facelets=symmetry.transform_state(state.facelets, s),
        solution=notation.format_maneuver(symmetry.transform_maneuver(state.witness_moves, s)),
    )


def invert_certified(state: CertifiedState) -> CertifiedState:
    """Return the inverse state with the inverse witness."""
    return _derive_state(
        state, symmetry.inverse_state(state.facelets), notation.invert_maneuver(state.witness_moves)
    )


def derive_subword(state: CertifiedState, start: int, stop: int) -> CertifiedState:
    """Return the state that the contiguous part solution[start:stop] solves.

    Args:
        state: its witness is optimal.
        start: first move to keep, from 0.
        stop: first move after those to keep; start < stop <= number of moves.

    Raises:
        ValueError: the part is empty or out of range.
    """
    solution = state.witness_moves
    if not 0 <= start < stop <= len(solution):
        raise ValueError(
            f"part {start}:{stop} is no part of a solution of {len(solution)} moves; "
            f"need 0 <= start < stop <= {len(solution)}"
        )
    part = solution[start:stop]
    made = moves.apply_maneuver(facelets.SOLVED, notation.invert_maneuver(part))
    return replace(_derive_state(state, made, part), sampling="subword")


def _derive_state(state: CertifiedState, made: str, solution: Maneuver) -> CertifiedState:
    """Return the state `made` with its own depth and canonical form, and the proof of `state`."""
    depth = notation.maneuver_length(solution, state.metric)
    return replace(
        state,
        facelets=made,
        optimal_depth=depth,
        solution=notation.format_maneuver(solution),
        canonical=symmetry.canonical_image(made)[0],
        exhausted=depth - 1,
    )
