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
from facelet.generators.cube.states.certified import CertifiedState


def image(state: CertifiedState, s: int) -> CertifiedState:
    """Return the image of a state and its witness under symmetry s (0 to 47)."""
    return replace(
        state,
        facelets=symmetry.transform(state.facelets, s),
        solution=notation.format(symmetry.transform_maneuver(state.witness, s)),
    )


def inverse(state: CertifiedState) -> CertifiedState:
    """Return the inverse state with the inverse witness."""
    return _at(state, symmetry.inverse_state(state.facelets), notation.invert(state.witness))


def subword(state: CertifiedState, start: int, stop: int) -> CertifiedState:
    """Return the state that the contiguous part solution[start:stop] solves.

    Args:
        state: its witness is optimal.
        start: first move to keep, from 0.
        stop: first move after those to keep; start < stop <= number of moves.

    Raises:
        ValueError: the part is empty or out of range.
    """
    solution = state.witness
    if not 0 <= start < stop <= len(solution):
        raise ValueError(
            f"part {start}:{stop} is no part of a solution of {len(solution)} moves; "
            f"need 0 <= start < stop <= {len(solution)}"
        )
    part = solution[start:stop]
    made = moves.apply(facelets.SOLVED, notation.invert(part))
    return replace(_at(state, made, part), sampling="subword")


def _at(state: CertifiedState, made: str, solution: Maneuver) -> CertifiedState:
    """Return the state `made` with its own depth and canonical form, and the proof of `state`."""
    depth = notation.length(solution, state.metric)
    return replace(
        state,
        facelets=made,
        optimal_depth=depth,
        solution=notation.format(solution),
        canonical=symmetry.canonical(made)[0],
        exhausted=depth - 1,
    )
