"""Create a jail and run the player's code in it; the program of the jail's processes.

A bare Python runs this text with the standard library only, so it cannot import Facelet. There are
three processes. The keeper stays outside and ends the jail when its caller ends or asks for it. The
first process of the jail only waits; when it ends, the kernel ends all others. The player is its
child: another user without capabilities, network, programs to execute, or files except the standard
library and an empty folder.

Source: man pages namespaces(7), user_namespaces(7), pivot_root(2), seccomp(2), capabilities(7).
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys
import threading
from collections.abc import Callable
from io import FileIO
from types import CodeType
from typing import TypedDict

SCRATCH = "/work"
"""Working directory of the code, which it may write to."""

FILES = 1 << 24
"""Maximum bytes of all files of the code."""

PROCESSES = 16
"""Maximum number of threads of the code, which cannot start processes."""

_OPEN_FILES = 64
_PIPES = _OPEN_FILES // 2 * (1 << 16)
_STACK = 1 << 20
_ARENAS = -8
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND = 1, 2, 4, 8, 32, 4096
_REC, _PRIVATE, _RELATIME = 1 << 14, 1 << 18, 1 << 21
_ST_RELATIME, _ST_ATIMES = 4096, 1024 | 2048
_DETACH = 2
_NEW = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "names": 0x04000000,
    "messages": 0x08000000,
    "users": 0x10000000,
    "processes": 0x20000000,
    "network": 0x40000000,
}
_PDEATHSIG, _DUMPABLE, _SECCOMP, _CAPBSET_DROP, _NO_NEW_PRIVS = 1, 4, 22, 24, 38
_SETUP, _PLAYER = 0, 1
"""User and group ids inside the jail: of the root that sets it up, and of the player."""


class JailSpec(TypedDict, total=False):
    """The description of a jail; without one, folder, stdlib, files and links are missing.

    Attributes:
        jail: "namespaces" or "none".
        seconds: time limit of the code.
        memory: memory limit in bytes.
        requests: file descriptor for calls.
        answers: file descriptor for answers.
        status: file descriptor for the joined groups, or the reason why there is no jail.
        life: file descriptor that closes when the caller ends.
        folder: folder that becomes the root.
        stdlib: folder of the standard library.
        files: sources of visible files, by path in the jail.
        links: targets of symbolic links, by path.
        filter: the filter of system calls in hexadecimal digits.
        groups: files to write to in order to join the control groups of the jail.
    """

    jail: str
    seconds: int
    memory: int
    requests: int
    answers: int
    status: int
    life: int
    folder: str
    stdlib: str
    files: dict[str, str]
    links: dict[str, str]
    filter: str
    groups: list[str]


_libc = ctypes.CDLL(None, use_errno=True)


def _call_libc(name: str, *args: object) -> int:
    """Call a function of the C library.

    Raises:
        OSError: the call failed; the message names the function.
    """
    done: int = getattr(_libc, name)(*args)
    if done == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return done


def _set_process_option(option: int, *values: int) -> None:
    filled = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    _call_libc("prctl", option, *filled)


def _die_with_parent(parent: int) -> None:
    _set_process_option(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


# -- users ---------------------------------------------------------------------------------------


def _write_file(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _enter_namespaces() -> None:
    """Leave the caller's namespaces, as another user if possible."""
    user, group = os.geteuid(), os.getegid()
    flags = 0
    for flag in _NEW.values():
        flags |= flag
    if user:
        _call_libc("unshare", flags)
        _write_file("/proc/self/setgroups", "deny")
        _write_file("/proc/self/uid_map", f"{_PLAYER} {user} 1")
        _write_file("/proc/self/gid_map", f"{_PLAYER} {group} 1")
        return
    # Root gives the player another id, because process limits do not apply to id 0.
    go, ready = os.pipe()
    helper = os.fork()
    if not helper:
        os.close(ready)
        failed = not os.read(go, 1)
        keeper = os.getppid()
        for other in (1_900_000_000 + keeper, 65534):
            try:
                _write_file(f"/proc/{keeper}/uid_map", f"{_SETUP} {user} 1\n{_PLAYER} {other} 1\n")
                _write_file(f"/proc/{keeper}/gid_map", f"{_SETUP} {group} 1\n{_PLAYER} {other} 1\n")
                break
            except OSError:
                failed = other == 65534
        os._exit(int(failed))
    os.close(go)
    try:
        _call_libc("unshare", flags)
        os.write(ready, b"1")
    finally:
        os.close(ready)
        failed = bool(os.waitpid(helper, 0)[1])
    if failed:
        raise OSError("this root cannot map another user into a namespace")


# -- files ---------------------------------------------------------------------------------------


def _mount_path(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system; the error names the target."""
    words = (source.encode(), target.encode(), kind.encode(), flags, options.encode())
    if _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[4]) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"mount {kind or 'bind'} {target}: {os.strerror(number)}")


def _show_path(source: str, target: str, flags: int = 0) -> None:
    """Mount a file or folder read-only at another path."""
    _mount_path(source, target, "", _BIND)
    held = os.statvfs(target).f_flag
    kept = held & (_NODEV | _NOEXEC | _ST_ATIMES) | (_RELATIME if held & _ST_RELATIME else 0)
    _mount_path("", target, "", _REMOUNT | _BIND | _RDONLY | _NOSUID | kept | flags)


def _build_root(given: JailSpec) -> None:
    """Make a root of the standard library and one empty folder, and hide everything else."""
    root, stdlib = given["folder"], given["stdlib"]
    _mount_path("", "/", "", _REC | _PRIVATE)
    _mount_path("jail", root, "tmpfs", _NOSUID | _NODEV, "size=1m,nr_inodes=4096,mode=0755")
    for target, source in given["files"].items():
        os.makedirs(root + os.path.dirname(target), exist_ok=True)
        with open(root + target, "w", encoding="ascii"):
            pass
        _show_path(source, root + target, _NODEV)
    for link, target in given["links"].items():
        os.makedirs(root + os.path.dirname(link), exist_ok=True)
        os.symlink(target, root + link)
    os.makedirs(root + stdlib)
    _show_path(stdlib, root + stdlib, _NODEV)
    for other in ("site-packages", "dist-packages"):
        if os.path.isdir(f"{root}{stdlib}/{other}"):
            _mount_path(
                "none", f"{root}{stdlib}/{other}", "tmpfs", _RDONLY | _NOSUID | _NODEV, "size=4k"
            )
    os.makedirs(root + "/dev")
    with open(root + "/dev/null", "w", encoding="ascii"):
        pass
    _mount_path("/dev/null", root + "/dev/null", "", _BIND)
    os.mkdir(root + SCRATCH)
    options = f"size={FILES},nr_inodes=1024,mode=0777"
    _mount_path("scratch", root + SCRATCH, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options)
    os.chdir(root)
    _call_libc("syscall", _PIVOT_ROOT[os.uname().machine], b".", b".")
    _call_libc("umount2", b".", _DETACH)
    _mount_path("", "/", "", _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    os.chdir(SCRATCH)


# -- limits --------------------------------------------------------------------------------------


def _set_limits(given: JailSpec, mapped: int = 0) -> None:
    """Set the limits of the only process of the code.

    In a jail, the limit of memory is one of address space, beyond the `mapped` bytes of Python
    itself: other limits ignore written pages that become read-only or part of a stack. Files,
    pipes and the kernel's records of pages are subtracted.
    """
    limits = {"AS": given["memory"], "CPU": given["seconds"] + 1, "FSIZE": FILES, "CORE": 0}
    if given["jail"] != "none":
        limits["AS"] = mapped + given["memory"] * 15 // 16 - FILES - _PIPES
        # More heaps and larger stacks reserve address space that threads never use.
        _libc.mallopt(_ARENAS, 1)
        threading.stack_size(_STACK)
        limits |= {"NPROC": PROCESSES, "NOFILE": _OPEN_FILES, "MEMLOCK": 0, "MSGQUEUE": 0}
        limits |= {"RTPRIO": 0, "SIGPENDING": 64}
    for kind, limit in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (limit, limit))


def _give_up_powers(steps: bytes) -> None:
    """Become the player: a user without capabilities, limited to the allowed system calls."""
    if os.getuid() != _PLAYER:
        os.setgroups([])
        os.setresgid(_PLAYER, _PLAYER, _PLAYER)
    for capability in range(64):
        if _libc.prctl(_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) == -1:
            break
    if os.getuid() != _PLAYER:
        os.setresuid(_PLAYER, _PLAYER, _PLAYER)
    header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)
    _call_libc("capset", header, none)
    _set_process_option(_NO_NEW_PRIVS, 1)
    held = ctypes.create_string_buffer(steps, len(steps))
    words = struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(held))
    told = ctypes.create_string_buffer(words, len(words))
    _set_process_option(_SECCOMP, 2, ctypes.addressof(told))


# -- processes -----------------------------------------------------------------------------------


def _exit_status(code: int) -> int:
    return code if 0 <= code < 256 else 1


def _guard_child(jailed: int, life: int) -> int:
    """Wait for the end of the jail, or end it when the caller ends; return its status."""
    handle = os.pidfd_open(jailed)
    while handle not in select.select([handle, life], [], [])[0]:
        # The caller closed `life`. The kernel ends the whole jail with its first process.
        os.kill(jailed, signal.SIGKILL)
        select.select([handle], [], [])
    return _exit_status(os.waitstatus_to_exitcode(os.waitpid(jailed, 0)[1]))


def _be_first(player: int) -> int:
    """Run as the first process of the jail: reap orphans until the player ends."""
    while True:
        ended, status = os.wait()
        if ended == player:
            return _exit_status(os.waitstatus_to_exitcode(status))


def _enter_jail(given: JailSpec) -> list[str]:
    """Create the jail; return only in the player's process inside it.

    Returns:
        The control groups that it joined; a kernel may refuse some.

    Raises:
        OSError: the jail cannot be created; the remaining process reports it to the caller.
    """
    pipes = [given["requests"], given["answers"], 0, 1, 2]
    _write_file("/proc/self/oom_score_adj", "1000")
    joined = []
    for group in given["groups"]:
        with contextlib.suppress(OSError):
            _write_file(group, "0")
            joined.append(group)
    _set_process_option(_DUMPABLE, 1)
    _enter_namespaces()
    keeper = os.getpid()
    jailed = os.fork()
    if jailed:
        for pipe in (*pipes, given["status"]):
            os.close(pipe)
        os._exit(_guard_child(jailed, given["life"]))
    # The parent is in another process namespace, so it has no id here.
    _die_with_parent(0 if os.getpid() == 1 else keeper)
    os.setsid()
    os.close(given["life"])
    _call_libc("sethostname", b"jail", 4)
    with open("/proc/self/statm", encoding="ascii") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    _build_root(given)
    _set_process_option(_DUMPABLE, 0)
    player = os.fork()
    if player:
        for pipe in (*pipes, given["status"]):
            os.close(pipe)
        os._exit(_be_first(player))
    _die_with_parent(1)
    _set_limits(given, mapped)
    _give_up_powers(bytes.fromhex(given["filter"]))
    import socket  # asyncio finds no epoll only if this is imported after the filter is set

    vars(socket)["socketpair"] = _open_pair
    return joined


# -- what the code finds ------------------------------------------------------------------------

_NOTE = "The jail has threads and pipes, but no processes, sockets, shared memory or outside files."


class _PipeEnd(FileIO):
    """One end of a pipe, used by asyncio like a socket."""

    recv, send = FileIO.read, FileIO.write

    def setblocking(self, blocking: bool) -> None:
        os.set_blocking(self.fileno(), blocking)


def _open_pair() -> tuple[_PipeEnd, _PipeEnd]:
    """Return two ends that wake an event loop up, instead of the sockets that it asks for."""
    read, write = os.pipe()
    return _PipeEnd(read, "rb"), _PipeEnd(write, "wb")


_ERRORS = {"ValueError": ValueError, "TypeError": TypeError, "RuntimeError": RuntimeError}


def _prepare_code(given: JailSpec) -> tuple[CodeType, dict[str, Callable[..., object]]]:
    """Return the code and its functions; a call sends one line and reads one."""
    requests = os.fdopen(given["requests"], "wb", 0)
    answers = os.fdopen(given["answers"], "rb")

    def make_function(name: str) -> Callable[..., object]:
        def call_function(*args: object, **kwargs: object) -> object:
            requests.write(json.dumps([name, args, kwargs]).encode() + b"\n")
            line = answers.readline()
            if not line:
                os._exit(1)
            kind, value = json.loads(line)
            if kind in _ERRORS:
                raise _ERRORS[kind](value)
            return base64.b64decode(value) if kind == "picture" else value

        call_function.__name__ = name
        return call_function

    told = json.loads(answers.readline())
    code = compile(told["code"], "<player>", "exec")
    return code, {name: make_function(name) for name in told["functions"]}


def main() -> None:
    """Create the jail in the first argument, and run the code that the caller sends."""
    given: JailSpec = json.loads(sys.argv[1])
    joined: list[str] = []
    if given["jail"] == "none":
        _set_limits(given)
    else:
        try:
            joined = _enter_jail(given)
        except (OSError, AttributeError, ValueError) as error:
            os.write(given["status"], str(error).encode("utf-8", "replace")[:500])
            os._exit(1)
    os.write(given["status"], json.dumps(joined).encode("ascii"))
    os.close(given["status"])
    code, functions = _prepare_code(given)
    try:
        exec(code, {"__name__": "__main__", **functions})
    except OSError as error:
        if given["jail"] != "none":
            error.add_note(_NOTE)
        raise


if __name__ == "__main__":
    main()
