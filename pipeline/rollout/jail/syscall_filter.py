"""Build the filter that limits a jail to a list of system calls.

All other calls fail with EPERM, or with ENOSYS if they are newer than the list, so that the C
library uses an older call. A call is on the list if Python's standard library needs it and the
resources that it takes are bounded: by the address space of the single process, its 64
descriptors, or the 16 MiB of its folder. The list therefore excludes processes (each would have
its own address space), shared memory, sockets, FIFOs, asynchronous I/O, epoll and inotify, timers,
file locks, changes of extended attributes, keys, and all calls that name another process or user.

Source: man pages seccomp(2), syscalls(2); numbers are those of Linux's unistd.h.
"""

from __future__ import annotations

import os
import struct

__all__ = ["ALLOWED", "ARCHITECTURES", "ARGUMENTS", "build_filter"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Machines whose numbers of system calls are known, with what the kernel's filter calls them."""

ALLOWED: dict[str, dict[str, tuple[int | None, int | None]]] = {
    # reason: {name: (x86_64, aarch64)}; None where a machine has no such call
    "read and write open files": {
        "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66),
        "pread64": (17, 67), "pwrite64": (18, 68), "preadv": (295, 69), "pwritev": (296, 70),
        "preadv2": (327, 286), "pwritev2": (328, 287), "lseek": (8, 62), "close": (3, 57),
        "close_range": (436, 436), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
        "fcntl": (72, 25), "ioctl": (16, 29), "fsync": (74, 82), "fdatasync": (75, 83),
        "fadvise64": (221, 223),
    },
    "wait for them; pipes of 64 KiB, by which event loops are woken up": {
        "pipe2": (293, 59), "poll": (7, None), "ppoll": (271, 73), "select": (23, None),
        "pselect6": (270, 72),
    },
    "files of the library, which is read-only, and of the folder, which is bounded": {
        "open": (2, None), "openat": (257, 56), "creat": (85, None), "stat": (4, None),
        "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79), "statx": (332, 291),
        "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
        "readlink": (89, None), "readlinkat": (267, 78), "getdents": (78, None),
        "getdents64": (217, 61), "statfs": (137, 43), "fstatfs": (138, 44), "getcwd": (79, 17),
        "chdir": (80, 49), "fchdir": (81, 50), "umask": (95, 166), "truncate": (76, 45),
        "ftruncate": (77, 46), "fallocate": (285, 47), "mkdir": (83, None), "mkdirat": (258, 34),
        "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None),
        "renameat": (264, 38), "renameat2": (316, 276), "link": (86, None), "linkat": (265, 37),
        "symlink": (88, None), "symlinkat": (266, 36), "chmod": (90, None), "fchmod": (91, 52),
        "fchmodat": (268, 53), "utimensat": (280, 88), "listxattr": (194, 11),
        "llistxattr": (195, 12), "flistxattr": (196, 13),
    },
    "memory of the process, within its address space": {
        "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226),
        "madvise": (28, 233), "brk": (12, 214),
    },
    "threads, at most 16": {
        "clone": (56, 220), "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
        "set_tid_address": (218, 96), "gettid": (186, 178), "sched_yield": (24, 124),
        "sched_getaffinity": (204, 123), "getcpu": (309, 168), "membarrier": (324, 283),
        "prctl": (157, 167), "exit": (60, 93), "exit_group": (231, 94),
    },
    "signals within the jail, where nothing else runs": {
        "kill": (62, 129), "tgkill": (234, 131), "rt_sigaction": (13, 134),
        "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
        "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132),
        "pause": (34, None), "alarm": (37, None), "setitimer": (38, 103), "getitimer": (36, 102),
        "restart_syscall": (219, 128), "wait4": (61, 260), "waitid": (247, 95),
    },
    "the time, and waiting for it": {
        "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113),
        "clock_getres": (229, 114), "gettimeofday": (96, 169), "time": (201, None),
        "times": (100, 153),
    },
    "random bytes, and what the process may know of itself": {
        "getrandom": (318, 278), "getpid": (39, 172), "getppid": (110, 173),
        "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
        "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150),
        "getpgrp": (111, None), "getpgid": (121, 155), "getsid": (124, 156), "uname": (63, 160),
        "sysinfo": (99, 179), "getrusage": (98, 165), "getrlimit": (97, 163),
        "prlimit64": (302, 261),
    },
}  # fmt: skip
"""The allowed system calls, by reason."""

ARGUMENTS: dict[str, tuple[int, int, tuple[int, ...]]] = {
    # name: (index, mask, allowed values of the masked argument)
    # private pages only: shared ones stay when no process maps them; and no huge pages
    "mmap": (3, 0x4000F, (0x2,)),
    # threads as glibc and musl make them: no process, no namespace
    "clone": (0, 0xFFFFFFFF, (0x3D0F00, 0x7D0F00)),
    # duplicates and flags of descriptors: no locks, leases, signals, or larger pipes
    "fcntl": (1, 0xFFFFFFFF, (0, 1, 2, 3, 4, 1030)),
    # pipes of bytes: no packets, no notifications
    "pipe2": (1, 0xFFFFFFFF, (0x80000, 0x80800)),
    # whether a file is a terminal, its size and how much it holds; blocking and inheritance
    "ioctl": (1, 0xFFFFFFFF, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    # dropping pages, and huge pages or none
    "madvise": (2, 0xFFFFFFFF, (4, 8, 14, 15)),
    # names of threads
    "prctl": (0, 0xFFFFFFFF, (15, 16)),
}
"""Calls that are allowed with some arguments only."""

_CLONE3 = 435
"""Answered as unknown: its flags are in memory, which a filter cannot read, and clone exists."""

_FUTURE = 452
"""First number of calls that are newer than this list."""


def build_filter(machine: str = "") -> bytes:
    """Return the filter for a machine (this one by default), 8 bytes an instruction.

    Raises:
        ValueError: the machine's numbers are not known.
    """
    machine = machine or os.uname().machine
    if machine not in ARCHITECTURES:
        raise ValueError(f"it takes {' or '.join(ARCHITECTURES)}, not {machine}")
    load, equal, least, mask, answer = 0x20, 0x15, 0x35, 0x54, 0x06
    kill, allow, no, unknown = 0x80000000, 0x7FFF0000, 0x00050001, 0x00050026
    steps = [(load, 0, 0, 4), (equal, 1, 0, ARCHITECTURES[machine]), (answer, 0, 0, kill)]
    steps.append((load, 0, 0, 0))
    # Numbers from here are the calls of another calling convention of x86.
    steps += [(least, 0, 1, 0x40000000), (answer, 0, 0, no)]
    steps += [(equal, 0, 1, _CLONE3), (answer, 0, 0, unknown)]
    column = list(ARCHITECTURES).index(machine)
    for calls in ALLOWED.values():
        for name, numbers in calls.items():
            if (number := numbers[column]) is None:
                continue
            block = [(answer, 0, 0, allow)]
            if name in ARGUMENTS:
                index, bits, values = ARGUMENTS[name]
                block = [(load, 0, 0, 16 + 8 * index), (mask, 0, 0, bits)]
                for value in values:
                    block += [(equal, 0, 1, value), (answer, 0, 0, allow)]
                block.append((answer, 0, 0, no))
            steps += [(equal, 0, len(block), number), *block]
    steps += [(least, 0, 1, _FUTURE), (answer, 0, 0, unknown), (answer, 0, 0, no)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
