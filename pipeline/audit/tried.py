"""Tried: what a player that reads rows got right, row by row, so that any part can be summed up.

A share is a ratio of sums over rows: right answers of answers, right elements of elements, or for
the F1 of a label twice the hits of claims and true labels together. So one record serves a whole
config and each of its levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest
from facelet.generators.options import audit
from facelet.generators.options.attacks import independent
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.dataset.alike import effective

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
        asked: of each row that it answered the label of its level, and the key of its cluster.
        won: (rows,) what it won of each.
        of: (rows,) what it could have won.
        kappa: Cohen's kappa over all rows, where answers have classes.
    """

    name: str
    asked: Sequence[tuple[str, str]]
    won: Sums
    of: Sums
    kappa: float | None = None

    @classmethod
    def by(
        cls,
        name: str,
        rows: Sequence[Observed],
        won: Sums,
        of: Sums,
        kappa: float | None = None,
    ) -> Self:
        """Return what a player got right of some rows.

        Args:
            name: which it was.
            rows: the rows that it answered.
            won: (rows,) what it won of each.
            of: (rows,) what it could have won.
            kappa: Cohen's kappa over all rows, where answers have classes.
        """
        return cls(name, tuple((row.cell, row.cluster) for row in rows), won, of, kappa)

    def player(self) -> Player:
        """Return the result over all rows."""
        share = _ratio(float(self.won.sum()), float(self.of.sum()))
        return Player(self.name, share, _trials(cluster for _, cluster in self.asked), self.kappa)

    def at(self, cell: str) -> Player | None:
        """Return the result at one level, by its label; None if none of its rows was asked."""
        here = [place for place, (mine, _) in enumerate(self.asked) if mine == cell]
        if not here:
            return None
        share = _ratio(float(self.won[here].sum()), float(self.of[here].sum()))
        return Player(self.name, share, _trials(self.asked[place][1] for place in here))


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


def _trials(clusters: Iterable[str]) -> int:
    """Return how many independent trials some rows are at least worth."""
    return max(1, math.floor(effective(clusters)))


def _half(player: Tried, cell: str, half: int) -> tuple[float, float]:
    """Return what a player won, and could have won, on one half of the puzzles of a level."""
    mine = [
        place
        for place, (label, cluster) in enumerate(player.asked)
        if label == cell and _side(cluster) == half
    ]
    return float(player.won[mine].sum()), float(player.of[mine].sum())


@lru_cache(maxsize=1 << 16)
def _side(cluster: str) -> int:
    return digest("level", "half", cluster)[0] % 2


def _ratio(won: float, of: float) -> float:
    return won / of if of else 0.0
