"""Serve the calls of code in a jail, collect its output, and watch its memory.

Messages from the jail are untrusted data: lines of bounded length, parsed as JSON. The code cannot
block this process beyond its time limit.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.renderers.api import Drawing

LINE = 1 << 20
"""Maximum length of a message of the code in bytes."""

PRINTED = 1 << 16
"""Maximum bytes of output that are kept."""

Ended = Literal["done", "failed", "out of time", "out of memory", "refused"]
"""How code ends; "refused" follows an invalid message."""

_DRAIN = 1.0
"""Maximum seconds for reading output after the code has ended."""

_LOOK = 0.02
"""Seconds between two checks of the jail's memory."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a player's code.

    Attributes:
        printed: its output on stdout and stderr, tracebacks included; cut at PRINTED bytes.
        ended: how it ended.
        calls: number of executed calls, failed ones included.
        limits: the limits that held: "seccomp", "rlimit", and "cgroup memory", "cgroup pids" and
            "cgroup cpu" if available; empty without a jail.
    """

    printed: str
    ended: Ended
    calls: int
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JailPipes:
    """Pipe ends of this process: incoming calls, outgoing answers, incoming output."""

    requests: int
    answers: int
    output: int


def serve_code(
    functions: Mapping[str, Callable[..., object]],
    message: Mapping[str, object],
    process: subprocess.Popen[bytes],
    pipes: JailPipes,
    seconds: float,
    memory: int | None,
) -> Ran:
    """Send the code, and execute its calls until it ends or its time is over.

    Args:
        functions: functions that it may call.
        message: the code and the names of the functions.
        process: the started process, whose status is that of the code.
        pipes: pipe ends of this process.
        seconds: time limit of the code.
        memory: memory limit of all processes under `process` in bytes; None for no check.
    """
    return _CodeServer(functions, process, pipes, seconds, memory).run_code(message)


class _CodeServer:
    """One run, with its input and output buffers."""

    def __init__(
        self,
        functions: Mapping[str, Callable[..., object]],
        process: subprocess.Popen[bytes],
        pipes: JailPipes,
        seconds: float,
        memory: int | None,
    ) -> None:
        self._functions, self._process, self._pipes = functions, process, pipes
        self._memory = memory
        self._deadline = time.monotonic() + seconds
        self._held, self._due, self._printed = b"", b"", b""
        self._calls, self._look = 0, 0.0
        self._called: set[str] = set()
        self._open = {pipes.requests, pipes.output}

    def run_code(self, message: Mapping[str, object]) -> Ran:
        """Send the code, and serve its calls until it ends."""
        for pipe in (self._pipes.requests, self._pipes.answers, self._pipes.output):
            os.set_blocking(pipe, False)
        self._due = _encode_line(message)
        ended = self._serve_calls()
        # What still writes after its time would be read forever.
        last = time.monotonic() + _DRAIN
        while self._pipes.output in self._open and time.monotonic() < last:
            if not self._take_output() or len(self._printed) == PRINTED:
                break
        printed = self._printed.decode("utf-8", "replace")
        return Ran(printed, ended, self._calls)

    def _serve_calls(self) -> Ended:
        with contextlib.ExitStack() as stack:
            ending = []
            if hasattr(os, "pidfd_open"):
                opened = open(os.pidfd_open(self._process.pid), "rb", 0)
                ending.append(stack.enter_context(opened).fileno())
            while True:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    return "out of time"
                # Checked first, so that calls before the end are executed.
                status = self._process.poll()
                ready = self._wait_for_pipes(
                    ending, 0.0 if status is not None else min(left, _LOOK)
                )
                if self._too_large():
                    return "out of memory"
                if self._pipes.output in ready:
                    self._take_output()
                if self._pipes.answers in ready:
                    self._write_answers()
                if self._pipes.requests in ready:
                    self._held += self._read_pipe(self._pipes.requests) or b""
                if not self._answer_next_call():
                    return "refused"
                # The pipes stay open if a child process of the code still has them.
                if status is not None and not ready & self._open and not self._has_pending_call():
                    return "failed" if status else "done"

    def _has_pending_call(self) -> bool:
        """Return whether a complete call is pending."""
        return b"\n" in self._held

    def _wait_for_pipes(self, ending: list[int], seconds: float) -> set[int]:
        """Wait for a pipe, and return the pipes that are ready."""
        waiting = select.poll()
        for pipe in [*ending, *self._open]:
            # Stop reading calls until the pending one is answered.
            if pipe != self._pipes.requests or not self._has_pending_call():
                waiting.register(pipe, select.POLLIN)
        if self._due:
            waiting.register(self._pipes.answers, select.POLLOUT)
        elif self._has_pending_call():
            seconds = 0.0
        return {pipe for pipe, _ in waiting.poll(seconds * 1000)}

    def _too_large(self) -> bool:
        """Return whether the jail uses too much memory, checked at most every 20 milliseconds."""
        now = time.monotonic()
        if self._memory is None or now < self._look:
            return False
        self._look = now + _LOOK
        return _resident_bytes(self._process.pid) > self._memory

    def _take_output(self) -> bool:
        """Keep the start of the output; return whether more was read."""
        more = self._read_pipe(self._pipes.output)
        if more:
            self._printed += more[: PRINTED - len(self._printed)]
        return bool(more)

    def _read_pipe(self, pipe: int) -> bytes | None:
        """Read available bytes: b"" at the end, None if there are none yet."""
        try:
            more = os.read(pipe, 1 << 16)
        except BlockingIOError:
            return None
        if not more:
            self._open.discard(pipe)
        return more

    def _write_answers(self) -> None:
        try:
            self._due = self._due[os.write(self._pipes.answers, self._due[: 1 << 16]) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._due = b""

    def _answer_next_call(self) -> bool:
        """Execute a call once the last answer was sent; return False for an invalid message."""
        if self._due:
            return len(self._held) <= LINE
        line, end, rest = self._held.partition(b"\n")
        if not end or len(line) > LINE:
            return len(self._held) <= LINE
        self._held = rest
        started = time.monotonic()
        name, answer = _answer_message(self._functions, line)
        if answer is None:
            return False
        if name not in self._called:  # the first call may build tables
            self._called.add(name)
            self._deadline += time.monotonic() - started
        self._calls += 1
        self._due = answer
        return True


def _answer_message(
    functions: Mapping[str, Callable[..., object]], line: bytes
) -> tuple[str, bytes | None]:
    """Return the called function and the answer to a message; None if it is not a call."""
    try:
        name, args, kwargs = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return "", None
    called = isinstance(name, str) and isinstance(args, list) and isinstance(kwargs, dict)
    if not called or name not in functions:
        return "", None
    try:
        value = functions[name](*args, **kwargs)
    # The functions raise these for invalid calls.
    except (ValueError, TypeError, RuntimeError) as error:
        kinds = (ValueError, TypeError, RuntimeError)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        return name, _encode_line([kind.__name__, str(error)])
    if isinstance(value, Drawing):
        file = io.BytesIO()
        value.save(file, "PNG")
        return name, _encode_line(["picture", base64.b64encode(file.getvalue()).decode("ascii")])
    return name, _encode_line(["value", value])


def _encode_line(value: object) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"


def _resident_bytes(process: int) -> int:
    """Return the resident memory of all processes under a process in bytes.

    Shared pages count once per process, so the result is an upper bound.
    """
    total, page, todo = 0, os.sysconf("SC_PAGE_SIZE"), [process]
    while todo:
        parent = todo.pop()
        # A process may end between two checks.
        with contextlib.suppress(OSError, ValueError, IndexError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                children = (thread / "children").read_text(encoding="ascii").split()
                todo += [int(child) for child in children]
            if parent != process:
                total += int(Path(f"/proc/{parent}/statm").read_text("ascii").split()[1]) * page
    return total
