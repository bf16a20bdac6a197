"""Run code that a model wrote in a jail, where it can only call given functions by message.

The code runs in a separate bare Python in Linux namespaces: another user without capabilities, no
network, no other processes, no files except the standard library and an empty folder, no
environment variables, nothing to execute, and only the system calls on a list (`syscall_filter`).
Time, memory, threads, files and output are limited, also by control groups if the caller may create
them (`jail_cgroup`), and nothing survives the call. The code has only the names of the functions;
each call is a line of JSON, which this process executes and answers.

A picture is returned as the bytes of a PNG file, because the standard library has no images.

A jail is as safe as the kernel: use a separate machine against attackers who may know unpublished
holes of Linux. If the machine supports no jail, the code does not run unless the caller allows it.
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
from dataclasses import replace
from importlib.resources import files
from io import FileIO
from pathlib import Path
from typing import Literal, get_args

from facelet.pipeline.rollout.jail.jail_cgroup import open_cgroups
from facelet.pipeline.rollout.jail.jail_files import standard_library
from facelet.pipeline.rollout.jail.jail_host import PRINTED, Ended, JailPipes, Ran, serve_code
from facelet.pipeline.rollout.jail.jail_process import PROCESSES
from facelet.pipeline.rollout.jail.syscall_filter import build_filter

__all__ = ["MEMORY", "PRINTED", "CodePlace", "Ended", "Jail", "NoJailError", "Ran", "run_code"]

Jail = Literal["namespaces", "none"]
"""Isolation of the code: namespaces of Linux, or only a separate process."""

CodePlace = Literal["off", "jail", "none"]
"""Where code of replies runs: nowhere, in the jail, or in a process without one."""

MEMORY = (64 << 20, 64 << 30)
"""Minimum and maximum memory limit of code in bytes."""

_SECONDS = (1, 86_400)
_SET_UP = 20.0
"""Maximum seconds for the end of a jail."""


class NoJailError(RuntimeError):
    """This machine supports no jail, so the code was not run."""


def run_code(
    functions: Mapping[str, Callable[..., object]],
    code: str,
    *,
    seconds: int = 10,
    memory: int = 1 << 30,
    jail: Jail = "namespaces",
) -> Ran:
    """Run code in a jail, where it may call functions.

    Calls before the end of its time stay in effect. The first call of each function does not use up
    its time, since it may build tables.

    Args:
        functions: functions by the names in the code; arguments are JSON values.
        code: Python code.
        seconds: limit of wall-clock time.
        memory: limit of memory in bytes, children included.
        jail: "namespaces", or "none": a separate process with limits and the rights of this user.

    Raises:
        ValueError: a setting is out of range.
        NoJailError: this machine supports no jail; nothing was run.
    """
    for name, value, (low, high) in (("seconds", seconds, _SECONDS), ("memory", memory, MEMORY)):
        if not low <= value <= high:
            raise ValueError(f"{name}={value} is out of range; use {low} to {high}")
    if jail not in get_args(Jail):
        raise ValueError(f"jail={jail!r} is unknown; there are {', '.join(get_args(Jail))}")
    with _run_process(seconds, memory, jail) as (process, pipes, limits):
        message = {"code": code, "functions": list(functions)}
        watched = memory if jail != "none" else None
        ran = serve_code(functions, message, process, pipes, seconds, watched)
        return replace(ran, limits=limits)


@contextlib.contextmanager
def _run_process(
    seconds: int, memory: int, jail: Jail
) -> Iterator[tuple[subprocess.Popen[bytes], JailPipes, tuple[str, ...]]]:
    """Start the jail and yield its limits too; after the block its processes have ended."""
    if jail != "none" and sys.platform != "linux":
        raise _no_jail_error("Linux is required")
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
        groups: Mapping[str, Path] = {}
        if jail != "none":
            shown = standard_library()
            given |= {"folder": folder, "stdlib": shown.stdlib}
            given |= {"files": shown.files, "links": shown.links}
            try:
                given["filter"] = build_filter().hex()
            except ValueError as error:
                raise _no_jail_error(str(error)) from None
            groups = stack.enter_context(open_cgroups(memory, PROCESSES))
            given["groups"] = sorted({str(group / "cgroup.procs") for group in groups.values()})
        text = files(__name__).joinpath("jail_process.py").read_text(encoding="utf-8")
        theirs = (ask, take, tell, life)
        process = subprocess.Popen(
            # Unbuffered (-u), so that what is printed before a kill is not lost.
            [sys.executable, "-I", "-S", "-u", "-c", text, json.dumps(given)],
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
            said = status.read().decode("utf-8", "replace")
            try:
                joined = json.loads(said)
            except ValueError:
                raise _no_jail_error(said) from None
            held = [name for name in sorted(groups) if str(groups[name] / "cgroup.procs") in joined]
            limits = ("seccomp", "rlimit", *(f"cgroup {name}" for name in held))
            pipes = JailPipes(requests.fileno(), answers.fileno(), output.fileno())
            yield process, pipes, limits if jail != "none" else ()
        finally:
            hold.close()
            _wait_for_end(process, jail)


def _open_pipe(stack: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """Open a pipe whose ends the stack closes."""
    read, write = os.pipe()
    return stack.enter_context(open(read, "rb", 0)), stack.enter_context(open(write, "wb", 0))


def _wait_for_end(process: subprocess.Popen[bytes], jail: Jail) -> None:
    """Wait until the keeper has ended the jail; without a jail, kill the session of the code."""
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
        f"this machine supports no jail ({reason}), so the code was not run. Use Linux (x86_64, "
        'aarch64) that lets users create namespaces, or jail="none": then the code has your '
        "rights, and the transcript says so"
    )
