"""What a worker makes of a job: a synced temporary file, and the record that describes it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.build import shards
from facelet.pipeline.build.shards import Made, Record
from facelet.pipeline.dataset import files
from facelet.pipeline.dataset.hashing import hash_sequence

HASHES = ("0a" * 16, "0b" * 16)


def made(rows: int = 10, **more: Any) -> Made:
    return Made(pa.table({"number": list(range(rows))}), **more)


@dataclass(frozen=True)
class Job:
    """A job whose every part a test can choose."""

    key: str = "cells/d01"
    path: str = "toys/test-00000-of-00001.parquet"
    sources: tuple[str, ...] = ("facelet.pipeline.words",)
    given: Any = "a plan"
    make: Callable[[Path], Made] = field(default=lambda out: made())
    cost: float = 1.0

    def inputs(self) -> Any:
        return self.given


def worked(tmp_path: Path, job: Job, number: int = 7) -> tuple[Path, Record]:
    temporary = tmp_path / "tmp"
    temporary.mkdir(exist_ok=True)
    return shards.work(job, number, tmp_path / "out", temporary)


def test_the_record_describes_the_file(tmp_path):
    asked: list[Path] = []

    def make(out: Path) -> Made:
        asked.append(out)
        return made(row_hashes=HASHES, about={"seen": 3})

    job = Job(make=make)
    path, record = worked(tmp_path, job)
    assert asked == [tmp_path / "out"]
    data = path.read_bytes()
    assert record == Record(
        path=job.path,
        inputs=shards.input_hash(job),
        rows=10,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        row_hashes=HASHES,
        about={"seen": 3},
    )
    assert record.content_hash == hash_sequence(HASHES)
    assert pq.read_table(path).column("number").to_pylist() == list(range(10))


def test_temporary_names_say_the_number_and_never_meet(tmp_path):
    paths = [worked(tmp_path, Job())[0] for _ in range(3)]
    assert len(set(paths)) == 3
    for path in paths:
        assert path.parent == tmp_path / "tmp"
        assert re.fullmatch(r"000007-[0-9a-f]{16}\.parquet", path.name)


def test_the_file_is_on_the_disk_before_the_record_is_made(tmp_path, monkeypatch):
    synced: list[tuple[Path, int]] = []

    class Noting(files.Disk):
        def sync(self, path: Path) -> None:
            synced.append((path, path.stat().st_size))

    monkeypatch.setattr(files, "disk", Noting())
    path, record = worked(tmp_path, Job())
    assert synced == [(path, record.bytes)]


@pytest.mark.parametrize(("group", "groups"), [(4, 3), (10, 1), (1, 10)])
def test_rows_stand_in_groups_of_the_size_that_the_job_says(tmp_path, group, groups):
    path, _ = worked(tmp_path, Job(make=lambda out: made(group=group)))
    assert pq.read_metadata(path).num_row_groups == groups


def test_a_job_that_says_nothing_has_groups_of_4096_rows(tmp_path):
    path, _ = worked(tmp_path, Job(make=lambda out: made(8193)))
    content = pq.read_metadata(path)
    assert [content.row_group(k).num_rows for k in range(content.num_row_groups)] == [4096, 4096, 1]


def test_the_writer_is_told_what_the_job_says(tmp_path):
    def codec(said: dict[str, Any]) -> str:
        path, _ = worked(tmp_path, Job(make=lambda out: made(parquet=said)))
        return str(pq.read_metadata(path).row_group(0).column(0).compression)

    assert codec({"compression": "zstd"}) == "ZSTD"
    assert codec({"compression": "none"}) == "UNCOMPRESSED"


def test_a_worker_reads_and_counts_on_one_thread(tmp_path):
    before = pa.cpu_count(), pa.io_thread_count()
    try:
        pa.set_cpu_count(3)
        pa.set_io_thread_count(3)
        worked(tmp_path, Job())
        assert (pa.cpu_count(), pa.io_thread_count()) == (1, 1)
    finally:
        pa.set_cpu_count(before[0])
        pa.set_io_thread_count(before[1])


def test_an_error_of_a_job_says_which_job(tmp_path):
    def fail(out: Path) -> Made:
        raise ValueError("9 is too deep")

    with pytest.raises(ValueError, match=r"^cells/d01: 9 is too deep$") as caught:
        worked(tmp_path, Job(make=fail))
    assert str(caught.value.__cause__) == "9 is too deep"
    assert not list((tmp_path / "tmp").iterdir())


def test_all_that_decides_a_file_decides_the_hash_of_its_inputs(monkeypatch):
    hashes = {
        shards.input_hash(job)
        for job in (
            Job(),
            Job(given="another plan"),
            Job(path="toys/test-00001-of-00002.parquet"),
            Job(sources=("facelet.pipeline.info",)),
        )
    }
    assert len(hashes) == 4
    same = shards.input_hash(Job(key="other", cost=9.0, make=lambda out: made(1)))
    assert same == shards.input_hash(Job()) and re.fullmatch("[0-9a-f]{32}", same)
    monkeypatch.setattr(shards, "libraries", lambda: {"pyarrow": "0"})
    assert shards.input_hash(Job()) not in hashes


def test_a_hash_of_inputs_is_written_down_elsewhere(monkeypatch):
    """Records on disk hold it: a run of tomorrow must find the same."""
    monkeypatch.setattr(shards, "libraries", lambda: {"pyarrow": "1.0"})
    monkeypatch.setattr(shards, "fingerprint", lambda names: "-".join(names))
    said = '["p",{"a":1},"x-y",{"pyarrow":"1.0"}]'
    job = Job(path="p", given={"a": 1}, sources=("x", "y"))
    expected = hashlib.blake2b(said.encode(), digest_size=16).hexdigest()
    assert shards.input_hash(job) == expected


def test_finished_shards_are_read_in_order(tmp_path):
    records = []
    for number in (2, 0, 1):
        job = Job(path=f"{number}{shards.PASSED_ON}", make=lambda out, n=number: made(n))
        path, record = worked(tmp_path, job)
        path.rename(tmp_path / record.path)
        records.append(record)
    assert [table.num_rows for table in shards.read_tables(tmp_path, records)] == [2, 0, 1]


def test_what_is_passed_on_is_read_as_it_was_made_all_of_it_or_some_columns(tmp_path):
    table = pa.table(
        {
            "text": ["one", None, "two" * 900],
            "lists": [[1, 2], [], None],
            "record": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}],
            "number": pa.array([1, 2, 3], pa.int8()),
        }
    )
    for rows in (table, table.slice(1), table.slice(3)):
        job = Job(path="pool.arrow", make=lambda out, rows=rows: Made(rows, group=2))
        path, record = worked(tmp_path, job)
        assert path.suffix == ".arrow"
        path.rename(tmp_path / record.path)
        assert shards.read_table(tmp_path, record).equals(rows)
        for names in (["number", "text"], ["lists"], ["record", "number"], []):
            assert shards.read_table(tmp_path, record, names).equals(rows.select(names))


def test_records_cannot_be_changed_and_can_be_kept_in_sets(tmp_path):
    _, record = worked(tmp_path, Job(make=lambda out: made(about={"a": [1]})))
    assert {record: 1}[record] == 1
    for one in (record, made()):
        with pytest.raises(FrozenInstanceError):
            one.about = {}
        assert not hasattr(one, "__dict__")


def test_what_a_job_does_not_say_is_empty_and_its_own():
    first, second = made(), made()
    assert (first.row_hashes, first.parquet, first.about) == ((), {}, {})
    assert first.parquet is not second.parquet and first.about is not second.about


def test_hidden_work_has_a_folder_that_no_reader_takes_for_a_config():
    assert shards.WORK.startswith(".")


@pytest.mark.parametrize("damage", ["flipped", "cut", "exchanged"])
def test_a_shard_that_was_changed_since_is_not_read(damage, tmp_path):
    """Even one that was made anew by the rules of Arrow, as a worker would read it."""
    path, record = worked(tmp_path, Job(path=f"pool{shards.PASSED_ON}"))
    out = tmp_path / "out"
    place = out / record.path
    out.mkdir()
    path.rename(place)
    (table,) = shards.read_tables(out, [record])
    assert table == made().table == shards.read_table(out, record)
    data = bytearray(place.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 1
        place.write_bytes(data)
    elif damage == "cut":
        place.write_bytes(data[:-1])
    else:
        with pa.ipc.new_file(str(place), made().table.schema) as file:
            file.write_table(made().table.slice(0, 9))
    with pytest.raises(ValueError, match="is not what was written to it; let nobody write"):
        list(shards.read_tables(out, [record]))
