"""Tried: what a player that reads rows got right, row by row, so that any part can be summed up.

A share is a ratio of sums over rows: right answers of answers, right elements of elements, or for
the F1 of a label twice the hits of claims and true labels together. So one record serves a whole
config and each of its levels.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest
from facelet.generators.options import audit
from facelet.generators.options.attacks import independent
from facelet.pipeline.audit.hashed import hash_of, hashes_in, numbered
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.dataset.alike import effective_of

Sums = npt.NDArray[np.float64]

_NOWHERE = np.empty(0, dtype=np.int64)


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


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Of each row that players answered its level and its cluster, in a few bytes.

    Attributes:
        cells: the labels of the levels.
        cell: (rows,) the place of each row's level in `cells`.
        cluster: (rows,) a number of each row's cluster.
        side: (rows,) on which half of the puzzles the cluster is.
        places: by the label of a level, the places of its rows, ascending.
    """

    cells: tuple[str, ...]
    cell: npt.NDArray[np.int32]
    cluster: npt.NDArray[np.int32]
    side: npt.NDArray[np.uint8]
    places: Mapping[str, npt.NDArray[np.int64]] = field(init=False)

    def __post_init__(self) -> None:
        """Find the places once: every player is asked about every level."""
        order = np.argsort(self.cell, kind="stable")
        ends = np.searchsorted(self.cell[order], np.arange(len(self.cells) + 1))
        places = {name: order[ends[k] : ends[k + 1]] for k, name in enumerate(self.cells)}
        object.__setattr__(self, "places", places)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> Self:
        """Return what is said of rows.

        Args:
            rows: of each the label of its level, and the key of its cluster.
        """
        cells: dict[str, int] = {}
        cell, held, side = array("i"), bytearray(), bytearray()
        for label, cluster in rows:
            cell.append(cells.setdefault(label, len(cells)))
            held += hash_of(cluster)
            side.append(digest("level", "half", cluster)[0] % 2)
        return cls(
            tuple(cells),
            np.array(cell, dtype=np.int32),
            numbered(hashes_in(held)),
            np.frombuffer(side, dtype=np.uint8),
        )

    def some(self, places: Sequence[int]) -> Self:
        """Return what is said of the rows of some places."""
        return type(self)(self.cells, self.cell[places], self.cluster[places], self.side[places])

    def at(self, cell: str) -> npt.NDArray[np.int64]:
        """Return the places of the rows of a level, by its label."""
        return self.places.get(cell, _NOWHERE)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a player got right of some rows.

    Attributes:
        name: which it was.
        asked: which rows it answered.
        won: (rows,) what it won of each.
        of: (rows,) what it could have won.
        kappa: Cohen's kappa over all rows, where answers have classes.
    """

    name: str
    asked: Asked
    won: Sums
    of: Sums
    kappa: float | None = None

    @classmethod
    def by(
        cls,
        name: str,
        rows: Iterable[Observed] | Asked,
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
        if not isinstance(rows, Asked):
            rows = Asked.of((row.cell, row.cluster) for row in rows)
        return cls(name, rows, won, of, kappa)

    def player(self) -> Player:
        """Return the result over all rows."""
        share = _ratio(float(self.won.sum()), float(self.of.sum()))
        return Player(self.name, share, _trials(self.asked.cluster), self.kappa)

    def at(self, cell: str) -> Player | None:
        """Return the result at one level, by its label; None if none of its rows was asked."""
        here = self.asked.at(cell)
        if not len(here):
            return None
        share = _ratio(float(self.won[here].sum()), float(self.of[here].sum()))
        return Player(self.name, share, _trials(self.asked.cluster[here]))


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


def _trials(clusters: npt.NDArray[np.int32]) -> int:
    """Return how many independent trials some rows are at least worth."""
    return max(1, math.floor(effective_of(np.unique(clusters, return_counts=True)[1].tolist())))


def _half(player: Tried, cell: str, half: int) -> tuple[float, float]:
    """Return what a player won, and could have won, on one half of the puzzles of a level."""
    here = player.asked.at(cell)
    mine = here[player.asked.side[here] == half]
    return float(player.won[mine].sum()), float(player.of[mine].sum())


def _ratio(won: float, of: float) -> float:
    return won / of if of else 0.0
