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
from facelet.pipeline.dataset.duplicates import effective_from_squares
from facelet.pipeline.spill_sort import SpillSorter

Wins = npt.NDArray[np.float64]

Sum = tuple[float, float]
"""Wins and possible wins of some rows."""

_NONE: tuple[Sum, Sum] = ((0.0, 0.0), (0.0, 0.0))


@dataclass(frozen=True, slots=True)
class PlayerShare:
    """One player's share of right answers.

    Attributes:
        name: the player.
        value: the share.
        trials: the number of independent trials.
        kappa: Cohen's kappa, where answers have classes.
        player_count: the number of players among which it was chosen.
    """

    name: str
    value: float
    trials: int
    kappa: float | None = None
    player_count: int = 1

    def luck_bound(self, alpha: float, limit: float) -> float:
        """Return the share that a player worth `limit` reaches by luck with probability `alpha`.

        Each of the players among which it was chosen could have been as lucky.

        Args:
            alpha: the probability.
            limit: the true share.
        """
        trials = effective_guesses(self.name, self.trials)
        return fairness_statistics.accuracy_bound(alpha / self.player_count, trials, limit)


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """Lower bounds on the number of independent trials that rows are worth.

    Attributes:
        whole: for all rows.
        levels: by the label of a level.
    """

    whole: int
    levels: Mapping[str, int]


class ClusterCounter:
    """Counts the independent trials of rows from their levels and clusters, row by row."""

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
        """Return the trials of all rows."""
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
    """Return the half of the puzzles, 0 or 1, that contains a cluster."""
    return digest_names("level", "half", cluster)[0] % 2


@dataclass(frozen=True, slots=True)
class AnsweredRows:
    """Rows that players answered, where they are few.

    Attributes:
        trials: their independent trials.
        row_places: of each row the label of its level, and the half of the puzzles of its cluster.
    """

    trials: TrialCounts
    row_places: tuple[tuple[str, int], ...]

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str]]) -> Self:
        """Return the record of some rows.

        Args:
            rows: of each row the label of its level, and the key of its cluster.
        """
        clusters, where = ClusterCounter(), []
        for cell, cluster in rows:
            clusters.add(cell, cluster)
            where.append((cell, half_number(cluster)))
        return cls(clusters.count_trials(), tuple(where))


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """A player's results on some rows.

    Attributes:
        name: the player.
        trials: the independent trials of the rows.
        sums: by the label of a level, its wins and possible wins on each half of the puzzles.
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
        """Return the results of a player.

        Args:
            name: the player.
            asked: the rows that it answered.
            won: (rows,) its wins; see `ScoreSums.add`.
            of: (rows,) the possible wins.
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
        """Return the result at one level, by its label; None if it answered no row there."""
        if cell not in self.sums:
            return None
        return PlayerShare(self.name, _share_of_sums(self.sums[cell]), self.trials.levels[cell])


class ScoreSums:
    """Sums of a player's wins, row by row."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def add(self, cell: str, half: int, won: float, of: float) -> None:
        """Add a row.

        Args:
            cell: the label of its level.
            half: the half of the puzzles that contains it.
            won: its win, a whole number, so that sums are exact.
            of: its possible win.
        """
        sums = self._sums.setdefault(cell, [0.0] * 4)
        sums[2 * half] += won
        sums[2 * half + 1] += of

    def sums_by_level(self) -> dict[str, tuple[Sum, Sum]]:
        """Return the sums; see `PlayerResult`."""
        return {name: ((a, b), (c, d)) for name, (a, b, c, d) in self._sums.items()}


def cross_chosen_share(players: Sequence[PlayerResult], cell: str) -> PlayerShare | None:
    """Return the share at one level of the best player, chosen on one half and judged on the other.

    Both ways round: the best of many on few rows looks better than it is. The name is that of the
    best player on all rows.

    Args:
        players: the players; only their rows of the level count.
        cell: the label of the level.
    """
    found = [player for one in players if (player := one.level_share(cell)) is not None]
    if not found:
        return None
    best = max(found, key=lambda player: player.value)
    won = of = 0.0
    for held in (0, 1):
        scores = [one.sums.get(cell, _NONE)[1 - held] for one in players]
        top = max(range(len(players)), key=lambda place: _safe_ratio(*scores[place]))
        if not scores[top][1]:
            return best
        mine = players[top].sums.get(cell, _NONE)[held]
        won, of = won + mine[0], of + mine[1]
    return PlayerShare(best.name, _safe_ratio(won, of), best.trials, player_count=1)


def _count_least_trials(rows: int, squares: int) -> int:
    """Return a lower bound on the trials of rows, from the squares of their clusters' sizes."""
    return max(1, math.floor(effective_from_squares(rows, squares)))


def _share_of_sums(sums: Sequence[Sum]) -> float:
    return _safe_ratio(sum(won for won, _ in sums), sum(of for _, of in sums))


def _safe_ratio(won: float, of: float) -> float:
    return won / of if of else 0.0
