"""Read the rows of the dataset being scored, and the columns that grading needs.

The rows of all configs and splits are numbered consecutively, in published order; scoring refers to
a row by that number. Images and messages are never read: an episode is opened from the typed
columns. These are read when the first prediction for their config arrives, and cached in packs on
disk that are opened on demand (facelet.pipeline.scoring.column_cache).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.pipeline import family_modules
from facelet.pipeline.dataset import (
    content_check,
    dataset_reader,
    duplicates,
    floor_record,
)
from facelet.pipeline.dataset.manifest_file import ConfigEntry, Manifest
from facelet.pipeline.dataset.row_columns import catch_decode_errors
from facelet.pipeline.scoring.array_types import Ints, rank_texts
from facelet.pipeline.scoring.column_cache import (
    SPAN_ROWS,
    ColumnPacks,
    ScratchFolder,
    join_packs,
    pack_span,
)
from facelet.pipeline.scoring.row_equivalence import RowKinds, find_kinds, join_kinds
from facelet.pipeline.scoring.row_index import RowIndex, build_index
from facelet.pipeline.scoring.worker_pool import WorkerPool

Value = str | int | float | bool | None
"""A value of a column that rows are split by."""

T = TypeVar("T")

Coded = tuple[Ints, list[Value]]
"""A column as codes, (rows,), into the list of its distinct values."""


@dataclass(frozen=True)
class ScoredSplit:
    """One split of one config.

    Attributes:
        source: its files.
        first_number: number of its first row.
        count: number of its rows.
        task_name: the task that made the rows.
        task_version: the version of that task.
        voucher: verifies its files before they are read.
        scratch: the folder of the cached columns.
        crew: the processes that read and hash its rows.
    """

    source: dataset_reader.SplitFiles
    first_number: int
    count: int
    task_name: str
    task_version: int
    voucher: content_check.ContentChecker
    scratch: ScratchFolder = field(repr=False, compare=False)
    crew: WorkerPool = field(repr=False, compare=False)
    _columns: dict[str, pa.Array] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _codes: dict[str, Coded] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def split_name(self) -> tuple[str, str]:
        """The names of config and split."""
        return self.source.config, self.source.name

    @cached_property
    def load_installed_task(self) -> family_modules.AnyTask:
        """The installed task.

        Raises:
            TaskUnavailable: it cannot be loaded here.
            ValueError: its version is another.
        """
        found = family_modules.load_task(self.task_name)
        if not found.plays_version(self.task_version):
            raise ValueError(
                f"{self.source.config} was made by {self.task_name} version {self.task_version}, "
                f"and version {found.version} is installed; score it with the facelet release "
                "that made it (manifest.json names it)"
            )
        return found

    @cached_property
    def unavailable_reason(self) -> str:
        """Why the task cannot be loaded here; "" if it can."""
        try:
            family_modules.load_task(self.task_name)
        except family_modules.TaskUnavailable as error:
            return str(error)
        return ""

    @cached_property
    def is_vouched(self) -> bool:
        """Whether the files are verified; False if verification is off.

        Raises:
            ValueError: they differ from the manifest.
        """
        self.voucher.check_split(*self.split_name, self.source.paths, self.crew.map_jobs)
        return self.voucher.depth != "no"

    @cached_property
    def column_packs(self) -> ColumnPacks:
        """The columns that grading needs, written to packs by the crew.

        Raises:
            ValueError: a column that the task needs is missing.
        """
        jobs = [
            (span, self.scratch.file_path(f"{self.first_number}-{number}.arrows"))
            for number, span in enumerate(self._iterate_spans())
        ]
        return join_packs(self._map_unchanged(pack_span, jobs))

    @cached_property
    def row_kinds(self) -> RowKinds | None:
        """The kinds of its rows; None if each row is graded by itself.

        Raises:
            ValueError: the rows are refused, or a column is missing.
        """
        columns = self.load_installed_task.decided_by
        if not columns or not self.is_vouched:
            return None
        drafts = self._map_unchanged(
            find_kinds, [(span, columns) for span in self._iterate_spans()]
        )
        found = join_kinds(drafts, self.scratch.file_path(f"{self.first_number}-kinds"))
        if found is None:
            return None
        examples = found.examples.iterate_rows(np.arange(found.examples.count))
        return found if all(map(self._is_right, examples)) else None

    def _map_unchanged(self, make: Callable[..., T], jobs: Sequence[tuple[Any, ...]]) -> list[T]:
        """Return the results of jobs over its files, which must not change in the process."""
        found = list(self.crew.map_jobs(make, jobs))
        self.voucher.check_unchanged(self.source.paths)
        return found

    def _iterate_spans(self) -> Iterator[dataset_reader.RowGroupSpan]:
        """Yield its rows in spans, with the columns that grading needs, and the id for errors."""
        self.is_vouched  # noqa: B018 - raises before a row is used
        own = (column.name for column in self.load_installed_task.columns)
        return self.source.iterate_spans(tuple(dict.fromkeys(("id", *own))), SPAN_ROWS)

    def _is_right(self, row: dict[str, object]) -> bool:
        """Return whether the reference answer of a row is graded correct."""
        task = self.load_installed_task
        with catch_decode_errors(str(row["id"]), "be judged"):
            instance = task.decode(row)
            outcome = replay(task.open(instance), task.reference(instance))
            return outcome.status is Status.CORRECT

    def iterate_rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield rows as dicts of their id and the task's columns.

        Args:
            numbers: numbers of rows within this part, ascending.

        Raises:
            ValueError: a column that the task needs is missing.
        """
        return self.column_packs.iterate_rows(numbers)

    def read_column(self, name: str) -> pa.Array:
        """Return one column, in published order, and cache it.

        Raises:
            ValueError: it is missing.
        """
        if name not in self._columns:
            self._columns[name] = self.read(name)
        return self._columns[name]

    def read(self, name: str) -> pa.Array:
        """Return one column, in published order, without caching it.

        Raises:
            ValueError: it is missing.
        """
        self.is_vouched  # noqa: B018 - raises before a row is used
        batches = list(self.source.iterate_batches([name], size=65536))
        self.voucher.check_unchanged(self.source.paths)
        return pa.Table.from_batches(batches).column(0).combine_chunks()

    @cached_property
    def difficulty_axis(self) -> str:
        """Name of the difficulty."""
        return str(self.read_column("difficulty_axis")[0].as_py())

    @property
    def read_chance(self) -> floor_record.ChanceRecord | None:
        """The chance level in the manifest; None without one."""
        found = self._config_entry.splits.get(self.source.name) if self._config_entry else None
        return found.chance if found else None

    @property
    def read_floor(self) -> floor_record.FloorRecord | None:
        """The score of the best blind player in the manifest, or None."""
        return self._config_entry.floor if self._config_entry else None

    @cached_property
    def answer_floor(self) -> floor_record.FloorRecord:
        """The floor of whole answers: of the manifest, or the score of the commonest answer."""
        if (known := self.read_floor) is not None and known["of"] == "answers":
            return known
        golds: dict[int, list[str]] = {}
        for level, gold in zip(
            self.read_column("difficulty").to_pylist(), self.read("gold").to_pylist(), strict=True
        ):
            golds.setdefault(level, []).extend([str(gold)] if gold else [])
        return floor_record.of_commonest(golds)

    @cached_property
    def leaks(self) -> bool:
        """Whether its rows show their own answer, by design of the task."""
        name, value = self.load_installed_task.traits.leaks
        return bool(name) and self.read(name)[0].as_py() == value

    @property
    def _config_entry(self) -> ConfigEntry | None:
        manifest = self.voucher.manifest
        return manifest.configs.get(self.source.config) if manifest else None

    def row_id(self, row: int) -> str:
        """Return the id of a row by its number in the dataset."""
        return str(self.read_column("id")[row - self.first_number].as_py())

    def _cluster_keys(self) -> pa.Array:
        """Return the key of each row's cluster, without caching texts."""
        group, shown = self.read("group"), self.read(duplicates.SHOWN)
        sizes = pc.list_value_length(shown).fill_null(0).to_numpy()
        ends = np.cumsum(sizes)
        one = pa.array(ends - 1, mask=sizes != 1)
        keys = pc.coalesce(shown.flatten().take(one), group)
        several = np.flatnonzero(sizes > 1)
        names = duplicates.list_cluster_columns(self.load_installed_task.columns)
        if not len(several) or not names:
            return keys
        # Their class is computed row by row.
        wanted = ["group", duplicates.SHOWN, *names]
        values = [self.read(name).take(pa.array(several)).to_pylist() for name in wanted]
        found = keys.to_pylist()
        for place, row in zip(several.tolist(), zip(*values, strict=True), strict=True):
            found[place] = duplicates.cluster_key(
                self.task_name,
                self.load_installed_task.columns,
                dict(zip(wanted, row, strict=True)),
            )
        return pa.array(found, pa.string())

    @cached_property
    def row_clusters(self) -> tuple[Ints, pa.Array]:
        """(rows,) cluster of each row, and the clusters' keys, the same in all splits.

        See facelet.pipeline.dataset.duplicates.
        """
        if duplicates.SHOWN in self.source.arrow_schema().names:
            return rank_texts(self._cluster_keys())
        encoded = self.read("group").dictionary_encode("encode")
        return encoded.indices.to_numpy(), encoded.dictionary

    def encode_column(self, name: str) -> Coded:
        """Return a column as codes into the list of its distinct values."""
        if name not in self._codes:
            encoded = self.read_column(name).dictionary_encode("encode")
            indices = np.asarray(encoded.indices, dtype=np.int64)
            self._codes[name] = indices, encoded.dictionary.to_pylist()
        return self._codes[name]


@dataclass(frozen=True)
class ScoredDataset:
    """A published dataset in a local folder.

    Attributes:
        folder_name: name of the folder.
        voucher: verifies the files.
        parts: the splits of the configs, in the order of their names.
    """

    folder_name: str
    voucher: content_check.ContentChecker
    parts: tuple[ScoredSplit, ...]

    @property
    def read_manifest(self) -> Manifest | None:
        """The manifest; None without one."""
        return self.voucher.manifest

    @property
    def dataset_name(self) -> str:
        """The name in the manifest, or of the folder without a manifest."""
        return self.read_manifest.name if self.read_manifest else self.folder_name

    @property
    def content_hash(self) -> str | None:
        """The manifest's hash of all rows; None without a manifest."""
        return self.read_manifest.content_hash if self.read_manifest else None

    @property
    def shard_paths(self) -> list[Path]:
        """The files of its rows."""
        return [path for part in self.parts for path in part.source.paths]

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.parts[-1].first_number + self.parts[-1].count

    @cached_property
    def row_index(self) -> RowIndex:
        """The rows' numbers by id.

        Raises:
            ValueError: two rows share an id.
        """
        return build_index(
            batch.column(0)
            for part in self.parts
            for batch in part.source.iterate_batches(["id"], size=65536)
        )

    def for_worker(self) -> ScoredDataset:
        """Return the dataset for another process: the row of each id, and the task of each row."""
        voucher = content_check.ContentChecker(self.voucher.folder, self.voucher.depth, None, None)
        shared = {"voucher": voucher, "scratch": ScratchFolder(), "crew": WorkerPool()}
        parts = tuple(replace(part, **shared) for part in self.parts)  # type: ignore[arg-type]
        found = ScoredDataset(self.folder_name, voucher, parts)
        found.__dict__["row_index"] = self.row_index
        return found

    def part_of(self, row: int) -> int:
        """Return the place in `parts` of the part of a row."""
        return bisect_right(self._split_starts, row) - 1

    @cached_property
    def _split_starts(self) -> list[int]:
        return [part.first_number for part in self.parts]


def open_dataset(
    folder: Path, verify: content_check.Depth = "content", expect: str = ""
) -> ScoredDataset:
    """Return the dataset in a folder.

    Args:
        folder: the folder.
        verify: how much of a split is checked before its rows are used.
        expect: SHA-256 that its manifest must have; "" for any.

    Raises:
        ValueError: the folder contains no dataset, lacks shards, or its manifest is damaged, not
            the expected one, or missing although rows must be verified.
    """
    parts: list[ScoredSplit] = []
    start = 0
    scratch, crew = ScratchFolder(), WorkerPool()
    voucher = content_check.open_checker(folder, verify, expect)
    for source in dataset_reader.list_splits(folder):
        voucher.record_stamps(source.paths)
        if not (count := source.count_rows()):
            continue
        head = next(source.iterate_batches(["task", "task_version"], size=1)).to_pylist()[0]
        task, version = head["task"], head["task_version"]
        parts.append(ScoredSplit(source, start, count, task, version, voucher, scratch, crew))
        start += count
    if not parts:
        raise ValueError(f"{str(folder)!r} contains no rows")
    return ScoredDataset(folder.name, voucher, tuple(parts))
