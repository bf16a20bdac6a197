"""The dataset being scored: which row an id names, and the columns that judging it needs.

Rows of all configs and splits are numbered through, in published order; that number is a row's
name everywhere in scoring. Images and messages are never read: an episode is opened from the typed
columns. Columns of a config are read when the first prediction for it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from generators.core import registry
from generators.core.measures import Revision
from generators.core.task import Task
from pipeline import reading

_COMMON = ("id", "difficulty_axis", "difficulty", "group", "gold")


@dataclass(frozen=True)
class Part:
    """One split of one config.

    Attributes:
        source: its files.
        start: number of its first row.
        count: number of its rows.
        task_name: the task that made the rows.
        task_version: the version of that task.
    """

    source: reading.Split
    start: int
    count: int
    task_name: str
    task_version: int

    @property
    def name(self) -> tuple[str, str]:
        """The names of config and split."""
        return self.source.config, self.source.name

    @cached_property
    def task(self) -> Task[Any, Any]:
        """The installed task.

        Raises:
            ValueError: there is none of that name, or its version is another.
        """
        found = registry.task(self.task_name)
        if found.version != self.task_version:
            raise ValueError(
                f"{self.source.config} was made by {self.task_name} version {self.task_version}, "
                f"and version {found.version} is installed; score it with the facelet release "
                "that made it (manifest.json names it)"
            )
        return found

    @cached_property
    def table(self) -> pa.Table:
        """The columns that scoring needs, in published order.

        Raises:
            ValueError: a column that the task needs is not there.
        """
        wanted = dict.fromkeys(_COMMON)
        wanted.update(dict.fromkeys(column.name for column in self.task.columns))
        for measure in self.task.measures:
            wanted.update(dict.fromkeys(measure.by))
            if isinstance(measure, Revision):
                wanted.update(dict.fromkeys((measure.link, measure.stage)))
        batches = list(self.source.batches(list(wanted), size=65536))
        schema = batches[0].schema if batches else pa.schema([])
        return pa.Table.from_batches(batches, schema)

    def rows(self, numbers: Sequence[int] | npt.NDArray[np.int64]) -> list[dict[str, Any]]:
        """Return rows as dicts, by their numbers within this part."""
        taken: list[dict[str, Any]] = self.table.take(pa.array(numbers)).to_pylist()
        return taken

    def codes(self, column: str) -> tuple[npt.NDArray[np.int64], list[Any]]:
        """Return a column as codes into the list of its distinct values."""
        encoded = self.table.column(column).combine_chunks().dictionary_encode("encode")
        return np.asarray(encoded.indices, dtype=np.int64), encoded.dictionary.to_pylist()


@dataclass(frozen=True)
class Dataset:
    """A published dataset in a local folder.

    Attributes:
        name: name in the manifest, or of the folder where there is no manifest.
        content_hash: the manifest's hash of all rows, or None where there is no manifest.
        parts: the splits of the configs, in the order of their names.
    """

    name: str
    content_hash: str | None
    parts: tuple[Part, ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.parts[-1].start + self.parts[-1].count

    @cached_property
    def ids(self) -> dict[str, int]:
        """The rows' numbers by id.

        Raises:
            ValueError: two rows share an id.
        """
        found: dict[str, int] = {}
        for part in self.parts:
            number = part.start
            for batch in part.source.batches(["id"], size=65536):
                numbers = range(number, number + len(batch))
                found.update(zip(batch.column(0).to_pylist(), numbers, strict=True))
                number = numbers.stop
        if len(found) != self.count:
            raise ValueError(
                f"{self.count} rows have {len(found)} distinct ids; the dataset is damaged, "
                "download or build it again"
            )
        return found

    def part_of(self, row: int) -> int:
        """Return the place in `parts` of the part that holds a row."""
        return int(np.searchsorted(self._starts, row, side="right")) - 1

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.array([part.start for part in self.parts], dtype=np.int64)


def open_dataset(folder: Path) -> Dataset:
    """Return the dataset in a folder.

    Raises:
        ValueError: the folder holds no dataset, lacks shards, or its manifest is damaged.
    """
    parts: list[Part] = []
    start = 0
    for source in reading.splits(folder):
        count = source.count()
        if not count:
            continue
        head = next(source.batches(["task", "task_version"], size=1)).to_pylist()[0]
        parts.append(Part(source, start, count, head["task"], head["task_version"]))
        start += count
    if not parts:
        raise ValueError(f"{str(folder)!r} holds no rows")
    manifest = reading.manifest(folder) if (folder / reading.MANIFEST).is_file() else {}
    content_hash = manifest.get("content_hash")
    return Dataset(
        str(manifest.get("name", folder.name)),
        content_hash if isinstance(content_hash, str) else None,
        tuple(parts),
    )
