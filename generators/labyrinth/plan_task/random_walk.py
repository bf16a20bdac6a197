"""Measure how close random turns get to a treasure.

Turn closeness is the best progress after any turn, so it grows with the length of any plan. Its
baseline is the closeness of the same number of random legal turns: each insertion drawn uniformly
from the legal ones that give different boards, each cell uniformly from those that the pawn can
reach. CLOSENESS contains the means over 1,000 random boards for each number of needed turns; tests
replay some of them.
"""

from __future__ import annotations

CLOSENESS: dict[int, tuple[float, ...]] = {
    1: (
        0.007,
        0.019,
        0.029,
        0.039,
        0.052,
        0.068,
        0.08,
        0.092,
        0.099,
        0.11,
        0.121,
        0.127,
        0.139,
        0.144,
        0.153,
        0.161,
    ),
    2: (
        0.117,
        0.202,
        0.27,
        0.316,
        0.35,
        0.378,
        0.399,
        0.422,
        0.441,
        0.454,
        0.469,
        0.479,
        0.493,
        0.502,
        0.511,
        0.522,
    ),
    3: (
        0.214,
        0.3,
        0.358,
        0.392,
        0.429,
        0.468,
        0.495,
        0.521,
        0.543,
        0.56,
        0.573,
        0.585,
        0.6,
        0.615,
        0.63,
        0.638,
    ),
    4: (
        0.207,
        0.308,
        0.392,
        0.447,
        0.49,
        0.529,
        0.56,
        0.583,
        0.606,
        0.627,
        0.643,
        0.66,
        0.672,
        0.686,
        0.697,
        0.709,
    ),
}
"""By the fewest turns that are needed: mean closeness after 1, 2, ... 16 random turns."""


def random_closeness(turns: int, number: int) -> float:
    """Return the mean turn closeness of random legal turns.

    Args:
        turns: the fewest turns that are needed, 1 to 4.
        number: turns that are taken; more than 16 count as 16.
    """
    return CLOSENESS[turns][min(number, len(CLOSENESS[turns])) - 1] if number else 0.0
