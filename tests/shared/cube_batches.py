"""States of the cube as arrays, many at a time: the numpy twin of the engine's strings.

A state is 54 numbers, the places of its letters in FACES; a batch of states is uint8 (n, 54).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.engine.moves import PERMUTATIONS
from facelet.generators.cube.engine.notation import FACES
from facelet.generators.cube.engine.symmetry import COLOURS, COUNT, FACELETS

States = npt.NDArray[np.uint8]

_LETTERS = np.frombuffer(FACES.encode(), dtype=np.uint8)


def states_to_array(states: Sequence[str]) -> States:
    """Return facelet strings as one batch."""
    letters = np.frombuffer("".join(states).encode(), dtype=np.uint8)
    numbers = (letters[:, None] == _LETTERS).argmax(axis=1)
    return numbers.astype(np.uint8).reshape(-1, 54)


def array_to_states(states: States) -> list[str]:
    """Return the facelet strings of a batch."""
    text = _LETTERS[states].tobytes().decode()
    return [text[i : i + 54] for i in range(0, len(text), 54)]


def apply_batch(states: States, moves: npt.ArrayLike) -> States:
    """Return every state after a move: rows of PERMUTATIONS, one for all states or one each."""
    sources = np.broadcast_to(PERMUTATIONS[np.asarray(moves)], states.shape)
    return np.take_along_axis(states, sources, axis=1)


_BLOCK = 4096
"""States compared at a time, so that the working arrays stay in the processor's cache."""

_WORD = 18
"""Stickers packed into one comparison word: two faces, three bits a sticker."""

_SHIFTS = np.arange(3 * (_WORD - 1), -1, -3, dtype=np.uint64)


def canonical_batch(states: States) -> States:
    """Return the least image of every state; see `canonical_image`.

    Args:
        states: uint8 (n, 54) with values 0 to 5.

    Returns:
        A new uint8 array (n, 54).
    """
    result = np.empty_like(states)
    for start in range(0, len(states), _BLOCK):
        block = states[start : start + _BLOCK]
        best = np.empty(len(block), dtype=np.intp)
        symmetries, rows = _least_images(block)
        best[rows] = symmetries
        images = np.take_along_axis(block, FACELETS[best], axis=1)
        result[start : start + _BLOCK] = np.take_along_axis(COLOURS[best], images, axis=1)
    return result


def _least_images(
    states: States,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return all pairs (symmetry, row of `states`) that give the row's least image."""
    words = _first_words(states)
    symmetries, rows = np.nonzero(words == words.min(axis=0))
    for start in range(_WORD, 54, _WORD):
        if len(rows) == len(states):
            break
        sources = FACELETS[symmetries, start : start + _WORD]
        stickers = COLOURS[symmetries[:, None], states[rows[:, None], sources]]
        ties = (stickers.astype(np.uint64) << _SHIFTS).sum(axis=1, dtype=np.uint64)
        least = np.full(len(states), np.iinfo(np.uint64).max)
        np.minimum.at(least, rows, ties)
        keep = ties == least[rows]
        symmetries, rows = symmetries[keep], rows[keep]
    return symmetries, rows


def _first_words(states: States) -> npt.NDArray[np.uint64]:
    """Return the first two faces of all 48 images, packed: shape (48, n).

    A row of three stickers comes from a row or a column of some face, read either way: 72 triples
    in all, so three stickers are looked up and renamed at once.
    """
    columns = states.T.astype(np.intp)
    triples: dict[bytes, npt.NDArray[np.intp]] = {}
    words = np.zeros((COUNT, len(states)), dtype=np.uint64)
    for s, word in enumerate(words):
        for start in range(0, _WORD, 3):
            a, b, c = FACELETS[s, start : start + 3]
            if (key := bytes((a, b, c))) not in triples:
                triples[key] = 36 * columns[a] + 6 * columns[b] + columns[c]
            word <<= np.uint64(9)
            word |= _RENAMED_TRIPLES[s][triples[key]]
    return words


def _list_renamed_triples() -> npt.NDArray[np.uint64]:
    """Return (48, 216): three stickers as one base-6 number -> their images, three bits each."""
    wide = COLOURS.astype(np.uint64)
    first, second, third = wide[:, :, None, None], wide[:, None, :, None], wide[:, None, None, :]
    table: npt.NDArray[np.uint64] = (first << np.uint64(6)) | (second << np.uint64(3)) | third
    return table.reshape(COUNT, 216)


_RENAMED_TRIPLES = _list_renamed_triples()
