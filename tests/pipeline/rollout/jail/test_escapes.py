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
    CallerSurroundings,
    EscapeAttempt,
    load_escapes,
    set_up_surroundings,
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
    assert len(CORPUS) >= 50
    assert len({escape.name for escape in CORPUS}) == len(CORPUS)


@pytest.mark.some(3)
@jailed
@pytest.mark.parametrize("escape", CORPUS, ids=lambda escape: escape.name.replace(" ", "-"))
def test_no_escape_gets_out(escape: EscapeAttempt, around: CallerSurroundings):
    take_traces(around)
    start = time.monotonic()
    ran = run_code({"given": lambda: 1}, around.escape_code(escape), seconds=10)
    assert "OUT" not in ran.printed.split(), ran.printed
    assert ran.ended in ("done", "failed"), ran
    assert "SyntaxError" not in ran.printed and "NameError" not in ran.printed, ran.printed
    if escape.name == "stay behind":
        time.sleep(1.0)
    assert take_traces(around) == []
    assert time.monotonic() - start < 60


@jailed
@pytest.mark.parametrize(
    "escape", [escape for escape in CORPUS if escape.open and "kill" not in escape.name],
    ids=lambda escape: escape.name.replace(" ", "-"),
)  # fmt: skip
def test_without_a_jail_they_do(escape: EscapeAttempt, around: CallerSurroundings):
    ran = run_code({"given": lambda: 1}, around.escape_code(escape), seconds=20, jail="none")
    assert "OUT" in ran.printed, ran
    take_traces(around)
