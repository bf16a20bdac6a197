"""Certificate columns hold a state, and what simulation can refute is refuted."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from generators.cube import knobs, rows
from generators.cube.engine import moves
from generators.cube.engine.facelets import SOLVED
from generators.cube.states import CertifiedState, CertifiedStates


@pytest.fixture
def state(pools: Callable[..., CertifiedStates]) -> CertifiedState:
    return pools("htm", 3).states[0]


def test_a_row_holds_the_state(state: CertifiedState) -> None:
    row = rows.encode(state)
    assert list(row) == [column.name for column in rows.COLUMNS]
    assert rows.decode(row) == state
    assert rows.faults(state) == []


def test_the_scramble_makes_what_the_solution_solves(state: CertifiedState) -> None:
    row = rows.encode(state)
    assert moves.apply(SOLVED, row["scramble"]) == state.facelets
    assert moves.apply(state.facelets, row["solution"]) == SOLVED


def test_the_claim_is_the_depth_with_its_witness(state: CertifiedState) -> None:
    (claim,) = rows.claims(state)
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
        ({"optimal_depth": 4}, "not as long as the depth"),
        ({"exhausted": 1}, "exhausted to 1, not to 2"),
        ({"canonical": SOLVED}, "canonical form is another state's"),
    ],
)
def test_false_certificates_are_found(
    state: CertifiedState, changes: dict[str, Any], fault: str
) -> None:
    found = rows.faults(replace(state, **changes))
    assert any(fault in each for each in found), found


def test_knobs_name_their_bounds() -> None:
    with pytest.raises(ValueError, match="depth=21 is out of range; use a whole number 1 to 20"):
        knobs.check_depth("htm", 21)
    knobs.check_depth("qtm", 26)
    with pytest.raises(ValueError, match="metric='stm' is unknown; use one of htm, qtm"):
        knobs.check_depth("stm", 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="depth=True is out of range"):
        knobs.check_depth("htm", True)
    assert knobs.difficulty(7).label == "d07"
