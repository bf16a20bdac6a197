"""Place the options of a multiple choice under letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from facelet.generators.core.seeding import Draw

T = TypeVar("T")

LETTERS = "ABCD"


def place_options(right: T, wrong: Sequence[T], draw: Draw) -> tuple[tuple[T, ...], str]:
    """Return the options in the order of their letters, and the letter of the right one.

    The right letter is dealt from a balanced deck, so each block of four items has each letter
    once; the wrong options follow in random order.

    Args:
        right: the right option.
        wrong: the three wrong options.
        draw: the item's randomness; the deck is called "gold".

    Raises:
        ValueError: there are not three wrong options.
    """
    if len(wrong) != len(LETTERS) - 1:
        raise ValueError(f"{len(wrong)} wrong options; give {len(LETTERS) - 1}")
    letter = draw.deal_card("gold", LETTERS)
    options = [wrong[int(index)] for index in draw.rng.permutation(len(wrong))]
    options.insert(LETTERS.index(letter), right)
    return tuple(options), letter
