"""Remembered parsers: the same results, without parsing again what was short."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.memoization import SHORT, memoize_short


@given(st.lists(st.tuples(st.text("ab\ud800", max_size=3), st.sampled_from(["x", "y"]))))
def test_a_remembered_parser_says_what_it_said(calls):
    seen = []

    @memoize_short
    def parse_form(text: str, form: str) -> str:
        seen.append((text, form))
        return f"{text} {form}"

    for text, form in calls:
        assert parse_form(text, form) == f"{text} {form}"
    assert sorted(seen) == sorted(set(calls))


def test_long_texts_are_not_kept():
    seen = []

    @memoize_short
    def parse_length(text: str) -> int:
        seen.append(text)
        return len(text)

    assert [parse_length("a" * SHORT), parse_length("a" * SHORT)] == [SHORT, SHORT] and len(
        seen
    ) == 1
    assert [parse_length("a" * (SHORT + 1)), parse_length("a" * (SHORT + 1))] == [SHORT + 1] * 2
    assert len(seen) == 3
