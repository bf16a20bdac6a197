"""The corpus of escapes, and a caller that has what they look for.

`SURROUNDINGS` fills the capitals: a secret in a file, in the environment and in open handles, a
folder of published rows, servers, and a process that an escape may try to harm.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.rollout.jail import Ran

MEMORY = 128 << 20
"""Bytes that an escape may take."""

BEFORE = """
import ctypes, errno, glob, os, platform, signal, socket, struct, sys, time
STDLIB = os.path.dirname(os.__file__)
libc = ctypes.CDLL(None, use_errno=True)
def syscall(x86, arm, *args):
    number = x86 if platform.machine() == "x86_64" else arm
    return libc.syscall(ctypes.c_long(number), *args)
def out(true=True):
    if true:
        print("OUT", flush=True)
def told(path):
    with open(path, "rb") as file:
        out(b"the-secret" in file.read(1 << 24))
"""


@dataclass(frozen=True)
class EscapeAttempt:
    """One way out.

    Attributes:
        name: what it tries.
        code: what runs after BEFORE.
        open: whether it gets out of a process without a jail.
        memory: whether it takes memory, so that the machine's is watched.
    """

    name: str
    code: str
    open: bool
    memory: bool


def load_escapes() -> list[EscapeAttempt]:
    """Return the corpus."""
    text = Path(__file__).with_name("escapes.txt").read_text(encoding="utf-8")
    found = []
    for part in text.split("\n== ")[1:]:
        heading, _, code = part.partition("\n")
        name, _, kind = heading.partition(" | ")
        found.append(EscapeAttempt(name, code.strip("\n") + "\n", kind == "open", kind == "memory"))
    return found


@dataclass(frozen=True)
class CallerSurroundings:
    """What a caller has.

    Attributes:
        given: the capitals of the corpus, with their values.
        mark: a file that an escape may try to write.
        victim: a process that an escape may try to harm.
        reached: what came to the servers.
    """

    given: dict[str, object]
    mark: Path
    victim: subprocess.Popen[bytes]
    reached: list[str]

    def escape_code(self, escape: EscapeAttempt) -> str:
        """Return the whole code of an escape."""
        values = "".join(f"{name} = {value!r}\n" for name, value in self.given.items())
        return values + BEFORE + escape.code


def _note_connections(server: socket.socket, reached: list[str], name: str) -> None:
    """Note whoever comes, until the socket is closed."""
    with contextlib.suppress(OSError):
        if server.type == socket.SOCK_DGRAM:
            while server.recv(1):
                reached.append(name)
        while True:
            server.accept()[0].close()
            reached.append(name)


def available_bytes() -> int:
    """Return the memory that the machine has left."""
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    return int(text.partition("MemAvailable:")[2].split()[0]) * 1024


@contextlib.contextmanager
def watch_memory() -> Iterator[list[int]]:
    """Yield a list that holds, once the block ends, how many bytes less were available at worst."""
    ended, grown, before = threading.Event(), [0], available_bytes()

    def look() -> None:
        while not ended.wait(0.01):
            grown[0] = max(grown[0], before - available_bytes())

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield grown
    finally:
        ended.set()
        watcher.join()


def run_as_user(code: str, seconds: int, memory: int) -> Ran:
    """Run code in a jail that an ordinary user makes: one without a capability on this machine."""
    program = (
        "import ctypes, json, os, sys\n"
        "user, group = os.geteuid(), os.getegid()\n"
        "if ctypes.CDLL(None).unshare(0x10000000): sys.exit('no user namespace')\n"
        "open('/proc/self/setgroups', 'w').write('deny')\n"
        "open('/proc/self/uid_map', 'w').write(f'1000 {user} 1')\n"
        "open('/proc/self/gid_map', 'w').write(f'1000 {group} 1')\n"
        "from facelet.pipeline.rollout.jail import run_code\n"
        "assert os.geteuid() == 1000\n"
        "code, seconds, memory = json.load(sys.stdin)\n"
        "ran = run_code({'given': lambda: 1}, code, seconds=seconds, memory=memory)\n"
        "print(json.dumps([ran.printed, ran.ended, ran.calls, ran.limits]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps([code, seconds, memory]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Ran(*json.loads(done.stdout))


@contextlib.contextmanager
def set_up_surroundings(folder: Path) -> Iterator[CallerSurroundings]:
    """Set up what the escapes look for, below a folder whose path is short."""
    secret = folder / "rows.parquet"
    secret.write_bytes(b"the-secret")
    secret.chmod(0o644)
    reached: list[str] = []
    with contextlib.ExitStack() as stack:
        handle = os.open(secret, os.O_RDONLY)
        stack.callback(os.close, handle)
        os.set_inheritable(handle, True)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = tcp.getsockname()[1]
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", port))
        path = stack.enter_context(socket.socket(socket.AF_UNIX))
        path.bind(str(folder / "s"))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0facelet-{port}")
        for name, server in (("tcp", tcp), ("udp", udp), ("path", path), ("abstract", abstract)):
            if server is not udp:
                server.listen()
            threading.Thread(
                target=_note_connections, args=(server, reached, name), daemon=True
            ).start()
        victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        stack.callback(victim.wait)
        stack.callback(victim.kill)
        given = {
            "SECRET": str(secret),
            "FOLDER": str(folder),
            "MARK": str(folder / "mark"),
            "SOCKET": str(folder / "s"),
            "PORT": port,
            "VICTIM": victim.pid,
            "CALLER": os.getpid(),
            "MEMORY": MEMORY,
            "VARIABLE": "FACELET_TEST_SECRET",
            "PATH": [path for path in sys.path if path],
        }
        yield CallerSurroundings(given, folder / "mark", victim, reached)
