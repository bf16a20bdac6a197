"""The isolated form of live code: a player's code in a process of its own, functions by message.

The process is a bare Python with the standard library: no packages, no environment variables, an
empty folder to work in. It knows the functions by name only; each call is a line of JSON that this
process carries out and answers, so nothing of the puzzle is in the reach of the code. Time, memory
and output are bounded. It is no sandbox for hostile code: what this user may read, it may read; run
it in a container for that.

A picture comes as the bytes of a PNG file, because the standard library knows no images.
"""

from __future__ import annotations

import base64
import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from facelet.renderers.api import Drawing

LINE = 1 << 20
"""Longest message of the code, in bytes."""

PRINTED = 1 << 16
"""Bytes that are kept of what the code prints."""

_FILES = 1 << 24
"""Longest file that the code may write, in bytes."""

_CHILD = f"""
import base64, json, os, resource, sys

requests, answers, seconds, memory = map(int, sys.argv[1:5])
for kind, limit in (("AS", memory), ("CPU", seconds + 1), ("FSIZE", {_FILES}), ("CORE", 0)):
    resource.setrlimit(getattr(resource, "RLIMIT_" + kind), (limit, limit))
requests, answers = os.fdopen(requests, "wb", 0), os.fdopen(answers, "rb")
ERRORS = {{"ValueError": ValueError, "TypeError": TypeError, "RuntimeError": RuntimeError}}


def function(name):
    def call(*args, **kwargs):
        requests.write(json.dumps([name, args, kwargs]).encode() + b"\\n")
        line = answers.readline()
        if not line:
            os._exit(1)
        kind, value = json.loads(line)
        if kind in ERRORS:
            raise ERRORS[kind](value)
        return base64.b64decode(value) if kind == "picture" else value

    call.__name__ = name
    return call


given = json.loads(answers.readline())
names = {{name: function(name) for name in given["functions"]}}
exec(compile(given["code"], "<player>", "exec"), {{"__name__": "__main__", **names}})
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a player's code.

    Attributes:
        printed: what it wrote to stdout and stderr, a traceback included; cut at PRINTED bytes.
        ended: "done", "failed", "out of time" or "refused" (a message that is none).
        calls: number of calls that were carried out, wrong ones included.
    """

    printed: str
    ended: str
    calls: int


def run_code(
    functions: Mapping[str, Callable[..., Any]],
    code: str,
    *,
    seconds: int = 10,
    memory: int = 1 << 30,
) -> Ran:
    """Run code that may call functions, in a process of its own.

    What it did before its time was over is done.

    Args:
        functions: by the names that the code calls them by; called with what JSON can hold.
        code: Python.
        seconds: its time, by the clock on the wall.
        memory: bytes of memory that it may take.
    """
    with (
        tempfile.TemporaryDirectory(prefix="facelet-") as folder,
        _child(Path(folder), seconds, memory) as (process, requests, answers, output),
    ):
        deadline = time.monotonic() + seconds
        answers.write(_line({"code": code, "functions": list(functions)}))
        ended, calls = _serve(functions, requests, answers, deadline)
        if ended == "done":
            try:
                ended = "failed" if process.wait(max(deadline - time.monotonic(), 0)) else "done"
            except subprocess.TimeoutExpired:
                ended = "out of time"
        output.seek(0)
        return Ran(output.read(PRINTED).decode("utf-8", "replace"), ended, calls)


@contextmanager
def _child(
    folder: Path, seconds: int, memory: int
) -> Iterator[tuple[subprocess.Popen[bytes], int, BinaryIO, BinaryIO]]:
    """Start the process; at the end of the block it and all of its session are gone."""
    requests, write_requests = os.pipe()
    read_answers, answers = os.pipe()
    with tempfile.TemporaryFile() as output, open(answers, "wb", 0) as sending:
        words = [str(word) for word in (write_requests, read_answers, seconds, memory)]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD, *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env={},
            pass_fds=(write_requests, read_answers),
            start_new_session=True,
        )
        os.close(write_requests)
        os.close(read_answers)
        try:
            yield process, requests, sending, output
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            os.close(requests)


def _serve(
    functions: Mapping[str, Callable[..., Any]], requests: int, answers: BinaryIO, deadline: float
) -> tuple[str, int]:
    """Carry out calls until the code ends; return how that was, and the number of calls."""
    held, calls = b"", 0
    while True:
        line, end, rest = held.partition(b"\n")
        if end:
            held = rest
            answer = _answer(functions, line)
            if answer is None:
                return "refused", calls
            calls += 1
            try:
                answers.write(answer)
            except BrokenPipeError:
                return "done", calls
            if time.monotonic() > deadline:
                return "out of time", calls
            continue
        if len(held) > LINE:
            return "refused", calls
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([requests], [], [], left)[0]:
            return "out of time", calls
        more = os.read(requests, 1 << 16)
        if not more:
            return "done", calls
        held += more


def _answer(functions: Mapping[str, Callable[..., Any]], line: bytes) -> bytes | None:
    """Return the answer to a message, or None if it is no call."""
    try:
        name, args, kwargs = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None
    called = isinstance(name, str) and isinstance(args, list) and isinstance(kwargs, dict)
    if not called or name not in functions:
        return None
    try:
        value = functions[name](*args, **kwargs)
    # These are how the functions say what is wrong with a call.
    except (ValueError, TypeError, RuntimeError) as error:
        kinds = (ValueError, TypeError, RuntimeError)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        return _line([kind.__name__, str(error)])
    if isinstance(value, Drawing):
        file = io.BytesIO()
        value.save(file, "PNG")
        return _line(["picture", base64.b64encode(file.getvalue()).decode("ascii")])
    return _line(["value", value])


def _line(value: Any) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"
