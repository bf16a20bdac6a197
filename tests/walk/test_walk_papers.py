"""The walk of the papers: its page is current, and every layout is filled end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
import walk_papers

from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.printed_tables import list_papers, load_tables

WALKED = tuple(list_papers())
"""Papers that the page has."""


def page_rows(paper: str) -> dict[str, dict[str, str]]:
    return {row["table"]: row for row in walk_papers.read_page() if row["paper"] == paper}


@pytest.mark.parametrize("name", WALKED)
def test_the_page_has_every_table_with_its_layout_or_reason(name: str) -> None:
    paper, told = paper_registry.load_papers()[name], page_rows(name)
    laid_out = [layout.number for layout in paper.layouts]
    assert set(told) == {*load_tables(name), *paper.left_out}
    for table, row in told.items():
        assert table in laid_out or row["filled"] == row["comparable"] == "no"
        assert table in laid_out or row["reason"] == paper.left_out[table]
        assert row["filled"] == row["comparable"] == "yes" or row["reason"], table


def test_the_page_has_all_papers() -> None:
    assert {row["paper"] for row in walk_papers.read_page()} == set(WALKED)


def test_the_noisy_player_is_right_three_times_in_four() -> None:
    drawn = [
        walk_papers.make_generator("walk", f"a.b/l01/{number:06d}").random() < 0.75
        for number in range(2000)
    ]
    assert 0.72 < sum(drawn) / len(drawn) < 0.78


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKED)
def test_a_small_walk_finds_what_the_page_says_but_for_sizes(name: str, tmp_path: Path) -> None:
    paper, told = paper_registry.load_papers()[name], page_rows(name)
    results = walk_papers.walk_paper(paper, tmp_path, smoke=True)
    for state in walk_papers.list_table_states(paper, results):
        row = told[state.table]
        reasons = [one for one in state.reasons if not walk_papers.SIZE_REASON.search(one)]
        # Without some of the paper's levels, their cells stay empty.
        few = any("of the paper are missing" in one for one in {*state.reasons} - {*reasons})
        assert row["filled"] == state.to_row()["filled"] or (few and not state.filled), state
        assert all(one in row["reason"] for one in reasons), state
    assert list(walk_papers.list_weak_configs(results, smoke=True)) == []


@pytest.mark.parametrize(
    ("told", "weak"),
    [
        ({}, True),
        ({"leaks": True}, False),
        ({"floor": {"known_rule": "binary search"}}, False),
        ({"floor": {"known_rule": ""}}, True),
    ],
)
def test_a_shortcut_as_good_as_the_reference_player_is_a_fault(
    told: dict[str, object], weak: bool
) -> None:
    figure = {"value": 1.0, "baselines": {"chance": 0.25, "shortcut": 1.0}}
    split = {"cells": [{"figures": {"accuracy": figure}}], **told}
    results = {"models": [{"model": "reference", "configs": {"s.c": {"splits": {"test": split}}}}]}
    assert bool(list(walk_papers.list_weak_configs(results, smoke=False))) == weak
    assert not list(walk_papers.list_weak_configs(results, smoke=True))
