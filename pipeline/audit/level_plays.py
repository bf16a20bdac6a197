"""Select the rows of each level that are played, and play them with the baseline players.

Puzzles are ordered by a hash of their keys, so the selection does not depend on the order of rows.
Only the selected rows of a level are kept in memory. Effort is counted in puzzles and replies, so
results are reproducible; seeds come from names.

Players are blind, make legal moves, or have a partial view. The blind players of
facelet.pipeline.audit.blind_episode_players are tuned and judged on this level alone. The player of
any legal move (`FamilyPlayers.legal`) gives chance where a task states none. Players with a partial
view (`FamilyPlayers.shortcuts`) use a part of the puzzle, or do a part of the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappush, heapreplace
from itertools import repeat, zip_longest
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from facelet.generators.core.measures import F1_UNIT
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import digest_names, make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.baseline_players import (
    PartialViewPlayer,
    load_family_players,
    play_replies,
)
from facelet.pipeline.audit.blind_episode_players import PlayCase, PlayCounts, has_several_turns
from facelet.pipeline.audit.packed_records import RowView, group_rows, take_rows
from facelet.pipeline.audit.prompt_fields import FIELD_PLAYER, ONE_FIELD
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.dataset.store_address import arrow_source
from facelet.pipeline.family_modules import AnyTask, Lookup

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


MOST = 400
"""Most replies of one play with a partial view."""


@dataclass(frozen=True, slots=True)
class LookResult:
    """The wins of a player with a partial view.

    Attributes:
        won: right answers, or elements of answers; where the F1 of a label is measured, twice the
            right answers of that label.
        possible: all of them; for an F1, the golds and the answers of that label.
        plays: puzzles that it played.
        looks_at: the part of the puzzle that it uses, in words.
        amount: how much it sees, where it is a point of a curve; else 0.
    """

    won: float
    possible: float
    plays: int
    looks_at: str
    amount: int = 0


@dataclass(frozen=True, slots=True)
class LevelPlays:
    """The wins of all baseline players at one level.

    Attributes:
        cell: its label.
        difficulty: its place on the difficulty axis.
        blind_players: by kind of blind player.
        legal: of any legal move; None where there is no such player, or chance is stated.
        shortcuts: of players with a partial view, by name.
    """

    cell: str
    difficulty: int
    blind_players: Mapping[str, PlayCounts] = field(default_factory=dict)
    legal: LookResult | None = None
    shortcuts: Mapping[str, LookResult] = field(default_factory=dict)


def play_level(
    splits: Sequence[SplitFiles],
    lookup: Lookup,
    name: str,
    level: LevelSelection,
    effort: LevelEffort,
    of: str,
    stated: bool,
    read: bool,
) -> LevelPlays:
    """Play one level of a config.

    Args:
        splits: where the rows are.
        lookup: finds a task by its name.
        name: name of their task.
        level: the level, and its puzzles.
        effort: the effort to spend.
        of: the unit of shares.
        stated: whether the task states its chance at this level.
        read: whether row-reading players exist, so that questions of one reply need no other
            blind player.
    """
    task = lookup(name)
    due = {**level.rows, **level.shortcut_rows}
    files = list(_split_files(splits))
    if level.files is not None:
        files = [files[number] for number in level.files]
    known = dict(zip(due, load_cases(files, task, due), strict=True))
    found = [known[name] for name in level.rows]
    tried: Mapping[str, PlayCounts] = {}
    by_field: PlayCounts | None = None
    # Players of episodes measure whole answers, not a share of elements.
    if of == "answers" and (not read or has_several_turns(task, found[0])):
        tried = blind_episode_players.score_blind_players(task, found, share=effort.share)
        by_field = blind_episode_players.score_field_player(task, found, share=effort.share)
    family = load_family_players(task)
    mover = None if stated else family.legal(task)
    named = dict(sorted(family.shortcuts(task).items()))
    tallies = {key: LookTally(task, key, looker, of) for key, looker in named.items()}
    of_legal = None if mover is None else LookTally(task, "legal", mover, of)
    # All players play a puzzle one after the other, so what they share of it is computed once.
    for place, case in known.items():
        ends: dict[str, Outcome] = {}
        mine = [tallies[key] for key, one in named.items() if one.quick and place in level.rows]
        mine += [
            tallies[k] for k, one in named.items() if not one.quick and place in level.shortcut_rows
        ]
        mine += [of_legal] if of_legal is not None and place in level.rows else []
        for tally in mine:
            tally.play_case(case, ends)
    looked = {key: tally.to_result() for key, tally in tallies.items()}
    if by_field is not None:
        looked[FIELD_PLAYER] = LookResult(by_field.hits, by_field.plays, by_field.plays, ONE_FIELD)
    return LevelPlays(
        level.cell,
        level.difficulty,
        tried,
        None if of_legal is None else of_legal.to_result(),
        looked,
    )


@dataclass(slots=True)
class LookTally:
    """The running wins of a player with a partial view, of whole answers or of their elements.

    Attributes:
        task: the task.
        name: the player's name; with the puzzle's name it seeds the randomness.
        looker: the player.
        share_unit: the unit of the share.
        won: its wins.
        total: its possible wins.
        groups: the base puzzles that it played.
    """

    task: AnyTask
    name: str
    looker: PartialViewPlayer
    share_unit: str
    won: float = 0.0
    total: float = 0.0
    groups: set[str] = field(default_factory=set)

    def play_case(self, case: PlayCase, ends: dict[str, Outcome]) -> None:
        """Play one puzzle.

        Args:
            case: the puzzle.
            ends: outcomes of plays of one constant reply, by reply; new ones are added.
        """
        self.groups.add(case.group)
        task, looker = self.task, self.looker
        drawing = partial(make_generator, "blind", "look", self.name, case.group)
        if looker.equal is not None and self.share_unit == "answers":
            equal = looker.equal(case.instance, drawing)
            for said in equal:
                if said not in ends:
                    episode = task.open(case.instance).without_figures()
                    ends[said] = replay(episode, repeat(said, MOST))
            self.won += sum(ends[said].status is Status.CORRECT for said in equal) / len(equal)
            self.total += 1
            return
        says = looker.begin(case.instance, drawing())
        self.count_outcome(case.group, play_replies(task, case.instance, says, MOST))

    def count_outcome(self, group: str, outcome: Outcome) -> None:
        """Count the outcome of a play of a base puzzle."""
        self.groups.add(group)
        if self.share_unit.startswith(F1_UNIT):
            label = self.share_unit.removeprefix(F1_UNIT)
            mine, its = label in outcome.answer[:1], label in outcome.gold[:1]
            self.won, self.total = self.won + 2 * (mine and its), self.total + mine + its
        elif self.share_unit == "answers" or not outcome.gold:
            self.won, self.total = self.won + (outcome.status is Status.CORRECT), self.total + 1
        else:
            answer = outcome.answer or ("",) * len(outcome.gold)
            self.won += sum(a == g for a, g in zip(answer, outcome.gold, strict=False))
            self.total += len(outcome.gold)

    def to_result(self) -> LookResult:
        """Return the wins."""
        looker = self.looker
        return LookResult(self.won, self.total, len(self.groups), looker.looks_at, looker.amount)


def load_cases(
    splits: Sequence[SplitFiles], task: AnyTask, rows: Mapping[str, tuple[str, tuple[str, ...]]]
) -> list[PlayCase]:
    """Return the puzzles to play, in order.

    Args:
        splits: the splits with the rows.
        task: their task.
        rows: the rows; see `LevelSelection`.
    """
    found = {}
    for file in _split_files(splits):
        known = file.arrow_schema().names
        columns = [column.name for column in task.columns if column.name in known]
        for row in read_rows(file.paths[0], list(rows), columns):
            group, replies = rows[name := row["id"]]
            found[name] = PlayCase(group, task.decode(row), replies)
    return [found[name] for name in rows]


def read_rows(path: Path, names: Sequence[str], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a file that have one of some ids.

    Args:
        path: the file.
        names: the ids; one at least.
        columns: the columns to read besides the id.
    """
    field = pc.field("id")
    # Row groups beyond the first and the last id are passed over by their statistics.
    wanted = (field >= min(names)) & (field <= max(names)) & field.isin(names)
    table = pq.read_table(
        arrow_source(path), columns=["id", *columns], filters=wanted, partitioning=None
    )
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def _split_files(splits: Sequence[SplitFiles]) -> Iterator[SplitFiles]:
    """Yield each file of some splits as a split of its own."""
    for split in splits:
        for path in split.paths:
            yield replace(split, paths=(path,))
