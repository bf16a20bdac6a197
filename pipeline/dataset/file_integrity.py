"""Compare the files of a dataset with its manifest, byte by byte, and pictures pixel by pixel.

Hashes find every change of a byte or a row; whether the rows are true is another question, which
`facelet.pipeline.verify.row_check` and `facelet.pipeline.verify.claim_prover` answer.

The contract for pictures is the hash of their decoded pixels, which rows name; any encoder may have
made the PNG bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.manifest_file import Manifest, ShardEntry, SplitEntry
from facelet.pipeline.dataset.row_columns import (
    DECODE_ERRORS,
    REQUIRED_COLUMNS,
    AnyRow,
    batch_row_digests,
    dataset_hash,
)
from facelet.pipeline.dataset.row_hashes import hash_digests, hash_file
from facelet.pipeline.dataset.store_address import UnreachableError, arrow_source

BATCH_ROWS = 8192
"""Rows that are read and hashed at once, at least, if a shard has them, ..."""
BATCH_BYTES = 32 << 20
"""... unless so many bytes are reached before."""


@dataclass(frozen=True, slots=True)
class IntegrityFailure:
    """Something that is not as it should be.

    Attributes:
        where: the id of a row, or a path inside the dataset folder.
        what: what is wrong, in words.
    """

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class ListedShard(ShardEntry):
    """A shard as the manifest describes it, with its config and split."""

    config: str = ""
    split: str = ""


@dataclass(frozen=True, slots=True)
class ShardReading:
    """What reading one shard found.

    Attributes:
        shard: the shard.
        names: the ids of its rows, in order and some at a time; empty if it cannot be read.
        digests: the content hashes of its rows, 16 bytes each, in order.
        failures: what is not as the manifest says.
    """

    shard: ListedShard
    names: tuple[pa.Array, ...]
    digests: bytes
    failures: tuple[IntegrityFailure, ...]

    @property
    def row_count(self) -> int:
        """Number of its rows."""
        return sum(map(len, self.names))

    @property
    def row_ids(self) -> tuple[str, ...]:
        """The ids of its rows, in order."""
        return tuple(name for some in self.names for name in some.to_pylist())


def list_shards(manifest: Manifest) -> list[ListedShard]:
    """Return the shards that a manifest, as `reading.manifest` returns it, lists."""
    return [
        shard
        for config, split, inside in manifest.iterate_splits()
        for shard in list_split_shards(config, split, inside)
    ]


def list_split_shards(config: str, split: str, inside: SplitEntry) -> list[ListedShard]:
    """Return the shards of one split.

    Args:
        config: name of the config.
        split: name of the split.
        inside: the split's entry in the manifest.
    """
    return [ListedShard(**asdict(one), config=config, split=split) for one in inside.shards]


JobRunner = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterable[Any]]
"""Calls a function with the arguments of each job, and yields the results in their order."""


def run_in_process(make: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Do jobs in this process; see `JobRunner`."""
    return (make(*job) for job in jobs)


def read_shard(out: Path, shard: ListedShard, each: JobRunner = run_in_process) -> ShardReading:
    """Read one shard and compare it with what the manifest says, some row groups at a time.

    Args:
        out: the dataset folder.
        shard: the shard.
        each: who hashes its row groups.
    """
    path = out / shard.path
    if not path.is_file():
        return ShardReading(shard, (), b"", (IntegrityFailure(shard.path, "is missing"),))
    wrong: list[str] = []
    if (size := path.stat().st_size) != shard.bytes:
        wrong.append(f"has {size} bytes, the manifest lists {shard.bytes}")
    try:
        groups = list(_batch_row_groups(path))
    except UnreachableError:
        raise
    except (pa.ArrowException, OSError, *DECODE_ERRORS):
        groups = [()]  # Whoever hashes it finds out.
    found = iter(each(_hash_shard_part, [(path, None), *((path, some) for some in groups)]))
    if (sha256 := next(found)) != shard.sha256:
        wrong.append(f"has SHA-256 {sha256}, the manifest lists {shard.sha256}")
    try:
        parts = list(found)
        names, digests = tuple(ids for ids, _ in parts), b"".join(own for _, own in parts)
    except UnreachableError:
        raise
    # A file that somebody changed may hold nulls or columns where none are allowed.
    except (pa.ArrowException, OSError, *DECODE_ERRORS) as error:
        wrong.append(f"cannot be read: {str(error).splitlines()[0]}")
        return ShardReading(
            shard, (), b"", tuple(IntegrityFailure(shard.path, text) for text in wrong)
        )
    if (rows := sum(map(len, names))) != shard.rows:
        wrong.append(f"has {rows} rows, the manifest lists {shard.rows}")
    if (content := hash_digests(digests)) != shard.content_hash:
        wrong.append(f"has content hash {content}, the manifest lists {shard.content_hash}")
    return ShardReading(
        shard, names, digests, tuple(IntegrityFailure(shard.path, text) for text in wrong)
    )


def _batch_row_groups(path: Path) -> Iterator[tuple[int, ...]]:
    """Yield the row groups of a shard, as many together as it takes to hash them at little cost."""
    about = pq.read_metadata(arrow_source(path))
    groups: list[int] = []
    rows = size = 0
    for group in range(about.num_row_groups):
        groups.append(group)
        rows += about.row_group(group).num_rows
        size += about.row_group(group).total_byte_size
        if rows >= BATCH_ROWS or size >= BATCH_BYTES:
            yield tuple(groups)
            groups, rows, size = [], 0, 0
    if groups or not about.num_row_groups:
        yield tuple(groups)


def _hash_shard_part(path: Path, groups: tuple[int, ...] | None) -> str | tuple[pa.Array, bytes]:
    """Return the SHA-256 of a shard, or what `hash_row_groups` says of some of its row groups."""
    return hash_file(path) if groups is None else hash_row_groups(path, groups)


def hash_row_groups(path: Path, groups: tuple[int, ...]) -> tuple[pa.Array, bytes]:
    """Return the ids of the rows of row groups of a shard, and their content hashes in a row.

    Raises:
        ValueError: a column is not there, or not as it should be.
        pa.ArrowException, OSError: it cannot be read.
    """
    with pq.ParquetFile(arrow_source(path)) as file:
        names = file.schema_arrow.names
        # Of the pictures only the paths are read.
        leaf = f"{dataset_reader.IMAGES}.list.element.path"
        wanted = [leaf if name == dataset_reader.IMAGES else name for name in names]
        table = file.read_row_groups(list(groups), columns=wanted, use_threads=False)
    dataset_reader.check_common_columns(table, "its rows")
    if missing := [name for name in REQUIRED_COLUMNS if name not in table.column_names]:
        raise ValueError(f"it has no column {missing[0]}")
    return table.column("id").combine_chunks(), b"".join(batch_row_digests(table))


def check_dataset(
    out: Path, manifest: Manifest, parts: list[ShardReading]
) -> Iterator[IntegrityFailure]:
    """Yield what is wrong with the dataset as a whole.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        parts: what reading its shards found, in the manifest's order.
    """
    listed = {part.shard.path for part in parts}
    for path in dataset_reader.shard_paths(out):
        if (name := path.relative_to(out).as_posix()) not in listed:
            yield IntegrityFailure(name, "is not in the manifest")
    by_split: dict[tuple[str, str], list[ShardReading]] = {}
    for part in parts:
        by_split.setdefault((part.shard.config, part.shard.split), []).append(part)
    found: dict[tuple[str, str], str] = {}
    for (config, split), inside in by_split.items():
        said = manifest.find_split(config, split)
        found[config, split] = hash_digests(b"".join(part.digests for part in inside))
        if found[config, split] != said.content_hash:
            where = f"{config}/{split}"
            yield IntegrityFailure(
                where, f"has content hash {found[config, split]}, not {said.content_hash}"
            )
        if (rows := sum(part.row_count for part in inside)) != said.rows:
            yield IntegrityFailure(f"{config}/{split}", f"has {rows} rows, not {said.rows}")
    if (content := dataset_hash(found)) != manifest.content_hash:
        yield IntegrityFailure(
            dataset_reader.MANIFEST,
            f"says content hash {manifest.content_hash}, the rows {content}",
        )
    seen: set[str] = set()
    for part in parts:
        for name in part.row_ids:
            if name in seen:
                yield IntegrityFailure(name, "is the id of two rows")
            seen.add(name)


_BATCH = 64


def find_picture_faults(row: AnyRow) -> Iterator[str]:
    """Yield what is wrong with the pictures of a row.

    Args:
        row: its columns id, images (with bytes) and image_hashes.
    """
    if len(row["images"]) != len(row["image_hashes"]):
        yield f"has {len(row['images'])} images and {len(row['image_hashes'])} image hashes"
        return
    from facelet.renderers.pixel_hash import pixel_hash_png  # scoring loads no renderer

    for number, (image, pixels) in enumerate(zip(row["images"], row["image_hashes"], strict=True)):
        if image["path"] != f"{row['id']}#{number}.png":
            yield f"image {number} is called {image['path']!r}"
        try:
            found = pixel_hash_png(image["bytes"] or b"")
        except ValueError as error:
            yield f"image {number} cannot be decoded: {error}"
            continue
        if found != pixels:
            yield f"image {number} has the pixels {found}, not {pixels}"


def check_shard_pictures(path: Path) -> Iterator[IntegrityFailure]:
    """Yield what is wrong with the pictures of a shard, by row."""
    try:
        with pq.ParquetFile(arrow_source(path)) as file:
            columns = ["id", "images", "image_hashes"]
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns, use_threads=False):
                yield from (
                    IntegrityFailure(row["id"], text)
                    for row in batch.to_pylist()
                    for text in find_picture_faults(row)
                )
    except UnreachableError:
        raise
    # A file that somebody changed may hold nulls or columns where none are allowed.
    except (pa.ArrowException, OSError, *DECODE_ERRORS) as error:
        yield IntegrityFailure(path.name, f"cannot be read: {str(error).splitlines()[0]}")
