"""List the first moves that a search from a symmetric state has to try.

A symmetry that leaves a state as it is carries solutions to solutions. So of all beginnings that
the state's symmetries carry into each other one is enough: the search is divided by their number.

Writing commuting neighbours in rising order gives each maneuver a normal form. The beginnings kept
are those that no symmetry of the state brings to a lesser normal form. Of all images of a solution,
the one whose beginning is least begins with one of them, so no solution is lost. Solutions shorter
than a beginning are not covered.

The inverse symmetry of a state that is an image of its own inverse is not used: it exchanges the
two ends of a solution, and fixing both ends at the start costs more pruning than it saves.
"""

from __future__ import annotations

from functools import lru_cache

from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.engine.notation import FACE_MOVES

Word = tuple[int, ...]
"""Face moves by number, in the order of FACE_MOVES."""

LONGEST = 3
"""Moves of the longest beginnings; solutions of at most this length must be searched before."""

ANYWHERE = bytes(2)
"""The beginning that restricts nothing, as `search_roots` returns it."""


@lru_cache(maxsize=256)
def search_roots(keeping: tuple[int, ...]) -> bytes:
    """Return the beginnings for a state, as the compiled search reads them.

    Args:
        keeping: the symmetries that leave the state as it is.
    """
    if len(keeping) == 1:
        return ANYWHERE
    words = normal_words(2 if len(keeping) < 8 else LONGEST)
    images = [[int(m) for m in symmetry.MOVE_IMAGES[s, : len(FACE_MOVES)]] for s in keeping]
    kept = (
        word
        for word in words
        if all(word <= _normalize_word([image[move] for move in word]) for image in images)
    )
    return b"".join(bytes((len(word), *word, 0)) for word in kept)


@lru_cache(maxsize=8)
def normal_words(length: int) -> tuple[Word, ...]:
    """Return all words in normal form, in lexicographic order."""
    if not length:
        return ((),)
    return tuple(
        (*word, move)
        for word in normal_words(length - 1)
        for move in range(len(FACE_MOVES))
        if not word or _may_follow(word[-1], move)
    )


def _may_follow(a: int, b: int) -> bool:
    """Whether b may stand right after a in a normal form."""
    return a // 3 != b // 3 and (a // 3 % 3 != b // 3 % 3 or a < b)


def _normalize_word(word: list[int]) -> Word:
    """Return a word with each pair of commuting neighbours in rising order."""
    for i in range(len(word) - 1):
        if word[i] // 3 % 3 == word[i + 1] // 3 % 3 and word[i] > word[i + 1]:
            word[i], word[i + 1] = word[i + 1], word[i]
    return tuple(word)
