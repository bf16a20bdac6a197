"""Select the rows of each level that players play, and the effort to spend on them.

Puzzles are ordered by a hash of their keys, so the selection does not depend on the order of rows.
Only the selected rows of a level are kept in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace
from itertools import zip_longest

from facelet.generators.core.seeding import digest_names
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.packed_records import RowView, group_rows, take_rows

LEAST = 24
"""Least number of puzzles of a level, where it has as many."""
SHORTCUT_PUZZLES = 60
"""Puzzles of a config for each partial-view player, spread over its levels."""


@dataclass(frozen=True, slots=True)
class LevelEffort:
    """The effort to spend on one level.

    Attributes:
        puzzles: most puzzles that blind players play.
        shortcut_puzzles: most puzzles that each partial-view player plays.
        share: the part of a config's replies for blind players.
    """

    puzzles: int
    shortcut_puzzles: int
    share: float

    @classmethod
    def for_levels(cls, levels: int) -> LevelEffort:
        """Return the effort for each of a number of levels."""
        return cls(
            max(LEAST, blind_episode_players.ITEMS // levels),
            max(LEAST // 2, SHORTCUT_PUZZLES // levels),
            max(1 / levels, 0.1),
        )


@dataclass(frozen=True, slots=True)
class LevelSelection:
    """The rows of a level that are played.

    Attributes:
        cell: its label.
        difficulty: its place on the difficulty axis.
        rows: by the id of a row, the key of its base puzzle and the reference replies, in the order
            of play.
        shortcut_rows: the same for partial-view players: of few puzzles several rows, where puzzles
            have several.
        files: the numbers of the config's files with rows of the level; None for any.
    """

    cell: str
    difficulty: int
    rows: Mapping[str, tuple[str, tuple[str, ...]]]
    shortcut_rows: Mapping[str, tuple[str, tuple[str, ...]]]
    files: tuple[int, ...] | None = None


def select_levels(
    rows: Sequence[AuditedRow], effort: LevelEffort, *, whole: bool = False
) -> list[LevelSelection]:
    """Return the rows to play of each level, in order of difficulty: each base puzzle once.

    Args:
        rows: the graded rows of a config.
        effort: the effort for each level.
        whole: whether partial-view players get all rows of a puzzle, as a rare label's F1 needs.
    """
    found = []
    levels = group_rows(rows, lambda row: (row.difficulty, row.cell))
    most = max(effort.puzzles, effort.shortcut_puzzles)
    for (difficulty, cell), inside in sorted(levels.items(), key=lambda level: level[0]):
        some = _select_first_puzzles(inside, most)
        order = list(some)
        played = [some[group][0] for group in order[: effort.puzzles]]
        rounds = zip_longest(*(some[group] for group in order[: effort.shortcut_puzzles]))
        dealt = [place for turn in rounds for place in turn if place is not None]
        looked = dealt if whole else dealt[: effort.shortcut_puzzles]
        due = sorted({*played, *looked})
        by = dict(zip(due, take_rows(inside, due), strict=True))
        files = inside.file_numbers() if isinstance(inside, RowView) else None
        found.append(
            LevelSelection(
                cell,
                difficulty,
                _rows_by_id(by[place] for place in played),
                _rows_by_id(by[place] for place in looked),
                files,
            )
        )
    return found


def _select_first_puzzles(rows: Sequence[AuditedRow], most: int) -> dict[str, list[int]]:
    """Return the first puzzles in hash order, and the places of their rows.

    The rows of a puzzle are in hash order too: its first published row may have one answer more
    often.

    Args:
        rows: the rows.
        most: most puzzles to return.
    """
    known: dict[str, list[tuple[bytes, int]]] = {}
    chosen: list[tuple[int, str]] = []  # a heap, the last in order on top
    for place, row in enumerate(rows):
        if row.group not in known:
            order = -int.from_bytes(digest_names("blind", "half", row.group), "big")
            if len(chosen) < most:
                heappush(chosen, (order, row.group))
            elif order > chosen[0][0]:
                del known[heapreplace(chosen, (order, row.group))[1]]
            else:
                continue
            known[row.group] = []
        known[row.group].append((digest_names("blind", "row", row.id), place))
    return {
        group: [place for _, place in sorted(known[group])]
        for _, group in sorted(chosen, reverse=True)
    }


def _rows_by_id(rows: Iterable[AuditedRow]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {row.id: (row.group, row.replies) for row in rows}
