"""Nothing gets out of the jail: a corpus of ways out, and of ways to take more than is allowed.

Where this machine has no jail, code is refused, and that is what is tested.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from facelet.pipeline.rollout.jail import NoJailError, run_code
from tests.pipeline.rollout.jail.corpus import (
    MEMORY,
    CallerSurroundings,
    EscapeAttempt,
    load_escapes,
    run_as_user,
    set_up_surroundings,
    watch_memory,
)

CORPUS = load_escapes()


def jail_refusal() -> str:
    """Return why there is no jail here; "" if there is one."""
    try:
        run_code({}, "")
    except NoJailError as error:
        return str(error)
    return ""


REFUSAL = jail_refusal()
jailed = pytest.mark.skipif(bool(REFUSAL), reason=REFUSAL)


@pytest.fixture(scope="module")
def around() -> Iterator[CallerSurroundings]:
    os.environ["FACELET_TEST_SECRET"] = "the-secret"
    try:
        with (
            tempfile.TemporaryDirectory(prefix="around-") as folder,
            set_up_surroundings(Path(folder)) as made,
        ):
            yield made
    finally:
        del os.environ["FACELET_TEST_SECRET"]


def take_traces(around: CallerSurroundings) -> list[str]:
    """Return what can be seen from outside, and forget it."""
    found = list(around.reached)
    around.reached.clear()
    if around.mark.exists():
        around.mark.unlink()
        found.append("mark")
    if around.victim.poll() is not None:
        found.append("killed")
    return found


def test_the_corpus_is_large_and_tries_what_it_says():
    assert len(CORPUS) >= 100
    assert len({escape.name for escape in CORPUS}) == len(CORPUS)


@pytest.mark.some(3)
@jailed
@pytest.mark.parametrize("user", ["same", "ordinary"])
@pytest.mark.parametrize("escape", CORPUS, ids=lambda escape: escape.name.replace(" ", "-"))
def test_no_escape_gets_out(escape: EscapeAttempt, user: str, around: CallerSurroundings):
    take_traces(around)
    code = around.escape_code(escape)
    # What others on this machine take meanwhile is no escape; what one takes, it takes each time.
    for _ in range(3):
        with watch_memory() as grown:
            start = time.monotonic()
            if user == "same":
                ran = run_code({"given": lambda: 1}, code, seconds=30, memory=MEMORY)
            else:
                ran = run_as_user(code, 30, MEMORY)
            took = time.monotonic() - start
        if not escape.memory or grown[0] <= MEMORY * 1.1:
            break
    else:
        raise AssertionError(f"{grown[0] >> 20} MiB were taken of {MEMORY >> 20}")
    assert "OUT" not in ran.printed.split(), ran.printed
    assert ran.ended in ("done", "failed") or (escape.memory and ran.ended == "out of memory"), ran
    assert "SyntaxError" not in ran.printed and "NameError" not in ran.printed, ran.printed
    if escape.name == "stay behind":
        time.sleep(1.0)
    assert take_traces(around) == []
    assert took < 60


@jailed
@pytest.mark.parametrize(
    "escape", [escape for escape in CORPUS if escape.open and "kill" not in escape.name],
    ids=lambda escape: escape.name.replace(" ", "-"),
)  # fmt: skip
def test_without_a_jail_they_do(escape: EscapeAttempt, around: CallerSurroundings):
    ran = run_code({"given": lambda: 1}, around.escape_code(escape), seconds=20, jail="none")
    assert "OUT" in ran.printed, ran
    take_traces(around)
