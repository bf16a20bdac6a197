"""Images of states whose front faces are near: what they are, and that they are nearer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import is_solved
from facelet.generators.cube.questions.statements import front
from facelet.generators.cube.questions.turning import turned
from facelet.generators.options.pairing import pair_up

Pools = Callable[..., Any]


def differing(states: Any) -> float:
    faces = [front(state.facelets) for state in states]
    order = pair_up(faces, faces)
    pairs = zip(order[::2], order[1::2], strict=False)
    apart = [sum(map(str.__ne__, faces[a], faces[b])) for a, b in pairs]
    return sum(apart) / len(apart)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_they_are_other_states_of_the_same_class_and_depth(pools: Pools, depth: int) -> None:
    states = pools("htm", depth).states
    found = turned(states, front, lambda face: face)
    assert len({state.facelets for state in found}) == len(states)
    for before, after in zip(states, found, strict=True):
        assert after.canonical == before.canonical and after.family == before.family
        assert len(after.witness) == len(before.witness) == depth
        assert is_solved(moves.apply(after.facelets, after.witness))
    assert found == turned(states, front, lambda face: face)


def test_pairs_of_them_differ_in_half_as_many_stickers(pools: Pools) -> None:
    states = pools("htm", 5).states
    assert differing(turned(states, front, lambda face: face)) < 0.6 * differing(states)
