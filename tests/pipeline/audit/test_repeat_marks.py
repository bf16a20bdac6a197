"""Marks: which rows are the first of their kind, are repeated, or show what others show."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline import spools
from facelet.pipeline.audit.hashed import HASH, hash_of, spooled
from facelet.pipeline.audit.marking import again, firsts, met
from facelet.pipeline.spools import Spool

TEXTS = st.lists(st.tuples(st.sampled_from(["", "a", "b", "c", "d"]), st.integers(0, 3)))


@pytest.fixture(params=[1 << 18, 2], autouse=True, scope="module")
def few_at_once(request: pytest.FixtureRequest) -> None:
    spools.RANGE, before = request.param, spools.RANGE
    request.addfinalizer(lambda: setattr(spools, "RANGE", before))


@given(TEXTS)
def test_marks_are_what_they_say(rows: list[tuple[str, int]]) -> None:
    shown = [text for text, _ in rows]
    many = Counter(shown)
    assert again(spooled(shown)).tolist() == [many[text] > 1 for text in shown]
    assert firsts(spooled(shown)).tolist() == [t not in shown[:k] for k, t in enumerate(shown)]
    spool = Spool(2 * HASH)
    for text, group in rows:
        spool.add(hash_of(text) + hash_of(str(group)))
    of = {text: {group for other, group in rows if other == text} for text in shown}
    assert met(spool).tolist() == [text != "" and len(of[text]) > 1 for text in shown]
