"""Derived states are checked against breadth-first search; wrong claims are found out."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache

import pytest
import search_findings
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import Metric
from facelet.generators.cube.pools.pool_spec import EXHAUSTIVE, draw_descent, shells_to
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState

METRICS: tuple[Metric, ...] = ("htm", "qtm")


def metric_shells(metric: Metric) -> Sequence[Container[str]]:
    return shells_to(metric, EXHAUSTIVE[metric])


@lru_cache
def deepest_states(metric: Metric) -> list[str]:
    return sorted(shells_to(metric, EXHAUSTIVE[metric])[-1])


def lookup_depth(facelets: str, metric: Metric) -> int:
    """The twin: look the state up in the shells."""
    return next(depth for depth, shell in enumerate(metric_shells(metric)) if facelets in shell)


def draw_outermost(metric: Metric, seed: int) -> CertifiedState:
    """Return a state of the outermost shell with a random optimal solution."""
    rng = make_generator("test", "derivation", metric, seed)
    state = deepest_states(metric)[int(rng.integers(len(deepest_states(metric))))]
    depth = EXHAUSTIVE[metric]
    return CertifiedState(
        facelets=state,
        metric=metric,
        optimal_depth=depth,
        solution=notation.format_maneuver(draw_descent(metric, state, rng)),
        sampling="exhaustive",
        family=symmetry.canonical_with_inverse(state),
        canonical=symmetry.canonical_image(state)[0],
        exhausted=depth - 1,
        table_hash="shells",
        nodes=7,
    )


states = st.builds(draw_outermost, st.sampled_from(METRICS), st.integers(0, 500))


@settings(max_examples=60, deadline=None)
@given(states, st.integers(0, 47))
def test_images_and_inverses_keep_depth_and_family(state: CertifiedState, s: int) -> None:
    for derived in (
        certified_states.transform_certified(state, s),
        certified_states.invert_certified(state),
    ):
        assert certified_states.find_state_faults(derived) == []
        assert lookup_depth(derived.facelets, derived.metric) == derived.optimal_depth
        assert derived.optimal_depth == state.optimal_depth
        assert symmetry.canonical_with_inverse(derived.facelets) == state.family == derived.family
    assert certified_states.transform_certified(state, s).canonical == state.canonical
    assert certified_states.invert_certified(certified_states.invert_certified(state)) == state


@settings(max_examples=60, deadline=None)
@given(states, st.data())
def test_every_part_of_an_optimal_word_is_optimal(
    state: CertifiedState, data: st.DataObject
) -> None:
    length = len(state.witness_moves)
    start = data.draw(st.integers(0, length - 1))
    stop = data.draw(st.integers(start + 1, length))
    part = search_findings.derive_subword(state, start, stop)
    assert certified_states.find_state_faults(part) == []
    assert lookup_depth(part.facelets, part.metric) == part.optimal_depth
    assert part.sampling == "subword"
    assert (part.family, part.nodes, part.table_hash) == (state.family, 7, "shells")


def test_a_part_at_the_end_is_on_the_way_to_solved() -> None:
    state = draw_outermost("htm", 1)
    first = state.witness_moves[0]
    assert search_findings.derive_subword(state, 1, 4).facelets == moves.apply_maneuver(
        state.facelets, (first,)
    )


@pytest.mark.parametrize(("start", "stop"), [(2, 2), (-1, 2), (0, 5), (3, 1)])
def test_a_part_out_of_range_is_refused(start: int, stop: int) -> None:
    with pytest.raises(ValueError, match="0 <= start < stop <= 4"):
        search_findings.derive_subword(draw_outermost("htm", 2), start, stop)
