"""The 24 treasures: their names, their letters, and which tiles carry them.

Twelve lie on the fixed T tiles, always on the same one; six on loose T tiles and six on loose L
tiles (MARBLE, 2.3, after the board game).
"""

from __future__ import annotations

from string import ascii_uppercase

ON_LOOSE_T = ("bat", "dragon", "genie", "ghost", "troll", "princess")
ON_LOOSE_L = ("lizard", "moth", "owl", "scarab", "rat", "spider")
ON_FIXED: dict[str, tuple[int, int]] = {
    "gold coins": (0, 4),
    "book": (0, 2),
    "crown": (4, 4),
    "candelabra": (6, 2),
    "ring": (4, 0),
    "helmet": (6, 4),
    "emerald": (2, 4),
    "keys": (4, 2),
    "skull": (2, 6),
    "sword": (4, 6),
    "treasure chest": (2, 2),
    "treasure map": (2, 0),
}
"""Row and column of the treasures on fixed tiles."""

TREASURES: tuple[str, ...] = (*ON_LOOSE_T, *ON_LOOSE_L, *ON_FIXED)
LETTERS = ascii_uppercase[: len(TREASURES)]
LOOSE_LETTERS = LETTERS[: len(ON_LOOSE_T) + len(ON_LOOSE_L)]
"""The letters of treasures on loose tiles."""
EMPTY = "-"
"""The mark of a tile without a treasure."""

NAME_OF: dict[str, str] = dict(zip(LETTERS, TREASURES, strict=True))
LETTER_OF: dict[str, str] = dict(zip(TREASURES, LETTERS, strict=True))
