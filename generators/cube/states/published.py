"""Certificate columns: how a published row holds its certified state, and what proves it again.

Every cube row has the same columns for its state, so that one reader, one proof and one split
check serve all cube tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from operator import itemgetter
from typing import Any

from facelet.generators.core.records import maker
from facelet.generators.core.task import Claim, Column
from facelet.generators.cube.distance.derivation import problems
from facelet.generators.cube.engine import notation
from facelet.generators.cube.states.certified import CertifiedState, distance_claim

COLUMNS: tuple[Column, ...] = (
    Column("facelets", "string", "the state: nine letters a face, in order URFDLB", role="puzzle"),
    Column("metric", "string", "how moves are counted: htm (half turn = 1) or qtm (half turn = 2)"),
    Column("optimal_depth", "int8", "proven distance to solved in that metric"),
    Column("solution", "string", "the witness: a shortest maneuver that solves the state"),
    Column("scramble", "string", "the witness undone: a maneuver that makes the state"),
    Column("sampling", "string", "how the state was found; states are not uniform unless it is so"),
    Column("family", "string", "key of the family that the state belongs to", role="family"),
    Column("canonical", "string", "the least of the state's 48 symmetric images", role="canonical"),
    Column("exhausted", "int8", "all shorter maneuvers up to this length were searched"),
    Column("table_hash", "string", "hash of the pruning table that the search used"),
    Column("nodes", "int64", "positions that the search visited"),
)

_values = itemgetter(*(field.name for field in fields(CertifiedState)))
_state = maker(CertifiedState)


def encode(state: CertifiedState) -> dict[str, Any]:
    """Return the certificate columns of a state."""
    undone = notation.format(notation.invert(state.witness))
    return {
        column.name: undone if column.name == "scramble" else getattr(state, column.name)
        for column in COLUMNS
    }


def decode(row: Mapping[str, Any]) -> CertifiedState:
    """Return the state that a row holds."""
    return _state(*_values(row))


def group(state: CertifiedState) -> str:
    """Return the group of a row about a state: the state itself, as its facelet string.

    Rows of one state are one puzzle asked in several ways; its symmetric images, of the same
    family, are other puzzles to a player. At depths 1 to 3 all families there are come in, so they
    are strata and no sample: intervals over states cover as they say whatever families have in
    common, and intervals over families are two to three times too wide. (Splits never share a
    family; the column of that name sees to it.)
    """
    return state.facelets


def faults(state: CertifiedState) -> list[str]:
    """Return what simulation finds false about a state, in words; empty if nothing."""
    try:
        return problems(state)
    except ValueError as error:
        return [f"the certificate cannot be read: {error}"]


def claims(state: CertifiedState) -> tuple[Claim, ...]:
    """Return the claim that the state has the depth it says."""
    return (distance_claim(state.facelets, state.metric, state.optimal_depth, state.solution),)
