"""Where a search from a symmetric state may begin.

If a symmetry leaves a state as it is, it carries solutions to solutions, so of all first moves that
it carries into each other one is enough. If a state is an image of its own inverse, a solution read
backwards and carried over is a solution too, which exchanges its two ends. Both together divide a
search by up to 96.

A root is a pair (first moves, inverted last moves, the last first). Writing commuting neighbours
in rising order gives each maneuver a normal form; the roots kept are those that no symmetry of the
state brings to a lesser pair of normal forms. The solution whose pair of ends is least among all
its images begins and ends with a root that is kept, so nothing is lost; solutions too short to have
both ends apart are not covered.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from generators.cube.engine import symmetry
from generators.cube.engine.notation import FACE_MOVES

Word = tuple[int, ...]
"""Face moves by number, in the order of FACE_MOVES."""

COVERED = 6
"""Solutions of fewer moves than this may have no root: exhaust them without roots first."""

ANYWHERE = bytes(2)
"""The root that restricts nothing."""


@lru_cache(maxsize=256)
def roots(keeping: tuple[int, ...], inverting: tuple[int, ...]) -> bytes:
    """Return the roots for a state, as `_core.search_start` reads them.

    Args:
        keeping: the symmetries that leave the state as it is.
        inverting: the symmetries that turn it into its inverse.
    """
    if len(keeping) == 1 and not inverting:
        return ANYWHERE
    if inverting:
        first = last = 1 if len(keeping) < 4 else 2
    else:
        first, last = (2 if len(keeping) < 12 else 3), 0
    fronts, backs = normal_words(first), normal_words(last)
    front = np.arange(len(fronts))[:, None]
    back = np.arange(len(backs))[None, :]
    pair = front * len(backs) + back
    keep = np.ones(pair.shape, dtype=bool)
    for s in keeping:
        keep &= pair <= _images(first, s)[:, None] * len(backs) + _images(last, s)[None, :]
    for s in inverting:
        keep &= pair <= _images(last, s)[None, :] * len(backs) + _images(first, s)[:, None]
    packed = [bytes((len(word), *word)) for word in fronts], [bytes((len(w), *w)) for w in backs]
    return b"".join(packed[0][i] + packed[1][j] for i, j in np.argwhere(keep))


@lru_cache(maxsize=8)
def normal_words(length: int) -> tuple[Word, ...]:
    """Return all words in normal form, in lexicographic order."""
    if not length:
        return ((),)
    return tuple(
        (*word, move)
        for word in normal_words(length - 1)
        for move in range(len(FACE_MOVES))
        if not word or _follows(word[-1], move)
    )


def _follows(a: int, b: int) -> bool:
    """Whether b may stand right after a in a normal form."""
    return a // 3 != b // 3 and (a // 3 % 3 != b // 3 % 3 or a < b)


@lru_cache(maxsize=512)
def _images(length: int, s: int) -> npt.NDArray[np.intp]:
    """Return, for each normal word, the number of the normal form of its image."""
    words = normal_words(length)
    number = {word: i for i, word in enumerate(words)}
    image = [int(m) for m in symmetry.MOVE_IMAGES[s, : len(FACE_MOVES)]]
    return np.array([number[_normal([image[m] for m in word])] for word in words], dtype=np.intp)


def _normal(word: list[int]) -> Word:
    """Return a word with each pair of commuting neighbours in rising order."""
    for i in range(len(word) - 1):
        if word[i] // 3 % 3 == word[i + 1] // 3 % 3 and word[i] > word[i + 1]:
            word[i], word[i + 1] = word[i + 1], word[i]
    return tuple(word)
