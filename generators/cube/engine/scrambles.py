"""Draw scrambles: canonical words of an exact length, numbered, counted and drawn uniformly.

A canonical word has no two consecutive turns of one face, and of two consecutive turns of opposite
faces the one of U, R, F comes first; every maneuver of face turns has exactly one canonical form
of at most its length. Words are numbered in the order of FACE_MOVES, so that one uniform integer
gives one uniform word. They are read from the solved cube.

A plain scramble is what Cube Bench makes its states by (table 1 and 4.3): moves drawn one after the
other, with no regard to how far from solved they lead.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from facelet.generators.cube.engine.notation import COST, FACE_MOVES, UNIT_MOVES, Maneuver, Metric

_START = -1


@cache
def _count_branches(metric: Metric, length: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return the moves that a canonical word of `length` may go on with after face `last`.

    Returns:
        Pairs of an index into FACE_MOVES and the number of words that start with that move.
    """
    return tuple(
        (move, _count_continuations(metric, length - COST[metric][move % 3], move // 3))
        for move in range(len(FACE_MOVES))
        if move // 3 not in (last, last - 3)
        if COST[metric][move % 3] <= length
    )


@cache
def _count_continuations(metric: Metric, length: int, last: int) -> int:
    """Return the number of canonical words of a length that may follow a turn of face `last`."""
    return 1 if length == 0 else sum(size for _, size in _count_branches(metric, length, last))


def word_count(metric: Metric, length: int) -> int:
    """Return the number of canonical words of a length (htm: 1, 18, 243, 3240, 43254, ...)."""
    return _count_continuations(metric, length, _START)


def find_word(metric: Metric, length: int, index: int) -> Maneuver:
    """Return canonical word number `index` of a length.

    Args:
        metric: counts the length.
        length: 0 or more.
        index: 0 <= index < word_count(metric, length), in the order of FACE_MOVES.

    Raises:
        ValueError: there is no such index.
    """
    total = word_count(metric, length)
    if not 0 <= index < total:
        raise ValueError(f"word index {index} is out of range; allowed: 0 to {total - 1}")
    names: list[str] = []
    last = _START
    while length:
        for move, size in _count_branches(metric, length, last):
            if index < size:
                names.append(FACE_MOVES[move])
                length -= COST[metric][move % 3]
                last = move // 3
                break
            index -= size
    return tuple(names)


def random_word(metric: Metric, length: int, rng: np.random.Generator) -> Maneuver:
    """Return a word drawn uniformly from the canonical words of a length.

    The draw is one 256-bit integer modulo the count, so no word is favoured by more than 2^-150.

    Args:
        metric: counts the length.
        length: number of moves, 0 or more.
        rng: makes the draw.
    """
    ticket = int.from_bytes(rng.bytes(32), "little")
    return find_word(metric, length, ticket % word_count(metric, length))


def plain_scramble(metric: Metric, length: int, rng: np.random.Generator) -> Maneuver:
    """Return moves of length one in the metric, each drawn evenly, none of the face before it.

    So the cube may be nearer to solved than the scramble is long, as after U D U'.

    Args:
        metric: the legal moves are its moves of length one.
        length: number of moves.
        rng: makes the draws.
    """
    names: list[str] = []
    for _ in range(length):
        others = [move for move in UNIT_MOVES[metric] if not names or move[0] != names[-1][0]]
        names.append(others[int(rng.integers(len(others)))])
    return tuple(names)


def shuffle_commuting(maneuver: Maneuver, rng: np.random.Generator) -> Maneuver:
    """Return the maneuver with each adjacent pair of opposite faces in a random order.

    A canonical word has U before D; in a published solution that would give away how it was made.
    """
    names = list(maneuver)
    place = 0
    while place + 1 < len(names):
        faces = {names[place][0], names[place + 1][0]}
        if faces in ({"U", "D"}, {"R", "L"}, {"F", "B"}):
            if rng.integers(2):
                names[place], names[place + 1] = names[place + 1], names[place]
            place += 1
        place += 1
    return tuple(names)
