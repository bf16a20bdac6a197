"""Positions at each distance, counted by breadth-first search on arrays of states.

The published counts (Rokicki and others, cube20.org) depend on every face move, on the equality of
states and, in the reduced search, on the canonical form and the stabilizers.
"""

import numpy as np
import numpy.typing as npt
import pytest
from cube_batches import apply_batch, canonical_batch, states_to_array
from cube_twins import stabilizer_orders

from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import FACES, SOLVED, Metric, maneuver_length

States = npt.NDArray[np.uint8]

HTM = [1, 18, 243, 3240, 43239, 574908, 7618438]
QTM = [1, 12, 114, 1068, 10011, 93840, 878880]
REDUCED_HTM = [1, 2, 9, 75, 934, 12077, 159131]
REDUCED_QTM = [1, 1, 5, 25, 219, 1978, 18395]
LETTERS = np.frombuffer(FACES.encode(), dtype=np.uint8)


def _state_keys(states: States) -> npt.NDArray[np.bytes_]:
    """Return one comparable 54-byte string a state."""
    keys: npt.NDArray[np.bytes_] = np.ascontiguousarray(LETTERS[states]).view("S54").ravel()
    return keys


def _select_new(states: States, *known: States) -> States:
    """Return the states without repeats and without those in `known`."""
    keys, first = np.unique(_state_keys(states), return_index=True)
    new = np.ones(len(keys), dtype=bool)
    for shell in known:
        place = np.searchsorted(keys, _state_keys(shell))
        inside = place < len(keys)
        hit = place[inside][keys[place[inside]] == _state_keys(shell)[inside]]
        new[hit] = False
    return states[first[new]]


def _metric_steps(metric: Metric) -> list[int]:
    return [m for m, move in enumerate(FACE_MOVES) if maneuver_length((move,), metric) == 1]


def _search_shells(metric: Metric, depth: int, *, reduced: bool) -> list[States]:
    shells = [states_to_array([SOLVED])]
    for _ in range(depth):
        after = [apply_batch(shells[-1], move) for move in _metric_steps(metric)]
        if reduced:
            after = [canonical_batch(states) for states in after]
        shells.append(_select_new(np.concatenate(after), *shells[-2:]))
    return shells


@pytest.mark.parametrize(("metric", "depth", "counts"), [("htm", 5, HTM), ("qtm", 6, QTM)])
def test_positions_at_each_distance(metric: Metric, depth: int, counts: list[int]) -> None:
    shells = _search_shells(metric, depth, reduced=False)
    assert [len(shell) for shell in shells] == counts[: depth + 1]


@pytest.mark.parametrize(
    ("metric", "counts", "classes"), [("htm", HTM, REDUCED_HTM), ("qtm", QTM, REDUCED_QTM)]
)
def test_positions_up_to_symmetry(metric: Metric, counts: list[int], classes: list[int]) -> None:
    shells = _search_shells(metric, 6, reduced=True)
    assert [len(shell) for shell in shells] == classes
    orbits = [48 // stabilizer_orders(shell) for shell in shells]
    assert [int(sizes.sum()) for sizes in orbits] == counts
