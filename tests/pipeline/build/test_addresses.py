"""A dataset in a store of fsspec: the same bytes as in a folder, and read back from there."""

from __future__ import annotations

import hashlib
import pickle
import sys

import fsspec
import pytest

from facelet.pipeline.build.folder import Folder
from facelet.pipeline.command.keys import keys_of
from facelet.pipeline.command.reading import settings_of
from facelet.pipeline.config.settings import Runner
from facelet.pipeline.dataset import integrity, reading
from facelet.pipeline.dataset.addresses import Address, UnreachableError, place
from facelet.pipeline.dataset.files import whole, write_text
from facelet.pipeline.dataset.vouching import voucher
from facelet.pipeline.verbs.info import Settings as InfoSettings
from facelet.pipeline.verbs.verify import Settings as VerifySettings
from facelet.pipeline.words import expand


@pytest.fixture
def store(monkeypatch):
    """The memory of this process, empty, as a store; yields its address."""
    memory = fsspec.filesystem("memory")
    monkeypatch.setattr(type(memory), "store", {})
    monkeypatch.setattr(type(memory), "pseudo_dirs", [""])
    return Address("memory://bucket/data")


def objects(out):
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
    assert objects(store) == published(tmp_path / "local")
    manifest = reading.manifest(store)
    parts = [integrity.read(store, shard) for shard in integrity.shards(manifest)]
    assert parts and not [failure for part in parts for failure in part.failures]
    assert not list(integrity.whole(store, manifest, parts))
    check = voucher(store, "content")
    for split in reading.splits(store):
        check.begin(split.paths)
        check.check(split.config, split.name, split.paths)
        assert list(split.rows(["id"])) == [
            row
            for other in reading.splits(tmp_path / "local")
            if (other.config, other.name) == (split.config, split.name)
            for row in other.rows(["id"])
        ]
    assert not list((store / ".facelet" / "tmp").rglob("*"))


class CutError(Exception):
    """An error of a store's package."""


@pytest.mark.parametrize("answers", [False, True])
def test_when_requests_fail_the_next_run_makes_the_same_bytes(
    toy, store, tmp_path, published, monkeypatch, answers
):
    outages(toy, store, tmp_path, published, monkeypatch, answers, apart=70)


@pytest.mark.slow
@pytest.mark.parametrize("answers", [False, True])
def test_whatever_request_fails_the_next_run_makes_the_same_bytes(
    toy, store, tmp_path, published, monkeypatch, answers
):
    outages(toy, store, tmp_path, published, monkeypatch, answers, apart=1)


def outages(toy, store, tmp_path, published, monkeypatch, answers, apart):
    """Let requests fail from some number on, run again, and compare, for ever higher numbers."""
    toy.run(toy.tiny(tmp_path / "local"))
    whole = published(tmp_path / "local")
    memory, told = fsspec.filesystem("memory"), {"left": 10**9}

    def cutting(name):
        real = getattr(type(memory), name)

        def request(self, *words, **values):
            told["left"] -= 1
            done = real(self, *words, **values) if told["left"] > 0 or answers else None
            if told["left"] <= 0:
                raise CutError("the connection was reset")
            return done

        monkeypatch.setattr(type(memory), name, request)

    for name in ("pipe_file", "cp_file", "rm_file", "info"):
        cutting(name)
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
        assert objects(out).get(reading.MANIFEST) in (None, whole[reading.MANIFEST])
        toy.run(toy.tiny(out))
        assert objects(out) == whole
        out.remove_all()
        cut_at += apart
    assert cut_at > 80


def test_what_a_store_holds_is_not_read_again_but_what_changed_is_made_again(toy, store):
    toy.run(toy.tiny(store))
    before = objects(store)
    shard = reading.shard_paths(store)[0]
    stamps = {path: path.stamp() for path in store.rglob("*.parquet")}
    toy.run(toy.tiny(store))
    assert {path: path.stamp() for path in store.rglob("*.parquet")} == stamps
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    toy.run(toy.tiny(store))
    assert objects(store) == before


def test_a_store_that_fails_while_a_shard_is_read_is_no_damaged_shard(toy, store, monkeypatch):
    toy.run(toy.tiny(store))
    (shard, *_), (split, *_) = integrity.shards(reading.manifest(store)), reading.splits(store)
    memory = fsspec.filesystem("memory")

    def fail(*_):
        raise CutError("the connection was reset")

    monkeypatch.setattr(type(memory.store["/bucket/data/manifest.json"]), "read", fail)
    for read in (
        lambda: integrity.read(store, shard),
        lambda: list(split.rows(["id"])),
        lambda: reading.table(split.paths[0]),
        split.count,
    ):
        with pytest.raises(UnreachableError, match="the connection was reset"):
            read()


def test_the_run_that_began_last_leads(toy, store):
    first, second = Folder(store), Folder(store)
    first.lead()
    first.still_leads()
    second.lead()
    second.still_leads()
    with pytest.raises(ValueError, match="another build began in memory://bucket/data"):
        first.still_leads()


def test_a_store_belongs_to_one_plan(toy, store):
    toy.run(toy.tiny(store))
    with pytest.raises(ValueError, match=r"memory://bucket/data belongs to another configuration"):
        toy.run(toy.tiny(store, seed=1))
    (store.parent / "other" / "file").write_bytes(b"mine")
    with pytest.raises(ValueError, match="holds other files"):
        toy.run(toy.tiny(store.parent / "other"))
    with pytest.raises(ValueError, match="memory of one process; use workers=1"):
        toy.run(toy.tiny(store, runner=Runner(workers=2)))
    toy.run(toy.tiny(store, seed=1, replace=True))
    assert reading.manifest(store).seed == 1


def test_an_address_is_a_path_wherever_it_goes(store):
    assert str(store / "a" / "b.txt") == "memory://bucket/data/a/b.txt"
    assert pickle.loads(pickle.dumps(store)) == store
    assert place("file:///x/y").as_posix() == "/x/y"
    assert expand("s3://bucket/x/").parent == Address("s3://bucket")
    assert not (store / "a").exists() and list(store.iterdir()) == []
    write_text(store / "a" / "b.txt", "text")
    assert (store / "a").is_dir() and (store / "a" / "b.txt").is_file()
    with pytest.raises(RuntimeError), whole(store / "c") as file:
        file.write(b"half")
        raise RuntimeError
    assert list(store.glob("*/*.txt")) == [store / "a" / "b.txt"]
    with pytest.raises(TypeError, match="no path of this machine"):
        open(store / "a")


def test_errors_say_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ValueError, match=r"unknown scheme 'zzz'; use s3, gs"):
        Address("zzz://bucket/x").exists()
    with pytest.raises(ValueError, match=r"not here: pip install 'facelet\[s3\]'"):
        Address("s3://bucket/x").exists()
    with pytest.raises(ValueError, match="record=s3://x is an address of a store; use a path"):
        settings_of(VerifySettings, {"dataset": ["s3://b/x"], "record": ["s3://x"]}, "verify")
    told = settings_of(InfoSettings, {"dataset": ["s3://b/x"]}, "info")
    assert str(told.dataset) == "s3://b/x"
    assert [one.about.anywhere for one in keys_of(InfoSettings) if one.name == "dataset"] == [True]
