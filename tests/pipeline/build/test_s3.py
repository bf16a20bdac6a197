"""A dataset in S3: connections are cut at every request, builders are killed, and the rows stay.

The store is moto's server, behind a proxy that counts requests and cuts connections. Needs the
extra `s3` and moto; `make test-store` installs both in a venv of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from cutting_proxy import CutMoment, CuttingProxy

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.store_address import StoreAddress, UnreachableError

pytestmark = pytest.mark.store

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"
APART = 10
"""Requests from one that is cut to the next."""

KILLS = 100
WITH_WORKERS = 5
"""Kills of builds that have workers of their own."""


@pytest.fixture(scope="module")
def port():
    """The port of a server of S3."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found = free.getsockname()[1]
    server = subprocess.Popen(
        [str(Path(sys.executable).parent / "moto_server"), "-p", str(found)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{found}/moto-api/", timeout=5)
            break
        except OSError:
            time.sleep(0.1)
    yield found
    server.kill()
    server.wait()


@pytest.fixture
def proxy(port, monkeypatch):
    """The proxy that all requests pass, with an empty bucket behind it."""
    import s3fs

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    with CuttingProxy(port) as passing:
        monkeypatch.setenv("AWS_ENDPOINT_URL", passing.url)
        s3fs.S3FileSystem.clear_instance_cache()
        reset = urllib.request.Request(f"http://127.0.0.1:{port}/moto-api/reset", method="POST")
        urllib.request.urlopen(reset).read()
        s3fs.S3FileSystem(use_listings_cache=False).mkdir("bucket")
        yield passing
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def whole(toy, tmp_path, published):
    """The published files of the tiny build in a folder of this machine, as hashes by path."""
    toy.run(toy.tiny(tmp_path / "local"))
    return published(tmp_path / "local")


def hash_objects(out):
    """The published objects below an address, as hashes by path."""
    found = {path.relative_to(out).as_posix(): path for path in out.rglob("*")}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in sorted(found.items())
        if not name.startswith(".facelet/")
    }


def is_intact(out, whole):
    """Whether a store holds the whole dataset, every row once, and nothing that is left over."""
    manifest = dataset_reader.read_manifest(out)
    parts = [
        file_integrity.read_shard(out, shard) for shard in file_integrity.list_shards(manifest)
    ]
    wrong = [failure for part in parts for failure in part.failures]
    wrong += file_integrity.check_dataset(out, manifest, parts)
    left = list((out / ".facelet" / "tmp").rglob("*"))
    return hash_objects(out) == whole and not wrong and not left


@pytest.mark.parametrize("cut", CutMoment)
def test_requests_that_are_cut_do_not_end_a_build(toy, proxy, whole, cut):
    """Each request is cut in one of some builds, and tried again."""
    proxy.begin()
    toy.run(toy.tiny("s3://bucket/whole"))
    requests, cuts = proxy.count, 0
    assert requests > 100 and is_intact(StoreAddress("s3://bucket/whole"), whole)
    for first in range(APART):
        out = StoreAddress(f"s3://bucket/{cut.value}-{first}")
        proxy.begin(lambda number, first=first: cut if number % APART == first else None)
        toy.run(toy.tiny(out))
        assert proxy.count > requests
        cuts += proxy.count // APART
        proxy.begin()
        assert is_intact(out, whole), first
    print(f"{requests} requests a build, {cuts} cut {cut.value} they were passed on")


@pytest.mark.parametrize("cut", CutMoment)
def test_after_an_outage_the_next_run_goes_on(toy, proxy, whole, cut, monkeypatch):
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    cut_at, ended = 1 - APART, False
    while not ended:
        cut_at += APART
        out = StoreAddress(f"s3://bucket/outage-{cut.value}-{cut_at}")
        proxy.begin(lambda number, cut_at=cut_at: cut if number >= cut_at else None)
        try:
            toy.run(toy.tiny(out))
            ended = True
        except UnreachableError:
            pass
        proxy.begin()
        assert hash_objects(out).get(dataset_reader.MANIFEST) in (
            None,
            whole[dataset_reader.MANIFEST],
        )
        toy.run(toy.tiny(out))
        assert is_intact(out, whole), cut_at
    assert cut_at > 100
    print(f"outages from every {APART}th of {cut_at - 1} requests on, cut {cut.value}")


def test_killed_at_random_requests_a_build_ends_with_the_same_bytes(proxy, whole):
    forks = subprocess.Popen(
        [sys.executable, str(SHARED / "toy_forks.py")],
        env=build_surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    moments, kills, builds = random.Random(28), 0, 0
    while kills < KILLS:
        out, status = StoreAddress(f"s3://bucket/killed-{builds}"), -1
        while status:
            goal = moments.randrange(1, moments.choice((60, 60, 60, 240)))
            proxy.begin()
            forks.stdin.write(f"{out}\n")
            child = int(forks.stdout.readline())
            status = kill_at_request(proxy, goal, child, forks)
            assert status in (0, -signal.SIGKILL)
            kills += status != 0
        builds += 1
        proxy.begin()
        assert is_intact(out, whole)
    forks.stdin.close()
    assert forks.wait(60) == 0
    print(f"{kills} kills in {builds} builds")


def kill_at_request(proxy, goal, child, forks):
    """Kill a fork once it made a number of requests; return its exit status."""
    import threading

    def kill_child():
        while proxy.count < goal and not ended.is_set():
            time.sleep(0.001)
        if not ended.is_set():
            os.kill(child, signal.SIGKILL)

    ended = threading.Event()
    watch = threading.Thread(target=kill_child)
    watch.start()
    status = int(forks.stdout.readline())
    ended.set()
    watch.join()
    return status


def test_a_killed_build_with_workers_ends_with_the_same_bytes(proxy, whole, tmp_path):
    out, moments = StoreAddress("s3://bucket/workers"), random.Random(5)
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
    few = ["count=12", 'ranges={"depth": [1]}']
    for kill in range(WITH_WORKERS + 1):
        proxy.begin()
        goal = moments.randrange(5, 60) if kill < WITH_WORKERS else 10**9
        with (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *few], env=build_surroundings(), stdout=log, stderr=log
            )
            while proxy.count < goal and process.poll() is None:
                time.sleep(0.005)
            process.kill()
            assert process.wait() in (0, -signal.SIGKILL), (tmp_path / "log").read_text()
    proxy.begin()
    assert is_intact(out, whole)


def build_surroundings():
    """The surroundings of a process that builds toys."""
    paths = [str(ROOT), str(HERE), str(SHARED)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def test_what_is_built_there_is_scored_verified_shown_and_reported_from_there(
    proxy, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    words = ["profile=smoke", "suites=marble", "tasks=assemble_easy", "count=4", "workers=1"]
    assert main(["build", *words, "out=local"]) == 0
    assert main(["build", *words, "out=s3://bucket/data/small"]) == 0
    there = StoreAddress("s3://bucket/data/small")
    assert (
        dataset_reader.read_manifest(there).content_hash
        == dataset_reader.read_manifest(Path("local")).content_hash
    )
    row = next(dataset_reader.list_splits(there)[0].iterate_rows(["id"]))
    Path("said.jsonl").write_text(json.dumps({"id": row["id"], "prediction": "no"}) + "\n")
    capsys.readouterr()
    assert main(["info", str(there)]) == 0
    assert dataset_reader.read_manifest(there).content_hash[:12] in capsys.readouterr().out
    assert main(["verify", str(there), "all=true", "workers=2"]) == 0
    told = ["predictions=said.jsonl", "missing=ignore"]
    assert main(["score", f"dataset={there}", *told]) == 0
    assert main(["score", "dataset=local", *told, "out=beside"]) == 0
    (run,) = Path("data/out/small.score").glob("run-*")
    assert (run / "results.json").read_bytes() == Path("beside/results.json").read_bytes()
    assert main(["report", str(run), f"dataset={there}", "out=site"]) == 0
    assert "<svg" in Path("site/index.html").read_text()


def test_errors_name_credentials_and_buckets(proxy, monkeypatch, capsys):
    assert main(["info", "s3://nobody/data"]) == 2
    assert "'s3://nobody/data' has no manifest.json" in capsys.readouterr().err
    words = ["build", "profile=smoke", "suites=marble", "tasks=assemble_easy", "workers=1"]
    assert main([*words, "out=s3://nobody/data"]) == 2
    assert "bucket" in capsys.readouterr().err
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    assert main([*words, "out=s3://bucket/data"]) == 2
    assert "credentials" in capsys.readouterr().err
