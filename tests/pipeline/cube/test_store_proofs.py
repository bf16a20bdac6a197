"""Proofs by search: pools as a build makes them, and parts of what the store claims.

A whole proof of a stored state takes seconds to minutes, which is `facelet verify`'s business; but
every part of an optimal solution is optimal, and short parts are proven in milliseconds.
"""

from __future__ import annotations

from functools import cache

import pytest
import search_findings

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine.notation import Metric
from facelet.generators.cube.pools import pool_builder
from facelet.generators.cube.pools.pool_spec import PoolSpec
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.pipeline.cube import store
from facelet.pipeline.cube.table_cache import open_table

SPLITS = (("test", 1), ("train", 3))


@cache
def load_solver(metric: Metric) -> ExactSolver:
    return ExactSolver(open_table(f"{metric}-small", progress=False))


def prove_pool(spec: PoolSpec, *, neighbours: bool = False) -> CertifiedStates:
    stored = store.load_editions(spec.metric)
    parts = [
        pool_builder.certify_chunk(
            spec, chunk, load_solver(spec.metric), stored=stored, neighbours=neighbours
        )
        for chunk in pool_builder.candidate_chunks(spec)
    ]
    return pool_builder.merge_chunks(spec, parts, load_solver(spec.metric), neighbours=neighbours)


@pytest.mark.parametrize("metric", store.METRICS)
@pytest.mark.parametrize("depth", [3, 8, 11])
def test_pools_hold_states_of_exactly_their_depth(metric: Metric, depth: int) -> None:
    spec = PoolSpec(metric, depth, "test", SPLITS, seed=3, count=8)
    made = prove_pool(spec, neighbours=depth < 9)
    assert made.capacity == min(8, len({state.facelets for state in made.states}))
    for number, state in enumerate(made.states):
        assert certified_states.find_state_faults(state) == []
        assert state.table_hash == load_solver(metric).table_hash
        assert load_solver(metric).exact_distance(state.facelets) == depth
        if made.neighbours is not None:
            exact = load_solver(metric).neighbour_distances(state.facelets, depth)
            assert list(made.neighbours[number]) == list(exact)


@pytest.mark.parametrize(
    ("metric", "depth"),
    [("htm", 17), ("htm", 18), ("htm", 19), ("htm", 20), ("qtm", 21), ("qtm", 22)],
)
def test_deep_pools_come_from_the_store_and_need_no_search(metric: Metric, depth: int) -> None:
    made = prove_pool(PoolSpec(metric, depth, "test", (("test", 1),), seed=5, count=5))
    assert made.capacity == 5
    for state in made.states:
        assert certified_states.find_state_faults(state) == []
        assert state.sampling.startswith("stored/")


@pytest.mark.parametrize("metric", store.METRICS)
def test_parts_of_stored_solutions_are_optimal(metric: Metric) -> None:
    rng = make_generator("test", "parts of stored solutions")
    stored = store.load_states(metric)
    chosen = rng.permutation(len(stored))[:150]
    for state in (stored[int(place)] for place in chosen):
        moves = len(state.witness_moves)
        width = 10 if metric == "htm" else 9
        start = int(rng.integers(moves - width + 1))
        part = search_findings.derive_subword(state, start, start + width)
        assert load_solver(metric).exact_distance(part.facelets) == part.optimal_depth
