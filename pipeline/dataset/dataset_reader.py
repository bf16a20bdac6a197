"""List the configs and splits of a dataset folder, and read their rows.

Knows the layout `{config}/{split}-00000-of-000NN.parquet`, and nothing of how the files were made.
The manifest is read by `facelet.pipeline.dataset.manifest_file`, whose function is at hand here
too. Rows come in published order, as plain dicts; image bytes stay on disk unless they are asked
for. Needs pyarrow only, so that scoring can use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.manifest_file import MANIFEST as MANIFEST
from facelet.pipeline.dataset.manifest_file import read_manifest as read_manifest
from facelet.pipeline.dataset.row_columns import COMMON_COLUMNS, REQUIRED_COLUMNS
from facelet.pipeline.dataset.store_address import StoreAddress, UnreachableError, arrow_source

IMAGES = "images"
"""The one column that holds bytes of pictures."""

_REBUILD_HINT = "download or build it again"
_SHARD = re.compile(r"(?P<split>[a-z0-9_]+)-(?P<number>\d{5})-of-(?P<total>\d{5})\.parquet")


@dataclass(frozen=True, slots=True)
class RowGroupSpan:
    """Row groups of a shard that follow each other, for whoever reads them.

    Attributes:
        path: the shard.
        groups: the row groups.
        sizes: rows of each.
        columns: the columns to read.
    """

    path: Path
    groups: tuple[int, ...]
    sizes: tuple[int, ...]
    columns: tuple[str, ...]

    def narrow(self, columns: Sequence[str], group: int | None = None) -> RowGroupSpan:
        """Return the stretch with some of its columns only, and one of its row groups or all."""
        kept = [n for n, one in enumerate(self.groups) if group is None or one == group]
        groups, sizes = ([of[n] for n in kept] for of in (self.groups, self.sizes))
        return RowGroupSpan(self.path, tuple(groups), tuple(sizes), tuple(columns))

    def iterate_batches(self, size: int) -> Iterator[pa.RecordBatch]:
        """Yield record batches of at most `size` rows; see `Split.batches`."""
        return _iterate_file_batches(self.path, self.groups, self.columns, size)


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files of one split of one config.

    Attributes:
        config: name of the config, "<suite>.<task>".
        name: name of the split, such as "test".
        paths: its shards, in order.
    """

    config: str
    name: str
    paths: tuple[Path, ...]

    def arrow_schema(self) -> pa.Schema:
        """Return the Arrow schema of the rows, Hub metadata included."""
        return pq.read_schema(arrow_source(self.paths[0]))

    def count_rows(self) -> int:
        """Return the number of rows, from the footers alone.

        Raises:
            ValueError: a file is no whole Parquet file.
        """
        return sum(map(_count_file_rows, self.paths))

    def iterate_batches(
        self, columns: Sequence[str] | None = None, *, images: bool = False, size: int = 1024
    ) -> Iterator[pa.RecordBatch]:
        """Yield record batches of at most `size` rows, in published order.

        Args:
            columns: the columns to read; all of them by default.
            images: whether the default includes the image bytes.
            size: rows a batch; keep it small when image bytes are read.

        Raises:
            ValueError: a column is asked for that is not there; the message lists those there are.
                Or a common column is missing, or is none of this program's.
        """
        wanted = self._select_columns(columns, images=images)
        for path in self.paths:
            yield from _iterate_file_batches(path, None, wanted, size)

    def iterate_spans(self, columns: Sequence[str], rows: int) -> Iterator[RowGroupSpan]:
        """Yield stretches of row groups that follow each other, in published order.

        Args:
            columns: the columns that will be read.
            rows: rows a stretch, at least, unless a shard ends before.

        Raises:
            ValueError: as `iterate_batches`.
        """
        wanted = tuple(self._select_columns(columns, images=False))
        for path in self.paths:
            about = pq.read_metadata(arrow_source(path))
            sizes: list[int] = []
            for group in range(about.num_row_groups):
                sizes.append(about.row_group(group).num_rows)
                if sum(sizes) >= rows or group + 1 == about.num_row_groups:
                    groups = range(group + 1 - len(sizes), group + 1)
                    yield RowGroupSpan(path, tuple(groups), tuple(sizes), wanted)
                    sizes = []

    def _select_columns(self, columns: Sequence[str] | None, *, images: bool) -> list[str]:
        """Return the columns to read, which are all there; see `iterate_batches`."""
        names = self.arrow_schema().names
        if missing := [name for name in REQUIRED_COLUMNS if name not in names]:
            raise ValueError(f"{str(self.paths[0])!r} has no column {missing[0]}; {_REBUILD_HINT}")
        if columns is None:
            return [name for name in names if images or name != IMAGES]
        if unknown := sorted(set(columns) - set(names)):
            raise ValueError(f"{self.config} has no columns {unknown}; it has {names}")
        return list(columns)

    def iterate_rows(
        self, columns: Sequence[str] | None = None, *, images: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Yield rows as dicts of plain Python values, in published order; see `iterate_batches`."""
        for batch in self.iterate_batches(columns, images=images, size=64 if images else 256):
            yield from batch.to_pylist()


def _iterate_file_batches(
    path: Path, groups: Sequence[int] | None, columns: Sequence[str], size: int
) -> Iterator[pa.RecordBatch]:
    """Yield record batches of some row groups of a shard, of all where none are named."""
    with pq.ParquetFile(arrow_source(path)) as file:
        for batch in file.iter_batches(batch_size=size, row_groups=groups, columns=columns):
            check_common_columns(batch, str(path))
            yield batch


def check_common_columns(rows: pa.Table | pa.RecordBatch, where: str) -> None:
    """Refuse rows whose columns in ALWAYS are of another type or hold nulls; absent ones are fine.

    Args:
        rows: the rows.
        where: what they are, for the message.

    Raises:
        ValueError: so they are; the message names the first such column.
    """
    for name, kind, _ in COMMON_COLUMNS:
        if name not in REQUIRED_COLUMNS or name not in rows.schema.names:
            continue
        column = rows.column(name)
        if name != "images" and column.type != kind:  # of pictures the paths alone may be read
            raise ValueError(f"{where}: the column {name} is {column.type}, not {kind}")
        if column.null_count:
            raise ValueError(f"{where}: the column {name} has a row without a value")


def _count_file_rows(path: Path) -> int:
    """Return the number of rows that the footer of a shard says."""
    try:
        return int(pq.read_metadata(arrow_source(path)).num_rows)
    except UnreachableError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _unreadable_error(path, error) from None


def _unreadable_error(path: Path, error: Exception) -> ValueError:
    reason = " ".join(str(error).split())[:200]
    return ValueError(f"{str(path)!r} cannot be read: {reason}; {_REBUILD_HINT}")


def read_shard_table(path: Path) -> pa.Table:
    """Return all rows of a shard, pictures included.

    Raises:
        ValueError: it cannot be read.
    """
    try:
        return pq.read_table(arrow_source(path), partitioning=None)
    except UnreachableError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _unreadable_error(path, error) from None


def is_shard(path: str) -> bool:
    """Return whether a path inside a dataset folder is that of a published shard."""
    folder, slash, name = path.partition("/")
    return bool(slash) and not folder.startswith(".") and _SHARD.fullmatch(name) is not None


def shard_paths(out: Path) -> tuple[Path, ...]:
    """Return the published shards of a dataset folder, sorted; work folders are passed over.

    So is what has the name of a shard and is no file: to open a pipe would wait for ever.
    """
    return tuple(
        path
        for path in sorted(out.glob("*/*.parquet"))
        if is_shard(path.relative_to(out).as_posix())
        and (isinstance(path, StoreAddress) or path.is_file())  # a store's listing says so already
    )


def list_splits(out: Path) -> tuple[SplitFiles, ...]:
    """Return the splits that a dataset folder holds, sorted by config, then split.

    Args:
        out: the dataset folder.

    Raises:
        ValueError: the folder is missing, holds no shard, or lacks shards of a split.
    """
    if not out.is_dir():
        raise ValueError(f"no dataset folder {str(out)!r}; build one with `facelet build out=...`")
    found: dict[tuple[str, str], dict[int, Path]] = {}
    totals: dict[tuple[str, str], set[int]] = {}
    for path in shard_paths(out):
        match = _SHARD.fullmatch(path.name)
        assert match is not None
        key = (path.parent.name, match["split"])
        found.setdefault(key, {})[int(match["number"])] = path
        totals.setdefault(key, set()).add(int(match["total"]))
    if not found:
        raise ValueError(
            f"{str(out)!r} contains no <config>/<split>-00000-of-00001.parquet; "
            "point to the folder with README.md and manifest.json"
        )
    for (config, name), shards in found.items():
        sizes = totals[config, name]
        if len(sizes) > 1 or set(shards) != set(range(max(sizes))):
            raise ValueError(
                f"{config}/{name} has the shards {sorted(shards)} of {sorted(sizes)}; "
                "download or build the missing ones"
            )
    return tuple(
        SplitFiles(config, name, tuple(shards[number] for number in sorted(shards)))
        for (config, name), shards in sorted(found.items())
    )
