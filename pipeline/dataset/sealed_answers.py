"""Seal the answers of rows: publish rows without them, and restore them with keys.

A public row has all columns, and holds what a model is shown (PUBLIC). `gold`, `provenance` (who
has the seed path makes the row again) and the task's own columns are null, `group` is a pseudonym.
Rows of training splits lose their provenance alone. `commit_row` is the SHA-256 of a salt and the
whole row: it says nothing, and no other answer fits it. A key holds the salt and what was taken
away.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset import content_check, dataset_reader
from facelet.pipeline.dataset.content_hash import hash_file, hash_sequence
from facelet.pipeline.dataset.manifest_entries import ShardEntry
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import encode_content, row_hashes, without_bytes

PUBLIC_COLUMNS = (
    "id",
    "suite",
    "task",
    "task_version",
    "split",
    "difficulty_axis",
    "difficulty",
    "messages",
    "images",
    "image_hashes",
    "canary",
)
"""Common columns that a public row keeps as they are; all others are in its key."""

COMMITMENT = "commitment"
SALT = "salt"

ANSWERS_SPLIT = "split"
"""What a manifest says of the answers of a dataset if they are kept apart."""


def check_has_answers(manifest: Manifest, folder: Path) -> None:
    """Refuse a dataset whose answers are kept apart.

    Raises:
        ValueError: it is one.
    """
    if is_sealed(manifest):
        raise ValueError(
            f"the answers of {str(folder)!r} are kept apart; whoever holds the keys scores with "
            "keys=..., or makes the whole dataset with facelet unseal"
        )


def list_hidden_columns(columns: Sequence[str], *, training: bool) -> list[str]:
    """Return which of a row's columns stand in its key, in their order."""
    if training:
        return ["provenance"]
    return [name for name in columns if name not in PUBLIC_COLUMNS]


def is_sealed(manifest: Manifest) -> bool:
    """Return whether a manifest is that of a dataset whose answers are kept apart."""
    return manifest.answers == ANSWERS_SPLIT


def commit_row(row: Mapping[str, object], salt: bytes) -> str:
    """Return the commitment to a whole row; see `rows.content_hash` for what a row is."""
    return hashlib.sha256(salt + encode_content(row)).hexdigest()


def seal_rows(
    table: pa.Table, secret: bytes, *, training: bool = False
) -> tuple[pa.Table, pa.Table]:
    """Return the public rows and the keys of some rows.

    Args:
        table: whole rows.
        secret: what salts and pseudonyms are derived from; whoever has it can check guesses.
        training: whether the rows are training data.
    """
    salts, commitments, groups = [], [], []
    for row in _iterate_plain_rows(table):
        salt = hmac.digest(secret, f"salt {row['id']}".encode(), "sha256")[:16]
        salts.append(salt.hex())
        commitments.append(commit_row(row, salt))
        named = hmac.digest(secret, f"group {row['group']}".encode(), "sha256")
        groups.append(named[:8].hex())
    kept = list_hidden_columns(table.column_names, training=training)
    public = {
        name: pa.nulls(len(table), table.schema.field(name).type) if name in kept else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    if "group" in kept:
        public["group"] = pa.array(groups, pa.string())
    public[COMMITMENT] = pa.array(commitments, pa.string())
    keys = {"id": table.column("id"), SALT: pa.array(salts, pa.string())}
    return pa.table(public), pa.table(keys | {name: table.column(name) for name in kept})


def unseal_rows(public: pa.Table, keys: pa.Table, where: str) -> pa.Table:
    """Return whole rows from public rows and their keys.

    Args:
        public: the public rows.
        keys: their keys, in the same order.
        where: the shard, for errors.

    Raises:
        ValueError: keys are missing, or one does not open the commitment of its row.
    """
    if public.column("id").to_pylist() != keys.column("id").to_pylist():
        raise ValueError(f"the keys of {where} are those of other rows; use the keys of this build")
    kept = set(keys.column_names) - {"id", SALT}
    if strange := kept - set(public.column_names):
        raise ValueError(
            f"the keys of {where} have the columns {sorted(strange)}, the rows have not"
        )
    whole = pa.table(
        {
            name: (keys if name in kept else public).column(name)
            for name in public.column_names
            if name != COMMITMENT
        }
    )
    said, salts = public.column(COMMITMENT).to_pylist(), keys.column(SALT).to_pylist()
    for row, committed, salt in zip(_iterate_plain_rows(whole), said, salts, strict=True):
        try:
            right = commit_row(row, bytes.fromhex(salt)) == committed
        except (TypeError, ValueError):  # a salt that is none
            right = False
        if not right:
            raise ValueError(
                f"the key of {row['id']!r} does not open the row's commitment: key or row was "
                "altered, or they are of different versions"
            )
    return whole


def _iterate_plain_rows(table: pa.Table) -> Iterator[dict[str, object]]:
    """Yield rows as plain values, with the paths of pictures alone."""
    for batch in without_bytes(table).to_batches(max_chunksize=512):
        yield from batch.to_pylist()


class ShardFileInfo(NamedTuple):
    """What a shard's file is: number of rows, size, hash."""

    rows: int
    bytes: int
    sha256: str

    def to_entry(self, path: str, content_hash: str) -> ShardEntry:
        """Return what a manifest says of it."""
        return ShardEntry(path, *self, content_hash)


def write_like(
    path: Path, table: pa.Table, like: Path, options: Mapping[str, object] = MappingProxyType({})
) -> ShardFileInfo:
    """Write a shard with the row groups of another; return what its file is.

    Args:
        path: where it goes.
        table: its rows.
        like: the other shard.
        options: how Parquet is written, as keyword arguments of its writer.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    footer = pq.read_metadata(like)
    rows = max((footer.row_group(i).num_rows for i in range(footer.num_row_groups)), default=1)
    how = {"compression": "zstd", **options}
    pq.write_table(table, path, row_group_size=max(rows, 1), **how)
    return ShardFileInfo(len(table), path.stat().st_size, hash_file(path))


def unseal_dataset(public: Path, keys: Path, out: Path) -> None:
    """Write the whole dataset that a public folder and the folder of its keys make up.

    Args:
        public: the folder of public rows.
        keys: the folder of keys.
        out: an empty folder.

    Raises:
        ValueError: a file is not the one of its manifest, a key was altered, or the rows that come
            out are not those that were sealed.
    """
    voucher = content_check.open_checker(public, "files")
    if voucher.manifest is None or not is_sealed(voucher.manifest):
        raise ValueError(f"{str(public)!r} has its answers in its rows; leave keys= out")
    manifest = dataset_reader.read_manifest(keys)
    written: dict[str, ShardEntry] = {}
    for part in dataset_reader.list_splits(public):
        voucher.check_split(part.config, part.name, part.paths)
        config = manifest.configs.get(part.config)
        inside = config.splits.get(part.name) if config else None
        if inside is None:
            raise ValueError(f"{str(keys)!r} has no keys of {part.config}/{part.name}")
        listed = {shard.path: shard for shard in inside.shards}
        for path in part.paths:
            if (name := path.relative_to(public).as_posix()) not in listed:
                raise ValueError(f"{str(keys)!r} has no keys of {name}; use those of this build")
            try:
                table = unseal_rows(
                    dataset_reader.read_shard_table(path),
                    dataset_reader.read_shard_table(keys / name),
                    name,
                )
                content = hash_sequence(row_hashes(table))
            except (pa.ArrowException, AttributeError, LookupError, TypeError) as error:
                what = str(error).splitlines()[0]
                raise ValueError(f"{name} and its keys do not fit together: {what}") from error
            if content != listed[name].content_hash:
                raise ValueError(f"{name} opens to other rows than the keys' manifest says")
            written[name] = write_like(out / name, table, path).to_entry(name, content)
    whole = manifest.replace_shards(written)
    (out / dataset_reader.MANIFEST).write_text(whole.to_text(), encoding="utf-8")
