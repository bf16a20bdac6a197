"""Ctrl-C in a terminal reaches workers too, some of which still start: at most two lines appear."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from writing_verbs import make_inputs

PROGRAM = """
import signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)
from facelet.pipeline.cli import main

print("begun", flush=True)
sys.exit(main(sys.argv[1:]))
"""
"""What starts the tests in the background may have had SIGINT ignored, in children too."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_inputs(tmp_path_factory.mktemp("given"))


def find_child(parent: int) -> bool:
    """Return whether a process has a child."""
    return bool(Path(f"/proc/{parent}/task/{parent}/children").read_text().split())


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
@pytest.mark.parametrize("after", [0.0, 0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("verb", ["audit", "build", "verify"])
def test_at_most_two_lines(verb: str, after: float, given: Path, tmp_path: Path) -> None:
    """The group is interrupted so long after the first worker began to start."""
    words = {
        "audit": [str(given / "d")],
        "build": ["profile=smoke", f"suites=[{given}/mine.yaml]", "unfair=write"],
        "verify": [f"dataset={given}/d", "all=true"],
    }[verb]
    words += [f"out={tmp_path}/b", "progress=false"] if verb == "build" else []
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, verb, *words, "workers=2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdout.readline() == b"begun\n"
    while process.poll() is None and not find_child(process.pid):
        time.sleep(0.005)
    time.sleep(after)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode in (0, 1, 130, -signal.SIGINT)  # the last while Python ends
    assert len([line for line in said.splitlines() if line.strip()]) <= 2, said
