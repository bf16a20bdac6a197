"""Make and read the shards of a dataset folder, and keep the records and state of one build there.

A shard is a job that becomes one file and survives a kill at any time. A job is a pure function to
a table. Workers write it to a temporary file of their run and sync it; only the process that leads
the run, which holds the lock of the folder, moves it to its final name and then writes the
completion record. So a worker that outlives a killed run can write nothing but temporary files,
which the next run removes.

A record contains the hash of all inputs (the job's part of the plan, the records of the shards it
reads, the source of the code that makes it, library versions) and the hash of the file. A run skips
a shard whose record has the current inputs and whose file has the recorded hash, and remakes every
other shard.

A local folder is protected by a lock (facelet.pipeline.build.folder_ownership). A store has none:
there the run that began last leads, and an earlier one stops at its next shard. Both would write
the same bytes, so nothing is lost, and a killed run blocks nobody.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, TypedDict

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import (
    publish_file,
    remove_file,
    remove_unfinished_files,
    stage_local_file,
    sync_path,
    write_text,
)
from facelet.pipeline.dataset.row_hashes import (
    canonical_json,
    hash_file,
    hash_sequence,
    hash_value,
    library_versions,
    open_record,
    seal_record,
)
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources
from facelet.pipeline.dataset.store_address import StoreAddress, UnreachableError, remove_folder

WORK = ".facelet"
"""Folder of all that is not published, inside the dataset folder."""


class ShardSummary(TypedDict, total=False):
    """What later stages ask about a shard; each stage says some of it.

    Attributes:
        scenes: classes of the scenes that composed rows show, sorted.
        chance: sum of what its rows say of their own chance, or None.
        capacity: number of pieces of a pool.
        shortfall: why a pool is smaller than asked for.
        redrawn: key of the composed shard, and place there, of each row that mended rows replace.
        chances: by key of the cell, what that adds to the sum of what rows say of their chance.
    """

    scenes: list[str]
    chance: float | None
    capacity: int
    shortfall: str
    redrawn: list[tuple[str, int]]
    chances: dict[str, float]


INTERMEDIATE_SUFFIX = ".arrow"
"""How paths end of shards that no one but later stages reads. They are files of Arrow's own form:
of a few rows, it is written and read in a quarter of the time that Parquet takes."""

_SMALL = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)


@dataclass(frozen=True, slots=True)
class ShardContent:
    """What a job returns.

    Attributes:
        table: its rows.
        row_hashes: content hashes of the rows, for published rows.
        parquet: how a Parquet file is written, as keyword arguments of ParquetWriter.
        group: rows a row group.
        about: what later stages ask about the shard, as plain values.
    """

    table: pa.Table
    row_hashes: tuple[str, ...] = ()
    parquet: Mapping[str, object] = dataclasses.field(default_factory=dict)
    group: int = 4096
    about: ShardSummary = dataclasses.field(default_factory=ShardSummary)


class ShardJob(Protocol):
    """A shard's work. Jobs travel to workers, so they are small and can be pickled."""

    @property
    def key(self) -> str:
        """Name of the shard, unique in its stage."""

    @property
    def path(self) -> str:
        """Where its file goes, relative to the dataset folder."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Packages and modules whose source decides the table."""

    @property
    def cost(self) -> float:
        """Guess of the work; costly jobs start first."""

    def list_hashed_inputs(self) -> object:
        """Return all that decides the table, besides code, as plain values."""

    def build_shard(self, out: Path) -> ShardContent:
        """Return the table; `out` is the dataset folder, to read earlier shards from."""


@dataclass(frozen=True, slots=True)
class CompletionRecord:
    """The completion record of a shard.

    Attributes:
        path: its file, relative to the dataset folder.
        inputs: hash of all that decided it.
        rows: number of rows.
        bytes: size of the file.
        sha256: hash of the file.
        row_hashes: content hashes of the rows, for published rows; () in a slim record.
        about: what later stages ask about the shard.
        slim_hash: content hash of all rows, in a slim record; "" in another.
    """

    path: str
    inputs: str
    rows: int
    bytes: int
    sha256: str
    row_hashes: tuple[str, ...]
    about: ShardSummary = dataclasses.field(hash=False)
    slim_hash: str = ""

    @property
    def content_hash(self) -> str:
        """Content hash of all rows, in order."""
        return self.slim_hash or hash_sequence(self.row_hashes)

    def without_row_hashes(self) -> CompletionRecord:
        """Return the record without the hashes of its rows, which stay in its file.

        The process that leads a build holds a record for each shard: with the hashes, it would
        hold a hundred bytes for each row.
        """
        return dataclasses.replace(self, row_hashes=(), slim_hash=self.content_hash)


def hash_inputs(job: ShardJob) -> str:
    """Return the hash of all that decides a job's file, code and libraries included."""
    return hash_value(
        [job.path, job.list_hashed_inputs(), fingerprint_sources(job.sources), library_versions()]
    )


def run_shard_job(
    job: ShardJob, number: int, out: Path, temporary: Path
) -> tuple[Path, CompletionRecord]:
    """Make a shard in a worker.

    Args:
        job: the job.
        number: its number in the stage, which names the temporary file.
        out: the dataset folder, to read earlier shards from.
        temporary: folder of the run's temporary files.

    Returns:
        The shard's temporary file, and the record to be.
    """
    pa.set_io_thread_count(1)
    pa.set_cpu_count(1)
    try:
        made = job.build_shard(out)
    except ValueError as error:
        raise ValueError(f"{job.key}: {error}") from error
    # A cluster may start a shard again while a worker that it lost still writes.
    path = temporary / f"{number:06d}-{token_hex(8)}{Path(job.path).suffix}"
    with stage_local_file(path) as file:
        _write_shard(made, file)
        sync_path(file)
        record = CompletionRecord(
            path=job.path,
            inputs=hash_inputs(job),
            rows=made.table.num_rows,
            bytes=file.stat().st_size,
            sha256=hash_file(file),
            row_hashes=made.row_hashes,
            about=made.about,
        )
    return path, record


def _write_shard(made: ShardContent, file: Path) -> None:
    """Write what a job returned, in the form that the end of the path says."""
    schema = made.table.schema
    if file.suffix == INTERMEDIATE_SUFFIX:
        with pa.ipc.new_file(str(file), schema, options=_SMALL) as passed:
            passed.write_table(made.table, max_chunksize=made.group)
        return
    with pq.ParquetWriter(file, schema, **made.parquet) as writer:
        writer.write_table(made.table, row_group_size=made.group)


def read_table(
    out: Path, record: CompletionRecord, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the table of a finished shard; the bytes that are read are those that were made.

    Args:
        out: the dataset folder.
        record: the record of a shard that later stages read.
        columns: what is read, in this order; None for all.

    Raises:
        ValueError: the file was changed since.
    """
    data = (out / record.path).read_bytes()
    if sha256(data).hexdigest() != record.sha256:
        raise ValueError(
            f"{record.path} was changed after it was written; let no other program write to "
            f"{str(out)!r}, and rerun the command, which makes the file again"
        )
    options = pa.ipc.IpcReadOptions(use_threads=False)
    if columns is not None:
        schema = pa.ipc.open_file(data).schema
        options.included_fields = [schema.get_field_index(name) for name in columns]
    table = pa.ipc.open_file(data, options=options).read_all()
    return table if columns is None else table.select(columns)


def read_tables(out: Path, records: Sequence[CompletionRecord]) -> Iterator[pa.Table]:
    """Yield the tables of finished shards, in order; see `read_table`."""
    yield from (read_table(out, record) for record in records)


LEADER = "leader"
"""What is kept of the run that leads, in a store."""


class BuildFolder:
    """The shards of one dataset folder, for the process that has locked it."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.work = out / WORK
        self.temporary = self.work / "tmp" / token_hex(8)

    @contextmanager
    def open_run(self, mark: Mapping[str, object], outdated: Collection[str]) -> Iterator[None]:
        """Write the mark of a plan, and keep a folder for temporary files during the block.

        Args:
            mark: marks the folder as the plan's.
            outdated: files of another plan that are removed first, with its shards.
        """
        self.mark_leader()
        for name in outdated:
            remove_file(self.out / name)
        if outdated:
            self.remove_strays([])
        self.save_json("plan", mark)
        # What killed runs left.
        remove_folder(self.work / "tmp")
        if not isinstance(self.out, StoreAddress):
            remove_unfinished_files(self.out)
        self.temporary.mkdir(parents=True)
        yield
        remove_folder(self.work / "tmp")

    def mark_leader(self) -> None:
        """Say that this run leads, where no lock can be held."""
        if isinstance(self.out, StoreAddress):
            self.save_json(LEADER, {"run": self.temporary.name})

    def check_leader(self) -> None:
        """Make sure that this run leads, before it changes what is published.

        Raises:
            ValueError: another run began since.
        """
        if not isinstance(self.out, StoreAddress):
            return
        said = self.load_json(LEADER)
        if said is None or said.get("run") != self.temporary.name:
            raise ValueError(
                f"another build began in {self.out}, and this one stops; let one build at a time "
                "write there, and run the same command again"
            )

    def remove_strays(self, keep: Iterable[str]) -> None:
        """Remove published shards but those of some paths, and folders left empty."""
        self.check_leader()
        kept = {self.out / path for path in keep}
        for path in dataset_reader.shard_paths(self.out):
            if path not in kept:
                path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()

    def save_json(self, name: str, content: Mapping[str, object]) -> None:
        """Keep something beside the shards, as JSON: on one line, as of many levels it is long."""
        write_text(self.work / f"{name}.json", json.dumps(content) + "\n")

    def load_json(self, name: str) -> dict[str, Any] | None:
        """Return what was kept under a name; None if there is nothing, or it is damaged."""
        try:
            content = json.loads((self.work / f"{name}.json").read_text(encoding="utf-8"))
        except UnreachableError:
            raise
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def record_path(self, stage: str, key: str) -> Path:
        """Return the path of the record of a shard."""
        return self.work / "records" / stage / f"{key}.json"

    def load_record(self, stage: str, key: str) -> CompletionRecord:
        """Return the record of a shard as it was written.

        Raises:
            OSError, ValueError, TypeError, KeyError: there is none, or it is damaged.
        """
        return self._load_stamped_record(stage, key)[0]

    def _load_stamped_record(self, stage: str, key: str) -> tuple[CompletionRecord, str]:
        """Return the record of a shard, and what the store said of its file then."""
        content = open_record(json.loads(self.record_path(stage, key).read_text(encoding="utf-8")))
        stamp = str(content.pop("stamp", ""))
        return CompletionRecord(**{**content, "row_hashes": tuple(content["row_hashes"])}), stamp

    def find_completed(self, stage: str, job: ShardJob) -> CompletionRecord | None:
        """Return the record of a shard that needs no work, or None."""
        try:
            record, stamp = self._load_stamped_record(stage, job.key)
        except UnreachableError:
            raise
        except (OSError, ValueError, TypeError, KeyError):
            return None
        path = self.out / job.path
        if record.path != job.path or record.inputs != hash_inputs(job):
            return None
        if isinstance(path, StoreAddress) and stamp and path.object_stamp() == stamp:
            return record
        whole = (
            path.is_file()
            and path.stat().st_size == record.bytes
            and hash_file(path) == record.sha256
        )
        return record if whole else None

    def complete_shard(
        self, stage: str, key: str, temporary: Path, record: CompletionRecord
    ) -> None:
        """Give a finished shard its final name, then write its record.

        Args:
            stage: name of the stage.
            key: the shard's job key.
            temporary: where its file stands.
            record: its record.
        """
        self.check_leader()
        path = self.out / record.path
        publish_file(temporary, path)
        content = dataclasses.asdict(record)
        del content["slim_hash"]
        if isinstance(path, StoreAddress):
            content["stamp"] = path.object_stamp()
        write_text(self.record_path(stage, key), canonical_json(seal_record(content)) + "\n")

    def remove_old_records(self, stage: str, keys: Iterable[str]) -> None:
        """Remove the records of a stage's shards, all but those of the given keys."""
        root = self.work / "records" / stage
        keep = {self.record_path(stage, key) for key in keys}
        for path in sorted(root.rglob("*.json")):
            if path not in keep:
                path.unlink()
