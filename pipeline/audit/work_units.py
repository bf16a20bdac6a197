"""Parts: what an audit measures, in pieces smaller than a config, by whoever does them.

First each file of each config is read and replayed; then what reads rows attacks each config; then
each level is played. A piece depends on files and on the rows that earlier pieces kept, so the same
is found by any number of workers, of any kind. Rows are kept packed, in files of this machine where
all pieces are done here: whoever needs them has few unpacked at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed

from facelet.generators.core.label_f1 import UNIT
from facelet.pipeline.audit.blind import Case, goes_on
from facelet.pipeline.audit.figures import FALSE_ALARM, figures
from facelet.pipeline.audit.floors import Floor, floor
from facelet.pipeline.audit.hashed import HASH, among, groups, hash_of
from facelet.pipeline.audit.held import Packed, Rows, pack, where
from facelet.pipeline.audit.limits import Figure, Scope
from facelet.pipeline.audit.observed import Observed, observing
from facelet.pipeline.audit.plays import Played, play
from facelet.pipeline.audit.progress import Bar
from facelet.pipeline.audit.readers import reading
from facelet.pipeline.audit.sharing import apart, shared
from facelet.pipeline.audit.tried import Tried
from facelet.pipeline.audit.wanting import Effort, Wanted, wanted
from facelet.pipeline.dataset.floors import Declared
from facelet.pipeline.dataset.reading import Split
from facelet.pipeline.dataset.rows import MAX_ID
from facelet.pipeline.families import AnyTask, Lookup, Unavailable
from facelet.pipeline.leader import local_workers
from facelet.pipeline.spools import Kept, Records, Spool

R = TypeVar("R")


class Each(Protocol):
    """Who does the parts: yields the number of each job and what it came to, in any order."""

    def __call__(
        self, make: Callable[..., R], jobs: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, R]]:
        """Do them."""
        ...


@contextmanager
def working(workers: int) -> Iterator[Each]:
    """Do parts on processes of this machine inside the block, so many at once."""

    def here(make: Callable[..., R], jobs: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, R]]:
        if workers <= 1 or len(jobs) <= 1:
            yield from ((number, make(*job)) for number, job in enumerate(jobs))
            return
        hand_out = Parallel(return_as="generator_unordered", max_nbytes=None)
        yield from hand_out(delayed(_numbered)(make, k, job) for k, job in enumerate(jobs))

    if workers <= 1:
        yield here
        return
    with local_workers(workers):
        yield here


def _numbered(make: Callable[..., R], number: int, job: tuple[Any, ...]) -> tuple[int, R]:
    return number, make(*job)


@dataclass(frozen=True, slots=True)
class Identity:
    """What one config contributes to the figures of the whole dataset.

    Attributes:
        ids: the hashes of the ids of its rows, in a file where parts may leave files.
        malformed: how many ids are not as they should be.
        first: the first of these that sorts; "" without any.
        keys: for "canonical", "family", "group" and, where splits must not share what first
            prompts show, "shown", the hashes of the values found in each split.
    """

    ids: Kept
    malformed: int
    first: str
    keys: dict[str, dict[str, Kept]]


@dataclass(frozen=True, slots=True)
class Part:
    """The audit of one config."""

    config: str
    figures: dict[Scope, dict[str, Figure]]
    floor: Floor | None
    identity: Identity


@dataclass(frozen=True, slots=True)
class _Config:
    """What is known of one config once its rows are read.

    Attributes:
        figures: the figures of its rows.
        identity: what it contributes to those of the whole dataset.
        readers: what players got right that read rows; None where nothing is graded.
        levels: what is played of each level that is graded, in order of difficulty.
        of: what shares are of.
        task: name of its task.
    """

    figures: dict[Scope, dict[str, Figure]]
    identity: Identity
    readers: list[Tried] | None
    levels: tuple[Wanted, ...]
    of: str
    task: str


def parts(
    configs: Sequence[tuple[Split, ...]],
    lookup: Lookup,
    declared: Mapping[str, Declared],
    each: Each,
    folder: Path,
    *,
    shown: bool,
    near: bool = True,
) -> list[Part | str]:
    """Return the audit of each config; or in a line why its task cannot be had here.

    Args:
        configs: the splits of each.
        lookup: finds a task by its name.
        declared: by config, what its tasks declare of guessing, if it is known.
        each: does the parts.
        folder: an empty one of this machine, where hashes are kept that `whole` reads.
        shown: whether a bar on stderr counts them.
        near: whether parts are done on this machine, so that they may leave files to each other.

    Raises:
        ValueError: a config cannot be measured.
    """
    budget = FALSE_ALARM / len(configs) / 2
    said = [declared.get(splits[0].config) for splits in configs]
    files = [
        (place, replace(split, paths=(path,)))
        for place, splits in enumerate(configs)
        for split in splits
        for path in split.paths
    ]
    with Bar(len(files) + len(configs), shown=shown) as bar:
        read: dict[int, Packed[Observed] | str] = {}
        kept = [folder / str(number) if near else None for number in range(len(files))]
        asked = [(file, lookup, path) for (_, file), path in zip(files, kept, strict=True)]
        for number, rows in each(_read, asked):
            read[number] = rows
            bar.done(files[number][1].config, "rows")
        rows_of: dict[int, list[Packed[Observed]]] = defaultdict(list)
        lost: dict[int, str] = {}
        for number, (place, _) in enumerate(files):
            part = read.pop(number)
            if isinstance(part, str):
                lost.setdefault(place, part)
            else:
                rows_of[place].append(part)
        places = [place for place in range(len(configs)) if place not in lost]
        jobs = [
            (
                configs[place],
                rows_of.pop(place),
                lookup,
                said[place],
                budget,
                _hashes(folder, place) if near else None,
            )
            for place in places
        ]
        known: dict[int, _Config] = {}
        for number, found in each(_measure, jobs):
            place = places[number]
            known[place] = found if near else _moved(found, _hashes(folder, place))
            bar.done(configs[place][0].config, "figures")
        del jobs
        levels = [(place, level) for place in places for level in known[place].levels]
        bar.more(len(levels))
        played: dict[int, Played] = {}
        plays = [
            (configs[place], lookup, *_asked(known[place], level, said[place]))
            for place, level in levels
        ]
        for number, won in each(play, plays):
            played[number] = won
            bar.done(configs[levels[number][0]][0].config, "floor")
    return [
        lost[place]
        if place in lost
        else _together(
            configs[place][0].config,
            known[place],
            lookup,
            [played[k] for k, (mine, _) in enumerate(levels) if mine == place],
            said[place],
            budget,
        )
        for place in range(len(configs))
    ]


def _hashes(folder: Path, place: int) -> Path:
    """Return where the hashes of a config are kept."""
    return folder / f"hashes-{place}"


def _moved(known: _Config, folder: Path) -> _Config:
    """Return what is known of a config, its hashes in a folder of this machine."""
    folder.mkdir()
    paths = (folder / str(number) for number in count())
    identity = known.identity
    keys = {
        kind: {split: found.to(next(paths)) for split, found in splits.items()}
        for kind, splits in identity.keys.items()
    }
    return replace(known, identity=replace(identity, ids=identity.ids.to(next(paths)), keys=keys))


def _read(split: Split, lookup: Lookup, path: Path | None) -> Packed[Observed] | str:
    """Read and replay one file; or return in a line why its task cannot be had here.

    Args:
        split: the split of the file alone.
        lookup: finds a task by its name.
        path: where the rows are kept; None for in memory.
    """
    try:
        return pack(Observed, observing((split,), lookup), path)
    except Unavailable as error:
        return f"{split.config} is not measured: {error}"


def _measure(
    splits: tuple[Split, ...],
    files: Sequence[Packed[Observed]],
    lookup: Lookup,
    declared: Declared | None,
    budget: float,
    folder: Path | None,
) -> _Config:
    """Measure the rows of one config.

    Args:
        splits: its splits.
        files: the rows of each of its files.
        lookup: finds a task by its name.
        declared: what its tasks declare of guessing, if it is known.
        budget: probability of a false alarm that figures may spend.
        folder: where what is found may be kept; None for in memory.
    """
    config = splits[0].config
    rows = Rows(files)
    if not rows:
        raise ValueError(f"{config} has no rows; leave the config out or build some")
    row = next(row for split in splits for row in split.rows())
    task = lookup(name := row["task"])
    found = figures(rows, task, budget=budget, declared=declared)
    for scope, inside in shared(rows, task).items():
        found[scope] |= inside
    graded = where(rows, lambda row: row.gold)
    of = "answers" if declared is None else declared.of
    readers = None
    if graded:
        instance = task.decode(row)
        case = Case(row["group"], instance, tuple(task.reference(instance)))
        readers = reading(graded, task, of, several=goes_on(task, case))
    effort = Effort.of(len({row.cell for row in graded}) or 1)
    levels = tuple(wanted(graded, effort, whole=of.startswith(UNIT)))
    return _Config(found, _identity(config, rows, task, folder), readers, levels, of, name)


def _asked(
    known: _Config, level: Wanted, declared: Declared | None
) -> tuple[str, Wanted, Effort, str, bool, bool]:
    """Return what facelet.pipeline.audit.plays is told of a level."""
    stated = declared is not None and declared.at(level.cell).chance is not None
    effort = Effort.of(len(known.levels))
    return known.task, level, effort, known.of, stated, bool(known.readers)


def _together(
    config: str,
    known: _Config,
    lookup: Lookup,
    played: Sequence[Played],
    declared: Declared | None,
    budget: float,
) -> Part:
    """Return the audit of a config from its parts."""
    least = None
    if known.readers is not None:
        task = lookup(known.task)
        least = floor(config, task, known.readers, played, declared, budget=budget)
    return Part(config, known.figures, least, known.identity)


def _identity(
    config: str, rows: Sequence[Observed], task: AnyTask, folder: Path | None
) -> Identity:
    """Return what a config's rows contribute to the figures of the whole dataset.

    Args:
        config: its name.
        rows: its rows.
        task: the task that made them.
        folder: where hashes are kept; None for in memory.
    """
    kinds = [kind for kind in KINDS if kind != "shown" or apart(task)]
    held: dict[tuple[str, str], Spool] = defaultdict(lambda: Spool(HASH))
    ids, malformed, first = Spool(HASH), 0, ""
    for row in rows:
        ids.add(hash_of(row.id))
        for kind in kinds:
            if value := key_of(row, kind):
                held[kind, row.split].add(hash_of(value))
        good = row.id.isascii() and len(row.id) <= MAX_ID and row.number >= 0
        if not (good and row.id.startswith(f"{config}/")):
            malformed += 1
            first = min(first or row.id, row.id)
    if folder is not None:
        folder.mkdir()
    paths = (None if folder is None else folder / str(number) for number in count())
    keys: dict[str, dict[str, Kept]] = defaultdict(dict)
    for (kind, split), found in held.items():
        keys[kind][split] = found.kept(next(paths))
    return Identity(ids.kept(next(paths)), malformed, first, dict(keys))


KINDS = ("canonical", "family", "group", "shown")
"""What no two splits may share."""


def key_of(row: Observed, kind: str) -> str:
    """Return what of a row no other split may have; "" for nothing."""
    value: str = getattr(row, "first" if kind == "shown" else kind)
    return value


def whole(
    parts: Sequence[Identity], example: Callable[[str, set[bytes]], str]
) -> dict[str, Figure]:
    """Return the figures of the whole dataset.

    Args:
        parts: what each config contributes.
        example: from a kind of keys, and the hashes of those that two splits have, names one.
    """
    ids = [part.ids for part in parts]
    n = sum(map(len, ids))
    malformed = sum(part.malformed for part in parts)
    note = min((part.first for part in parts if part.malformed), default="")
    made = {
        "duplicate_ids": Figure(n - sum(len(one) for one, _ in groups(ids)), at_most=0, n=n),
        "malformed_ids": Figure(malformed, at_most=0, n=n, note=note),
    }
    for kind in sorted({kind for part in parts for kind in part.keys}):
        splits: dict[str, list[Records]] = defaultdict(list)
        for part in parts:
            for split, values in part.keys.get(kind, {}).items():
                splits[split].append(values)
        both: set[bytes] = set()
        total = 0
        for mine, many in among(list(splits.values())):
            total += len(mine)
            both.update(one.tobytes() for one in mine[many > 1])
        made[f"{kind}_in_two_splits"] = Figure(
            len(both), at_most=0, n=total, note=example(kind, both) if both else ""
        )
    return made
