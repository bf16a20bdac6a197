"""Pair puzzles that share one question, true for one and false for the other.

When each question is asked twice, of two puzzles that answer it differently, the words of the
question say nothing about the answer: a player that reads only them is right exactly half the time.
The puzzles of a pair must differ in what is asked; that is called their signature here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

BLOCK = 512
"""Puzzles among which the nearest are sought; a pair never reaches from one block into another."""


def pair_up(signatures: Sequence[Hashable], texts: Sequence[str] = ()) -> tuple[int, ...]:
    """Return an order in which the puzzles at places 2k and 2k + 1 differ, as far as possible.

    Each puzzle in turn is paired with the next free one of another signature. The puzzles left over
    all have one signature. Two of them at a time break up an earlier pair without that signature,
    the last pair first, and each takes one of its puzzles. What remains (one puzzle of an odd
    number, or more than half have one signature) is unpaired, at the end. Where neighbours
    differ the order is that of the puzzles.

    With `texts`, it is not the next free one but the nearest: of all pairs of a block, those whose
    texts differ in the fewest letters are made first.

    Args:
        signatures: one a puzzle.
        texts: one a puzzle, all of one length, which differ where the signatures do; or none.

    Returns:
        The indices of the puzzles, each once.
    """
    pairs, left = _pair_nearest(signatures, texts) if texts else _pair_greedily(signatures)
    place = len(pairs) - 1
    while len(left) > 1 and place >= 0:
        one, two = pairs[place]
        if signatures[left[0]] not in (signatures[one], signatures[two]):
            pairs[place] = (one, left.pop(0))
            pairs.append((two, left.pop(0)))
        place -= 1
    return tuple(index for pair in pairs for index in pair) + tuple(left)


def _pair_greedily(signatures: Sequence[Hashable]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the pairs that first come, first served makes, and the indices left over."""
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []  # all of one signature
    for index, signature in enumerate(signatures):
        if waiting and signatures[waiting[0]] != signature:
            pairs.append((waiting.pop(0), index))
        else:
            waiting.append(index)
    return sorted(pairs), waiting  # in the order of the puzzles that were there first


def _pair_nearest(
    signatures: Sequence[Hashable], texts: Sequence[str]
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the pairs of least difference, and the indices left over, all of one signature."""
    number = {signature: code for code, signature in enumerate(dict.fromkeys(signatures))}
    codes = np.array([number[signature] for signature in signatures])
    letters = np.array([list(map(ord, text)) for text in texts], dtype=np.int32)
    pairs: list[tuple[int, int]] = []
    alone: list[int] = []
    for start in range(0, len(codes), BLOCK):
        part, here = letters[start : start + BLOCK], codes[start : start + BLOCK]
        one, two = np.triu_indices(len(here), 1)
        apart = here[one] != here[two]
        one, two = one[apart], two[apart]
        free = np.ones(len(here), dtype=bool)
        difference = (part[one] != part[two]).sum(axis=1)
        for place in np.argsort(difference, kind="stable"):
            first, second = int(one[place]), int(two[place])
            if free[first] and free[second]:
                free[[first, second]] = False
                pairs.append((start + first, start + second))
        alone += (start + np.flatnonzero(free)).tolist()
    # Blocks may leave different signatures over; those are paired as they come.
    found, left = _pair_greedily([signatures[index] for index in alone])
    pairs += [(alone[first], alone[second]) for first, second in found]
    return sorted(pairs), [alone[index] for index in left]


@dataclass(frozen=True, slots=True)
class PairPartner:
    """The puzzle that another one is told apart from.

    Attributes:
        index: its index.
        mutual: whether the two are a pair, each the other's partner.
    """

    index: int
    mutual: bool


def find_partner(
    signatures: Sequence[Hashable], order: Sequence[int], place: int
) -> PairPartner | None:
    """Return the partner of the puzzle at a place.

    Args:
        signatures: as given to `pair_up`.
        order: what it returned.
        place: a place in the order.

    Returns:
        The puzzle at the other place of the pair; for an unpaired one, the nearest in the
        order that differs (the earlier of two as near); None if all are alike.
    """
    own = signatures[order[place]]
    if (beside := place ^ 1) < len(order) and signatures[order[beside]] != own:
        return PairPartner(order[beside], mutual=True)
    for there in sorted(range(len(order)), key=lambda there: (abs(there - place), there)):
        if signatures[order[there]] != own:
            return PairPartner(order[there], mutual=False)
    return None
