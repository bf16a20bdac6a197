"""Where candidates for a depth come from: random words, random states, and whole shells.

A canonical word has no two consecutive turns of one face, and of two consecutive turns of opposite
faces the one of U, R, F comes first; every maneuver of face turns has exactly one canonical form
of at most its length. Words are numbered in the order of FACE_MOVES, so that one uniform integer
gives one uniform word.

Words are scrambles: read from the solved cube. Depth counts face turns ("htm": a half turn is one,
"qtm": a half turn is two).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from facelet.generators.cube.engine import cubies, facelets, moves, notation
from facelet.generators.cube.engine.metrics import COST, Metric
from facelet.generators.cube.engine.notation import UNIT_MOVES, Maneuver

EXHAUSTIVE: dict[Metric, int] = {"htm": 4, "qtm": 5}
"""The greatest depth whose shell is enumerated: 43,239 (htm) and 93,840 (qtm) states."""

_START = -1


@cache
def _branches(metric: Metric, length: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return the moves that a canonical word of `length` may go on with after face `last`.

    Returns:
        Pairs of an index into FACE_MOVES and the number of words that start with that move.
    """
    return tuple(
        (move, _continuations(metric, length - COST[metric][move % 3], move // 3))
        for move in range(len(moves.FACE_MOVES))
        if move // 3 not in (last, last - 3)
        if COST[metric][move % 3] <= length
    )


@cache
def _continuations(metric: Metric, length: int, last: int) -> int:
    """Return the number of canonical words of a length that may follow a turn of face `last`."""
    if length == 0:
        return 1
    return sum(size for _, size in _branches(metric, length, last))


def word_count(metric: Metric, length: int) -> int:
    """Return the number of canonical words of a length (htm: 1, 18, 243, 3240, 43254, ...)."""
    return _continuations(metric, length, _START)


def word(metric: Metric, length: int, index: int) -> Maneuver:
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
        for move, size in _branches(metric, length, last):
            if index < size:
                names.append(moves.FACE_MOVES[move])
                length -= COST[metric][move % 3]
                last = move // 3
                break
            index -= size
    return tuple(names)


def random_word(metric: Metric, length: int, rng: np.random.Generator) -> Maneuver:
    """Return a word drawn uniformly from the canonical words of a length.

    The draw is one 256-bit integer modulo the count, so no word is favoured by more than 2^-150.
    """
    ticket = int.from_bytes(rng.bytes(32), "little")
    return word(metric, length, ticket % word_count(metric, length))


def shuffle_commuting(maneuver: Maneuver, rng: np.random.Generator) -> Maneuver:
    """Return the maneuver with each adjacent pair of opposite faces in a random order.

    A canonical word has U before D; a published solution must not betray that it was made so.
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


def random_state(rng: np.random.Generator) -> str:
    """Return the facelets of a state drawn uniformly from all 4.3e19 positions."""
    corners = [int(i) for i in rng.permutation(8)]
    edges = [int(i) for i in rng.permutation(12)]
    if cubies.parity(tuple(corners)) != cubies.parity(tuple(edges)):
        edges[0], edges[1] = edges[1], edges[0]
    twists = [int(i) for i in rng.integers(3, size=7)]
    flips = [int(i) for i in rng.integers(2, size=11)]
    return cubies.to_facelets(
        cubies.Cubies(
            cp=tuple(corners),
            co=(*twists, -sum(twists) % 3),
            ep=tuple(edges),
            eo=(*flips, sum(flips) % 2),
        )
    )


@cache
def shells(metric: Metric, depth: int) -> tuple[frozenset[str], ...]:
    """Return all states at distance 0 to `depth`, shell by shell, by breadth-first search.

    Memory grows tenfold with each shell; 4 (htm) and 5 (qtm) hold fewer than 110,000 states.
    """
    if depth == 0:
        return (frozenset((facelets.SOLVED,)),)
    inner = shells(metric, depth - 1)
    frontier = np.array([facelets.to_array(state) for state in sorted(inner[-1])])
    reached = [
        facelets.from_array(row)
        for move in UNIT_MOVES[metric]
        for row in moves.apply_batch(frontier, moves.MOVE_INDEX[move])
    ]
    return (*inner, frozenset(reached).difference(*inner[-2:]))


def descend(metric: Metric, state: str, rng: np.random.Generator) -> Maneuver:
    """Return an optimal solution of a state, choosing at random among the optimal moves.

    Args:
        metric: what optimal means.
        state: facelets of a state in the shells that breadth-first search reaches cheaply.
        rng: makes the choices.

    Raises:
        ValueError: the state is farther from solved than EXHAUSTIVE allows.
    """
    reach = EXHAUSTIVE[metric]
    depth = next((d for d in range(reach + 1) if state in shells(metric, d)[d]), None)
    if depth is None:
        raise ValueError(f"{state} is deeper than {reach} ({metric}); use a Solver beyond that")
    names: list[str] = []
    for shell in reversed(shells(metric, depth)[:depth]):
        steps = [
            (name, after)
            for name in UNIT_MOVES[metric]
            if (after := moves.apply(state, (name,))) in shell
        ]
        name, state = steps[int(rng.integers(len(steps)))]
        names.append(name)
    return shuffle_commuting(notation.simplify(tuple(names)), rng)
