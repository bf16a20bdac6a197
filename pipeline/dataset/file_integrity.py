"""Integrity: are the files of a dataset the ones that its manifest describes?

Hashes find every change of a byte or a row; whether the rows are true is another question, which
`facelet.pipeline.verify.rows` and `facelet.pipeline.verify.proving` answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.addresses import UnreachableError, source
from facelet.pipeline.dataset.decoding import BREAKS
from facelet.pipeline.dataset.hashing import hash_digests, hash_file
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.dataset.rows import ALWAYS, dataset_hash, digests_of

TOGETHER = 8192
"""Rows that are read and hashed at once, at least, if a shard has them, ..."""
TOGETHER_BYTES = 32 << 20
"""... unless so many bytes are reached before."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that is not as it should be.

    Attributes:
        where: the id of a row, or a path inside the dataset folder.
        what: what is wrong, in words.
    """

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard as the manifest describes it: path inside the folder, and what it should be."""

    config: str
    split: str
    path: str
    rows: int
    bytes: int
    sha256: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Read:
    """What reading one shard found.

    Attributes:
        shard: the shard.
        names: the ids of its rows, in order and some at a time; empty if it cannot be read.
        digests: the content hashes of its rows, 16 bytes each, in order.
        failures: what is not as the manifest says.
    """

    shard: Shard
    names: tuple[pa.Array, ...]
    digests: bytes
    failures: tuple[Failure, ...]

    @property
    def rows(self) -> int:
        """Number of its rows."""
        return sum(map(len, self.names))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its rows, in order."""
        return tuple(name for some in self.names for name in some.to_pylist())


def shards(manifest: Manifest) -> list[Shard]:
    """Return the shards that a manifest, as `reading.manifest` returns it, lists."""
    return [
        Shard(config, split, one.path, one.rows, one.bytes, one.sha256, one.content_hash)
        for config, split, inside in manifest.all_splits()
        for one in inside.shards
    ]


Each = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterable[Any]]
"""Calls a function with the arguments of each job, and yields the results in their order."""


def one_by_one(make: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Do jobs in this process; see `Each`."""
    return (make(*job) for job in jobs)


def read(out: Path, shard: Shard, each: Each = one_by_one) -> Read:
    """Read one shard and compare it with what the manifest says, some row groups at a time.

    Args:
        out: the dataset folder.
        shard: the shard.
        each: who hashes its row groups.
    """
    path = out / shard.path
    if not path.is_file():
        return Read(shard, (), b"", (Failure(shard.path, "is missing"),))
    wrong: list[str] = []
    if (size := path.stat().st_size) != shard.bytes:
        wrong.append(f"has {size} bytes, the manifest says {shard.bytes}")
    try:
        groups = list(_together(path))
    except UnreachableError:
        raise
    except (pa.ArrowException, OSError, *BREAKS):
        groups = [()]  # Whoever hashes it finds out.
    found = iter(each(_looked_at, [(path, None), *((path, some) for some in groups)]))
    if (sha256 := next(found)) != shard.sha256:
        wrong.append(f"has SHA-256 {sha256}, the manifest says {shard.sha256}")
    try:
        parts = list(found)
        names, digests = tuple(ids for ids, _ in parts), b"".join(own for _, own in parts)
    except UnreachableError:
        raise
    # A file that somebody changed may hold nulls or columns where none are allowed.
    except (pa.ArrowException, OSError, *BREAKS) as error:
        wrong.append(f"cannot be read: {str(error).splitlines()[0]}")
        return Read(shard, (), b"", tuple(Failure(shard.path, text) for text in wrong))
    if (rows := sum(map(len, names))) != shard.rows:
        wrong.append(f"has {rows} rows, the manifest says {shard.rows}")
    if (content := hash_digests(digests)) != shard.content_hash:
        wrong.append(f"has content hash {content}, the manifest says {shard.content_hash}")
    return Read(shard, names, digests, tuple(Failure(shard.path, text) for text in wrong))


def _together(path: Path) -> Iterator[tuple[int, ...]]:
    """Yield the row groups of a shard, as many together as it takes to hash them at little cost."""
    about = pq.read_metadata(source(path))
    groups: list[int] = []
    rows = size = 0
    for group in range(about.num_row_groups):
        groups.append(group)
        rows += about.row_group(group).num_rows
        size += about.row_group(group).total_byte_size
        if rows >= TOGETHER or size >= TOGETHER_BYTES:
            yield tuple(groups)
            groups, rows, size = [], 0, 0
    if groups or not about.num_row_groups:
        yield tuple(groups)


def _looked_at(path: Path, groups: tuple[int, ...] | None) -> str | tuple[pa.Array, bytes]:
    """Return the SHA-256 of a shard, or what `hashed` says of some of its row groups."""
    return hash_file(path) if groups is None else hashed(path, groups)


def hashed(path: Path, groups: tuple[int, ...]) -> tuple[pa.Array, bytes]:
    """Return the ids of the rows of row groups of a shard, and their content hashes in a row.

    Raises:
        ValueError: a column is not there, or not as it should be.
        pa.ArrowException, OSError: it cannot be read.
    """
    with pq.ParquetFile(source(path)) as file:
        names = file.schema_arrow.names
        # Of the pictures only the paths are read.
        leaf = f"{reading.IMAGES}.list.element.path"
        wanted = [leaf if name == reading.IMAGES else name for name in names]
        table = file.read_row_groups(list(groups), columns=wanted, use_threads=False)
    reading.demand_common(table, "its rows")
    if missing := [name for name in ALWAYS if name not in table.column_names]:
        raise ValueError(f"it has no column {missing[0]}")
    return table.column("id").combine_chunks(), b"".join(digests_of(table))


def whole(out: Path, manifest: Manifest, parts: list[Read]) -> Iterator[Failure]:
    """Yield what is wrong with the dataset as a whole.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        parts: what reading its shards found, in the manifest's order.
    """
    listed = {part.shard.path for part in parts}
    for path in reading.shard_paths(out):
        name = path.relative_to(out).as_posix()
        if name not in listed:
            yield Failure(name, "is not in the manifest")
    by_split: dict[tuple[str, str], list[Read]] = {}
    for part in parts:
        by_split.setdefault((part.shard.config, part.shard.split), []).append(part)
    found: dict[tuple[str, str], str] = {}
    for (config, split), inside in by_split.items():
        said = manifest.split(config, split)
        found[config, split] = hash_digests(b"".join(part.digests for part in inside))
        if found[config, split] != said.content_hash:
            where = f"{config}/{split}"
            yield Failure(
                where, f"has content hash {found[config, split]}, not {said.content_hash}"
            )
        if (rows := sum(part.rows for part in inside)) != said.rows:
            yield Failure(f"{config}/{split}", f"has {rows} rows, not {said.rows}")
    if (content := dataset_hash(found)) != manifest.content_hash:
        yield Failure(
            reading.MANIFEST, f"says content hash {manifest.content_hash}, the rows {content}"
        )
    seen: set[str] = set()
    for part in parts:
        for name in part.ids:
            if name in seen:
                yield Failure(name, "is the id of two rows")
            seen.add(name)
