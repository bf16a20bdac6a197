"""Samplers: shares are exact, learners of several shapes are met at the edge of their ability."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from learners import CELLS, LEARNERS, dead_group_share

from facelet.pipeline.rollout.streams.frontier_sampler import Frontier, Pools
from facelet.pipeline.rollout.streams.samplers import Curriculum, Mixture, SampledCell, Uniform

SIX = tuple(
    SampledCell(config, "toy/x", f"d{k}", k) for config in ("s.a", "s.b") for k in (1, 2, 3)
)


@pytest.mark.parametrize(
    "choice",
    [Uniform(), Curriculum(rows=20), Mixture({"s.a": 1, "s.b/d1": 2, "s.b/d3": 0.5})],
)
def test_the_rows_of_each_cell_are_numbered_in_order(choice):
    sampler = choice.start_sampler(SIX, 5)
    held = Counter()
    for number in range(200):
        place = sampler.next_place(number)
        assert place.number == held[place.cell]
        held[place.cell] += 1
    assert choice.start_sampler(SIX, 5).next_place(123) == sampler.next_place(123)
    assert [choice.start_sampler(SIX, 6).next_place(n) for n in range(60)] != [
        sampler.next_place(n) for n in range(60)
    ]


def test_shares_are_exact_in_every_block():
    sampler = Mixture({"s.a": 1, "s.b/d1": 2, "s.b/d3": 0.5}).start_sampler(SIX, 0)
    drawn = Counter(sampler.next_place(number).cell for number in range(42))
    assert drawn == {0: 4, 1: 4, 2: 4, 3: 24, 5: 6}


def test_a_curriculum_adds_a_level_at_a_time():
    sampler = Curriculum(rows=40).start_sampler(SIX, 0)
    levels = [SIX[sampler.next_place(number).cell].level for number in range(200)]
    assert set(levels[:40]) == {1} and set(levels[40:80]) == {1, 2}
    assert Counter(levels[40:80]) == {1: 20, 2: 20}
    assert Counter(levels[128:]).keys() == {1, 2, 3}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mixture({}).start_sampler(SIX, 0), "empty"),
        (lambda: Mixture({"s.c": 1}).start_sampler(SIX, 0), "s.a"),
        (lambda: Mixture({"s.a": 1, "s": 1}).start_sampler(SIX, 0), "twice"),
        (lambda: Mixture({"s.a": 1, "s.b": -1}).start_sampler(SIX, 0), "more than 0"),
        (lambda: Mixture({"s.a": 1, "s.b": 1e-5}).start_sampler(SIX, 0), "less than one row"),
        (lambda: Curriculum(rows=0).start_sampler(SIX, 0), "rows"),
        (lambda: Frontier(wanted=1), "wanted=1"),
        (lambda: Frontier(width=0), "width=0"),
        (lambda: Frontier(memory=0), "memory=0"),
        (lambda: Pools(easy=0.9, hard=0.2), "together at most 1"),
        (lambda: Pools(hard_to=0.9), "hard_to"),
        (lambda: Uniform().start_sampler(SIX, 0).restore_state({"x": 1}), "learns"),
        (lambda: Frontier().start_sampler(SIX, 0).restore_state({"cells": []}), "other cells"),
    ],
)
def test_what_cannot_be_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_frontier_meets_learners_at_their_edge(name):
    uniform = dead_group_share(Uniform(), LEARNERS[name], groups=700)
    edge = dead_group_share(Frontier(), LEARNERS[name], groups=700)
    assert 0.40 <= uniform <= 0.60
    assert edge < 0.10


@pytest.mark.parametrize("choice", [Frontier(), Pools()])
def test_a_state_goes_on_where_it_was_taken(choice):
    first = choice.start_sampler(CELLS, 1)
    rng = np.random.default_rng(0)
    for number in range(50):
        place = first.next_place(number)
        first.learn_rewards(place.cell, rng.integers(0, 2, 8).tolist())
    again = choice.start_sampler(CELLS, 1)
    again.restore_state(json.loads(json.dumps(first.to_state())))
    assert [again.next_place(n) for n in range(50, 80)] == [
        first.next_place(n) for n in range(50, 80)
    ]
    with pytest.raises(ValueError, match="not the next"):
        first.next_place(3)
