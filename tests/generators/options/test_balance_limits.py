"""The longest block in which labels may be balanced."""

from __future__ import annotations

from facelet.generators.options.audit import Balance, balance


def test_the_longest_block_is_sixteen_times_the_classes() -> None:
    assert balance(("a" * 16 + "b" * 16) * 2, "ab") == Balance(32, 0)
    assert balance(("a" * 17 + "b" * 17) * 2, "ab").block == 0
