"""Columns hold a certified state, and what simulation can refute is refuted."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.states import certified_states, state_task
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates


@pytest.fixture
def state(pools: Callable[..., CertifiedStates]) -> CertifiedState:
    return pools("htm", 3).states[0]


def test_a_row_holds_the_state(state: CertifiedState) -> None:
    row = certified_states.encode_state(state)
    assert list(row) == [column.name for column in certified_states.COLUMNS]
    assert certified_states.decode_state(row) == state
    assert certified_states.find_state_faults(state) == []


def test_the_scramble_makes_what_the_solution_solves(state: CertifiedState) -> None:
    row = certified_states.encode_state(state)
    assert moves.apply_maneuver(SOLVED, row["scramble"]) == state.facelets
    assert moves.apply_maneuver(state.facelets, row["solution"]) == SOLVED


def test_the_claim_is_the_depth_with_its_witness(state: CertifiedState) -> None:
    (claim,) = certified_states.depth_claims(state)
    assert dict(claim.args) == {
        "facelets": state.facelets,
        "metric": "htm",
        "depth": 3,
        "solution": state.solution,
    }


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"facelets": SOLVED}, "the witness does not solve"),
        ({"facelets": SOLVED[::-1]}, "illegal state"),
        ({"solution": "U"}, "the witness does not solve"),
        ({"solution": "sideways"}, "cannot be read"),
        ({"solution": "M2"}, "no face moves"),
        ({"metric": "stm"}, "unknown metric 'stm'"),
        ({"optimal_depth": 4}, "not as long as the depth"),
        ({"exhausted": 1}, "exhausted to 1, not to 2"),
        ({"canonical": SOLVED}, "canonical form is another state's"),
    ],
)
def test_false_certificates_are_found(
    state: CertifiedState, changes: dict[str, Any], fault: str
) -> None:
    found = certified_states.find_state_faults(replace(state, **changes))
    assert any(fault in each for each in found), found


def test_params_name_their_bounds() -> None:
    with pytest.raises(ValueError, match="depth=21 is out of range; use a whole number 1 to 20"):
        state_task.CubeParams(depth=21).validate()
    state_task.CubeParams(metric="qtm", depth=26).validate()
    with pytest.raises(ValueError, match="metric='stm' is unknown; use one of htm, qtm"):
        state_task.CubeParams(metric="stm").validate()  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="depth=True is out of range"):
        state_task.CubeParams(depth=True).validate()
    assert state_task.CubeParams(depth=7).difficulty().label == "d07"
