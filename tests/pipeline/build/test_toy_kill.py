"""Kill -9 at random moments of a build, run it again, and find the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SHARED = ROOT / "tests" / "shared"
KILLS = 4


def start_build(out, log):
    env = {**os.environ, "TOY_PAUSE": "0.1"}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(HERE)])
    command = [sys.executable, str(SHARED / "toy_build.py"), str(out), "2"]
    return subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)


def list_traces(out):
    """Everything in the folder that shows progress, unfinished temporary files included."""
    return sum(len(files) for _, _, files in os.walk(out))


def kill_at(out, log, goal):
    """Start a build and kill it, and nothing else, once `goal` files are there."""
    process = start_build(out, log)
    try:
        while list_traces(out) < goal and process.poll() is None:
            time.sleep(0.01)
        finished = process.poll() is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return finished
    finally:
        end_group(process)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def test_killed_at_random_moments_the_result_is_the_same(toy, tmp_path, published):
    toy.run(toy.settings(tmp_path / "whole"))
    whole = published(tmp_path / "whole")
    out = tmp_path / "killed"
    out.mkdir()
    moments = random.Random(20)
    last = list_traces(tmp_path / "whole")
    goals = sorted(moments.sample(range(2, last - 6), KILLS))
    with (tmp_path / "log").open("wb") as log:
        for goal in goals:
            assert not kill_at(out, log, goal), "the build ended before it could be killed"
            assert not (out / "manifest.json").exists()
        final = start_build(out, log)
        try:
            code = final.wait(timeout=120)
        finally:
            end_group(final)
    assert code == 0, (tmp_path / "log").read_text()
    assert published(out) == whole
    assert not (out / ".facelet" / "tmp").exists()
    assert not list(out.rglob("*.tmp"))
    assert list_traces(out) == last
