"""Draw four maneuvers of one length, alike in form, of which exactly one solves a state.

Fairness rests on exchangeability: whichever of the four is the solution, the same four options are
equally likely. The published solution of a state is a random word, so it is enough that the others
are made from it by a symmetric rule.

- Two or more moves: a 2 x 2 factorial. Two places are chosen and an alternative move for each; the
  options are the solution, the solution with the first place changed, with the second, with both.
  An alternative has the same length in the metric and the same relation to its neighbours as the
  move that it replaces (same face, opposite faces or different axes). So all options are words of
  one length in which no turns merge, have the same pattern of axes, and each
  differs from one of the others in the first place, from one in the second, and from one in both.
- One move: three other moves, drawn uniformly.

Words are canonical: no two consecutive turns of one face, and of consecutive turns of opposite
faces the one of U, R, F first. That exactly one option solves is checked by applying all four.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from facelet.generators.core.task import Reject
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.facelets import SOLVED, is_solved
from facelet.generators.cube.engine.notation import COST, FACE_MOVES, Maneuver, Metric
from facelet.generators.cube.engine.scrambles import random_word
from facelet.generators.cube.states.certified_states import CertifiedState

TRIES = 64
"""Draws of places and moves before the draw is rejected."""


def draw_four_maneuvers(
    state: CertifiedState, rng: np.random.Generator
) -> tuple[Maneuver, tuple[Maneuver, Maneuver, Maneuver]]:
    """Return the maneuver that solves a state, and three of the same length that do not.

    Args:
        state: a certified state; its solution should be the inverse of a random word.
        rng: the item's generator.

    Raises:
        Reject: two of the options made lead to the same state, in each of TRIES draws.
    """
    word = notation.simplify_maneuver(state.witness_moves)
    for _ in range(TRIES):
        others = _factorial_options(word, state.metric, rng) or _draw_other_words(
            word, state.metric, rng
        )
        reached = [moves.apply_maneuver(state.facelets, option) for option in (word, *others)]
        if (
            len(set(reached)) == 4
            and [is_solved(after) for after in reached] == [True] + [False] * 3
        ):
            return word, others
    raise Reject("the options are not four different maneuvers of which one solves")


def _factorial_options(
    word: Maneuver, metric: Metric, rng: np.random.Generator
) -> tuple[Maneuver, Maneuver, Maneuver] | None:
    """Return the other three corners of a random factorial, or None if the word has none."""
    if len(word) == 2:
        changes = _list_change_pairs(word, metric)
    else:
        # The places are no neighbours, so what is allowed at one does not depend on the other.
        spots = {place: _list_alternatives(word, place, metric) for place in range(len(word))}
        pairs = [
            (one, two)
            for one, two in combinations(range(len(word)), 2)
            if two - one > 1 and spots[one] and spots[two]
        ]
        if not pairs:
            return None
        one, two = pairs[int(rng.integers(len(pairs)))]
        changes = tuple(((one, a), (two, b)) for a in spots[one] for b in spots[two])
    if not changes:
        return None
    first, second = changes[int(rng.integers(len(changes)))]
    return (
        _apply_change(word, first),
        _apply_change(word, second),
        _apply_change(_apply_change(word, first), second),
    )


_Change = tuple[int, str]


def _apply_change(word: Maneuver, change: _Change) -> Maneuver:
    place, move = change
    return (*word[:place], move, *word[place + 1 :])


@lru_cache(maxsize=512)
def _list_change_pairs(word: Maneuver, metric: Metric) -> tuple[tuple[_Change, _Change], ...]:
    """Return the pairs of changes of a word of two moves that keep its pattern at all corners."""
    kind = moves.turn_relation(*word)
    return tuple(
        ((0, one), (1, two))
        for one in _same_cost(word[0], metric)
        for two in _same_cost(word[1], metric)
        if moves.turn_relation(one, word[1])
        == moves.turn_relation(word[0], two)
        == moves.turn_relation(one, two)
        == kind
    )


def _list_alternatives(word: Maneuver, place: int, metric: Metric) -> list[str]:
    """Return the moves that may take a place without changing the word's pattern of axes."""
    near = [word[there] for there in (place - 1, place + 1) if 0 <= there < len(word)]
    return [
        move
        for move in _same_cost(word[place], metric)
        if all(
            moves.turn_relation(move, other) == moves.turn_relation(word[place], other)
            for other in near
        )
    ]


def _same_cost(move: str, metric: Metric) -> list[str]:
    """Return the other moves of the same length."""
    cost = COST[metric]
    own = cost[FACE_MOVES.index(move) % 3]
    return [
        other for index, other in enumerate(FACE_MOVES) if cost[index % 3] == own and other != move
    ]


def _draw_other_words(
    word: Maneuver, metric: Metric, rng: np.random.Generator
) -> tuple[Maneuver, Maneuver, Maneuver]:
    """Return three other words for one that has no factorial.

    For a single move these are three moves of the same length in the metric. In qtm a few longer
    words have no factorial either, such as U2 D2: for these they are symmetric images of the word,
    and random words where there are too few images.
    """
    if len(word) == 1:
        others: list[Maneuver] = [(move,) for move in _same_cost(word[0], metric)]
    else:
        images = {
            notation.simplify_maneuver(symmetry.transform_maneuver(word, s))
            for s in range(symmetry.COUNT)
        }
        others = sorted(images - {word})
    chosen = [others[int(place)] for place in rng.permutation(len(others))[:3]]
    while len(chosen) < 3:
        another = random_word(metric, notation.maneuver_length(word, metric), rng)
        if another not in (word, *chosen):
            chosen.append(another)
    one, two, three = chosen
    return one, two, three


def refuting_stickers(facelets: str, maneuver: Maneuver) -> frozenset[int]:
    """Return the stickers that alone show that a maneuver does not solve a state.

    A sticker does if the maneuver carries it to a face of another colour (a face has the colour of
    its centre, which stays in place). Empty if the maneuver solves.
    """
    carried = moves.apply_maneuver(_LABELS, maneuver)
    sources = [_LABELS.index(label) for label in carried]
    return frozenset(
        source for source, home in zip(sources, SOLVED, strict=True) if facelets[source] != home
    )


_LABELS = "".join(chr(ord("!") + index) for index in range(54))
"""A state with 54 different stickers."""
