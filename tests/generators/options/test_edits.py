"""Edit distances in whole numbers against the table that everybody knows."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options.relation_learner import _edit_distance

WORDS = st.lists(st.sampled_from("abcd"), max_size=70).map(tuple)


def table_distance(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    row = list(range(len(right) + 1))
    for number, token in enumerate(left, 1):
        above, row = row, [number]
        for place, (before, after) in enumerate(pairwise(above)):
            row.append(min(after + 1, row[-1] + 1, before + (token != right[place])))
    return row[-1]


@given(WORDS, WORDS)
def test_it_is_what_the_table_says(left: tuple[str, ...], right: tuple[str, ...]) -> None:
    assert _edit_distance(left, right) == table_distance(left, right)
