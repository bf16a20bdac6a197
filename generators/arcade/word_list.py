"""Words: common English words by length, in the order of the alphabet.

They stand in words.txt beside this module, which was collected for this project. What lies in the
list decides which word an item hides, so a change of it moves rows.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

LENGTHS = (4, 5, 8, 12)
"""Lengths of which there are words."""


@cache
def read_words(length: int) -> tuple[str, ...]:
    """Return the words of a length, in lower case.

    Raises:
        ValueError: there are none of this length.
    """
    if length not in LENGTHS:
        raise ValueError(f"length={length} has no words; use one of {LENGTHS}")
    lines = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").splitlines()
    every = (word for line in lines if not line.startswith("#") for word in line.split())
    return tuple(sorted(word for word in every if len(word) == length))


def word_part_lengths(length: int) -> tuple[int, ...]:
    """Return the lengths of the short words, of 4 and 5 letters, that make up so many letters.

    Of short words there are most, so there are more and more ways the longer they are.

    Raises:
        ValueError: no words do, as for 6 or 11 letters.
    """
    fives = length % 4
    fours = (length - 5 * fives) // 4
    if fours < 0:
        raise ValueError(f"length={length} cannot be made of words; use 4, 5, 8 to 10 or 12 on")
    return (*[5] * fives, *[4] * fours)
