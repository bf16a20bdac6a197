"""All positions, counted through the certifier's coordinates, are as many as is known."""

from itertools import islice

import census
import numpy as np
import pytest
import symmetric_classes
from cube_batches import states_to_array
from cube_twins import stabilizer_orders
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.cube.engine import cubies, moves, symmetry
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import SOLVED, Metric

POSITIONS: dict[Metric, list[int]] = {
    "htm": [1, 18, 243, 3240, 43239, 574908, 7618438, 100803036, 1332343288],
    "qtm": [1, 12, 114, 1068, 10011, 93840, 878880, 8221632, 76843595],
}
"""Positions at depth 0, 1, ...: Rokicki, Kociemba, Davidson, Dethridge (2010, 2014)."""

words = st.lists(st.sampled_from(FACE_MOVES), max_size=30).map(tuple)


def state_number(state: str) -> int:
    return census.position_number(cubies.from_facelets(state))


@pytest.mark.parametrize(("metric", "depth"), [("htm", 5), ("qtm", 6)])
def test_shallow_shells_have_the_published_sizes(metric: Metric, depth: int) -> None:
    found = [shell.positions for shell in islice(census.iterate_shells(metric), depth + 1)]
    assert found == POSITIONS[metric][: depth + 1]


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_shells_to_depth_eight_have_the_published_sizes(metric: Metric) -> None:
    found = list(islice(census.iterate_shells(metric), 9))
    assert [shell.depth for shell in found] == list(range(9))
    assert [shell.positions for shell in found] == POSITIONS[metric]


def test_threads_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(census, "_CHUNK", 7)
    alone = list(islice(census.iterate_shells("htm", threads=1), 5))
    assert alone == list(islice(census.iterate_shells("htm", threads=3), 5))
    assert [shell.distinct_count for shell in alone] == [1, 2, 9, 75, 934]


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_positions_up_to_symmetry_are_those_of_a_twin(metric: Metric) -> None:
    """Breadth-first on stickers, with the engine's own symmetries."""
    turns = [m for m in FACE_MOVES if metric == "htm" or "2" not in m]
    seen, shell, counts = {SOLVED}, {SOLVED}, [1]
    for _ in range(3):
        reached = {moves.apply_maneuver(state, (turn,)) for state in shell for turn in turns}
        shell = {symmetry.canonical_image(state)[0] for state in reached} - seen
        seen |= shell
        counts.append(len(shell))
    assert [s.distinct_count for s in islice(census.iterate_shells(metric), 4)] == counts


@settings(max_examples=30)
@given(words, words)
def test_a_number_stands_for_the_symmetric_images_and_nothing_else(
    word: tuple[str, ...], other: tuple[str, ...]
) -> None:
    state, second = moves.apply_maneuver(SOLVED, word), moves.apply_maneuver(SOLVED, other)
    images = {state_number(symmetry.transform_state(state, s)) for s in range(symmetry.COUNT)}
    assert images == {state_number(state)}
    same = symmetry.canonical_image(state)[0] == symmetry.canonical_image(second)[0]
    assert (state_number(state) == state_number(second)) == same


@settings(max_examples=30)
@given(words)
def test_moves_and_symmetries_of_a_number_are_those_of_its_state(word: tuple[str, ...]) -> None:
    state = moves.apply_maneuver(SOLVED, word)
    given_number = np.array([state_number(state)], dtype=np.uint64)
    after = [state_number(moves.apply_maneuver(state, (move,))) for move in FACE_MOVES]
    assert sorted(census.expand_positions(given_number, "htm").tolist()) == sorted(after)
    assert census.count_symmetries(given_number).tolist() == [len(symmetry.find_stabilizer(state))]


@pytest.mark.parametrize("name", ["O_h", "T_h", "D_4h", "D_3d", "C_4h", "S_6", "C_3"])
def test_symmetric_positions_count_for_as_many_as_they_have_images(name: str) -> None:
    members = (
        symmetric_classes.symmetric_class(name)[:400:37]
        + symmetric_classes.symmetric_class(name)[1:4]
    )
    numbers = np.array([state_number(state) for state in members], dtype=np.uint64)
    orders = stabilizer_orders(states_to_array(members))
    assert census.count_symmetries(numbers).tolist() == orders.tolist()
    assert min(orders) % len(symmetric_classes.group_symmetries(name)) == 0
