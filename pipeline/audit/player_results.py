"""Results of row-reading players, at each level and on each half of its puzzles.

A share is a ratio of sums over rows: right answers of answers, right elements of elements, or for
the F1 of a label twice the hits of claims and true labels together. A few sums serve a whole config
and each level, whatever the number of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names
from facelet.generators.options import fairness_statistics
from facelet.generators.options.option_attacks import effective_guesses
from facelet.pipeline.audit.text_index import (
    HASH,
    count_records_by_range,
    hash_text,
    number_records,
)
from facelet.pipeline.dataset.effective_rows import effective_from_squares
from facelet.pipeline.spill_sort import SpillSorter

Wins = npt.NDArray[np.float64]

Sum = tuple[float, float]
"""What was won of some rows, and what could have been won."""

_NONE: tuple[Sum, Sum] = ((0.0, 0.0), (0.0, 0.0))


@dataclass(frozen=True, slots=True)
class PlayerShare:
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
    player_count: int = 1

    def luck_bound(self, alpha: float, limit: float) -> float:
        """Return what it reaches by luck with a probability of `alpha`, if it is worth `limit`.

        Each of the players that it was chosen from could have been as lucky: one that is lucky on
        both halves of the puzzles is chosen on both.

        Args:
            alpha: the probability.
            limit: the share that a player may get right.
        """
        trials = effective_guesses(self.name, self.trials)
        return fairness_statistics.accuracy_bound(alpha / self.player_count, trials, limit)


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many independent trials rows are at least worth.

    Attributes:
        whole: all of them.
        levels: those of each level, by its label.
    """

    whole: int
    levels: Mapping[str, int]


class ClusterCounter:
    """Counts what rows are worth as trials, from their levels and clusters, row by row."""

    def __init__(self) -> None:
        self._cells: dict[str, int] = {}
        self._found = SpillSorter(HASH + 1)

    def add(self, cell: str, cluster: str) -> None:
        """Count a row.

        Args:
            cell: the label of its level.
            cluster: the key of its cluster.
        """
        number = self._cells.setdefault(cell, len(self._cells))
        self._found.add(hash_text(cluster) + np.uint64(number).tobytes())

    def count_trials(self) -> TrialCounts:
        """Return what all rows are worth."""
        squares = np.zeros(len(self._cells), dtype=np.int64)
        sizes = np.zeros(len(self._cells), dtype=np.int64)
        whole = 0
        for each, many in count_records_by_range([self._found]):
            cell = each[:, HASH].astype(np.int64)
            np.add.at(sizes, cell, many)
            np.add.at(squares, cell, many * many)
            # A range has all rows of a cluster, whatever their levels.
            of = number_records(each[:, :HASH])
            clusters = np.bincount(of, weights=many).astype(np.int64)
            whole += int((clusters * clusters).sum())
        return TrialCounts(
            _count_least_trials(int(sizes.sum()), whole),
            {
                name: _count_least_trials(int(sizes[place]), int(squares[place]))
                for name, place in self._cells.items()
            },
        )


def half_number(cluster: str) -> int:
    """Return on which half of the puzzles a cluster is, 0 or 1."""
    return digest_names("level", "half", cluster)[0] % 2


@dataclass(frozen=True, slots=True)
class AnsweredRows:
    """Rows that players answered, where they are few.

    Attributes:
        trials: what they are worth.
        where: of each the label of its level, and on which half of the puzzles its cluster is.
    """

    trials: TrialCounts
    row_places: tuple[tuple[str, int], ...]

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str]]) -> Self:
        """Return what is said of rows.

        Args:
            rows: of each the label of its level, and the key of its cluster.
        """
        clusters, where = ClusterCounter(), []
        for cell, cluster in rows:
            clusters.add(cell, cluster)
            where.append((cell, half_number(cluster)))
        return cls(clusters.count_trials(), tuple(where))


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What a player got right of some rows.

    Attributes:
        name: which it was.
        trials: what the rows are worth.
        sums: by the label of a level, what it won on each half of the puzzles, and what it could
            have won there.
        kappa: Cohen's kappa over all rows, where answers have classes.
    """

    name: str
    trials: TrialCounts
    sums: Mapping[str, tuple[Sum, Sum]]
    kappa: float | None = None

    @classmethod
    def from_wins(
        cls, name: str, asked: AnsweredRows, won: Wins, of: Wins, kappa: float | None = None
    ) -> Self:
        """Return what a player got right of some rows.

        Args:
            name: which it was.
            asked: the rows that it answered.
            won: (rows,) what it won of each; see `Score.add`.
            of: (rows,) what it could have won.
            kappa: Cohen's kappa over all rows, where answers have classes.
        """
        score = ScoreSums()
        for (cell, half), mine, could in zip(
            asked.row_places, won.tolist(), of.tolist(), strict=True
        ):
            score.add(cell, half, mine, could)
        return cls(name, asked.trials, score.sums_by_level(), kappa)

    def overall_share(self) -> PlayerShare:
        """Return the result over all rows."""
        sums = [one for both in self.sums.values() for one in both]
        return PlayerShare(self.name, _share_of_sums(sums), self.trials.whole, self.kappa)

    def level_share(self, cell: str) -> PlayerShare | None:
        """Return the result at one level, by its label; None if none of its rows was asked."""
        if cell not in self.sums:
            return None
        return PlayerShare(self.name, _share_of_sums(self.sums[cell]), self.trials.levels[cell])


class ScoreSums:
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

    def sums_by_level(self) -> dict[str, tuple[Sum, Sum]]:
        """Return the sums; see `PlayerResult`."""
        return {name: ((a, b), (c, d)) for name, (a, b, c, d) in self._sums.items()}


def cross_chosen_share(players: Sequence[PlayerResult], cell: str) -> PlayerShare | None:
    """Return what somebody wins at one level who takes the player that wins most there.

    Which that is is tried on one half of the puzzles, and what it is worth on the other, both ways
    round: the best of many on few rows looks better than it is. Its name is that of the best on
    all rows.

    Args:
        players: the players; of each only the rows of the level count.
        cell: the label of the level.
    """
    found = [player for one in players if (player := one.level_share(cell)) is not None]
    if not found:
        return None
    best = max(found, key=lambda player: player.value)
    won = of = 0.0
    for held in (0, 1):
        scores = [_half_sum(one, cell, 1 - held) for one in players]
        top = max(range(len(players)), key=lambda place: _safe_ratio(*scores[place]))
        if not scores[top][1]:
            return best
        mine = _half_sum(players[top], cell, held)
        won, of = won + mine[0], of + mine[1]
    return PlayerShare(best.name, _safe_ratio(won, of), best.trials, player_count=1)


def _count_least_trials(rows: int, squares: int) -> int:
    """Return how many trials rows are at least worth, from the squares of their clusters' sizes."""
    return max(1, math.floor(effective_from_squares(rows, squares)))


def _half_sum(player: PlayerResult, cell: str, half: int) -> Sum:
    """Return what a player won, and could have won, on one half of the puzzles of a level."""
    return player.sums.get(cell, _NONE)[half]


def _share_of_sums(sums: Sequence[Sum]) -> float:
    return _safe_ratio(sum(won for won, _ in sums), sum(of for _, of in sums))


def _safe_ratio(won: float, of: float) -> float:
    return won / of if of else 0.0
