"""Kill -9 the leading process alone, at any moment: its workers end by themselves, soon.

Every process of a build holds the writing end of one pipe, so its end is the end of all of them.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from facelet.pipeline import leader

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"
PATIENCE = 60
"""Seconds in which a busy machine lets a worker start, look, and end; an orphan takes 300."""


def start(out, pause):
    env = {**os.environ, "TOY_PAUSE": str(pause)}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(HERE)])
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
    return subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


def children(pid):
    """How many child processes a process has."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return sum(len(path.read_text().split()) for path in lists)


def records(out):
    return len(list(out.rglob(".facelet/records/**/*.json")))


def wait_until(true, process):
    while not true():
        assert process.poll() is None, "the build ended before it could be killed"
        time.sleep(0.01)


def all_end(pipe):
    """Whether all who can write to a pipe end in time."""
    end = time.monotonic() + PATIENCE
    while (left := end - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0] and not os.read(pipe.fileno(), 65536):
            return True
    return False


MOMENTS = {
    "workers are being started": (0, lambda out, pid: children(pid) > 2),
    "workers are at work": (0.3, lambda out, pid: records(out) > 2),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_leader_leaves_no_worker(moment, tmp_path):
    pause, reached = MOMENTS[moment]
    process = start(tmp_path / "out", pause)
    try:
        wait_until(lambda: reached(tmp_path / "out", process.pid), process)
        process.kill()
        process.wait()
        assert all_end(process.stdout), "a worker outlived the process that led it"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def watching(told):
    """Run a process that is told to end with another, and then sleeps; return its exit code."""
    code = f"from facelet.pipeline import leader\nimport time\n{told}\ntime.sleep(30)"
    return subprocess.run([sys.executable, "-c", code], timeout=PATIENCE).returncode


def test_a_worker_whose_leader_is_gone_already_ends_before_work():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert watching(f"leader.end_with({gone.pid})") == 1


def test_the_watch_needs_the_standard_library_only():
    code = "from facelet.pipeline import leader\nimport sys\nprint(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert leader.__name__ in loaded
    assert not {"joblib", "numpy", "pyarrow", "pandas"} & set(loaded)
