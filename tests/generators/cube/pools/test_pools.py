"""Pools are distinct, seeded slot by slot, disjoint by family, and as large as their depth allows.

The prover here is a slow twin that knows the shells around solved; the solver's own proofs are
tested with the solver.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import COST, SOLVED, Metric
from facelet.generators.cube.pools import pool_builder
from facelet.generators.cube.pools.pool_builder import SlotRange
from facelet.generators.cube.pools.pool_spec import PoolSpec, shells_to, split_of
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates

ALL = (("test", 1),)
THREE = (("train", 8), ("validation", 1), ("test", 1))


class Twin:
    """Distances by breadth-first search from solved, met by one or two moves from the state."""

    def __init__(self, metric: Metric) -> None:
        self.metric: Metric = metric
        self.shells = shells_to(metric, 4)

    def find_distance(self, facelets: str) -> int:
        ball = {facelets}
        for walked in range(3):
            for depth, shell in enumerate(self.shells):
                if not ball.isdisjoint(shell):
                    return walked + depth
            ball = {moves.apply_maneuver(s, (m,)) for s in ball for m in self.metric_moves()}
        raise AssertionError(f"{facelets} is too deep for the twin")

    def metric_moves(self) -> list[str]:
        return [m for i, m in enumerate(moves.FACE_MOVES) if COST[self.metric][i % 3] == 1]

    def certify_state(self, facelets: str, solution: tuple[str, ...]) -> Any:
        assert moves.apply_maneuver(facelets, solution) == SOLVED
        depth = self.find_distance(facelets)
        return SimpleNamespace(
            optimal_length=depth, exhausted=depth - 1, table_hash="twin", nodes=1
        )

    def neighbour_distances(self, facelets: str, depth: int) -> np.ndarray[Any, Any]:
        assert self.find_distance(facelets) == depth
        after = [self.find_distance(moves.apply_maneuver(facelets, (m,))) for m in moves.FACE_MOVES]
        return np.array(after, dtype=np.int8)


def make_spec(depth: int, count: int = 100, **changes: Any) -> PoolSpec:
    values: dict[str, Any] = {"metric": "htm", "split": "test", "splits": ALL, "seed": 0}
    return PoolSpec(**{**values, "depth": depth, "count": count, "stored_from": 17, **changes})


def make_pool(
    spec: PoolSpec,
    stored: tuple[CertifiedState, ...] = (),
    editions: tuple[tuple[CertifiedState, ...], ...] = (),
    **kwargs: Any,
) -> CertifiedStates:
    prover = Twin(spec.metric)
    parts = [
        pool_builder.certify_chunk(spec, chunk, prover, stored=editions or (stored,), **kwargs)
        for chunk in pool_builder.candidate_chunks(spec)
    ]
    return pool_builder.merge_chunks(spec, parts, prover, **kwargs)


@pytest.mark.parametrize(
    ("metric", "depth", "classes", "states"),
    [
        ("htm", 1, 2, 18),
        ("htm", 2, 9, 100),
        ("htm", 3, 75, 100),
        ("htm", 4, 100, 100),
        ("qtm", 1, 1, 12),
        ("qtm", 2, 5, 100),
        ("qtm", 3, 25, 100),
        ("qtm", 4, 100, 100),
    ],
)
def test_shallow_pools_take_every_class_before_any_image(
    metric: Metric, depth: int, classes: int, states: int
) -> None:
    made = make_pool(make_spec(depth, metric=metric))
    assert made.capacity == states
    assert len({state.facelets for state in made.states}) == states
    assert len({state.canonical for state in made.states[:classes]}) == classes
    assert len({state.canonical for state in made.states}) == classes
    for state in made.states:
        assert certified_states.find_state_faults(state) == []
        assert state.sampling == "exhaustive"
        assert Twin(metric).find_distance(state.facelets) == depth == state.optimal_depth


def test_a_shallow_pool_asked_for_more_holds_all_positions() -> None:
    made = make_pool(make_spec(2, count=1000))
    assert {state.facelets for state in made.states} == shells_to("htm", 2)[2]
    assert pool_builder.describe_shortfall(make_spec(2, count=1000), made).startswith(
        "243 of 1000 states of htm depth 2"
    )
    assert pool_builder.describe_shortfall(make_spec(2, count=243), made) == ""


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_drawn_pools_are_exact_and_distinct(metric: Metric) -> None:
    made = make_pool(make_spec(6, count=12, metric=metric))
    assert made.capacity == 12 == len({state.canonical for state in made.states})
    for state in made.states:
        assert certified_states.find_state_faults(state) == []
        assert state.sampling == "random_word"
        assert state.family == symmetry.canonical_with_inverse(state.facelets)
        assert Twin(metric).find_distance(state.facelets) == 6


def test_drawn_duplicates_are_replaced_from_further_slots() -> None:
    """At depth 5 there are 12,077 classes: 400 draws repeat some."""
    asked = make_spec(5, count=400)
    prover = Twin("htm")
    parts = [
        pool_builder.certify_chunk(asked, chunk, prover)
        for chunk in pool_builder.candidate_chunks(asked)
    ]
    drawn = [state.canonical for part in parts for state in part.states]
    assert len(set(drawn)) < len(drawn) == 400
    made = pool_builder.merge_chunks(asked, parts, prover)
    assert len({state.canonical for state in made.states}) == made.capacity == 400
    assert [s.canonical for s in made.states][: len(set(drawn))] == list(dict.fromkeys(drawn))


@pytest.mark.parametrize("depth", [2, 4, 5])
def test_a_small_pool_begins_a_large_one_however_it_is_chunked(depth: int) -> None:
    large = make_pool(make_spec(depth, count=60))
    assert make_pool(make_spec(depth, count=25)).states == large.states[:25]
    prover = Twin("htm")
    asked = make_spec(depth, count=60)
    parts = [
        pool_builder.certify_chunk(asked, SlotRange(start, min(start + 7, 60)), prover)
        for start in range(0, 60, 7)
    ]
    assert pool_builder.merge_chunks(asked, parts, prover).states == large.states


def test_seeds_and_splits_give_other_pools() -> None:
    first = {state.facelets for state in make_pool(make_spec(5, count=20)).states}
    assert first.isdisjoint(
        state.facelets for state in make_pool(make_spec(5, count=20, seed=1)).states
    )
    order = [state.facelets for state in make_pool(make_spec(3)).states]
    assert order != [state.facelets for state in make_pool(make_spec(3, seed=1)).states]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_splits_are_disjoint_by_family(depth: int) -> None:
    families: dict[str, set[str]] = {}
    for name, _ in THREE:
        made = (
            make_pool(make_spec(depth, count=40, split=name, splits=THREE))
            if depth < 5
            else make_pool(make_spec(depth, count=10, split=name, splits=THREE))
        )
        families[name] = {symmetry.canonical_with_inverse(s.facelets) for s in made.states}
        assert families[name] == {state.family for state in made.states}
        assert all(split_of(family, THREE) == name for family in families[name])
    assert sum(map(len, families.values())) == len(set().union(*families.values()))


def test_split_shares_follow_the_weights() -> None:
    names = [split_of(f"family {i}", THREE) for i in range(5000)]
    assert 3850 < names.count("train") < 4150
    assert 430 < names.count("validation") < 570
    assert split_of("family 0", (("only", 3),)) == "only"


def test_neighbour_distances_come_with_the_pool_and_stay_aligned() -> None:
    made = make_pool(make_spec(3), neighbours=True)
    assert made.neighbours is not None
    assert made.neighbours.shape == (100, 18)
    assert made.neighbours.dtype == np.int8
    for state, row in zip(made.states[:10], made.neighbours, strict=False):
        assert list(row) == list(Twin("htm").neighbour_distances(state.facelets, 3))
    assert made.states == make_pool(make_spec(3)).states
    assert make_pool(make_spec(3)).neighbours is None


def test_witnesses_are_not_the_solver_s_favourites() -> None:
    """Of the two orders of a commuting pair, witnesses use both."""
    text = " | ".join(state.solution for state in make_pool(make_spec(5, count=100)).states)
    for first, second in (("U", "D"), ("R", "L"), ("F", "B")):
        for a, b in ((first, second), (second, first)):
            assert any(f"{a}{x} {b}" in text for x in ("", "2", "'")), (a, b)


def make_stored_rows(count: int, depth: int = 6) -> tuple[CertifiedState, ...]:
    """Make a store of the twin's proofs, with two ways of sampling."""
    made = make_pool(make_spec(depth, count=count, seed=99)).states
    return tuple(
        replace(state, sampling="random_state" if index % 3 == 0 else "subword")
        for index, state in enumerate(made)
    )


def test_stored_states_come_in_images_then_inverses() -> None:
    rows = make_stored_rows(9)
    asked = make_spec(6, count=100, stored_from=6)
    made = make_pool(asked, stored=rows)
    forms = [state.canonical for state in made.states]
    assert set(forms[:9]) == {row.canonical for row in rows}
    assert len(set(forms)) == len(forms) > 9
    assert [state.sampling for state in made.states[:9]] == (
        ["stored/random_state"] * 3 + ["stored/subword"] * 6
    )
    assert {state.facelets for state in made.states[:9]} != {row.facelets for row in rows}
    for state in made.states:
        assert certified_states.find_state_faults(state) == []
        assert Twin("htm").find_distance(state.facelets) == 6
        assert symmetry.canonical_with_inverse(state.facelets) == state.family
    assert "all that it takes of the store" in pool_builder.describe_shortfall(asked, made)
    assert make_pool(replace(asked, count=4), stored=rows).states == made.states[:4]


def test_what_the_store_lacks_is_drawn_and_nothing_twice() -> None:
    """At depth 5, where 130 draws repeat some of 300 stored states and of each other."""
    rows = make_stored_rows(300, depth=5)
    whole = make_spec(5, count=10**6, stored_from=5)
    (kept,) = {chunk.stop for chunk in pool_builder.candidate_chunks(whole)}
    every = pool_builder.certify_chunk(
        whole, SlotRange(0, kept), Twin("htm"), stored=(rows,)
    ).states
    asked = make_spec(5, count=len(every) + 130, stored_from=5, held=len(every))
    made = make_pool(asked, stored=rows)
    assert made.states[: len(every)] == every
    assert made.capacity == asked.count == len({state.canonical for state in made.states})
    assert pool_builder.describe_shortfall(asked, made) == ""
    drawn = made.states[len(every) :]
    for state in drawn:
        assert certified_states.find_state_faults(state) == []
        assert state.sampling == "random_word"
        assert Twin("htm").find_distance(state.facelets) == 5
    words = make_pool(make_spec(5, count=140)).states
    repeats = {state.canonical for state in words} & {state.canonical for state in every}
    assert repeats and repeats.isdisjoint(state.canonical for state in drawn)
    # The words are those of a pool without a store, and a larger store moves none of them.
    assert {s.facelets for s in drawn[:120]} <= {s.facelets for s in words}
    fewer = replace(asked, count=len(every) + 50)
    assert make_pool(fewer, stored=rows).states == made.states[: fewer.count]
    across = [
        pool_builder.certify_chunk(
            asked, SlotRange(start, min(start + 61, asked.count)), Twin("htm"), stored=(rows,)
        )
        for start in range(0, asked.count, 61)
    ]
    assert pool_builder.merge_chunks(asked, across, Twin("htm")).states == made.states


def test_a_store_that_grows_changes_no_state_of_a_pool() -> None:
    """Later editions follow the earlier ones, also where they have a state again, or a better."""
    rows = make_stored_rows(14)
    old, again = rows[5:], replace(rows[8], sampling="random_state")
    new = (*rows[:5], again)
    asked = make_spec(6, count=100, stored_from=6)
    before, after = make_pool(asked, stored=old), make_pool(asked, editions=(old, new))
    assert after.states[: before.capacity] == before.states
    assert after.capacity > before.capacity
    assert {row.canonical for row in rows} <= {state.canonical for state in after.states}
    assert make_pool(asked, stored=(*old, *new)).states[: before.capacity] != before.states
    other = (replace(rows[0], optimal_depth=7),)
    assert make_pool(asked, editions=(other, old)).states == before.states


def test_every_seed_gets_its_own_images_of_the_stored_states() -> None:
    rows = make_stored_rows(6)
    one, two = (
        {
            s.facelets
            for s in make_pool(make_spec(6, count=6, seed=seed, stored_from=6), stored=rows).states
        }
        for seed in (0, 1)
    )
    assert len(one & two) < 3


def test_stored_states_respect_the_splits_of_their_families() -> None:
    rows = make_stored_rows(12)
    found: list[str] = []
    for name, _ in THREE:
        made = make_pool(make_spec(6, split=name, splits=THREE, stored_from=6), stored=rows)
        assert all(split_of(state.family, THREE) == name for state in made.states)
        found += {state.family for state in made.states}
    assert sorted(found) == sorted({row.family for row in rows})


def test_a_depth_that_the_store_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no certified state of htm depth 19; it has the depths"):
        make_pool(make_spec(19), stored=make_stored_rows(2))


def test_a_damaged_store_is_refused() -> None:
    rows = make_stored_rows(2)
    damaged = (replace(rows[0], solution="R U R' U' R U"), rows[1])
    with pytest.raises(ValueError, match="the witness does not solve"):
        make_pool(make_spec(6, stored_from=6), stored=damaged)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric": "stm"}, "not one of 'htm', 'qtm'"),
        ({"depth": 0}, "allowed: 1 to 20"),
        ({"depth": 21}, "allowed: 1 to 20"),
        ({"depth": 27, "metric": "qtm"}, "allowed: 1 to 26"),
        ({"split": "dev"}, "split 'dev'"),
        ({"splits": (("test", 0),)}, "positive integers"),
        ({"splits": (("test", 1), ("test", 2))}, "distinct splits"),
        ({"count": 0}, "count is 0"),
        ({"held": 3}, "needs a pool of the store"),
        ({"depth": 17, "held": 100}, "held=100 needs .* 0 <= held < count, which is 100"),
    ],
)
def test_bad_specs_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_spec(**{"depth": 5, **changes})


def test_sources_by_depth() -> None:
    sources = [make_spec(depth, stored_from=None).state_source for depth in range(1, 21)]
    assert sources == ["exhaustive"] * 4 + ["random_word"] * 12 + ["store"] * 4
    assert make_spec(5, metric="qtm").state_source == "exhaustive"


def test_chunks_cover_the_slots_once_and_do_not_grow_with_depth() -> None:
    sizes = []
    for depth in range(1, 17):
        chunks = pool_builder.candidate_chunks(make_spec(depth, count=501))
        assert [s for c in chunks for s in range(c.start, c.stop)] == list(range(501))
        sizes.append(chunks[0].stop)
    assert sizes == sorted(sizes, reverse=True)


def test_pools_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests_pool import make_pool, make_spec\n"
        "pools = [make_pool(make_spec(depth, count=8)) for depth in (3, 5)]\n"
        "print([(s.facelets, s.solution) for pool in pools for s in pool.states])"
    )
    shown = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        bootstrap = (
            "import importlib.util, sys\n"
            f"loader = importlib.util.spec_from_file_location('tests_pool', {__file__!r})\n"
            "module = importlib.util.module_from_spec(loader)\n"
            "sys.modules['tests_pool'] = module\n"
            "loader.loader.exec_module(module)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", bootstrap + code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        shown.add(done.stdout)
    assert len(shown) == 1


def test_the_twin_agrees_with_word_lengths() -> None:
    rng = make_generator("test", "twin")
    for length in range(1, 7):
        word = scrambles.random_word("htm", length, rng)
        state = moves.apply_maneuver(SOLVED, word)
        assert Twin("htm").find_distance(state) <= notation.maneuver_length(word, "htm")


# --- scrambles ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("metric", "states"), [("htm", 18), ("qtm", 12)])
def test_a_hundred_scrambles_of_one_move_repeat_its_few_states(metric: Metric, states: int) -> None:
    """Cube Bench asks a hundred items a condition, also of the 18 states of depth 1."""
    made = make_pool(make_spec(1, metric=metric, scrambled=True))
    assert made.capacity == 100
    assert {state.facelets for state in made.states} == shells_to(metric, 1)[1]
    assert len({state.facelets for state in made.states}) == states
    assert pool_builder.describe_shortfall(make_spec(1, metric=metric, scrambled=True), made) == ""


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_the_depth_of_a_scramble_is_proven_and_may_be_less_than_its_length(metric: Metric) -> None:
    made = make_pool(make_spec(3, count=200, metric=metric, scrambled=True), neighbours=True)
    twin = Twin(metric)
    assert made.capacity == 200 and made.neighbours is not None
    for state, around in zip(made.states, made.neighbours.tolist(), strict=True):
        assert certified_states.find_state_faults(state) == [] and state.sampling == "scramble"
        assert state.optimal_depth == twin.find_distance(state.facelets) <= 3
        after = [moves.apply_maneuver(state.facelets, (move,)) for move in moves.FACE_MOVES]
        assert around[:3] == [twin.find_distance(one) for one in after[:3]]
    assert min(state.optimal_depth for state in made.states) < 3


def test_scrambles_have_seeds_of_their_own_and_splits_of_families() -> None:
    large = make_pool(make_spec(2, count=60, scrambled=True))
    assert make_pool(make_spec(2, count=25, scrambled=True)).states == large.states[:25]
    assert {state.sampling for state in make_pool(make_spec(2, count=60)).states} == {"exhaustive"}
    three = {"splits": THREE, "split": "train", "scrambled": True}
    for state in make_pool(make_spec(3, count=20, **three)).states:
        assert split_of(state.family, THREE) == "train"
