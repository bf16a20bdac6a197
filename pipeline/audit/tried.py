"""Tried: what a player that reads rows got right, row by row, so that any part can be summed up.

A share is a ratio of sums over rows: right answers of answers, right elements of elements, or for
the F1 of a label twice the hits of claims and true labels together. So one record serves a whole
config and each of its levels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest
from facelet.generators.options import audit
from facelet.generators.options.attacks import independent
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.dataset.alike import effective

Mask = npt.NDArray[np.bool_]
Sums = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Player:
    """One blind player's result.

    Attributes:
        name: which it was.
        value: the share that it got right.
        trials: how many independent trials that is over.
        kappa: Cohen's kappa, where answers have classes.
        tried: of how many players it was chosen.
    """

    name: str
    value: float
    trials: int
    kappa: float | None = None
    tried: int = 1

    def bound(self, alpha: float, limit: float) -> float:
        """Return what it reaches by luck with a probability of `alpha`, if it is worth `limit`.

        Each of the players that it was chosen from could have been as lucky: one that is lucky on
        both halves of the puzzles is chosen on both.

        Args:
            alpha: the probability.
            limit: the share that a player may get right.
        """
        trials = independent(self.name, self.trials)
        return audit.accuracy_bound(alpha / self.tried, trials, limit)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a player got right of some rows.

    Attributes:
        name: which it was.
        rows: the rows that it answered.
        won: (rows,) what it won of each.
        of: (rows,) what it could have won.
        kappa: Cohen's kappa over all rows, where answers have classes.
    """

    name: str
    rows: Sequence[Observed]
    won: Sums
    of: Sums
    kappa: float | None = None

    def player(self) -> Player:
        """Return the result over all rows."""
        share = _share(self.won, self.of)
        return Player(self.name, share, trials(self.rows), self.kappa)

    def at(self, cell: str) -> Player | None:
        """Return the result at one level, by its label; None if none of its rows was asked."""
        rows = [row for row in self.rows if row.cell == cell]
        if not rows:
            return None
        here = self._here(cell)
        return Player(self.name, _share(self.won[here], self.of[here]), trials(rows))

    def _here(self, cell: str) -> Mask:
        return np.array([row.cell == cell for row in self.rows], dtype=np.bool_)


def chosen(players: Sequence[Tried], cell: str) -> Player | None:
    """Return what somebody wins at one level who takes the player that wins most there.

    Which that is is tried on one half of the puzzles, and what it is worth on the other, both ways
    round: the best of many on few rows looks better than it is. Its name is that of the best on
    all rows.

    Args:
        players: the players; of each only the rows of the level count.
        cell: the label of the level.
    """
    found = [player for one in players if (player := one.at(cell)) is not None]
    if not found:
        return None
    best = max(found, key=lambda player: player.value)
    won = of = 0.0
    for held in (0, 1):
        scores = [_half(one, cell, 1 - held) for one in players]
        top = max(range(len(players)), key=lambda place: _ratio(*scores[place]))
        if not scores[top][1]:
            return best
        mine = _half(players[top], cell, held)
        won, of = won + mine[0], of + mine[1]
    return Player(best.name, _ratio(won, of), best.trials, tried=1)


def trials(rows: Sequence[Observed]) -> int:
    """Return how many independent trials some rows are at least worth."""
    return max(1, math.floor(effective(row.cluster for row in rows)))


def _half(player: Tried, cell: str, half: int) -> tuple[float, float]:
    """Return what a player won, and could have won, on one half of the puzzles of a level."""
    mine = [
        place
        for place, row in enumerate(player.rows)
        if row.cell == cell and _side(row.cluster) == half
    ]
    return float(player.won[mine].sum()), float(player.of[mine].sum())


@lru_cache(maxsize=1 << 16)
def _side(cluster: str) -> int:
    return digest("level", "half", cluster)[0] % 2


def _share(won: Sums, of: Sums) -> float:
    return _ratio(float(won.sum()), float(of.sum()))


def _ratio(won: float, of: float) -> float:
    return won / of if of else 0.0
