"""Plays: one level of a config, played by who never looks, moves at random, or looks at a part.

Three kinds of players: the blind of facelet.pipeline.audit.blind, tuned and judged on this level
alone; a player of any legal move, whose share is chance where a task states none (`legal` of a
family's module `blind`); and those that are handed the puzzle and look at a part of it, or carry
out a part of what is asked (`shortcuts` of that module). Effort is counted in puzzles and replies,
so the same is found everywhere; seeds come from names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.label_f1 import UNIT
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import digest, generator
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.pipeline import families
from facelet.pipeline.audit import blind
from facelet.pipeline.audit.blind import Case, Hits, goes_on
from facelet.pipeline.audit.held import Rows, at, parted
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.policies import Fixed, Looker
from facelet.pipeline.dataset.addresses import source
from facelet.pipeline.dataset.reading import Split
from facelet.pipeline.families import AnyTask, Lookup

LEAST = 24
"""Puzzles of a level that are played at least, where there are so many."""
MOST = 400
"""Replies of one play of a looking player; longer ones are stopped."""
LOOKED = 60
"""Puzzles of a config that each player is tried on who looks at a part, spread over its levels."""

NONE_NAMED = "its family names no player that does a part"
"""Why there are no shortcuts where a family does not say it."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried on one level.

    Attributes:
        puzzles: at most so many are played.
        looked: at most so many by each player that looks.
        share: the part of a config's replies that may be spent on blind players.
    """

    puzzles: int
    looked: int
    share: float

    @classmethod
    def of(cls, levels: int) -> Effort:
        """Return the effort for each of so many levels."""
        return cls(
            max(LEAST, blind.ITEMS // levels),
            max(LEAST // 2, LOOKED // levels),
            max(1 / levels, 0.1),
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is played of a level.

    Attributes:
        cell: its label.
        difficulty: its place on the difficulty axis.
        rows: by the id of a row, the key of its base puzzle and what the reference player says, in
            the order in which they are played.
        looked: the rows that looking players play, alike: of few puzzles several, where puzzles
            have several.
        files: the numbers of the config's files that hold rows of the level; None for any.
    """

    cell: str
    difficulty: int
    rows: Mapping[str, tuple[str, tuple[str, ...]]]
    looked: Mapping[str, tuple[str, tuple[str, ...]]]
    files: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What a player won that looks.

    Attributes:
        won: right answers, or elements of answers; where the F1 of a label is measured, twice the
            right answers of that label.
        of: of so many; for an F1, of the golds and the answers of that label.
        plays: of so many puzzles.
        looks_at: what it looks at, in words.
    """

    won: float
    of: float
    plays: int
    looks_at: str


@dataclass(frozen=True, slots=True)
class Played:
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
    blind: Mapping[str, Hits] = field(default_factory=dict)
    legal: Looked | None = None
    looked: Mapping[str, Looked] = field(default_factory=dict)


def lookers(task: AnyTask) -> Mapping[str, Looker]:
    """Return the shortcuts that a task's family names, by name."""
    found = families.find(f"{families.family(task.name)}/blind", "shortcuts")
    named: Mapping[str, Looker] = {} if found is None else found(task)
    return named


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no shortcuts, as its family says."""
    said = families.find(f"{families.family(task.name)}/blind", "no_shortcut")
    return NONE_NAMED if said is None else str(said(task))


def legal(task: AnyTask) -> Looker | None:
    """Return the player of any legal move that a task's family names; None if it names none."""
    found = families.find(f"{families.family(task.name)}/blind", "legal")
    mover: Looker | None = None if found is None else found(task)
    return mover


def play(
    splits: Sequence[Split],
    lookup: Lookup,
    name: str,
    level: Wanted,
    effort: Effort,
    of: str,
    stated: bool,
    read: bool,
) -> Played:
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
    due = {**level.rows, **level.looked}
    files = list(_files(splits))
    if level.files is not None:
        files = [files[number] for number in level.files]
    known = dict(zip(due, cases(files, task, due), strict=True))
    found = [known[name] for name in level.rows]
    tried: Mapping[str, Hits] = {}
    # Of a share of elements, players of episodes would say another thing.
    if of == "answers" and (not read or goes_on(task, found[0])):
        tried = blind.blind(task, found, share=effort.share)
    mover = None if stated else legal(task)
    looked = [known[name] for name in level.looked]
    return Played(
        level.cell,
        level.difficulty,
        tried,
        None if mover is None else look(task, found, "legal", mover, of),
        {
            key: look(task, found if looker.quick else looked, key, looker, of)
            for key, looker in sorted(lookers(task).items())
        },
    )


def look(task: AnyTask, found: Sequence[Case], name: str, looker: Looker, of: str) -> Looked:
    """Return what a player wins that looks, of whole answers or of their elements.

    Args:
        task: the task.
        found: the puzzles.
        name: of the player; its randomness comes from it and the puzzle's.
        looker: the player.
        of: what the share is of.
    """
    won = total = 0.0
    for case in found:
        rng = generator("blind", "look", name, case.group)
        if looker.equal is not None and of == "answers":
            equal = [Fixed((said,)).begin("") for said in looker.equal(case.instance, rng)]
            ends = [played(task, case.instance, says, MOST) for says in equal]
            won += sum(end.status is Status.CORRECT for end in ends) / len(ends)
            total += 1
            continue
        outcome = played(task, case.instance, looker.begin(case.instance, rng), MOST)
        if of.startswith(UNIT):
            label = of.removeprefix(UNIT)
            mine, its = label in outcome.answer[:1], label in outcome.gold[:1]
            won, total = won + 2 * (mine and its), total + mine + its
        elif of == "answers" or not outcome.gold:
            won, total = won + (outcome.status is Status.CORRECT), total + 1
        else:
            said = outcome.answer or ("",) * len(outcome.gold)
            won += sum(a == g for a, g in zip(said, outcome.gold, strict=False))
            total += len(outcome.gold)
    return Looked(won, total, len({case.group for case in found}), looker.looks_at)


def played(task: AnyTask, instance: object, says: Callable[[Prompt], str], replies: int) -> Outcome:
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
    return episode.halted()


def wanted(rows: Sequence[Observed], effort: Effort, *, whole: bool = False) -> list[Wanted]:
    """Return what is played of each level, in order of difficulty: each base puzzle once.

    Args:
        rows: the graded rows of a config.
        effort: how much is tried on each.
        whole: whether players that look get all rows of a puzzle, as the F1 of a rare label needs.
    """
    found = []
    levels = parted(rows, lambda row: (row.difficulty, row.cell))
    for (difficulty, cell), inside in sorted(levels.items(), key=lambda level: level[0]):
        # Any row of a puzzle, not its first: what is asked first may have one answer more often.
        known = [(digest("blind", "row", row.id), row.group) for row in inside]
        some: dict[str, list[int]] = {}
        for place in sorted(range(len(known)), key=lambda place: known[place][0]):
            some.setdefault(known[place][1], []).append(place)
        order = sorted(some, key=lambda group: digest("blind", "half", group))
        played = [some[group][0] for group in order[: effort.puzzles]]
        rounds = zip_longest(*(some[group] for group in order[: effort.looked]))
        dealt = [place for turn in rounds for place in turn if place is not None]
        looked = dealt if whole else dealt[: effort.looked]
        due = sorted({*played, *looked})
        by = dict(zip(due, at(inside, due), strict=True))
        files = inside.files() if isinstance(inside, Rows) else None
        found.append(
            Wanted(
                cell,
                difficulty,
                _by_id(by[place] for place in played),
                _by_id(by[place] for place in looked),
                files,
            )
        )
    return found


def _by_id(rows: Iterable[Observed]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {row.id: (row.group, row.replies) for row in rows}


def cases(
    splits: Sequence[Split], task: AnyTask, rows: Mapping[str, tuple[str, tuple[str, ...]]]
) -> list[Case]:
    """Return the puzzles that are to be played, in order.

    Args:
        splits: where they are.
        task: their task.
        rows: which they are; see `Wanted`.
    """
    found = {}
    for file in _files(splits):
        path = file.paths[0]
        known = path.stat()
        places = _places(file, (known.st_mtime_ns, known.st_size))
        mine = [(places[name], name) for name in rows if name in places]
        if not mine:
            continue
        names = file.schema().names
        columns = [column.name for column in task.columns if column.name in names]
        for (_, name), row in zip(sorted(mine), _rows_at(path, sorted(mine), columns), strict=True):
            group, replies = rows[name]
            found[name] = Case(group, task.decode(row), replies)
    return [found[name] for name in rows]


@lru_cache(maxsize=64)
def _places(file: Split, stamp: tuple[int, int]) -> Mapping[str, int]:
    """Return the number of each row of a file by its id; `stamp` tells a file from a later one."""
    ids = [name for batch in file.batches(["id"]) for name in batch.column("id").to_pylist()]
    return {name: number for number, name in enumerate(ids)}


def _rows_at(
    path: Path, places: Sequence[tuple[int, str]], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield some rows of a file, read from the row groups that hold them.

    Args:
        path: the file.
        places: the numbers of the rows, in order.
        columns: what is read of them.
    """
    with pq.ParquetFile(source(path)) as file:
        begin = 0
        for group in range(file.num_row_groups):
            end = begin + file.metadata.row_group(group).num_rows
            inside = [number - begin for number, _ in places if begin <= number < end]
            begin = end
            if inside:
                table = file.read_row_group(group, columns=list(columns))
                yield from table.take(pa.array(inside, pa.int64())).to_pylist()


def _files(splits: Sequence[Split]) -> Iterator[Split]:
    """Yield each file of some splits as a split of its own."""
    for split in splits:
        for path in split.paths:
            yield replace(split, paths=(path,))
