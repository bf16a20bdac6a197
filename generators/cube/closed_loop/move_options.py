"""Draw the four moves that a state of the step-by-step loop offers, and the teacher's letter.

Cube Bench, sections A.5.2 and A.6.2. Everything is drawn from names, the item's key and the state,
so all players see the same options in the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine.moves import turn_relation
from facelet.generators.cube.engine.notation import UNIT_MOVES, Maneuver, Metric
from facelet.generators.options.letter_placement import LETTERS


@dataclass(frozen=True, slots=True)
class MoveOffer:
    """What a state offers.

    Attributes:
        distance: its exact distance to solved.
        closer: all optimal moves, in the order of the state's own seed.
        options: four moves, in the order of their letters.
        letter: the letter of the teacher's.
    """

    distance: int
    closer: Maneuver
    options: tuple[str, ...]
    letter: str

    def with_teacher_at(self, letter: str) -> MoveOffer:
        """Return the same options with the teacher's under another letter."""
        place = LETTERS.index(self.letter)
        others = [*self.options[:place], *self.options[place + 1 :]]
        others.insert(LETTERS.index(letter), self.options[place])
        return MoveOffer(self.distance, self.closer, tuple(others), letter)


def offer_moves(
    metric: Metric, key: str, state: str, *, taught: str, controlled: bool
) -> MoveOffer:
    """Return what a state offers.

    Args:
        metric: what distances count.
        key: the item's key.
        state: facelet string, not solved.
        taught: the teacher's move where the published solution gives it; "" for the first optimal
            move in the order of the state's seed.
        controlled: whether the options hold exactly one optimal move beside the teacher's wherever
            there is another (A.6.2); otherwise the other three are drawn from all other moves.
    """
    around = distance_oracle.find_progress(metric, state)
    rng = make_generator("cube/stepping", key, state)
    order = _shuffle_moves(UNIT_MOVES[metric], rng)
    closer = tuple(move for move in order if move in around.closer)
    right = taught or closer[0]
    others = [move for move in _shuffle_moves(UNIT_MOVES[metric], rng) if move != right]
    letter = LETTERS[int(rng.integers(len(LETTERS)))]
    wrong = _draw_controlled_options(right, others, closer, rng) if controlled else others[:3]
    wrong.insert(LETTERS.index(letter), right)
    return MoveOffer(around.distance, closer, tuple(wrong), letter)


def teacher_move(metric: Metric, key: str, state: str, options: Sequence[str]) -> str:
    """Return which of the optimal moves among the options is the teacher's, off the solution.

    It is the first of them in the order of the state's seed, whatever other optimal moves there
    are; so a label can be checked without a search.

    Args:
        metric: what distances count.
        key: the item's key.
        state: facelet string.
        options: the optimal moves among the options, at least one.
    """
    order = _shuffle_moves(UNIT_MOVES[metric], make_generator("cube/stepping", key, state))
    return min(options, key=order.index)


def _shuffle_moves(legal: Maneuver, rng: np.random.Generator) -> list[str]:
    return [legal[place] for place in rng.permutation(len(legal)).tolist()]


def _draw_controlled_options(
    right: str, others: Sequence[str], closer: Maneuver, rng: np.random.Generator
) -> list[str]:
    """Return three options of which exactly one is optimal, where another optimal move exists.

    Two optimal moves often turn opposite faces, or one face, which would show them to a player
    that reads the options only. So the two others are chosen to be related as these are, where
    there are two such moves.
    """
    optimal = [move for move in others if move in closer]
    rest = [move for move in others if move not in closer]
    if not optimal:
        return rest[:3]
    second = optimal[0]
    kind = turn_relation(right, second)
    pairs = [
        (one, two)
        for place, one in enumerate(rest)
        for two in rest[place + 1 :]
        if turn_relation(one, two) == kind
    ]
    chosen = [second, *(pairs[0] if pairs else rest[:2])]
    # Near a few symmetric states almost every move is optimal; then more of them are taken.
    chosen += optimal[1 : 1 + 3 - len(chosen)]
    return [chosen[place] for place in rng.permutation(len(chosen)).tolist()]
