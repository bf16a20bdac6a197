"""A jail for code that a model wrote: functions by message, and nothing else in its reach.

The code runs in a bare Python of its own, in Linux namespaces: another user without capabilities,
no network, no process but its own, no file but the standard library and an empty folder, nothing of
the environment, nothing to execute. Time, memory, processes, files and output are bounded for all
that it starts, and nothing of it survives the call. It knows the functions by name only; each call
is a line of JSON that this process carries out and answers.

A picture comes as the bytes of a PNG file, because the standard library knows no images.

A jail is as tight as the kernel under it: for code of somebody who holds an unknown hole of Linux,
use a machine of its own. Where no jail can be had, nothing runs, unless the caller says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from io import FileIO
from typing import Literal, get_args

from facelet.pipeline.rollout.jail.jail_files import standard_library
from facelet.pipeline.rollout.jail.jail_host import PRINTED, Ended, JailPipes, Ran, serve_code

__all__ = ["MEMORY", "PRINTED", "Ended", "Jail", "NoJailError", "Ran", "run_code"]

Jail = Literal["namespaces", "none"]
"""What holds the code: namespaces of Linux, or nothing but a process of its own."""

MEMORY = (64 << 20, 64 << 30)
"""Fewest and most bytes of memory that code may be allowed."""

_SECONDS = (1, 86_400)
_SET_UP = 20.0
"""Seconds after which a jail that is not ready counts as none."""


class NoJailError(RuntimeError):
    """No jail can be had on this machine, so the code was not run."""


def run_code(
    functions: Mapping[str, Callable[..., object]],
    code: str,
    *,
    seconds: int = 10,
    memory: int = 1 << 30,
    jail: Jail = "namespaces",
) -> Ran:
    """Run code that may call functions, in a jail.

    What it did before its time was over is done.

    Args:
        functions: by the names that the code calls them by; called with what JSON can hold.
        code: Python.
        seconds: its time, by the clock on the wall.
        memory: bytes of memory that it and all that it starts may take.
        jail: "namespaces", or "none": a process of its own with limits, which reads and does what
            this user may read and do.

    Raises:
        ValueError: a setting is out of range.
        NoJailError: the jail cannot be had here; nothing was run.
    """
    for name, value, (low, high) in (("seconds", seconds, _SECONDS), ("memory", memory, MEMORY)):
        if not low <= value <= high:
            raise ValueError(f"{name}={value} is out of range; say {low} to {high}")
    if jail not in get_args(Jail):
        raise ValueError(f"jail={jail!r} is unknown; there are {', '.join(get_args(Jail))}")
    with _run_process(seconds, memory, jail) as (process, pipes):
        message = {"code": code, "functions": list(functions)}
        watched = memory if jail != "none" else None
        return serve_code(functions, message, process, pipes, seconds, watched)


@contextlib.contextmanager
def _run_process(
    seconds: int, memory: int, jail: Jail
) -> Iterator[tuple[subprocess.Popen[bytes], JailPipes]]:
    """Start the jail; at the end of the block all of its processes are gone."""
    if jail != "none" and sys.platform != "linux":
        raise _no_jail_error("it takes Linux")
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="facelet-"))
        ends = [_open_pipe(stack) for _ in range(5)]
        (requests, ask), (take, answers), (output, write), (status, tell), (life, hold) = ends
        given: dict[str, object] = {
            "jail": jail,
            "seconds": seconds,
            "memory": memory,
            "requests": ask.fileno(),
            "answers": take.fileno(),
            "status": tell.fileno(),
            "life": life.fileno(),
        }
        if jail != "none":
            shown = standard_library()
            given |= {"folder": folder, "stdlib": shown.stdlib}
            given |= {"files": shown.files, "links": shown.links}
        text = files(__name__).joinpath("jail_process.py").read_text(encoding="utf-8")
        theirs = (ask, take, tell, life)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", text, json.dumps(given)],
            stdin=subprocess.DEVNULL,
            stdout=write,
            stderr=write,
            cwd=folder,
            env={},
            pass_fds=[end.fileno() for end in theirs],
            start_new_session=True,
        )
        try:
            for end in (*theirs, write):
                end.close()
            if said := status.read():
                raise _no_jail_error(said.decode("utf-8", "replace"))
            yield process, JailPipes(requests.fileno(), answers.fileno(), output.fileno())
        finally:
            hold.close()
            _wait_for_end(process, jail)


def _open_pipe(stack: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """Return both ends of a pipe, which the stack closes."""
    read, write = os.pipe()
    return stack.enter_context(open(read, "rb", 0)), stack.enter_context(open(write, "wb", 0))


def _wait_for_end(process: subprocess.Popen[bytes], jail: Jail) -> None:
    """Wait until the keeper has ended the jail; without a jail, kill the code's session."""
    if jail != "none":
        try:
            process.wait(_SET_UP)
            return
        except subprocess.TimeoutExpired:
            pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _no_jail_error(reason: str) -> NoJailError:
    return NoJailError(
        f"no jail can be had here ({reason}), so the code was not run. Use Linux (x86_64, aarch64) "
        'where users may make namespaces, or say jail="none": then the code can read what you can '
        "read, and the transcript says so"
    )
