"""What the whole suite shares: its settings, and shallow pools that need no solver.

Property tests judge results, never how long they took.
"""

import gc
import json
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from facelet.generators.chamber.maps.map_columns import MapPool
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Need
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.distance.exact_solver import Certificate
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import Maneuver, Metric
from facelet.generators.cube.pools.pool_builder import SlotRange, certify_chunk
from facelet.generators.cube.pools.pool_spec import EXHAUSTIVE, PoolSpec, draw_descent, shells_to
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.pipeline.chamber.maps import maps_of
from facelet.pipeline.cube.table_cache import open_table

settings.register_profile("facelet", deadline=None)
settings.load_profile("facelet")

distance_oracle.read_tables_from(partial(open_table, progress=False))

Pools = Callable[..., CertifiedStates]


# What is collected lives as long as the run: looking for garbage in it costs seconds a worker.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage again, but not in what was collected."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what `some(n)` leaves out: of the cases that are not slow all but each n-th."""
    seen: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("some")
        if mark and not item.get_closest_marker("slow"):
            test = item.nodeid.partition("[")[0]
            if seen[test] % mark.args[0]:
                item.add_marker("slow")
            seen[test] += 1


@lru_cache(maxsize=64)
def make_pool(
    metric: Metric = "htm", depth: int = 1, count: int = 100, neighbours: bool = False
) -> CertifiedStates:
    """Return at most `count` states of a depth, in a seeded order.

    Depths that breadth-first search reaches (and, with neighbours, one less) are exact; deeper
    states come from random words that are taken to be shortest, which no task looks at.
    """
    rng = make_generator("tests", metric, depth)
    if depth <= EXHAUSTIVE[metric]:
        shell = sorted(shells_to(metric, depth)[depth])
        chosen = [shell[int(place)] for place in rng.permutation(len(shell))[:count]]
        solved_by = [draw_descent(metric, state, rng) for state in chosen]
    else:
        solved_by = [
            notation.invert_maneuver(scrambles.random_word(metric, depth, rng))
            for _ in range(count)
        ]
        chosen = [
            moves.apply_maneuver(notation.SOLVED, notation.invert_maneuver(word))
            for word in solved_by
        ]
    states = tuple(
        CertifiedState(
            facelets=state,
            metric=metric,
            optimal_depth=depth,
            solution=notation.format_maneuver(solution),
            sampling="exhaustive",
            family=symmetry.canonical_with_inverse(state),
            canonical=symmetry.canonical_image(state)[0],
            exhausted=depth - 1,
            table_hash="0" * 32,
            nodes=1,
        )
        for state, solution in zip(chosen, solved_by, strict=True)
    )
    table = _neighbour_distances(metric, depth, chosen) if neighbours else None
    return CertifiedStates(metric, depth, states, table)


class TaskSearch:
    """What a pool asks of a solver, by the search that tasks use."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    def certify_state(self, facelets: str, solution: Maneuver) -> Certificate:
        length, _, shortest = distance_oracle.find_progress(self.metric, facelets)
        return Certificate(facelets, self.metric, length, shortest, length - 1, "0" * 32, 1, 0.0)

    def neighbour_distances(self, facelets: str, depth: int) -> np.ndarray:
        after = [moves.apply_maneuver(facelets, (move,)) for move in moves.FACE_MOVES]
        return np.array(
            [distance_oracle.exact_distance(self.metric, state) for state in after], dtype=np.int8
        )


@lru_cache(maxsize=16)
def make_scrambles(metric: Metric, length: int, count: int = 100) -> CertifiedStates:
    """Return a pool of scrambles with the distances of their neighbours."""
    spec = PoolSpec(metric, length, "test", (("test", 1),), 0, count, scrambled=True)
    return certify_chunk(spec, SlotRange(0, count), TaskSearch(metric), neighbours=True)


def _neighbour_distances(metric: Metric, depth: int, states: list[str]) -> np.ndarray:
    shells = shells_to(metric, EXHAUSTIVE[metric])
    distance = {state: place for place, shell in enumerate(shells) for state in shell}
    rows = [
        [distance[moves.apply_maneuver(state, (move,))] for move in moves.FACE_MOVES]
        for state in states
    ]
    return np.array(rows, dtype=np.int8)


@lru_cache(maxsize=1)
def make_maps() -> MapPool:
    """Return maps of chambers that were made with the default knobs once and recorded."""
    path = Path(__file__).parent / "shared" / "chamber_maps.json"
    return maps_of(json.loads(path.read_text()))


def make_resource(need: Need | None) -> Any:
    """Return a small resource of the kind that a task needs."""
    if need is None:
        return None
    args = dict(need.args)
    if need.kind == "cube/states":
        if args.get("scrambled"):
            return make_scrambles(args["metric"], args["depth"])
        return make_pool(args["metric"], args["depth"], 100, bool(args["neighbours"]))
    if need.kind == "chamber/maps":
        return make_maps()
    raise ValueError(f"tests/conftest.py makes no resource of kind {need.kind!r}; teach it to")


@pytest.fixture(scope="session")
def resource() -> Callable[[Need | None], Any]:
    """Return the maker of small resources; see `make_resource`."""
    return make_resource


@pytest.fixture(scope="session")
def pools() -> Pools:
    """Return the maker of shallow pools; see `make_pool`."""
    return make_pool
