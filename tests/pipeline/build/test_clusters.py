"""Real clusters of several processes of this machine: equal bytes, whatever they lose and get.

Needs the extra `cluster`; `make test-slow` installs it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from secrets import token_hex

import pytest

from facelet.pipeline.config.build_settings import RunnerSettings

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"
BIN = Path(sys.executable).parent
HEAD = {
    "dask": "dask scheduler --host 127.0.0.1 --port {port} --no-dashboard",
    "ray": "ray start --head --port {port} --num-cpus=1 --block "
    "--include-dashboard=false --disable-usage-stats --object-store-memory=100000000",
}
WORKER = {
    "dask": "dask worker tcp://127.0.0.1:{port} --nthreads 1 --no-nanny --no-dashboard "
    "--death-timeout 120",
    "ray": "ray start --address=127.0.0.1:{port} --num-cpus=1 --block "
    "--disable-usage-stats --object-store-memory=100000000",
}
ADDRESS = {"dask": "tcp://127.0.0.1:{port}", "ray": "127.0.0.1:{port}"}


class LocalCluster:
    """A head and workers, each a process with children of its own, in files of a folder."""

    def __init__(self, backend, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.backend, self.folder = backend, folder
        paths = [str(ROOT), str(HERE), str(SHARED)]
        own = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        self.env = {**own, "PYTHONPATH": os.pathsep.join(paths), "TOY_PAUSE": "0.5"}
        # Ray asks for a token; this cluster has one of its own.
        self.env |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}
        self.address = ADDRESS[backend].format(port=self.port)
        self.started = []

    def _start_process(self, command):
        log = (self.folder / f"process-{len(self.started)}").open("wb")
        program, *words = command.format(port=self.port).split()
        process = subprocess.Popen(
            [str(BIN / program), *words], env=self.env, cwd=self.folder, stdout=log, stderr=log
        )
        self.started.append(process)
        return process

    def head(self):
        process = self._start_process(HEAD[self.backend])
        for _ in range(1200):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return process
            time.sleep(0.1)
        raise AssertionError("the head did not start")

    def worker(self):
        return self._start_process(WORKER[self.backend])

    def kill(self, process):
        """Kill a process with all that it started, at once."""
        import psutil

        try:
            found = psutil.Process(process.pid)
            own = [found, *found.children(recursive=True)]
        except psutil.NoSuchProcess:
            own = []
        for one in own:
            try:
                one.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                pass
        process.wait()

    def build(self, out, log):
        command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
        runner = json.dumps(f"{self.backend}@{self.address}")
        return subprocess.Popen(
            [*command, f"runner={runner}"], env=self.env, cwd=self.folder, stdout=log, stderr=log
        )


@pytest.fixture
def cluster(request, tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    made = LocalCluster(request.param, folder)
    yield made
    for process in made.started:
        made.kill(process)


def await_records(out, number, builder):
    """Wait until a build has finished some shards."""
    for _ in range(3000):
        if len(list(out.glob(".facelet/records/**/*.json"))) >= number:
            return
        assert builder.poll() is None, "the build ended before its time"
        time.sleep(0.1)
    raise AssertionError(f"there are no {number} shards")


@pytest.mark.parametrize("cluster", ["dask", "ray"], indirect=True)
def test_workers_come_and_go_and_the_head_is_started_again(cluster, toy, tmp_path, published):
    toy.run(toy.settings(tmp_path / "local"))
    out = tmp_path / "out"
    head, (first, _) = cluster.head(), (cluster.worker(), cluster.worker())
    with (tmp_path / "log").open("wb") as log:
        builder = cluster.build(out, log)
        await_records(out, 3, builder)
        cluster.kill(first)
        await_records(out, 6, builder)
        cluster.worker()
        await_records(out, 10, builder)
        before = record_times(out)
        for process in (head, *cluster.started[1:]):
            cluster.kill(process)
        if cluster.backend == "ray":  # which ends what was connected to it
            assert builder.wait(300) != 0
        cluster.head()
        cluster.worker()
        cluster.worker()
        if cluster.backend == "ray":
            builder = cluster.build(out, log)
        assert builder.wait(600) == 0, (tmp_path / "log").read_text()[-3000:]
    assert published(out) == published(tmp_path / "local")
    assert before.items() <= record_times(out).items(), "what was finished was made again"
    assert not (out / ".facelet" / "tmp").exists()


def record_times(out):
    """When the records of finished shards were written, by path."""
    return {path: path.stat().st_mtime_ns for path in out.glob(".facelet/records/**/*.json")}


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_cluster_that_loses_a_worker_makes_the_same_bytes(backend, toy, tmp_path, published):
    toy.run(toy.settings(tmp_path / "local"))
    mark, out = tmp_path / "killed", tmp_path / backend
    env = {**os.environ, "TOY_KILL_ONCE": str(mark)}
    paths = [str(ROOT), str(HERE), str(SHARED), os.environ.get("PYTHONPATH", "")]
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
    done = subprocess.run(
        [*command, f"runner={json.dumps(backend)}"], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert mark.exists(), "no worker was killed"
    assert published(out) == published(tmp_path / "local")


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_an_address_where_nothing_answers_is_told(backend, toy, tmp_path):
    told = RunnerSettings(backend, ADDRESS[backend].format(port=9), 2)
    with pytest.raises(ValueError, match=f"no {backend} cluster answers there"):
        toy.run(toy.settings(tmp_path / "out", runner=told))
