"""Code of a player in a process of its own: it acts by message, and reaches nothing else."""

from __future__ import annotations

import json
import time

import pytest

from facelet.generators.cube.engine import notation
from facelet.pipeline import environment
from facelet.pipeline.environment.isolated import PRINTED, run_code
from facelet.pipeline.scoring.scorer import ScoreSettings, score


@pytest.fixture
def navigating(publish):
    return publish("cube/navigate", depth=2, observation="symbolic")


def solving(row):
    turns = []
    for turn in notation.parse(row["solution"]):
        turns += [turn[0]] * 2 if turn.endswith("2") else [turn]
    return f"for move in {turns}:\n    print(make_move(move))\n"


def test_isolated_code_plays_and_its_record_scores(navigating, tmp_path):
    row = navigating.rows[0]
    play = environment.open_row(row)
    look = play.run_code("print(len(get_observation()))")
    assert (look.ended, look.printed) == ("done", "54\n")
    play.reply(look.recorded)
    step = play.run_code(solving(row))
    assert step.ended == "done" and not play.done
    assert play.reply(step.recorded).status == "correct"
    assert play.transcript()["code"] == "isolated"
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps(play.transcript("me")) + "\n")
    (model,) = score(navigating.folder, [path], ScoreSettings(resamples=100)).results["models"]
    ((split,),) = [config["splits"].values() for config in model["configs"].values()]
    assert split["counts"]["correct"] == 1


def test_the_two_forms_are_told_apart(navigating):
    play = environment.open_row(navigating.rows[0])
    assert "code" not in play.transcript()
    play.reply(play.run_code("get_observation()").recorded)
    assert play.transcript()["code"] == "isolated"
    play.reply(play.tools().recorded())
    play.run_code("")
    assert play.transcript()["code"] == "in process"


def test_a_picture_comes_as_png(publish):
    play = environment.open_row(publish("cube/navigate", depth=2, observation="net").rows[0])
    step = play.run_code("print(get_observation()[:8])")
    assert step.printed == f"{bytes((137, 80, 78, 71, 13, 10, 26, 10))}\n"


REACHES = """
import sys
for name in ("facelet", "numpy", "hypothesis"):
    try:
        __import__(name)
        print("imported", name)
    except ImportError:
        pass
import os
print(dict(os.environ).keys() - {"LC_CTYPE"}, os.listdir("."))
print([n for n in ("__self__", "__wrapped__", "__func__") if hasattr(make_move, n)])
import gc
held = [item for box in gc.get_objects() if isinstance(box, (dict, list, tuple))
        for item in (box.values() if isinstance(box, dict) else box)]
print([x for x in held if isinstance(x, str) and len(x) == 54 and set(x) == set("URFDLB")])
"""


def test_nothing_of_the_puzzle_is_in_reach(navigating):
    step = environment.open_row(navigating.rows[0]).run_code(REACHES)
    assert step.ended == "done", step.printed
    assert step.printed.splitlines() == ["set() []", "[]", "[]"]


def test_what_is_wrong_is_raised_in_the_code(navigating):
    code = "try:\n    make_move('F2')\nexcept ValueError as error:\n    print(error)\nmake_move()\n"
    step = environment.open_row(navigating.rows[0]).run_code(code)
    assert step.ended == "failed"
    assert "'F2' is no move here" in step.printed
    assert "missing 1 required positional argument" in step.printed


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("while True: pass", "out of time"),
        ("while True: f()", "out of time"),
        ("import os, time\nif os.fork(): os._exit(0)\ntime.sleep(60)", "out of time"),
        ("x = bytearray(1 << 33)", "failed"),
        ("raise SystemExit(3)", "failed"),
        ("import os\nos.kill(os.getpid(), 9)", "failed"),
        ("requests.write(b'x')", "failed"),
        ("def", "failed"),
    ],
)
def test_code_ends_within_its_limits(code, ended):
    calls = []
    start = time.monotonic()
    ran = run_code({"f": lambda: calls.append(1)}, code, seconds=2)
    assert ran.ended == ended, ran.printed
    assert time.monotonic() - start < 30
    assert ran.calls == len(calls)


RAW = "import os, sys, time\nwith os.fdopen(int(sys.argv[1]), 'wb', 0, closefd=False) as file:\n"


@pytest.mark.parametrize(
    "message",
    [
        "b'x' * (1 << 22)",
        "b'{}\\n'",
        "b'[\"g\", [], {}]\\n'",
        "b'[\"f\", 5, 6]\\n'",
        "b'[' * 500000 + b'\\n'",
        "b'\\xff\\xfe\\n'",
    ],
)
def test_messages_that_are_none_end_the_code(message):
    code = f"{RAW}    file.write({message})\ntime.sleep(60)\n"
    ran = run_code({"f": lambda: 1}, code, seconds=20)
    assert ran.ended == "refused" and ran.calls == 0


def test_what_is_printed_is_bounded():
    ran = run_code({}, "while True: print('x' * 1000)", seconds=3)
    assert len(ran.printed) == PRINTED
