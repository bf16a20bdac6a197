"""Create control groups that limit the memory, threads and processor time of a jail.

A group is created below the caller's own group, in each hierarchy (version 1 or 2) where the
caller may divide that group: at the root of a hierarchy (as in a container), in a folder owned by
the current user (not root), or in one that systemd delegates. Groups managed by other software are
left alone. A jail may have all, some or none of these groups; its other limits do not depend on
them. The name of a group contains the process id of its caller; the next caller removes groups of
dead ones.

Source: man page cgroups(7); Linux's admin-guide, cgroup-v1 and cgroup-v2; systemd, Delegation.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["CGROUP_LIMITS", "open_cgroups"]

CGROUP_LIMITS = ("memory", "pids", "cpu")
"""What a group may limit, by the kernel's name of its controller."""

_PERIOD = 100_000
_PREFIX = "facelet-"
_HELPERS = 4
"""Processes of a jail besides the code's."""


@contextlib.contextmanager
def open_cgroups(memory: int, processes: int) -> Iterator[Mapping[str, Path]]:
    """Make a group with limits in each hierarchy that allows it, and remove them at the end.

    Args:
        memory: bytes that the code may take.
        processes: processes and threads that the code may have.

    Yields:
        The group's folder, by controller whose limit holds; a process joins by writing "0" into its
        `cgroup.procs`.
    """
    room = memory + memory // 16
    limits: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "memory": ({"memory.max": room, "memory.swap.max": 0}, {"memory.limit_in_bytes": room}),
        "pids": ({"pids.max": processes + _HELPERS}, {"pids.max": processes + _HELPERS}),
        "cpu": (
            {"cpu.max": f"{_PERIOD} {_PERIOD}"},
            {"cpu.cfs_period_us": _PERIOD, "cpu.cfs_quota_us": _PERIOD},
        ),
    }
    with contextlib.ExitStack() as stack:
        made: dict[Path, Path] = {}
        groups: dict[str, Path] = {}
        for controller, (parent, version) in _find_parents().items():
            with contextlib.suppress(OSError):
                if parent not in made:
                    _remove_abandoned_groups(parent)
                    name = f"{_PREFIX}{os.getpid()}-"
                    made[parent] = Path(tempfile.mkdtemp(prefix=name, dir=parent))
                    stack.callback(_remove_group, made[parent])
                for name, value in limits[controller][version == 1].items():
                    if name != "memory.swap.max" or (made[parent] / name).exists():
                        (made[parent] / name).write_text(str(value), encoding="ascii")
                groups[controller] = made[parent]
        yield groups


def _find_parents() -> dict[str, tuple[Path, int]]:
    """Return the nearest groups that are the caller's to divide, with their version, by controller.

    A group of version 2 that contains processes has no controllers, so its parents count too.
    """
    found: dict[str, tuple[Path, int]] = {}
    with contextlib.suppress(OSError, ValueError):
        own: dict[str, Path] = {}
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, group = line.split(":", 2)
            own |= dict.fromkeys(controllers.split(","), Path(group))
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            words, _, (kind, _, options) = _split_mount(line)
            shown = options.split(",") if kind == "cgroup" else [""]
            for name in shown if kind in ("cgroup", "cgroup2") and words[3] == "/" else ():
                for path in (
                    [own[name], *own[name].parents][: 1 if name else None] if name in own else ()
                ):
                    folder = Path(words[4], *path.parts[1:])
                    if not _is_ours(folder, path):
                        break
                    names = [name] if name else _read_controllers(folder)
                    version = 1 if name else 2
                    known = {each: (folder, version) for each in names if each in CGROUP_LIMITS}
                    found = known | found
    return found


def _split_mount(line: str) -> tuple[list[str], str, list[str]]:
    """Return the two lists of words of a line of mountinfo, with what separates them."""
    first, separator, last = line.partition(" - ")
    return first.split(), separator, last.split()[:3]


def _read_controllers(folder: Path) -> list[str]:
    """Return what children of a group of version 2 may limit."""
    return (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()


def _is_ours(folder: Path, path: Path) -> bool:
    """Return whether a group is the caller's to divide."""
    if not (os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)):
        return False
    if path == Path("/") or folder.stat().st_uid == os.geteuid() != 0:
        return True
    try:
        return os.getxattr(folder, "user.delegate") == b"1"
    except OSError:
        return False


def _remove_abandoned_groups(parent: Path) -> None:
    """Remove the groups of callers that were killed."""
    for group in parent.glob(f"{_PREFIX}*-*"):
        number = group.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", number).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def _remove_group(folder: Path) -> None:
    """Remove a group, whose last process may still be ending."""
    for _ in range(100):
        with contextlib.suppress(OSError):
            return folder.rmdir()
        time.sleep(0.01)
