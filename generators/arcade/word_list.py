"""Common English words by length, in alphabetical order.

The words are in words.txt next to this module and were collected for this project. The list decides
which word an item hides, so any change of it changes rows.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

LENGTHS = (4, 5, 8, 12)
"""The lengths of words in the list."""


@cache
def read_words(length: int) -> tuple[str, ...]:
    """Return the words of a length, in lower case.

    Raises:
        ValueError: the list has no words of this length.
    """
    if length not in LENGTHS:
        raise ValueError(f"length={length} has no words; use one of {LENGTHS}")
    lines = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").splitlines()
    every = (word for line in lines if not line.startswith("#") for word in line.split())
    return tuple(sorted(word for word in every if len(word) == length))


def word_part_lengths(length: int) -> tuple[int, ...]:
    """Return the lengths of words of 4 and 5 letters that join to this length.

    There are most words of these lengths, so the number of joined words grows with the length.

    Raises:
        ValueError: no such words join to it, as for 6 or 11 letters.
    """
    fives = length % 4
    if (fours := (length - 5 * fives) // 4) < 0:
        raise ValueError(f"length={length} cannot be made of words; use 4, 5, 8 to 10 or 12 on")
    return (*[5] * fives, *[4] * fours)
