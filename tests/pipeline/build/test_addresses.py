"""A dataset in a store of fsspec: the same bytes as in a folder, and read back from there."""

from __future__ import annotations

import hashlib
import pickle
import sys

import fsspec
import pytest

from facelet.pipeline.argument_text import expand_home
from facelet.pipeline.build.build_folder import BuildFolder
from facelet.pipeline.command.argument_parser import parse_settings
from facelet.pipeline.command.setting_keys import list_verb_keys
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.atomic_files import write_atomically, write_text
from facelet.pipeline.dataset.content_check import open_checker
from facelet.pipeline.dataset.store_address import StoreAddress, UnreachableError, parse_place
from facelet.pipeline.verbs.info import Settings as InfoSettings
from facelet.pipeline.verbs.verify import Settings as VerifySettings


@pytest.fixture
def store(monkeypatch):
    """The memory of this process, empty, as a store; yields its address."""
    memory = fsspec.filesystem("memory")
    monkeypatch.setattr(type(memory), "store", {})
    monkeypatch.setattr(type(memory), "pseudo_dirs", [""])
    return StoreAddress("memory://bucket/data")


def hash_objects(out):
    """The hashes of all published objects below an address, by path."""
    paths = {path.relative_to(out).as_posix(): path for path in out.rglob("*")}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in sorted(paths.items())
        if not name.startswith(".facelet")
    }


def test_a_store_holds_the_bytes_that_a_folder_holds(toy, store, tmp_path, published):
    made = toy.run(toy.settings(tmp_path / "local"))
    found = toy.run(toy.settings(store))
    assert found.content_hash == made.content_hash
    assert hash_objects(store) == published(tmp_path / "local")
    manifest = dataset_reader.read_manifest(store)
    parts = [
        file_integrity.read_shard(store, shard) for shard in file_integrity.list_shards(manifest)
    ]
    assert parts and not [failure for part in parts for failure in part.failures]
    assert not list(file_integrity.check_dataset(store, manifest, parts))
    check = open_checker(store, "content")
    for split in dataset_reader.list_splits(store):
        check.record_stamps(split.paths)
        check.check_split(split.config, split.name, split.paths)
        assert list(split.iterate_rows(["id"])) == [
            row
            for other in dataset_reader.list_splits(tmp_path / "local")
            if (other.config, other.name) == (split.config, split.name)
            for row in other.iterate_rows(["id"])
        ]
    assert not list((store / ".facelet" / "tmp").rglob("*"))


class ConnectionCutError(Exception):
    """An error of a store's package."""


@pytest.mark.parametrize("answers", [False, True])
def test_when_requests_fail_the_next_run_makes_the_same_bytes(
    toy, store, tmp_path, published, monkeypatch, answers
):
    run_outages(toy, store, tmp_path, published, monkeypatch, answers, apart=70)


@pytest.mark.slow
@pytest.mark.parametrize("answers", [False, True])
def test_whatever_request_fails_the_next_run_makes_the_same_bytes(
    toy, store, tmp_path, published, monkeypatch, answers
):
    run_outages(toy, store, tmp_path, published, monkeypatch, answers, apart=1)


def run_outages(toy, store, tmp_path, published, monkeypatch, answers, apart):
    """Let requests fail from some number on, run again, and compare, for ever higher numbers."""
    toy.run(toy.tiny(tmp_path / "local"))
    whole = published(tmp_path / "local")
    memory, told = fsspec.filesystem("memory"), {"left": 10**9}

    def cut_method(name):
        real = getattr(type(memory), name)

        def count_request(self, *words, **values):
            told["left"] -= 1
            done = real(self, *words, **values) if told["left"] > 0 or answers else None
            if told["left"] <= 0:
                raise ConnectionCutError("the connection was reset")
            return done

        monkeypatch.setattr(type(memory), name, count_request)

    for name in ("pipe_file", "cp_file", "rm_file", "info"):
        cut_method(name)
    cut_at, ended = 1, False
    while not ended:
        out = store / str(cut_at)
        told["left"] = cut_at
        try:
            toy.run(toy.tiny(out))
            ended = True
        except UnreachableError as error:
            assert "the connection was reset" in str(error)
        told["left"] = 10**9
        assert hash_objects(out).get(dataset_reader.MANIFEST) in (
            None,
            whole[dataset_reader.MANIFEST],
        )
        toy.run(toy.tiny(out))
        assert hash_objects(out) == whole
        out.remove_all()
        cut_at += apart
    assert cut_at > 80


def test_what_a_store_holds_is_not_read_again_but_what_changed_is_made_again(toy, store):
    toy.run(toy.tiny(store))
    before = hash_objects(store)
    shard = dataset_reader.shard_paths(store)[0]
    stamps = {path: path.object_stamp() for path in store.rglob("*.parquet")}
    toy.run(toy.tiny(store))
    assert {path: path.object_stamp() for path in store.rglob("*.parquet")} == stamps
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    toy.run(toy.tiny(store))
    assert hash_objects(store) == before


def test_a_store_that_fails_while_a_shard_is_read_is_no_damaged_shard(toy, store, monkeypatch):
    toy.run(toy.tiny(store))
    (shard, *_), (split, *_) = (
        file_integrity.list_shards(dataset_reader.read_manifest(store)),
        dataset_reader.list_splits(store),
    )
    memory = fsspec.filesystem("memory")

    def fail_reading(*_):
        raise ConnectionCutError("the connection was reset")

    monkeypatch.setattr(type(memory.store["/bucket/data/manifest.json"]), "read", fail_reading)
    for read in (
        lambda: file_integrity.read_shard(store, shard),
        lambda: list(split.iterate_rows(["id"])),
        lambda: dataset_reader.read_shard_table(split.paths[0]),
        split.count_rows,
    ):
        with pytest.raises(UnreachableError, match="the connection was reset"):
            read()


def test_the_run_that_began_last_leads(toy, store):
    first, second = BuildFolder(store), BuildFolder(store)
    first.mark_leader()
    first.check_leader()
    second.mark_leader()
    second.check_leader()
    with pytest.raises(ValueError, match="another build began in memory://bucket/data"):
        first.check_leader()


def test_a_store_belongs_to_one_plan(toy, store):
    toy.run(toy.tiny(store))
    with pytest.raises(ValueError, match=r"memory://bucket/data belongs to another configuration"):
        toy.run(toy.tiny(store, seed=1))
    (store.parent / "other" / "file").write_bytes(b"mine")
    with pytest.raises(ValueError, match="contains other files"):
        toy.run(toy.tiny(store.parent / "other"))
    with pytest.raises(ValueError, match="memory of one process; use workers=1"):
        toy.run(toy.tiny(store, runner=RunnerSettings(workers=2)))
    toy.run(toy.tiny(store, seed=1, replace=True))
    assert dataset_reader.read_manifest(store).seed == 1


def test_an_address_is_a_path_wherever_it_goes(store):
    assert str(store / "a" / "b.txt") == "memory://bucket/data/a/b.txt"
    assert pickle.loads(pickle.dumps(store)) == store
    assert parse_place("file:///x/y").as_posix() == "/x/y"
    assert expand_home("s3://bucket/x/").parent == StoreAddress("s3://bucket")
    assert not (store / "a").exists() and list(store.iterdir()) == []
    write_text(store / "a" / "b.txt", "text")
    assert (store / "a").is_dir() and (store / "a" / "b.txt").is_file()
    with pytest.raises(RuntimeError), write_atomically(store / "c") as file:
        file.write(b"half")
        raise RuntimeError
    assert list(store.glob("*/*.txt")) == [store / "a" / "b.txt"]
    with pytest.raises(TypeError, match="not a local path"):
        open(store / "a")


def test_errors_say_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ValueError, match=r"unknown scheme 'zzz'; use s3, gs"):
        StoreAddress("zzz://bucket/x").exists()
    with pytest.raises(ValueError, match=r"not here: pip install s3fs"):
        StoreAddress("s3://bucket/x").exists()
    with pytest.raises(ValueError, match="record=s3://x is the address of a store; use a path"):
        parse_settings(VerifySettings, {"dataset": ["s3://b/x"], "record": ["s3://x"]}, "verify")
    told = parse_settings(InfoSettings, {"dataset": ["s3://b/x"]}, "info")
    assert str(told.dataset) == "s3://b/x"
    assert [
        one.about.may_be_remote for one in list_verb_keys(InfoSettings) if one.name == "dataset"
    ] == [True]
