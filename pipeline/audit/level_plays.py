"""Plays: one level of a config, played by who never looks, moves at random, or looks at a part.

Three kinds of players: the blind of facelet.pipeline.audit.blind_episode_players, tuned and judged
on this level alone; a player of any legal move, whose share is chance where a task states none
(`load_legal_player` of a family's module `blind_episode_players`); and those that are handed the
puzzle and look at a part of it, or carry out a part of what is asked (`shortcuts` of that module).
Effort is counted in puzzles and replies, so the same is found everywhere; seeds come from names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.measures import F1_UNIT
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.pipeline import family_modules
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.blind_episode_players import PlayCase, PlayCounts, has_several_turns
from facelet.pipeline.audit.blind_policies import PartialViewPlayer
from facelet.pipeline.audit.play_selection import LevelEffort, LevelSelection
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.dataset.store_address import arrow_source
from facelet.pipeline.family_modules import AnyTask, Lookup

MOST = 400
"""Replies of one play of a looking player; longer ones are stopped."""
NONE_NAMED = "its family names no player that does a part"
"""Why there are no shortcuts where a family does not say it."""


@dataclass(frozen=True, slots=True)
class LookResult:
    """What a player won that looks.

    Attributes:
        won: right answers, or elements of answers; where the F1 of a label is measured, twice the
            right answers of that label.
        of: of so many; for an F1, of the golds and the answers of that label.
        plays: of so many puzzles.
        looks_at: what it looks at, in words.
    """

    won: float
    possible: float
    plays: int
    looks_at: str


@dataclass(frozen=True, slots=True)
class LevelPlays:
    """What was won at one level.

    Attributes:
        cell: its label.
        difficulty: its place on the difficulty axis.
        blind: by kind of blind player.
        legal: of any legal move; None where there is no such player, or chance is stated.
        looked: by the name of a shortcut.
    """

    cell: str
    difficulty: int
    blind_players: Mapping[str, PlayCounts] = field(default_factory=dict)
    legal: LookResult | None = None
    shortcuts: Mapping[str, LookResult] = field(default_factory=dict)


def load_shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the shortcuts that a task's family names, by name."""
    found = family_modules.find_export(
        f"{family_modules.family_name(task.name)}/baseline_players", "shortcuts"
    )
    named: Mapping[str, PartialViewPlayer] = {} if found is None else found(task)
    return named


def explain_no_shortcut(task: AnyTask) -> str:
    """Return why a task has no shortcuts, as its family says."""
    said = family_modules.find_export(
        f"{family_modules.family_name(task.name)}/baseline_players", "no_shortcut"
    )
    return NONE_NAMED if said is None else str(said(task))


def load_legal_player(task: AnyTask) -> PartialViewPlayer | None:
    """Return the player of any legal move that a task's family names; None if it names none."""
    found = family_modules.find_export(
        f"{family_modules.family_name(task.name)}/baseline_players", "legal"
    )
    mover: PartialViewPlayer | None = None if found is None else found(task)
    return mover


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
        effort: how much is tried.
        of: what shares are of.
        stated: whether the task states its chance at this level.
        read: whether there are players that read rows, so that questions of one reply need no
            other.
    """
    task = lookup(name)
    due = {**level.rows, **level.shortcut_rows}
    files = list(_split_files(splits))
    if level.files is not None:
        files = [files[number] for number in level.files]
    known = dict(zip(due, load_cases(files, task, due), strict=True))
    found = [known[name] for name in level.rows]
    tried: Mapping[str, PlayCounts] = {}
    # Of a share of elements, players of episodes would say another thing.
    if of == "answers" and (not read or has_several_turns(task, found[0])):
        tried = blind_episode_players.score_blind_players(task, found, share=effort.share)
    mover = None if stated else load_legal_player(task)
    named = dict(sorted(load_shortcuts(task).items()))
    tallies = {key: LookTally(task, key, looker, of) for key, looker in named.items()}
    of_legal = None if mover is None else LookTally(task, "legal", mover, of)
    # All players play a puzzle one after the other, so that what they share of it is made once.
    for place, case in known.items():
        ends: dict[str, Outcome] = {}
        mine = [tallies[key] for key, one in named.items() if one.quick and place in level.rows]
        mine += [
            tallies[k] for k, one in named.items() if not one.quick and place in level.shortcut_rows
        ]
        mine += [of_legal] if of_legal is not None and place in level.rows else []
        for tally in mine:
            tally.play_case(case, ends)
    return LevelPlays(
        level.cell,
        level.difficulty,
        tried,
        None if of_legal is None else of_legal.to_result(),
        {key: tally.to_result() for key, tally in tallies.items()},
    )


@dataclass(slots=True)
class LookTally:
    """What a player has won so far that looks, of whole answers or of their elements.

    Attributes:
        task: the task.
        name: of the player; its randomness comes from it and the puzzle's.
        looker: the player.
        of: what the share is of.
        won: what it won.
        total: what it could have won.
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
            ends: how it ended for who said one thing all along; what is played is added.
        """
        self.groups.add(case.group)
        task, looker = self.task, self.looker
        drawing = partial(make_generator, "blind", "look", self.name, case.group)
        if looker.equal is not None and self.share_unit == "answers":
            equal = looker.equal(case.instance, drawing)
            for said in equal:
                if said not in ends:
                    ends[said] = play_fixed_reply(task, case.instance, said, MOST)
            self.won += sum(ends[said].status is Status.CORRECT for said in equal) / len(equal)
            self.total += 1
            return
        outcome = play_replies(task, case.instance, looker.begin(case.instance, drawing()), MOST)
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
        """Return what it came to."""
        return LookResult(self.won, self.total, len(self.groups), self.looker.looks_at)


def play_fixed_reply(task: AnyTask, instance: object, said: str, replies: int) -> Outcome:
    """Return how a play ends for who says one thing to all prompts, which need not be written.

    Args:
        task: the task.
        instance: the puzzle.
        said: the reply.
        replies: after so many it is halted.
    """
    episode: Episode = task.open(instance).without_figures()
    for _ in range(replies):
        result = episode.reply(said)
        if isinstance(result, Outcome):
            return result
    return episode.outcome_when_halted()


def play_replies(
    task: AnyTask, instance: object, says: Callable[[Prompt], str], replies: int
) -> Outcome:
    """Return how a play ends.

    Args:
        task: the task.
        instance: the puzzle.
        says: what replies to each prompt.
        replies: after so many it is halted.
    """
    episode: Episode = task.open(instance).without_figures()
    shown = episode.prompt()
    for _ in range(replies):
        result = episode.reply(says(shown))
        if isinstance(result, Outcome):
            return result
        shown = result
    return episode.outcome_when_halted()


def load_cases(
    splits: Sequence[SplitFiles], task: AnyTask, rows: Mapping[str, tuple[str, tuple[str, ...]]]
) -> list[PlayCase]:
    """Return the puzzles that are to be played, in order.

    Args:
        splits: where they are.
        task: their task.
        rows: which they are; see `LevelSelection`.
    """
    found = {}
    for file in _split_files(splits):
        path = file.paths[0]
        known = path.stat()
        places = _index_ids(file, (known.st_mtime_ns, known.st_size))
        mine = [(places[name], name) for name in rows if name in places]
        if not mine:
            continue
        names, _ = _read_layout(path, (known.st_mtime_ns, known.st_size))
        columns = [column.name for column in task.columns if column.name in names]
        for (_, name), row in zip(
            sorted(mine), _read_rows_at(path, sorted(mine), columns), strict=True
        ):
            group, replies = rows[name]
            found[name] = PlayCase(group, task.decode(row), replies)
    return [found[name] for name in rows]


@lru_cache(maxsize=64)
def _index_ids(file: SplitFiles, stamp: tuple[int, int]) -> Mapping[str, int]:
    """Return the number of each row of a file by its id; `stamp` tells a file from a later one."""
    ids = [
        name for batch in file.iterate_batches(["id"]) for name in batch.column("id").to_pylist()
    ]
    return {name: number for number, name in enumerate(ids)}


def _read_rows_at(
    path: Path, places: Sequence[tuple[int, str]], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield some rows of a file, read from the row groups that hold them.

    Args:
        path: the file.
        places: the numbers of the rows, in order.
        columns: what is read of them.
    """
    known = path.stat()
    stamp = (known.st_mtime_ns, known.st_size)
    begin = 0
    for group, size in enumerate(_read_layout(path, stamp)[1]):
        end = begin + size
        inside = [number - begin for number, _ in places if begin <= number < end]
        begin = end
        if inside:
            table = _read_group(path, stamp, group, tuple(columns))
            low, high = inside[0], inside[-1] + 1
            # Of a level of few rows all are played, and to pick them would copy every column.
            if high - low > len(inside):
                table = table.take(pa.array(inside, pa.int64()))
                low, high = 0, len(inside)
            yield from table.slice(low, high - low).to_pylist()


@lru_cache(maxsize=64)
def _read_layout(path: Path, stamp: tuple[int, int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the names of the columns of a file, and the number of rows of each row group."""
    with pq.ParquetFile(arrow_source(path)) as file:
        groups = range(file.num_row_groups)
        sizes = tuple(file.metadata.row_group(group).num_rows for group in groups)
        return tuple(file.schema_arrow.names), sizes


# A level of few rows is a part of a row group, and the next level another.
@lru_cache(maxsize=1)
def _read_group(
    path: Path, stamp: tuple[int, int], group: int, columns: tuple[str, ...]
) -> pa.Table:
    """Return some columns of a row group of a file."""
    with pq.ParquetFile(arrow_source(path)) as file:
        return file.read_row_group(group, columns=list(columns))


def _split_files(splits: Sequence[SplitFiles]) -> Iterator[SplitFiles]:
    """Yield each file of some splits as a split of its own."""
    for split in splits:
        for path in split.paths:
            yield replace(split, paths=(path,))
