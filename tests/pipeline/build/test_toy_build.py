"""What a build promises, on the toy family: same bytes, resumable, repairable, never mixed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from facelet.pipeline import dataset_info
from facelet.pipeline.build import dataset_builder
from facelet.pipeline.build.build_summary import summarize_build
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import hold_lock
from facelet.pipeline.dataset.manifest_file import to_plain
from facelet.pipeline.dataset.row_columns import content_hash, dataset_hash, row_hashes
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"


def build_in_process(out, workers, hash_seed, *changes):
    env = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(HERE)])
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), str(workers), *changes]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def built(toy, tmp_path):
    out = tmp_path / "built"
    return out, toy.run(toy.settings(out))


def test_workers_and_hash_seeds_do_not_show(built, tmp_path, published):
    out, _ = built
    for number, (workers, hash_seed) in enumerate([(2, 1), (3, 2)]):
        other = tmp_path / f"other{number}"
        build_in_process(other, workers, hash_seed)
        assert published(other) == published(out)


def test_second_run_changes_nothing(built, toy, published, monkeypatch):
    out, manifest = built
    before = published(out)
    times = {path: path.stat().st_mtime_ns for path in dataset_reader.shard_paths(out)}
    monkeypatch.setattr(
        dataset_builder.dataset_audit, "audit_dataset", lambda out: pytest.fail("audited again")
    )
    assert toy.run(toy.settings(out)) == manifest
    assert published(out) == before
    assert {path: path.stat().st_mtime_ns for path in dataset_reader.shard_paths(out)} == times


@pytest.mark.parametrize("harm", ["flip", "cut", "remove", "record", "garbage record"])
def test_damaged_shard_is_made_again(built, toy, published, harm):
    out, _ = built
    before = published(out)
    shard = dataset_reader.shard_paths(out)[1]
    record = out / ".facelet" / "records" / "emit" / "toys.count" / "test-00001.json"
    data = shard.read_bytes()
    if harm == "flip":
        shard.write_bytes(data[:500] + bytes([data[500] ^ 1]) + data[501:])
    elif harm == "cut":
        shard.write_bytes(data[:-9])
    elif harm == "remove":
        shard.unlink()
    elif harm == "record":
        record.unlink()
    else:
        record.write_text('{"path": 3}')
    toy.run(toy.settings(out))
    assert published(out) == before


def test_damaged_work_shard_does_not_spread(built, toy, published):
    out, _ = built
    before = published(out)
    pool = out / ".facelet" / "pools" / "toy" / "d02-test.arrow"
    pool.write_bytes(b"not a table")
    (out / ".facelet" / "compose" / "toys.count" / "d01" / "000006.arrow").unlink()
    toy.run(toy.settings(out))
    assert published(out) == before


def test_new_task_version_is_another_plan(built, toy, monkeypatch):
    out, _ = built
    monkeypatch.setattr(toy.toy_family.ToyTask, "version", 2)
    with pytest.raises(ValueError, match=r"now toys\.count/d01 \(toy/count version 2"):
        toy.run(toy.settings(out))
    made = toy.run(toy.settings(out, replace=True))
    assert made.configs["toys.count"].task_version == 2
    rows = list(dataset_reader.list_splits(out)[0].iterate_rows(["task_version", "provenance"]))
    assert {row["task_version"] for row in rows} == {2}
    assert all('"toy/count",2,' in row["provenance"]["seed_path"] for row in rows)


def test_leftovers_of_a_killed_run_are_swept(built, toy, published):
    out, _ = built
    before = published(out)
    junk = out / ".facelet" / "tmp" / "0123456789abcdef" / "000001.parquet"
    junk.parent.mkdir(parents=True)
    junk.write_bytes(b"half a sha")
    records = out / ".facelet" / "records" / "emit" / "toys.count"
    half = records / ".test-00000.json.0123456789abcdef.tmp"
    half.write_text("{")
    stray = out / "toys.count" / "test-00000-of-00099.parquet"
    stray.write_bytes(b"of another layout")
    toy.run(toy.settings(out))
    assert published(out) == before
    assert not junk.exists() and not half.exists() and not stray.exists()


def test_another_plan_is_refused_then_replaces(built, toy, tmp_path, published):
    out, _ = built
    before = published(out)
    changed = toy.settings(out, ranges=toy.depths(1, 2), seed=5, splits=(("train", 3), ("test", 1)))
    with pytest.raises(ValueError, match=r"seed was 0, is 5.*replace=true"):
        toy.run(changed)
    assert published(out) == before

    fresh = toy.settings(tmp_path / "fresh", ranges=toy.depths(1, 2), seed=5, splits=changed.splits)
    toy.run(fresh)
    toy.run(toy.dataclasses.replace(changed, replace=True))
    assert published(out) == published(tmp_path / "fresh")


def test_manifest_alone_names_the_plan(built, toy):
    out, manifest = built
    for path in sorted((out / ".facelet").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (out / ".facelet").rmdir()
    with pytest.raises(ValueError, match="belongs to another configuration"):
        toy.run(toy.settings(out, seed=1))
    assert toy.run(toy.settings(out)) == manifest


def test_two_builds_at_once_are_refused(toy, tmp_path):
    out = tmp_path / "busy"
    with (
        hold_lock(out / ".facelet" / "lock", "unused"),
        pytest.raises(ValueError, match=r"another build is running in .*busy"),
    ):
        toy.run(toy.settings(out))
    assert toy.run(toy.settings(out)).name == "toy"


def test_foreign_folder_is_left_alone(toy, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="contains other files"):
        toy.run(toy.settings(tmp_path))
    with pytest.raises(ValueError, match="is a file"):
        toy.run(toy.settings(tmp_path / "thesis.txt"))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


FOREIGN = {
    "a manifest of something else": '{"manifest_version": 3, "plan_hash": "x"}',
    "one that cannot be read": "{",
    "one that is deep": "[" * 100_000,
}


def read_everything(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_a_folder_without_our_mark_is_never_replaced(toy, tmp_path, text, replace):
    (tmp_path / "manifest.json").write_text(text)
    (tmp_path / "README.md").write_text("years of work")
    (tmp_path / "their.data").mkdir()
    (tmp_path / "their.data" / "train-00000-of-00001.parquet").write_bytes(b"more years")
    before = read_everything(tmp_path)
    with pytest.raises(ValueError, match="contains other files and no dataset of Facelet"):
        toy.run(toy.settings(tmp_path, replace=replace))
    assert read_everything(tmp_path) == before


def test_a_refusal_leaves_nothing(built, toy, tmp_path):
    out, _ = built
    shutil.rmtree(out / ".facelet")
    before = read_everything(out)
    with pytest.raises(ValueError, match="belongs to another configuration"):
        toy.run(toy.settings(out, seed=1))
    assert read_everything(out) == before
    (tmp_path / "elsewhere").mkdir()
    (out / ".facelet").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is a link"):
        toy.run(toy.settings(out, seed=1, replace=True))
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_build_killed_before_it_kept_its_plan_is_begun_again(toy, tmp_path):
    work = tmp_path / "out" / ".facelet"
    work.mkdir(parents=True)
    (work / "lock").touch()
    (work / ".plan.json.0123456789abcdef.tmp").touch()
    assert toy.run(toy.settings(tmp_path / "out")).name == "toy"
    assert not list(work.glob(".plan*"))


def test_hashes_follow_from_the_published_rows(built):
    out, manifest = built
    config = manifest.configs["toys.count"]
    every = []
    for shard in config.splits["test"].shards:
        path = out / shard.path
        table = pq.read_table(path)
        own = list(row_hashes(table))
        assert own == [content_hash(row) for row in table.to_pylist()]
        assert hash_sequence(own) == shard.content_hash
        assert (table.num_rows, path.stat().st_size) == (shard.rows, shard.bytes)
        assert hash_file(path) == shard.sha256
        every += own
    assert len(set(every)) == config.splits["test"].rows
    split_hash = hash_sequence(every)
    assert split_hash == config.splits["test"].content_hash
    assert manifest.content_hash == dataset_hash({("toys.count", "test"): split_hash})


def test_a_manifest_that_is_read_is_written_byte_by_byte(built):
    out, manifest = built
    text = (out / "manifest.json").read_text()
    assert dataset_reader.read_manifest(out).to_text() == manifest.to_text() == text
    config = manifest.to_record()["configs"]["toys.count"]
    assert " ".join(config) == "suite task task_version params swept splits audit floor"
    split = config["splits"]["test"]
    assert " ".join(split) == "rows items bytes content_hash chance cells shards"
    assert " ".join(split["cells"][0]) == (
        "difficulty label items asked capacity pieces note chance"
    )
    assert " ".join(manifest.to_record()) == (
        "manifest_version schema_version name content_hash plan_hash profile seed splits "
        "code_version libraries tables canary citation left_out configs audit"
    )


def test_card_and_info_name_the_hash_of_the_manifest(built):
    out, manifest = built
    found = hash_file(out / "manifest.json")
    for text in (
        (out / "README.md").read_text(),
        (out / "CHANGELOG.md").read_text(),
        dataset_info.format_info(dataset_reader.read_manifest(out)),
        summarize_build(out, manifest, {}),
    ):
        assert found in text


def test_shard_sizes_move_no_content_hash(built, toy, tmp_path):
    _, manifest = built
    sizes = toy.StageSizes(compose_items=5, emit_rows=64, emit_group=16)
    other = toy.run(toy.settings(tmp_path / "other", stages=sizes))
    assert len(other.configs["toys.count"].splits["test"].shards) == 2
    assert other.content_hash == manifest.content_hash
    assert other.plan_hash != manifest.plan_hash


def test_items_do_not_depend_on_how_many_are_asked_for(built, toy, tmp_path):
    out, _ = built
    toy.run(toy.settings(tmp_path / "more", count=30, ranges=toy.depths(2)))
    few = {row["id"]: row for row in dataset_reader.list_splits(out)[0].iterate_rows()}
    more = {
        row["id"]: row for row in dataset_reader.list_splits(tmp_path / "more")[0].iterate_rows()
    }
    shared = few.keys() & more.keys()
    assert len(shared) == 48
    assert all(few[name] == more[name] for name in shared)


def test_small_pools_are_counted(built):
    _, manifest = built
    content = manifest.configs["toys.count"].splits["test"]
    cells = {cell.label: to_plain(cell) for cell in content.cells}
    small = {"difficulty": 3, "label": "d03", "items": 7, "asked": 24, "capacity": 7, "pieces": 7}
    chance = {"value": 0.25, "of": "answers", "kind": "exact"}
    assert cells["d03"] == {**small, "note": "only 7 numbers", "chance": chance}
    assert cells["d01"]["note"] == ""
    assert (content.items, content.rows) == (55, 110)


def test_rows_name_their_seeds(built):
    from facelet.generators.core.seeding import Draw, make_generator

    out, _ = built
    rows = list(dataset_reader.list_splits(out)[0].iterate_rows(["provenance", "id"]))
    attempts = {row["provenance"]["attempt"] for row in rows}
    assert attempts > {0}, "the toy rejects a fifth of its draws"
    for row in rows:
        names = json.loads(row["provenance"]["seed_path"])
        *path, _, index, _, attempt = names
        expected = Draw(tuple(path), index, attempt).rng.integers(1 << 62)
        assert make_generator(*names).integers(1 << 62) == expected
        assert int(row["id"].rpartition("/")[2]) // 2 == index


def test_endless_rejection_names_cell_and_reason(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(toy.toy_family.TASK, "generate", reject, raising=False)
    with pytest.raises(ValueError, match=r"d01: item 0 was rejected 1000 times.*no luck"):
        toy.run(toy.settings(tmp_path / "out"))


def reject(params, draw, resource):
    from facelet.generators.core.task import Reject

    raise Reject("no luck")


@pytest.mark.parametrize(
    ("method", "broken", "message"),
    [
        ("encode", lambda toy: {"facelets": "x"}, "leaves out .*options.*view"),
        ("rows_per_item", lambda params: 3, "made 2 rows of an item; rows_per_item says 3"),
        ("gold", lambda toy: None, ""),
    ],
)
def test_broken_contract_is_named(toy, tmp_path, monkeypatch, method, broken, message):
    if method == "gold":
        real = toy.toy_family.TASK.decode
        changed = lambda row: real({**row, "options": ["1", "2", "3", "4"]})  # noqa: E731
        method, broken, message = "decode", changed, "decode must be the inverse of encode"
    monkeypatch.setattr(toy.toy_family.TASK, method, broken, raising=False)
    with pytest.raises(ValueError, match=message):
        toy.run(toy.settings(tmp_path / "out"))
    assert not (tmp_path / "out" / dataset_reader.MANIFEST).exists()


def test_failed_audit_leaves_no_manifest(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(
        toy.toy_family.TASK, "find_faults", lambda instance: ["wrong"], raising=False
    )
    with pytest.raises(ValueError, match="false_labels"):
        toy.run(toy.settings(tmp_path / "out"))
    assert not (tmp_path / "out" / dataset_reader.MANIFEST).exists()


def test_killed_worker_is_told_and_nothing_is_lost(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_LEADER", str(os.getpid()))
    with pytest.raises(ValueError, match=r"a worker process was killed.*workers=1"):
        toy.run(toy.settings(tmp_path / "out", workers=2))
    monkeypatch.delenv("TOY_LEADER")
    assert toy.run(toy.settings(tmp_path / "out")).name == "toy"


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_missing_cluster_package_is_named(toy, tmp_path, monkeypatch, backend, package):
    monkeypatch.setitem(sys.modules, package, None)
    runner = toy.RunnerSettings(backend, None, 2)
    with pytest.raises(ValueError, match=f"runner={backend} needs the package {package}: pip"):
        toy.run(toy.dataclasses.replace(toy.settings(tmp_path / "out"), runner=runner))
