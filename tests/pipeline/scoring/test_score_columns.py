"""Columns that stay small hold what was told, and votes are counted as one would by hand."""

from __future__ import annotations

import math
from array import array
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.scoring.grade.graded_columns import EntryMetric, LabelLists, MetricColumn
from facelet.pipeline.scoring.grade.majority_vote import vote_majority
from facelet.pipeline.scoring.grade.population import LabelCodes

SMALL = st.integers(-130, 130).map(float)
VALUES = SMALL | st.sampled_from([-0.0, math.nan, 1e300, math.inf]) | st.floats(0, 1)
TOLD = st.lists(st.tuples(st.integers(0, 6), VALUES), max_size=8)


@given(st.lists(TOLD, max_size=8), st.booleans())
def test_a_metric_is_what_was_told_last_of_each_entry(blocks, flags):
    column, expected = MetricColumn(), {}
    for number, told in enumerate(blocks):
        values = [float(value > 0) if flags else value for _, value in told]
        entries = [entry for entry, _ in told]
        column.append_values(EntryMetric(array("q", entries), array("d", values)), 7 * number)
        pairs = zip(entries, values, strict=True)
        expected |= {7 * number + entry: value for entry, value in pairs}
    settled = column.to_values()
    assert not flags or settled.values.dtype == np.int8
    places = np.arange(7 * len(blocks) + 2)[::-1]
    found = settled.values_at(places).tolist()
    wanted = [expected.get(place, math.nan) for place in places.tolist()]
    assert list(map(repr, found)) == list(map(repr, wanted))


LISTS = st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=20)


@given(LISTS)
def test_equal_lists_have_equal_numbers(lists):
    lengths = array("i", map(len, lists))
    codes = LabelCodes.from_lists(
        LabelLists(lengths, array("i", [code for each in lists for code in each]))
    )
    numbers = codes.number_lists(np.arange(len(lists)))
    assert len({(*each, "end") for each in lists}) == len(set(numbers.tolist()))
    known = dict(zip(map(tuple, lists), numbers.tolist(), strict=True))
    assert numbers.tolist() == [known[tuple(each)] for each in lists]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=30))
def test_the_majority_is_the_commonest_answer_and_the_first_of_equals(votes):
    votes = sorted(votes, key=lambda vote: vote[0])
    right = {0: 1, 1: 1, 2: 0, 3: 3, 4: 2}
    rows, answers = (np.array([vote[n] for vote in votes], dtype=np.int32) for n in (0, 1))
    correct = np.array([answer == right[row] for row, answer in votes], dtype=bool)
    found = vote_majority(6, rows, answers, correct)
    for row in range(6):
        said = Counter(answer for asked, answer in votes if asked == row)
        # Equal counts are listed in the order of their first appearance.
        assert found[row] == (bool(said) and said.most_common(1)[0][0] == right[row])
