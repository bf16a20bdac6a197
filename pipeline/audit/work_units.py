"""Divide an audit into jobs smaller than a config, and run them on any workers.

First each file of each config is read and replayed; then row-reading players attack each config;
then each level is played. A job depends on files and on the rows that earlier jobs kept, so results
are the same for any number and kind of workers. Rows stay packed, in files of this machine where
all jobs run on it, and few are unpacked at a time.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed
from tqdm import tqdm

from facelet.generators.core.measures import F1_UNIT
from facelet.pipeline.audit.audited_row import AuditedRow, iterate_audited_rows
from facelet.pipeline.audit.blind_episode_players import PlayCase, has_several_turns
from facelet.pipeline.audit.config_floor import ConfigFloor, measure_floor
from facelet.pipeline.audit.fairness_figures import FALSE_ALARM, measure_config
from facelet.pipeline.audit.figure_limits import FairnessFigure, Scope
from facelet.pipeline.audit.level_plays import (
    LevelEffort,
    LevelPlays,
    LevelSelection,
    play_level,
    select_levels,
)
from facelet.pipeline.audit.packed_records import PackedFile, RowView, filter_rows, pack_records
from facelet.pipeline.audit.player_results import PlayerResult
from facelet.pipeline.audit.prompt_fields import score_field_readers
from facelet.pipeline.audit.row_reading_players import score_row_readers
from facelet.pipeline.audit.split_overlap import keeps_splits_apart, measure_shared_rows
from facelet.pipeline.audit.text_index import (
    HASH,
    count_containing_sets,
    count_records_by_range,
    hash_text,
)
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.dataset.floor_record import DeclaredFloor
from facelet.pipeline.dataset.row_columns import MAX_ID
from facelet.pipeline.family_modules import AnyTask, Lookup, TaskUnavailable
from facelet.pipeline.parent_watch import open_local_workers
from facelet.pipeline.spill_sort import Records, SpillSorter, StoredRecords

R = TypeVar("R")


class JobRunner(Protocol):
    """Runs jobs: yields the number and the result of each, in any order."""

    def __call__(
        self, make: Callable[..., R], jobs: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, R]]:
        """Run jobs."""


@contextmanager
def open_workers(workers: int) -> Iterator[JobRunner]:
    """Run jobs on so many processes of this machine inside the block."""

    def run_jobs(
        make: Callable[..., R], jobs: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, R]]:
        if workers <= 1 or len(jobs) <= 1:
            yield from ((number, make(*job)) for number, job in enumerate(jobs))
            return
        hand_out = Parallel(return_as="generator_unordered", max_nbytes=None)
        yield from hand_out(delayed(_run_numbered)(make, k, job) for k, job in enumerate(jobs))

    if workers <= 1:
        yield run_jobs
        return
    with open_local_workers(workers):
        yield run_jobs


def _run_numbered(make: Callable[..., R], number: int, job: tuple[Any, ...]) -> tuple[int, R]:
    return number, make(*job)


@dataclass(frozen=True, slots=True)
class ConfigIdentity:
    """One config's contribution to the figures of the whole dataset.

    Attributes:
        ids: the hashes of the ids of its rows, in a file where jobs may leave files.
        malformed: number of malformed ids.
        first: the first malformed id in sorted order; "" without any.
        keys: for "canonical", "family", "group" and, where splits must not share displays of first
            prompts, "shown", the hashes of the values in each split.
    """

    ids: StoredRecords
    malformed: int
    first: str
    keys: dict[str, dict[str, StoredRecords]]


@dataclass(frozen=True, slots=True)
class ConfigAudit:
    """The audit of one config."""

    config: str
    figures: dict[Scope, dict[str, FairnessFigure]]
    floor: ConfigFloor | None
    identity: ConfigIdentity


@dataclass(frozen=True, slots=True)
class _MeasuredConfig:
    """Measurements of one config from its rows, before any play.

    Attributes:
        figures: the figures of its rows.
        identity: its contribution to the figures of the whole dataset.
        readers: results of row-reading players; None where nothing is graded.
        fields: results of readers of one field of the prompt.
        levels: the rows to play of each graded level, in order of difficulty.
        share_unit: the unit of shares.
        task: name of its task.
    """

    figures: dict[Scope, dict[str, FairnessFigure]]
    identity: ConfigIdentity
    readers: list[PlayerResult] | None
    fields: list[PlayerResult]
    levels: tuple[LevelSelection, ...]
    share_unit: str
    task: str


def audit_configs(
    configs: Sequence[tuple[SplitFiles, ...]],
    lookup: Lookup,
    declared: Mapping[str, DeclaredFloor],
    each: JobRunner,
    folder: Path,
    *,
    shown: bool,
    near: bool = True,
) -> list[ConfigAudit | str]:
    """Return the audit of each config, or one line with the reason why its task is not available.

    Args:
        configs: the splits of each.
        lookup: finds a task by its name.
        declared: by config, the declarations of its tasks about guessing, if known.
        each: runs the jobs.
        folder: an empty folder of this machine for hashes, which `measure_overlap` reads.
        shown: whether to show a bar on stderr.
        near: whether jobs run on this machine, so that they may leave files to each other.

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
    terminal = sys.stderr.isatty()
    with tqdm(
        total=len(files) + len(configs),
        desc="audit   ",
        unit="part",
        file=sys.stderr,
        disable=not shown,
        mininterval=0.2 if terminal else 10,
    ) as bar:

        def mark_done(config: str, part: str) -> None:
            # In a terminal at once: a floor can take minutes without any other output.
            bar.set_postfix_str(f"{config}: {part}", refresh=terminal)
            bar.update()

        read: dict[int, PackedFile[AuditedRow] | str] = {}
        kept = [folder / str(number) if near else None for number in range(len(files))]
        asked = [(file, lookup, path) for (_, file), path in zip(files, kept, strict=True)]
        for number, rows in each(_read_file, asked):
            read[number] = rows
            mark_done(files[number][1].config, "rows")
        rows_of: dict[int, list[PackedFile[AuditedRow]]] = defaultdict(list)
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
                _hash_path(folder, place) if near else None,
            )
            for place in places
        ]
        known: dict[int, _MeasuredConfig] = {}
        for number, found in each(_measure_rows, jobs):
            place = places[number]
            known[place] = found if near else _move_hashes(found, _hash_path(folder, place))
            mark_done(configs[place][0].config, "figures")
        del jobs
        levels = [(place, level) for place in places for level in known[place].levels]
        bar.total = (bar.total or 0) + len(levels)
        played: dict[int, LevelPlays] = {}
        plays = [
            (configs[place], lookup, *_play_arguments(known[place], level, said[place]))
            for place, level in levels
        ]
        for number, won in each(play_level, plays):
            played[number] = won
            mark_done(configs[levels[number][0]][0].config, "floor")
    return [
        lost[place]
        if place in lost
        else _build_audit(
            configs[place][0].config,
            known[place],
            lookup,
            [played[k] for k, (mine, _) in enumerate(levels) if mine == place],
            said[place],
            budget,
        )
        for place in range(len(configs))
    ]


def _hash_path(folder: Path, place: int) -> Path:
    """Return the path of the hashes of a config."""
    return folder / f"hashes-{place}"


def _move_hashes(known: _MeasuredConfig, folder: Path) -> _MeasuredConfig:
    """Return the measurements of a config with its hashes in a folder of this machine."""
    folder.mkdir()
    paths = (folder / str(number) for number in count())
    identity = known.identity
    keys = {
        kind: {split: found.to_file(next(paths)) for split, found in splits.items()}
        for kind, splits in identity.keys.items()
    }
    return replace(
        known, identity=replace(identity, ids=identity.ids.to_file(next(paths)), keys=keys)
    )


def _read_file(
    split: SplitFiles, lookup: Lookup, path: Path | None
) -> PackedFile[AuditedRow] | str:
    """Read and replay one file, or return one line with the reason why its task is not available.

    Args:
        split: the split, with this file only.
        lookup: finds a task by its name.
        path: the file for the rows; None for memory.
    """
    try:
        return pack_records(AuditedRow, iterate_audited_rows((split,), lookup), path)
    except TaskUnavailable as error:
        return f"{split.config} is not measured: {error}"


def _measure_rows(
    splits: tuple[SplitFiles, ...],
    files: Sequence[PackedFile[AuditedRow]],
    lookup: Lookup,
    declared: DeclaredFloor | None,
    budget: float,
    folder: Path | None,
) -> _MeasuredConfig:
    """Measure the rows of one config.

    Args:
        splits: its splits.
        files: the rows of each of its files.
        lookup: finds a task by its name.
        declared: the declarations of its tasks about guessing, if known.
        budget: false-alarm probability that figures may spend.
        folder: the folder for hashes; None for memory.
    """
    config = splits[0].config
    rows = RowView(files)
    if not rows:
        raise ValueError(f"{config} has no rows; leave the config out or build some")
    row = next(row for split in splits for row in split.iterate_rows())
    task = lookup(name := row["task"])
    found = measure_config(rows, task, budget=budget, declared=declared)
    for scope, inside in measure_shared_rows(rows, task).items():
        found[scope] |= inside
    graded = filter_rows(rows, lambda row: row.gold)
    of = "answers" if declared is None else declared.of
    readers, fields = None, list[PlayerResult]()
    if graded:
        instance = task.decode(row)
        case = PlayCase(row["group"], instance, tuple(task.reference(instance)))
        several = has_several_turns(task, case)
        readers = score_row_readers(graded, task, of, several=several)
        # Rows of simulated plays contain the outcome, not the replies that lead to it.
        if not (several or task.traits.simulated or of.startswith(F1_UNIT)):
            fields = score_field_readers(graded, of)
    effort = LevelEffort.for_levels(len({row.cell for row in graded}) or 1)
    levels = tuple(select_levels(graded, effort, whole=of.startswith(F1_UNIT)))
    return _MeasuredConfig(
        found, _build_identity(config, rows, task, folder), readers, fields, levels, of, name
    )


def _play_arguments(
    known: _MeasuredConfig, level: LevelSelection, declared: DeclaredFloor | None
) -> tuple[str, LevelSelection, LevelEffort, str, bool, bool]:
    """Return the arguments of facelet.pipeline.audit.level_plays for a level."""
    stated = declared is not None and declared.at_level(level.cell).chance is not None
    effort = LevelEffort.for_levels(len(known.levels))
    return known.task, level, effort, known.share_unit, stated, bool(known.readers)


def _build_audit(
    config: str,
    known: _MeasuredConfig,
    lookup: Lookup,
    played: Sequence[LevelPlays],
    declared: DeclaredFloor | None,
    budget: float,
) -> ConfigAudit:
    """Return the audit of a config from its measurements."""
    least = None
    if known.readers is not None:
        task = lookup(known.task)
        least = measure_floor(
            config, task, known.readers, played, declared, budget=budget, fields=known.fields
        )
    return ConfigAudit(config, known.figures, least, known.identity)


def _build_identity(
    config: str, rows: Sequence[AuditedRow], task: AnyTask, folder: Path | None
) -> ConfigIdentity:
    """Return the contribution of a config's rows to the figures of the whole dataset.

    Args:
        config: its name.
        rows: its rows.
        task: the task that made them.
        folder: the folder for hashes; None for memory.
    """
    kinds = [kind for kind in KINDS if kind != "shown" or keeps_splits_apart(task)]
    held: dict[tuple[str, str], SpillSorter] = defaultdict(lambda: SpillSorter(HASH))
    ids, malformed, first = SpillSorter(HASH), 0, ""
    for row in rows:
        ids.add(hash_text(row.id))
        for kind in kinds:
            if value := split_key(row, kind):
                held[kind, row.split].add(hash_text(value))
        good = row.id.isascii() and len(row.id) <= MAX_ID and row.number >= 0
        if not (good and row.id.startswith(f"{config}/")):
            malformed += 1
            first = min(first or row.id, row.id)
    if folder is not None:
        folder.mkdir()
    paths = (None if folder is None else folder / str(number) for number in count())
    keys: dict[str, dict[str, StoredRecords]] = defaultdict(dict)
    for (kind, split), found in held.items():
        keys[kind][split] = found.store_records(next(paths))
    return ConfigIdentity(ids.store_records(next(paths)), malformed, first, dict(keys))


KINDS = ("canonical", "family", "group", "shown")
"""The kinds of keys that no two splits may share."""


def split_key(row: AuditedRow, kind: str) -> str:
    """Return the key of a row that no other split may have; "" for none."""
    value: str = getattr(row, "first" if kind == "shown" else kind)
    return value


def measure_overlap(
    parts: Sequence[ConfigIdentity], example: Callable[[str, set[bytes]], str]
) -> dict[str, FairnessFigure]:
    """Return the figures of the whole dataset.

    Args:
        parts: the contribution of each config.
        example: from a kind of keys and the hashes that two splits share, to one such key.
    """
    ids = [part.ids for part in parts]
    n = sum(map(len, ids))
    malformed = sum(part.malformed for part in parts)
    note = min((part.first for part in parts if part.malformed), default="")
    made = {
        "duplicate_ids": FairnessFigure(
            n - sum(len(one) for one, _ in count_records_by_range(ids)), at_most=0, n=n
        ),
        "malformed_ids": FairnessFigure(malformed, at_most=0, n=n, note=note),
    }
    for kind in sorted({kind for part in parts for kind in part.keys}):
        splits: dict[str, list[Records]] = defaultdict(list)
        for part in parts:
            for split, values in part.keys.get(kind, {}).items():
                splits[split].append(values)
        both: set[bytes] = set()
        total = 0
        for mine, many in count_containing_sets(list(splits.values())):
            total += len(mine)
            both.update(one.tobytes() for one in mine[many > 1])
        made[f"{kind}_in_two_splits"] = FairnessFigure(
            len(both), at_most=0, n=total, note=example(kind, both) if both else ""
        )
    return made
