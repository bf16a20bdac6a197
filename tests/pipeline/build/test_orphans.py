"""Kill -9 the leading process alone, at any moment: its workers end by themselves, soon.

Every process of a build holds the writing end of one pipe, so its end is the end of all of them.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from facelet.pipeline import parent_watch

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"
PATIENCE = 60
"""Seconds in which a busy machine lets a worker start, look, and end; an orphan takes 300."""


def start_build(out, pause):
    env = {**os.environ, "TOY_PAUSE": str(pause)}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(HERE)])
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
    return subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


def count_children(pid):
    """How many child processes a process has."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return sum(len(path.read_text().split()) for path in lists)


def list_records(out):
    return len(list(out.rglob(".facelet/records/**/*.json")))


def wait_until(true, process):
    while not true():
        assert process.poll() is None, "the build ended before it could be killed"
        time.sleep(0.01)


def has_all_ended(pipe):
    """Whether all who can write to a pipe end in time."""
    end = time.monotonic() + PATIENCE
    while (left := end - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0] and not os.read(pipe.fileno(), 65536):
            return True
    return False


def end_group(process):
    """End what a failed test would leave behind."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


MOMENTS = {
    "workers are being started": (0, lambda out, pid: count_children(pid) > 2),
    "workers are at work": (0.3, lambda out, pid: list_records(out) > 2),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_leader_leaves_no_worker(moment, tmp_path):
    pause, reached = MOMENTS[moment]
    process = start_build(tmp_path / "out", pause)
    try:
        wait_until(lambda: reached(tmp_path / "out", process.pid), process)
        process.kill()
        process.wait()
        assert has_all_ended(process.stdout), "a worker outlived the process that led it"
    finally:
        end_group(process)


@pytest.mark.slow
def test_two_hundred_kills_leave_nobody_and_change_no_byte(toy, tmp_path, published):
    """A quarter of them in the first second; a build that ends in time is begun anew."""
    toy.run(toy.settings(tmp_path / "whole"))
    whole, out = published(tmp_path / "whole"), tmp_path / "out"
    moments = random.Random(11)
    for number in range(200):
        delay = moments.uniform(0, 1 if number % 4 == 0 else 12)
        process = start_build(out, 0.05)
        try:
            try:
                finished = process.wait(delay) == 0
            except subprocess.TimeoutExpired:
                finished = False
                process.kill()
            process.wait()
            assert has_all_ended(process.stdout), (
                f"kill {number}, after {delay:.2f} s, left a worker"
            )
        finally:
            end_group(process)
        if finished:
            assert published(out) == whole
            shutil.rmtree(out)
    toy.run(toy.settings(out))
    assert published(out) == whole


def run_watcher(told):
    """Run a process that is told to end with another, and then sleeps; return its exit code."""
    code = f"from facelet.pipeline import parent_watch\nimport time\n{told}\ntime.sleep(30)"
    return subprocess.run([sys.executable, "-c", code], timeout=PATIENCE).returncode


def test_a_worker_whose_leader_is_gone_already_ends_before_work():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert run_watcher(f"parent_watch.end_with_parent({gone.pid})") == 1


def test_the_watch_needs_the_standard_library_only():
    code = "from facelet.pipeline import parent_watch\nimport sys\nprint(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert parent_watch.__name__ in loaded
    assert not {"joblib", "numpy", "pyarrow", "pandas"} & set(loaded)


@pytest.mark.parametrize("moment", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_build_says_one_line_and_leaks_nothing(moment, tmp_path):
    words = ("profile=smoke", "suites=[marble]", "workers=2", "progress=false", "out=made")
    process = subprocess.Popen(
        [sys.executable, "-m", "facelet", "build", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        wait_until(lambda: list_records(tmp_path / "made") > 2, process)
        process.send_signal(moment)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        end_group(process)
    assert (out, err.strip()) == ("", "stopped; rerun the command to continue")
    assert process.returncode == 130
