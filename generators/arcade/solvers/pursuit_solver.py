"""Retrograde analysis of a pursuit: two sides move in turn, each on a graph of its own.

The player is at place a of A, the opponent at b of B; both see everything. The player moves first.
Arrays are indexed [a, b]. The result equals that of `retrograde_analysis`, for products of graphs
with millions of positions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Turns = npt.NDArray[np.int16]
Moves = npt.NDArray[np.int64]


def pad_moves(moves: Sequence[Sequence[int]]) -> Moves:
    """Return lists of places as one array, a row a place, padded with -1."""
    width = max((len(places) for places in moves), default=0)
    table = np.full((len(moves), width), -1, dtype=np.int64)
    for place, others in enumerate(moves):
        table[place, : len(others)] = others
    return table


def solve_pursuit(player: Moves, opponent: Moves, wins: Flags, loses: Flags, limit: int) -> Turns:
    """Return the turns within which the player, to move, surely wins; 0 where it does not.

    An opponent that cannot move has lost; a player that cannot has not won.

    Args:
        player: the places that each of its places leads to, shape (A, a), padded with -1.
        opponent: the same for the opponent, shape (B, b).
        wins: whether the player has won after its move, shape (A, B).
        loses: whether it has lost after the opponent's move, shape (A, B).
        limit: the most turns; longer wins count as not won.
    """
    turns = np.zeros(wins.shape, dtype=np.int16)
    for turn in range(1, limit + 1):
        safe = (turns > 0) & ~loses
        forced = np.ones(wins.shape, dtype=np.bool_)
        for column in opponent.T:
            forced &= safe[:, column] | (column < 0)
        forced |= wins
        reached = np.zeros(wins.shape, dtype=np.bool_)
        for column in player.T:
            reached |= forced[column] & (column >= 0)[:, None]
        fresh = reached & (turns == 0)
        if not fresh.any():
            break
        turns[fresh] = turn
    return turns
