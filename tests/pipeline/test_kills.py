"""Verbs that write are killed at any moment: the same command ends with the same bytes.

Each verb runs in a process group of its own, which is killed as a whole after a random time; then
the command runs to its end. FACELET_KILLS sets how often, over all verbs; `make test-kills` takes
300.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from writing_verbs import VERBS, make_inputs, read_tree

from facelet.pipeline.cli import main

KILLS = int(os.environ.get("FACELET_KILLS", "28"))


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_inputs(tmp_path_factory.mktemp("given"))


def start_verb(words: list[str]) -> int:
    """Run a verb in a process group of its own, which has all modules already; return its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(null, handle)
        code = main(words)
    finally:
        os._exit(code)


def end_verb(child: int) -> int:
    """Return the exit status of a verb; negative for the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("verb", ["build", *VERBS])
def test_a_killed_verb_is_repeated_to_the_same_bytes(
    verb: str, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    home = tmp_path / "work"
    words = {"build": build_words}.get(verb, VERBS.get(verb, build_words))(given, home / "out")
    words = [verb, *words]
    main(words)  # loads what it needs
    shutil.rmtree(home)
    begun = time.monotonic()
    code = end_verb(start_verb(words))
    length, chance = time.monotonic() - begun, random.Random(verb)
    assert code in (0, 1)
    whole = read_tree(home)
    shutil.rmtree(home)
    killed = misses = 0
    for _ in range(-(-KILLS // (len(VERBS) + 1))):
        child = start_verb(words)
        time.sleep(chance.uniform(0, length) / (1 + misses))
        if os.getpgid(child) == child:
            os.killpg(child, signal.SIGKILL)
        else:
            os.kill(child, signal.SIGKILL)
        hit = end_verb(child) == -signal.SIGKILL
        killed, misses = killed + hit, misses + (not hit)  # it may be faster than at first
        is_whole = home.exists() and read_tree(home) == whole  # some refuse what is whole
        assert end_verb(start_verb(words)) in (code, 2 if is_whole else code)
        assert read_tree(home) == whole
        assert not [path for path in home.rglob("*") if path.name.endswith((".tmp", ".old"))]
        assert not [path for path in (tmp_path / "temporary").iterdir() if path.is_dir()]
        shutil.rmtree(home)
    assert killed


def build_words(given: Path, out: Path) -> list[str]:
    words = [f"suites=[{given}/mine.yaml]", "unfair=write", f"out={out}", "workers=1"]
    return ["profile=smoke", *words, "progress=false"]
