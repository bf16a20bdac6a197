"""Derived states are checked against breadth-first search; wrong claims are found out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.core.seeding import generator
from facelet.generators.cube.distance import derivation, sampling
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.metrics import Metric
from facelet.generators.cube.states.certified import CertifiedState

METRICS: tuple[Metric, ...] = ("htm", "qtm")
SHELLS = {metric: sampling.shells(metric, sampling.EXHAUSTIVE[metric]) for metric in METRICS}
DEEPEST = {metric: sorted(SHELLS[metric][-1]) for metric in METRICS}


def depth_of(facelets: str, metric: Metric) -> int:
    """The twin: look the state up in the shells."""
    return next(depth for depth, shell in enumerate(SHELLS[metric]) if facelets in shell)


def shallow(metric: Metric, seed: int) -> CertifiedState:
    """Return a state of the outermost shell with a random optimal solution."""
    rng = generator("test", "derivation", metric, seed)
    state = DEEPEST[metric][int(rng.integers(len(DEEPEST[metric])))]
    depth = sampling.EXHAUSTIVE[metric]
    return CertifiedState(
        facelets=state,
        metric=metric,
        optimal_depth=depth,
        solution=notation.format(sampling.descend(metric, state, rng)),
        sampling="exhaustive",
        family=symmetry.canonical_with_inverse(state),
        canonical=symmetry.canonical(state)[0],
        exhausted=depth - 1,
        table_hash="shells",
        nodes=7,
    )


states = st.builds(shallow, st.sampled_from(METRICS), st.integers(0, 500))


@settings(max_examples=60, deadline=None)
@given(states, st.integers(0, 47))
def test_images_and_inverses_keep_depth_and_family(state: CertifiedState, s: int) -> None:
    for derived in (derivation.image(state, s), derivation.inverse(state)):
        assert derivation.problems(derived) == []
        assert depth_of(derived.facelets, derived.metric) == derived.optimal_depth
        assert derived.optimal_depth == state.optimal_depth
        assert symmetry.canonical_with_inverse(derived.facelets) == state.family == derived.family
    assert derivation.image(state, s).canonical == state.canonical
    assert derivation.inverse(derivation.inverse(state)) == state


@settings(max_examples=60, deadline=None)
@given(states, st.data())
def test_every_part_of_an_optimal_word_is_optimal(
    state: CertifiedState, data: st.DataObject
) -> None:
    length = len(state.witness)
    start = data.draw(st.integers(0, length - 1))
    stop = data.draw(st.integers(start + 1, length))
    part = derivation.subword(state, start, stop)
    assert derivation.problems(part) == []
    assert depth_of(part.facelets, part.metric) == part.optimal_depth
    assert part.sampling == "subword"
    assert (part.family, part.nodes, part.table_hash) == (state.family, 7, "shells")


def test_a_part_at_the_end_is_on_the_way_to_solved() -> None:
    state = shallow("htm", 1)
    first = state.witness[0]
    assert derivation.subword(state, 1, 4).facelets == moves.apply(state.facelets, (first,))


@pytest.mark.parametrize(("start", "stop"), [(2, 2), (-1, 2), (0, 5), (3, 1)])
def test_a_part_out_of_range_is_refused(start: int, stop: int) -> None:
    with pytest.raises(ValueError, match="0 <= start < stop <= 4"):
        derivation.subword(shallow("htm", 2), start, stop)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"solution": "R"}, "does not solve"),
        ({"optimal_depth": 5}, "not as long"),
        ({"exhausted": 2}, "exhausted to 2"),
        ({"canonical": SOLVED}, "canonical form"),
        ({"facelets": "U" * 54}, "illegal state"),
    ],
)
def test_problems_finds_each_kind_of_damage(change: dict[str, object], complaint: str) -> None:
    state = shallow("htm", 4)
    assert derivation.problems(state) == []
    assert any(complaint in found for found in derivation.problems(replace(state, **change)))


def test_problems_refuses_slices_in_a_witness() -> None:
    # M2 is R2 L2 for all stickers but the centres' turn; a witness is made of face moves.
    state = replace(shallow("htm", 5), solution="M2")
    assert any("no face moves" in found for found in derivation.problems(state))
