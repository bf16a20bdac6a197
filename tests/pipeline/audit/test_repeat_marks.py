"""Marks: which rows are the first of their kind, are repeated, or show what others show."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline import spill_sort
from facelet.pipeline.audit.text_index import (
    HASH,
    hash_text,
    mark_firsts,
    mark_repeated,
    mark_shared_displays,
    spool_hashes,
)
from facelet.pipeline.spill_sort import SpillSorter

TEXTS = st.lists(st.tuples(st.sampled_from(["", "a", "b", "c", "d"]), st.integers(0, 3)))


@pytest.fixture(params=[1 << 18, 2], autouse=True, scope="module")
def few_at_once(request: pytest.FixtureRequest) -> None:
    spill_sort.RANGE_SIZE, before = request.param, spill_sort.RANGE_SIZE
    request.addfinalizer(lambda: setattr(spill_sort, "RANGE_SIZE", before))


@given(TEXTS)
def test_marks_are_what_they_say(rows: list[tuple[str, int]]) -> None:
    shown = [text for text, _ in rows]
    many = Counter(shown)
    assert mark_repeated(spool_hashes(shown)).tolist() == [many[text] > 1 for text in shown]
    assert mark_firsts(spool_hashes(shown)).tolist() == [
        t not in shown[:k] for k, t in enumerate(shown)
    ]
    spool = SpillSorter(2 * HASH)
    for text, group in rows:
        spool.add(hash_text(text) + hash_text(str(group)))
    of = {text: {group for other, group in rows if other == text} for text in shown}
    assert mark_shared_displays(spool).tolist() == [
        text != "" and len(of[text]) > 1 for text in shown
    ]
