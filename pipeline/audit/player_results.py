"""Tried: what a player that reads rows got right, at each level and on each half of its puzzles.

A share is a ratio of sums over rows: right answers of answers, right elements of elements, or for
the F1 of a label twice the hits of claims and true labels together. So a few sums serve a whole
config and each of its levels, whatever the number of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest
from facelet.generators.options import audit
from facelet.generators.options.attacks import independent
from facelet.pipeline.audit.hashed import HASH, groups, hash_of, numbered
from facelet.pipeline.dataset.alike import effective_by
from facelet.pipeline.spools import Spool

Won = npt.NDArray[np.float64]

Sum = tuple[float, float]
"""What was won of some rows, and what could have been won."""

_NONE: tuple[Sum, Sum] = ((0.0, 0.0), (0.0, 0.0))


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
class Trials:
    """How many independent trials rows are at least worth.

    Attributes:
        whole: all of them.
        levels: those of each level, by its label.
    """

    whole: int
    levels: Mapping[str, int]


class Clusters:
    """Counts what rows are worth as trials, from their levels and clusters, row by row."""

    def __init__(self) -> None:
        self._cells: dict[str, int] = {}
        self._found = Spool(HASH + 1)

    def add(self, cell: str, cluster: str) -> None:
        """Count a row.

        Args:
            cell: the label of its level.
            cluster: the key of its cluster.
        """
        number = self._cells.setdefault(cell, len(self._cells))
        self._found.add(hash_of(cluster) + np.uint64(number).tobytes())

    def trials(self) -> Trials:
        """Return what all rows are worth."""
        squares = np.zeros(len(self._cells), dtype=np.int64)
        sizes = np.zeros(len(self._cells), dtype=np.int64)
        whole = 0
        for each, many in groups([self._found]):
            cell = each[:, HASH].astype(np.int64)
            np.add.at(sizes, cell, many)
            np.add.at(squares, cell, many * many)
            # A range has all rows of a cluster, whatever their levels.
            of = numbered(each[:, :HASH])
            clusters = np.bincount(of, weights=many).astype(np.int64)
            whole += int((clusters * clusters).sum())
        return Trials(
            _at_least(int(sizes.sum()), whole),
            {
                name: _at_least(int(sizes[place]), int(squares[place]))
                for name, place in self._cells.items()
            },
        )


def half_of(cluster: str) -> int:
    """Return on which half of the puzzles a cluster is, 0 or 1."""
    return digest("level", "half", cluster)[0] % 2


@dataclass(frozen=True, slots=True)
class Asked:
    """Rows that players answered, where they are few.

    Attributes:
        trials: what they are worth.
        where: of each the label of its level, and on which half of the puzzles its cluster is.
    """

    trials: Trials
    where: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> Self:
        """Return what is said of rows.

        Args:
            rows: of each the label of its level, and the key of its cluster.
        """
        clusters, where = Clusters(), []
        for cell, cluster in rows:
            clusters.add(cell, cluster)
            where.append((cell, half_of(cluster)))
        return cls(clusters.trials(), tuple(where))


@dataclass(frozen=True, slots=True)
class Tried:
    """What a player got right of some rows.

    Attributes:
        name: which it was.
        trials: what the rows are worth.
        sums: by the label of a level, what it won on each half of the puzzles, and what it could
            have won there.
        kappa: Cohen's kappa over all rows, where answers have classes.
    """

    name: str
    trials: Trials
    sums: Mapping[str, tuple[Sum, Sum]]
    kappa: float | None = None

    @classmethod
    def by(cls, name: str, asked: Asked, won: Won, of: Won, kappa: float | None = None) -> Self:
        """Return what a player got right of some rows.

        Args:
            name: which it was.
            asked: the rows that it answered.
            won: (rows,) what it won of each; see `Score.add`.
            of: (rows,) what it could have won.
            kappa: Cohen's kappa over all rows, where answers have classes.
        """
        score = Score()
        for (cell, half), mine, could in zip(asked.where, won.tolist(), of.tolist(), strict=True):
            score.add(cell, half, mine, could)
        return cls(name, asked.trials, score.sums(), kappa)

    def player(self) -> Player:
        """Return the result over all rows."""
        sums = [one for both in self.sums.values() for one in both]
        return Player(self.name, _share(sums), self.trials.whole, self.kappa)

    def at(self, cell: str) -> Player | None:
        """Return the result at one level, by its label; None if none of its rows was asked."""
        if cell not in self.sums:
            return None
        return Player(self.name, _share(self.sums[cell]), self.trials.levels[cell])


class Score:
    """Adds up what a player wins, row by row."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def add(self, cell: str, half: int, won: float, of: float) -> None:
        """Add a row.

        Args:
            cell: the label of its level.
            half: on which half of the puzzles it is.
            won: what was won of it, a whole number, so that sums are exact.
            of: what could have been won.
        """
        sums = self._sums.setdefault(cell, [0.0] * 4)
        sums[2 * half] += won
        sums[2 * half + 1] += of

    def sums(self) -> dict[str, tuple[Sum, Sum]]:
        """Return the sums; see `Tried`."""
        return {name: ((a, b), (c, d)) for name, (a, b, c, d) in self._sums.items()}


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


def _at_least(rows: int, squares: int) -> int:
    """Return how many trials rows are at least worth, from the squares of their clusters' sizes."""
    return max(1, math.floor(effective_by(rows, squares)))


def _half(player: Tried, cell: str, half: int) -> Sum:
    """Return what a player won, and could have won, on one half of the puzzles of a level."""
    return player.sums.get(cell, _NONE)[half]


def _share(sums: Sequence[Sum]) -> float:
    return _ratio(sum(won for won, _ in sums), sum(of for _, of in sums))


def _ratio(won: float, of: float) -> float:
    return won / of if of else 0.0
