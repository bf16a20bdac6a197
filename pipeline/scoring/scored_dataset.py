"""The dataset being scored: which row an id names, and the columns that judging it needs.

Rows of all configs and splits are numbered through, in published order; that number is a row's
name everywhere in scoring. Images and messages are never read: an episode is opened from the typed
columns. They are read when the first prediction for their config arrives, and kept in
packs on disk that are opened as they are needed (facelet.pipeline.scoring.packs).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.pipeline import families
from facelet.pipeline.dataset import alike, chances, floors, reading, vouching
from facelet.pipeline.dataset.decoding import decoding
from facelet.pipeline.dataset.manifest_entries import ConfigEntry
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.scoring.arrays import Ints, ranks
from facelet.pipeline.scoring.crew import Crew
from facelet.pipeline.scoring.drafting import DRAFT, find_kinds, pack
from facelet.pipeline.scoring.kinds import Kinds, join_kinds
from facelet.pipeline.scoring.packs import Packs, Scratch, join_packs
from facelet.pipeline.scoring.row_index import RowIndex, index

_JUDGING = ("id",)
"""Common columns that a row is read back with, beside the task's own: what names it if it fails."""

Value = str | int | float | bool | None
"""A value of a column that rows are split by."""

Coded = tuple[Ints, list[Value]]
"""A column as codes, (rows,), into the list of its distinct values."""


@dataclass(frozen=True)
class Part:
    """One split of one config.

    Attributes:
        source: its files.
        start: number of its first row.
        count: number of its rows.
        task_name: the task that made the rows.
        task_version: the version of that task.
        voucher: what its files are held against before they are read.
        scratch: where the columns that judging needs are kept.
        crew: who hashes its rows.
    """

    source: reading.Split
    start: int
    count: int
    task_name: str
    task_version: int
    voucher: vouching.Voucher
    scratch: Scratch = field(repr=False, compare=False)
    crew: Crew = field(repr=False, compare=False)
    _columns: dict[str, pa.Array] = field(default_factory=dict, repr=False, compare=False)
    _codes: dict[str, Coded] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> tuple[str, str]:
        """The names of config and split."""
        return self.source.config, self.source.name

    @cached_property
    def task(self) -> families.AnyTask:
        """The installed task.

        Raises:
            Unavailable: it cannot be had here.
            ValueError: its version is another.
        """
        found = families.task(self.task_name)
        if found.version != self.task_version:
            raise ValueError(
                f"{self.source.config} was made by {self.task_name} version {self.task_version}, "
                f"and version {found.version} is installed; score it with the facelet release "
                "that made it (manifest.json names it)"
            )
        return found

    @cached_property
    def unavailable(self) -> str:
        """Why the task cannot be had here, in words; "" if it can."""
        try:
            families.task(self.task_name)
        except families.Unavailable as error:
            return str(error)
        return ""

    @cached_property
    def vouched(self) -> bool:
        """Whether the voucher found nothing to object to; False if nobody looked.

        Raises:
            ValueError: they are not.
        """
        self.voucher.check(*self.name, self.source.paths, self.crew.each)
        return self.voucher.depth != "no"

    @cached_property
    def packs(self) -> Packs:
        """The columns that judging needs; the crew writes them.

        Raises:
            ValueError: a column that the task needs is not there.
        """
        jobs = [
            (stretch, self.scratch.path(f"{self.start}-{number}.arrows"))
            for number, stretch in enumerate(self._stretches())
        ]
        found = list(self.crew.each(pack, jobs))
        self.voucher.still(self.source.paths)
        return join_packs(found)

    @cached_property
    def kinds(self) -> Kinds | None:
        """The kinds of its rows; None where each is judged by itself.

        Raises:
            ValueError: the rows are refused, or a column is not there.
        """
        if not self.task.decided_by or not self.vouched:
            return None
        jobs = [(stretch, self.task.decided_by) for stretch in self._stretches()]
        drafts = list(self.crew.each(find_kinds, jobs))
        self.voucher.still(self.source.paths)
        found = join_kinds(drafts, self.scratch.path(f"{self.start}-kinds"))
        if found is None:
            return None
        examples = found.examples.rows(np.arange(found.examples.count))
        return found if all(map(self._is_right, examples)) else None

    def _stretches(self) -> Iterator[reading.Stretch]:
        """Yield its rows in stretches, with the columns that judging needs."""
        self.vouched  # noqa: B018 - raises before a row is used
        wanted = dict.fromkeys((*_JUDGING, *(column.name for column in self.task.columns)))
        return self.source.stretches(tuple(wanted), DRAFT)

    def _is_right(self, row: dict[str, object]) -> bool:
        """Whether the answer of a row is judged to be right."""
        with decoding(str(row["id"]), "be judged"):
            instance = self.task.decode(row)
            outcome = replay(self.task.open(instance), self.task.reference(instance))
            return outcome.status is Status.CORRECT

    def rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield rows as dicts of their id and the task's columns.

        Args:
            numbers: numbers of rows within this part, ascending.

        Raises:
            ValueError: a column that the task needs is not there.
        """
        return self.packs.rows(numbers)

    def column(self, name: str) -> pa.Array:
        """Return one column, in published order, and keep it.

        Raises:
            ValueError: it is not there.
        """
        if name not in self._columns:
            self._columns[name] = self.read(name)
        return self._columns[name]

    def read(self, name: str) -> pa.Array:
        """Return one column, as `column` does, and keep nothing of it.

        Raises:
            ValueError: it is not there.
        """
        self.vouched  # noqa: B018 - raises before a row is used
        batches = list(self.source.batches([name], size=65536))
        self.voucher.still(self.source.paths)
        return pa.Table.from_batches(batches).column(0).combine_chunks()

    @cached_property
    def difficulty_axis(self) -> str:
        """Name of the difficulty."""
        return str(self.column("difficulty_axis")[0].as_py())

    @property
    def chance(self) -> chances.Record | None:
        """What guessing scores, as the manifest states it; None where it does not."""
        found = self._about.splits.get(self.source.name) if self._about else None
        return found.chance if found else None

    @property
    def floor(self) -> floors.Record | None:
        """What the best blind player scored, as the manifest states it, or None."""
        return self._about.floor if self._about else None

    @cached_property
    def answer_floor(self) -> floors.Record:
        """The floor of whole answers: the manifest's, or what the commonest right answer wins."""
        if (known := self.floor) is not None and known["of"] == "answers":
            return known
        golds: dict[int, list[str]] = {}
        for level, gold in zip(
            self.column("difficulty").to_pylist(), self.read("gold").to_pylist(), strict=True
        ):
            golds.setdefault(level, []).extend([str(gold)] if gold else [])
        return floors.of_commonest(golds)

    @cached_property
    def leaks(self) -> bool:
        """Whether its rows tell their own answer, by design of the task."""
        name, value = self.task.traits.leaks
        return bool(name) and self.read(name)[0].as_py() == value

    @property
    def _about(self) -> ConfigEntry | None:
        manifest = self.voucher.manifest
        return manifest.configs.get(self.source.config) if manifest else None

    def identifier(self, row: int) -> str:
        """Return the id of a row by its number in the dataset."""
        return str(self.column("id")[row - self.start].as_py())

    def _cluster_keys(self) -> pa.Array:
        """Return the key of each row's cluster; texts of each row are not kept."""
        group, shown = self.read("group"), self.read(alike.SHOWN)
        sizes = pc.list_value_length(shown).fill_null(0).to_numpy()
        ends = np.cumsum(sizes)
        one = pa.array(ends - 1, mask=sizes != 1)
        keys = pc.coalesce(shown.flatten().take(one), group)
        several = np.flatnonzero(sizes > 1)
        names = alike.needed(self.task.columns)
        if not len(several) or not names:
            return keys
        # Their class is worked out row by row.
        wanted = ["group", alike.SHOWN, *names]
        values = [self.read(name).take(pa.array(several)).to_pylist() for name in wanted]
        found = keys.to_pylist()
        for place, row in zip(several.tolist(), zip(*values, strict=True), strict=True):
            told = dict(zip(wanted, row, strict=True))
            found[place] = alike.cluster(self.task_name, self.task.columns, told)
        return pa.array(found, pa.string())

    @cached_property
    def clusters(self) -> tuple[Ints, pa.Array]:
        """(rows,) cluster of each row, and the clusters' keys, the same in all splits.

        See facelet.pipeline.dataset.alike.
        """
        if alike.SHOWN in self.source.schema().names:
            return ranks(self._cluster_keys())
        encoded = self.read("group").dictionary_encode("encode")
        return encoded.indices.to_numpy(), encoded.dictionary

    def codes(self, name: str) -> Coded:
        """Return a column as codes into the list of its distinct values."""
        if name not in self._codes:
            encoded = self.column(name).dictionary_encode("encode")
            indices = np.asarray(encoded.indices, dtype=np.int64)
            self._codes[name] = indices, encoded.dictionary.to_pylist()
        return self._codes[name]


@dataclass(frozen=True)
class Dataset:
    """A published dataset in a local folder.

    Attributes:
        folder_name: name of the folder.
        voucher: what the files are held against.
        parts: the splits of the configs, in the order of their names.
    """

    folder_name: str
    voucher: vouching.Voucher
    parts: tuple[Part, ...]

    @property
    def manifest(self) -> Manifest | None:
        """The manifest; None where there is none."""
        return self.voucher.manifest

    @property
    def name(self) -> str:
        """The name in the manifest, or of the folder where there is no manifest."""
        return self.manifest.name if self.manifest else self.folder_name

    @property
    def content_hash(self) -> str | None:
        """The manifest's hash of all rows; None where there is no manifest."""
        return self.manifest.content_hash if self.manifest else None

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.parts[-1].start + self.parts[-1].count

    @cached_property
    def index(self) -> RowIndex:
        """The rows' numbers by id.

        Raises:
            ValueError: two rows share an id.
        """
        return index(
            batch.column(0)
            for part in self.parts
            for batch in part.source.batches(["id"], size=65536)
        )

    def apart(self) -> Dataset:
        """Return the dataset for another process: which row an id names, and of what task."""
        voucher = vouching.Voucher(self.voucher.folder, self.voucher.depth, None, None)
        scratch, crew = Scratch(), Crew()
        parts = tuple(
            Part(
                part.source,
                part.start,
                part.count,
                part.task_name,
                part.task_version,
                voucher,
                scratch,
                crew,
            )
            for part in self.parts
        )
        found = Dataset(self.folder_name, voucher, parts)
        found.__dict__["index"] = self.index
        return found

    def part_of(self, row: int) -> int:
        """Return the place in `parts` of the part that holds a row."""
        return bisect_right(self._starts, row) - 1

    @cached_property
    def _starts(self) -> list[int]:
        return [part.start for part in self.parts]


def open_dataset(
    folder: Path,
    verify: vouching.Depth = "content",
    expect: str = "",
    crew: Crew | None = None,
) -> Dataset:
    """Return the dataset in a folder.

    Args:
        folder: the folder.
        verify: how much of a split is checked before its rows are used.
        expect: SHA-256 that its manifest must have; "" for any.
        crew: who hashes rows; this process by default.

    Raises:
        ValueError: the folder holds no dataset, lacks shards, or its manifest is damaged, not the
            expected one, or missing while there is something to check.
    """
    parts: list[Part] = []
    start = 0
    scratch, crew = Scratch(), crew or Crew()
    voucher = vouching.voucher(folder, verify, expect)
    for source in reading.splits(folder):
        voucher.begin(source.paths)
        count = source.count()
        if not count:
            continue
        head = next(source.batches(["task", "task_version"], size=1)).to_pylist()[0]
        task, version = head["task"], head["task_version"]
        parts.append(Part(source, start, count, task, version, voucher, scratch, crew))
        start += count
    if not parts:
        raise ValueError(f"{str(folder)!r} holds no rows")
    return Dataset(folder.name, voucher, tuple(parts))
