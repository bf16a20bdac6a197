"""Recoloured palettes: other shades of the six sticker colours that keep their names.

Pillow-free, so that generators can draw a palette and put it into a scene. Each colour has a box
of RGB shades: a lowest and a highest level for each channel. Every shade of a box is nearer (CIE
Lab, CIE76) to the Cube Bench shade of its own name than to that of any other name, by a factor of
at least 1.25, and shades of different names are at least 25 apart in Lab. The tests prove both for
all shades of all boxes, so no draw needs a check of its own. Whole levels are drawn, so a palette
does not depend on a machine's floating point.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from facelet.renderers.scenes.records import SixColours

Levels = tuple[int, int]

SHADES: dict[str, tuple[Levels, Levels, Levels]] = {
    "white": ((232, 255), (232, 255), (232, 255)),
    "yellow": ((236, 255), (220, 255), (0, 80)),
    "red": ((204, 255), (0, 32), (0, 40)),
    "orange": ((240, 255), (120, 144), (0, 48)),
    "blue": ((0, 48), (0, 64), (204, 255)),
    "green": ((0, 64), (196, 255), (0, 72)),
}
"""For each colour name the lowest and highest level of red, green and blue."""


def draw_palette(rng: np.random.Generator, names: Iterable[str]) -> SixColours:
    """Return a palette of new shades, one drawn uniformly from the box of each name.

    The shade of a name does not depend on its position in `names`, so one generator gives the
    same white under every colour scheme.

    Args:
        rng: the item's generator.
        names: colour names of the faces U, R, F, D, L, B, in this order and in any letter case;
            the six of SHADES, each once.

    Raises:
        ValueError: the names are not the six, each once.
    """
    wanted = [name.lower() for name in names]
    if sorted(wanted) != sorted(SHADES):
        raise ValueError(
            f"colour names are {wanted}; give each of {sorted(SHADES)} once, "
            "in the order of the faces U, R, F, D, L, B"
        )
    low, high = np.array(list(SHADES.values())).transpose(2, 0, 1)
    drawn = dict(zip(SHADES, rng.integers(low, high + 1).tolist(), strict=True))
    up, right, front, down, left, back = ((*drawn[name],) for name in wanted)
    return up, right, front, down, left, back
