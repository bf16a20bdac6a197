"""Check that rows are those of the content hash in the manifest; seal and restore answers.

    content  the shards that are read have the SHA-256 that the manifest lists, and their rows the
             content hashes; pictures count by the hashes that rows name (default)
    rows     pictures are decoded as well: their pixels have the hashes that their rows name
    files    the SHA-256 alone: somebody who changed rows may have changed the manifest's hashes of
             files too, so the content hash is only what the manifest claims
    no       nothing is checked, and every report of a figure must state that

A content hash vouches only for the rows it was computed from: compare it with the published one.
`expect` does that for the manifest: its SHA-256, known from elsewhere, covers every byte of every
file that it lists, pictures included, at every depth but `no`.

The hashes of files cost a pass of SHA-256 over the shards (0.5 to 2 GB a second of one core), those
of rows 35 to 50 us a row, pictures 1 to 3 ms each. To score 4,793 rows of 19 configs took 1.7 s of
processor time with `files`, 1.9 s with `content`, and 12 s with `rows` (7,065 pictures).

Sealed rows are published without their answers, and keys restore them. A public row has all columns
and contains what a model is shown (PUBLIC_COLUMNS). `gold`, `provenance` (whose seed path would
make the row again) and the task's own columns are null, `group` is a pseudonym. Rows of training
splits lose their provenance alone. `commit_row` is the SHA-256 of a salt and the whole row: it
reveals nothing, and no other answer fits it. A key contains the salt and what was removed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.manifest_file import Manifest, ShardEntry
from facelet.pipeline.dataset.row_columns import (
    dataset_hash,
    encode_content,
    row_hashes,
    without_bytes,
)
from facelet.pipeline.dataset.row_hashes import hash_digests, hash_file, hash_sequence

Depth = Literal["content", "rows", "files", "no"]
"""How much is checked."""

_FIX_HINT = (
    "download or build the dataset again, or use verify=false, which writes unverified beside "
    "every figure"
)


FileStamp = tuple[int, int, int, int]
"""Size, times of change in nanoseconds, and inode of a file."""


@dataclass(frozen=True, slots=True)
class ContentChecker:
    """What a dataset folder's files are held against.

    Attributes:
        folder: the dataset folder.
        depth: how much is checked.
        manifest: its manifest; None where there is none and nothing is checked.
        manifest_sha256: hash of the manifest's bytes, or None.
        expected: whether that is the hash that the caller expected; False if he named none.
    """

    folder: Path
    depth: Depth
    manifest: Manifest | None
    manifest_sha256: str | None
    expected: bool = False
    _stamps: dict[Path, FileStamp] = field(default_factory=dict, repr=False, compare=False)

    def record_stamps(self, paths: Iterable[Path]) -> None:
        """Take note of files before anything is read of them; see `check_unchanged`."""
        self._stamps.update((path, _read_stamp(path)) for path in paths)

    def check_unchanged(self, paths: Iterable[Path]) -> None:
        """Refuse files that were written to since they were first looked at.

        Raises:
            ValueError: one was: what was read may not be what was checked.
        """
        if self.depth == "no":
            return
        for path in paths:
            if _read_stamp(path) != self._stamps.setdefault(path, _read_stamp(path)):
                name = path.relative_to(self.folder).as_posix()
                raise ValueError(
                    f"{name} is refused: it was written to while it was read; let nobody write to "
                    "the dataset, and run again"
                )

    def check_split(
        self,
        config: str,
        split: str,
        paths: Sequence[Path],
        each: file_integrity.JobRunner = file_integrity.run_in_process,
    ) -> None:
        """Check the files of a split.

        Args:
            config: name of the config.
            split: name of the split.
            paths: its shards that will be read, in order.
            each: who hashes their rows.

        Raises:
            ValueError: they are not the files that the manifest lists, byte by byte, or do not hold
                the rows or pictures that it says.
        """
        if self.depth == "no" or self.manifest is None:
            return
        entry = self.manifest.find_split(config, split)
        by_path = {
            shard.path: shard for shard in file_integrity.list_split_shards(config, split, entry)
        }
        names = [path.relative_to(self.folder).as_posix() for path in paths]
        if sorted(names) != sorted(by_path):
            raise ValueError(
                f"{config}/{split} is refused: the manifest lists {len(by_path)} shards of it, "
                f"and here are {', '.join(names[:3])}; {_FIX_HINT}"
            )
        self.check_unchanged(paths)
        digests = b""
        for name, path in zip(names, paths, strict=True):
            shard = by_path[name]
            if self.depth == "files":
                if (size := path.stat().st_size) != shard.bytes:
                    raise _refusal_error(name, f"{size:,} bytes", f"{shard.bytes:,}")
                if (sha256 := hash_file(path)) != shard.sha256:
                    raise _refusal_error(name, f"SHA-256 {sha256}", shard.sha256)
                continue
            found = file_integrity.read_shard(self.folder, shard, each)
            for failure in found.failures:
                raise ValueError(f"{failure.where} is refused: it {failure.what}; {_FIX_HINT}")
            digests += found.digests
            if self.depth == "rows":
                # Imported here: other depths load no Pillow.
                from facelet.pipeline.dataset.file_integrity import check_shard_pictures

                for failure in check_shard_pictures(path):
                    raise ValueError(f"{failure.where} is refused: {failure.what}; {_FIX_HINT}")
        self.check_unchanged(paths)
        if self.depth != "files" and (content := hash_digests(digests)) != entry.content_hash:
            raise _refusal_error(f"{config}/{split}", f"content hash {content}", entry.content_hash)


def _read_stamp(path: Path) -> FileStamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def check_expected_manifest(folder: Path, expect: str) -> None:
    """Refuse a dataset whose manifest is not the expected one.

    Args:
        folder: the dataset folder.
        expect: SHA-256 of its manifest.json; "" to expect nothing.

    Raises:
        ValueError: the manifest has another hash, or is not there.
    """
    path = folder / dataset_reader.MANIFEST
    if not expect:
        return
    found = hash_file(path) if path.is_file() else "none, for it is not there"
    if found != expect:
        raise ValueError(
            f"expect={expect}: {path} has SHA-256 {found}; this is another dataset, "
            "or it was changed: download it again"
        )


def open_checker(folder: Path, depth: Depth, expect: str = "") -> ContentChecker:
    """Return what the files of a dataset folder are held against.

    Args:
        folder: the dataset folder.
        depth: how much is checked.
        expect: SHA-256 that its manifest must have; "" for any.

    Raises:
        ValueError: the manifest is damaged, or not the expected one; or something is to be checked,
            and there is no manifest, or its content hash is not that of its splits.
    """
    check_expected_manifest(folder, expect)
    path = folder / dataset_reader.MANIFEST
    if not path.is_file():
        if depth == "no":
            return ContentChecker(folder, depth, None, None)
        raise ValueError(
            f"{str(folder)!r} has no {dataset_reader.MANIFEST}, so its rows cannot be "
            "checked; "
            f"{_FIX_HINT}"
        )
    before = hash_file(path)
    manifest = dataset_reader.read_manifest(folder)
    if hash_file(path) != before or (expect and before != expect):
        raise ValueError(f"{path} was written to while it was read; run again")
    if depth != "no":
        splits = {
            (config, split): inside.content_hash
            for config, split, inside in manifest.iterate_splits()
        }
        if (content := dataset_hash(splits)) != manifest.content_hash:
            raise _refusal_error(
                dataset_reader.MANIFEST, f"splits of content hash {content}", "another"
            )
    return ContentChecker(folder, depth, manifest, before, bool(expect))


def _refusal_error(name: str, found: str, said: str) -> ValueError:
    return ValueError(f"{name} is refused: it has {found}, the manifest lists {said}; {_FIX_HINT}")


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
    """Return the commitment to a whole row; see `encode_content` for what a row is."""
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
    voucher = open_checker(public, "files")
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
