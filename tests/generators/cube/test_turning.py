"""Images of states whose front faces are near: what they are, and that they are nearer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import is_solved
from facelet.generators.cube.questions.face_statements import front_face
from facelet.generators.cube.tasks.verification import turn_states
from facelet.generators.options.true_false_pairs import pair_up

Pools = Callable[..., Any]


def mean_difference(states: Any) -> float:
    faces = [front_face(state.facelets) for state in states]
    order = pair_up(faces, faces)
    pairs = zip(order[::2], order[1::2], strict=False)
    apart = [sum(map(str.__ne__, faces[a], faces[b])) for a, b in pairs]
    return sum(apart) / len(apart)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_they_are_other_states_of_the_same_class_and_depth(pools: Pools, depth: int) -> None:
    states = pools("htm", depth).states
    found = turn_states(states, front_face, lambda face: face)
    assert len({state.facelets for state in found}) == len(states)
    for before, after in zip(states, found, strict=True):
        assert after.canonical == before.canonical and after.family == before.family
        assert len(after.witness_moves) == len(before.witness_moves) == depth
        assert is_solved(moves.apply_maneuver(after.facelets, after.witness_moves))
    assert found == turn_states(states, front_face, lambda face: face)


def test_pairs_of_them_differ_in_half_as_many_stickers(pools: Pools) -> None:
    states = pools("htm", 5).states
    assert mean_difference(
        turn_states(states, front_face, lambda face: face)
    ) < 0.6 * mean_difference(states)
