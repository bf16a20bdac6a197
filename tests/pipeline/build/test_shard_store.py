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

from facelet.pipeline.build import build_folder
from facelet.pipeline.build.build_folder import CompletionRecord, ShardContent
from facelet.pipeline.dataset import atomic_files
from facelet.pipeline.dataset.row_hashes import hash_sequence

HASHES = ("0a" * 16, "0b" * 16)


def make_rows(rows: int = 10, **more: Any) -> ShardContent:
    return ShardContent(pa.table({"number": list(range(rows))}), **more)


@dataclass(frozen=True)
class FakeJob:
    """A job whose every part a test can choose."""

    key: str = "cells/d01"
    path: str = "toys/test-00000-of-00001.parquet"
    sources: tuple[str, ...] = ("facelet.pipeline.argument_text",)
    given: Any = "a plan"
    build_shard: Callable[[Path], ShardContent] = field(default=lambda out: make_rows())
    cost: float = 1.0

    def list_hashed_inputs(self) -> Any:
        return self.given


def run_job(tmp_path: Path, job: FakeJob, number: int = 7) -> tuple[Path, CompletionRecord]:
    temporary = tmp_path / "tmp"
    temporary.mkdir(exist_ok=True)
    return build_folder.run_shard_job(job, number, tmp_path / "out", temporary)


def test_the_record_describes_the_file(tmp_path):
    asked: list[Path] = []

    def write_rows(out: Path) -> ShardContent:
        asked.append(out)
        return make_rows(row_hashes=HASHES, about={"seen": 3})

    job = FakeJob(build_shard=write_rows)
    path, record = run_job(tmp_path, job)
    assert asked == [tmp_path / "out"]
    data = path.read_bytes()
    assert record == CompletionRecord(
        path=job.path,
        inputs=build_folder.hash_inputs(job),
        rows=10,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        row_hashes=HASHES,
        about={"seen": 3},
    )
    assert record.content_hash == hash_sequence(HASHES)
    assert pq.read_table(path).column("number").to_pylist() == list(range(10))


def test_temporary_names_say_the_number_and_never_meet(tmp_path):
    paths = [run_job(tmp_path, FakeJob())[0] for _ in range(3)]
    assert len(set(paths)) == 3
    for path in paths:
        assert path.parent == tmp_path / "tmp"
        assert re.fullmatch(r"000007-[0-9a-f]{16}\.parquet", path.name)


def test_the_file_is_on_the_disk_before_the_record_is_made(tmp_path, monkeypatch):
    synced: list[tuple[Path, int]] = []

    class NotingDisk(atomic_files.DiskOperations):
        def sync_path(self, path: Path) -> None:
            synced.append((path, path.stat().st_size))

    monkeypatch.setattr(atomic_files, "disk", NotingDisk())
    path, record = run_job(tmp_path, FakeJob())
    assert synced == [(path, record.bytes)]


@pytest.mark.parametrize(("group", "groups"), [(4, 3), (10, 1), (1, 10)])
def test_rows_stand_in_groups_of_the_size_that_the_job_says(tmp_path, group, groups):
    path, _ = run_job(tmp_path, FakeJob(build_shard=lambda out: make_rows(group=group)))
    assert pq.read_metadata(path).num_row_groups == groups


def test_a_job_that_says_nothing_has_groups_of_4096_rows(tmp_path):
    path, _ = run_job(tmp_path, FakeJob(build_shard=lambda out: make_rows(8193)))
    content = pq.read_metadata(path)
    assert [content.row_group(k).num_rows for k in range(content.num_row_groups)] == [4096, 4096, 1]


def test_the_writer_is_told_what_the_job_says(tmp_path):
    def written_codec(said: dict[str, Any]) -> str:
        path, _ = run_job(tmp_path, FakeJob(build_shard=lambda out: make_rows(parquet=said)))
        return str(pq.read_metadata(path).row_group(0).column(0).compression)

    assert written_codec({"compression": "zstd"}) == "ZSTD"
    assert written_codec({"compression": "none"}) == "UNCOMPRESSED"


def test_a_worker_reads_and_counts_on_one_thread(tmp_path):
    before = pa.cpu_count(), pa.io_thread_count()
    try:
        pa.set_cpu_count(3)
        pa.set_io_thread_count(3)
        run_job(tmp_path, FakeJob())
        assert (pa.cpu_count(), pa.io_thread_count()) == (1, 1)
    finally:
        pa.set_cpu_count(before[0])
        pa.set_io_thread_count(before[1])


def test_an_error_of_a_job_says_which_job(tmp_path):
    def fail_job(out: Path) -> ShardContent:
        raise ValueError("9 is too deep")

    with pytest.raises(ValueError, match=r"^cells/d01: 9 is too deep$") as caught:
        run_job(tmp_path, FakeJob(build_shard=fail_job))
    assert str(caught.value.__cause__) == "9 is too deep"
    assert not list((tmp_path / "tmp").iterdir())


def test_all_that_decides_a_file_decides_the_hash_of_its_inputs(monkeypatch):
    hashes = {
        build_folder.hash_inputs(job)
        for job in (
            FakeJob(),
            FakeJob(given="another plan"),
            FakeJob(path="toys/test-00001-of-00002.parquet"),
            FakeJob(sources=("facelet.pipeline.dataset_info",)),
        )
    }
    assert len(hashes) == 4
    same = build_folder.hash_inputs(
        FakeJob(key="other", cost=9.0, build_shard=lambda out: make_rows(1))
    )
    assert same == build_folder.hash_inputs(FakeJob()) and re.fullmatch("[0-9a-f]{32}", same)
    monkeypatch.setattr(build_folder, "library_versions", lambda: {"pyarrow": "0"})
    assert build_folder.hash_inputs(FakeJob()) not in hashes


def test_a_hash_of_inputs_is_written_down_elsewhere(monkeypatch):
    """Records on disk hold it: a run of tomorrow must find the same."""
    monkeypatch.setattr(build_folder, "library_versions", lambda: {"pyarrow": "1.0"})
    monkeypatch.setattr(build_folder, "fingerprint_sources", lambda names: "-".join(names))
    said = '["p",{"a":1},"x-y",{"pyarrow":"1.0"}]'
    job = FakeJob(path="p", given={"a": 1}, sources=("x", "y"))
    expected = hashlib.blake2b(said.encode(), digest_size=16).hexdigest()
    assert build_folder.hash_inputs(job) == expected


def test_finished_shards_are_read_in_order(tmp_path):
    records = []
    for number in (2, 0, 1):
        job = FakeJob(
            path=f"{number}{build_folder.INTERMEDIATE_SUFFIX}",
            build_shard=lambda out, n=number: make_rows(n),
        )
        path, record = run_job(tmp_path, job)
        path.rename(tmp_path / record.path)
        records.append(record)
    assert [table.num_rows for table in build_folder.read_tables(tmp_path, records)] == [2, 0, 1]


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
        job = FakeJob(
            path="pool.arrow", build_shard=lambda out, rows=rows: ShardContent(rows, group=2)
        )
        path, record = run_job(tmp_path, job)
        assert path.suffix == ".arrow"
        path.rename(tmp_path / record.path)
        assert build_folder.read_table(tmp_path, record).equals(rows)
        for names in (["number", "text"], ["lists"], ["record", "number"], []):
            assert build_folder.read_table(tmp_path, record, names).equals(rows.select(names))


def test_records_cannot_be_changed_and_can_be_kept_in_sets(tmp_path):
    _, record = run_job(tmp_path, FakeJob(build_shard=lambda out: make_rows(about={"a": [1]})))
    assert {record: 1}[record] == 1
    for one in (record, make_rows()):
        with pytest.raises(FrozenInstanceError):
            one.about = {}
        assert not hasattr(one, "__dict__")


def test_what_a_job_does_not_say_is_empty_and_its_own():
    first, second = make_rows(), make_rows()
    assert (first.row_hashes, first.parquet, first.about) == ((), {}, {})
    assert first.parquet is not second.parquet and first.about is not second.about


def test_hidden_work_has_a_folder_that_no_reader_takes_for_a_config():
    assert build_folder.WORK.startswith(".")


@pytest.mark.parametrize("damage", ["flipped", "cut", "exchanged"])
def test_a_shard_that_was_changed_since_is_not_read(damage, tmp_path):
    """Even one that was made anew by the rules of Arrow, as a worker would read it."""
    path, record = run_job(tmp_path, FakeJob(path=f"pool{build_folder.INTERMEDIATE_SUFFIX}"))
    out = tmp_path / "out"
    place = out / record.path
    out.mkdir()
    path.rename(place)
    (table,) = build_folder.read_tables(out, [record])
    assert table == make_rows().table == build_folder.read_table(out, record)
    data = bytearray(place.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 1
        place.write_bytes(data)
    elif damage == "cut":
        place.write_bytes(data[:-1])
    else:
        with pa.ipc.new_file(str(place), make_rows().table.schema) as file:
            file.write_table(make_rows().table.slice(0, 9))
    with pytest.raises(ValueError, match="was changed after it was written; let no other"):
        list(build_folder.read_tables(out, [record]))
