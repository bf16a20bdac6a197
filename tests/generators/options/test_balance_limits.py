"""The longest block in which labels may be balanced."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options.fairness_statistics import MAX_REPEATS, Balance, measure_balance


def test_the_longest_block_is_sixteen_times_the_classes() -> None:
    assert measure_balance(("a" * 16 + "b" * 16) * 2, "ab") == Balance(32, 0)
    assert measure_balance(("a" * 17 + "b" * 17) * 2, "ab").block == 0


@given(st.lists(st.sampled_from("abc"), max_size=40), st.integers(1, 3), st.booleans())
def test_balance_is_that_of_each_block(drawn: list[str], repeats: int, fair: bool) -> None:
    """By the words alone: full blocks are even, and the last could still become so."""
    block = "abc" * repeats
    labels = block * (len(drawn) // len(block)) + "".join(sorted(drawn)) if fair else drawn
    lengths = [3 * k for k in range(1, MAX_REPEATS + 1)]

    def is_balanced(length: int) -> bool:
        blocks = [Counter(labels[k : k + length]) for k in range(0, len(labels), length)]
        full = blocks[: len(labels) // length]
        return all(one[c] == length // 3 for one in full for c in "abc") and all(
            one[c] <= length // 3 for one in blocks for c in "abc"
        )

    found = measure_balance(labels, "abc")
    assert found.block == next(filter(is_balanced, lengths), 0)
    triples = [Counter(labels[k : k + 3]) for k in range(0, len(labels) - 2, 3)]
    worst = max((abs(one[c] - 1) for one in triples for c in "abc"), default=0)
    assert found.deviation == (0 if found.block else max(1, worst))
