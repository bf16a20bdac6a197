"""The cache of pruning tables: built once, checked by hash, mapped from the file and shared.

The cache is a folder: the `cache` argument, else $FACELET_CACHE, else facelet in $XDG_CACHE_HOME or
~/.cache. A table is built under a lock, so that of many processes one builds and the others wait,
in memory, then written to a temporary name, synced and renamed: a file with a table's name is a
whole table. Its hash is part of the name, so tables of different versions of this package live side
by side. A cache that cannot be written to serves the good tables that it holds.

A file that was hashed once is taken for the table as long as its size, times and place are the
same. Who proves something for others hashes it himself, once in a process (`verify`).

A table that is cut, or whose disk fails, while it is searched ends the process with a line that
names it (the guard of the compiled core; Linux and macOS).

Processes share the pages of the file. Random lookups are up to 1.5 times faster in huge pages; they
are asked for, and used where the file system has them. Where it has none, a caller that is the only
process may ask for a private copy in anonymous memory, which always can.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import shutil
import sys
import time
import weakref
from pathlib import Path

import numpy as np
from tqdm import tqdm

from facelet.generators.cube.distance import tables
from facelet.generators.cube.distance.compiled import core
from facelet.generators.cube.distance.tables import Memory, Table, TableSpec
from facelet.pipeline.dataset import files
from facelet.pipeline.dataset.locks import one_at_a_time
from facelet.pipeline.families import Told
from facelet.pipeline.words import expand, plain

_HUGE = 1 << 21
_POPULATE_READ = 22
"""MADV_POPULATE_READ (Linux 5.14), which this version of Python has no name for."""

_CUT = "let nobody write to it, and run again: it is then built anew"


def told_cache(told: Told) -> Path | None:
    """Return the folder of tables that a build's key `cache` names, if it names one."""
    cache = told.get("cache")
    return expand(cache) if cache else None


def cache_folder(cache: Path | None = None) -> Path:
    """Return the folder that tables are kept in.

    Raises:
        ValueError: no folder is named, and this user has no home folder.
    """
    if cache is not None:
        return expand(str(cache))
    if named := os.environ.get("FACELET_CACHE"):
        return expand(named)
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else expand("~/.cache")) / "facelet"


def table_path(name: str, cache: Path | None = None) -> Path:
    """Return the file of a table, whether it is there or not.

    Raises:
        ValueError: there is no such table.
    """
    return cache_folder(cache) / f"{name}-{tables.spec(name).digest[:12]}.table"


def open_table(
    name: str,
    cache: Path | None = None,
    *,
    progress: bool = True,
    private: bool = False,
    verify: bool = False,
) -> Table:
    """Return a table, built first if the cache does not have it.

    Args:
        name: such as "htm-default"; see `tables.SPECS`.
        cache: the folder to keep it in; see `cache_folder`.
        progress: whether to show a progress bar on stderr while building.
        private: copy the table into this process's own memory if the mapped file has no huge pages
            and there is room for it; the answers are the same, only slower without.
        verify: hash the file unless this process did so already, even if its size, times and place
            are those that it was hashed with.

    Raises:
        ValueError: there is no such table, too little disk space or memory to build it, or its
            file is being cut.
        WrongTableError: what was built is not what must come out.
    """
    spec = tables.spec(name)
    path = table_path(name, cache)
    if not _checked(path, spec, verify):
        waiting = f"waiting for the process that builds {name}" if progress else ""
        with one_at_a_time(path.with_suffix(".lock"), waiting):
            if not _checked(path, spec, verify):
                _build(spec, path, progress)
    memory, huge = _map(path, spec.bytes)
    if private and not huge and _fits(spec.bytes):
        copy = _anonymous(spec.bytes)
        copy[:] = memory
        copy.setflags(write=False)
        memory = copy
    return Table(spec, memory, spec.digest)


_hashed: set[tuple[Path, tuple[tuple[str, int], ...]]] = set()
"""The files that this process hashed and found good, as they were then."""


def _stamp(path: Path) -> dict[str, int]:
    """Return what tells a file from another one, or from itself before a change."""
    status = path.stat()
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }


def _checked(path: Path, spec: TableSpec, verify: bool) -> bool:
    """Whether the file is there and is the table; a file that is not is left to be built again."""
    try:
        stamp = _stamp(path)
    except FileNotFoundError:
        return False
    if stamp["size"] != spec.bytes:
        return False
    seen = (path, tuple(stamp.items()))
    if seen in _hashed:
        return True
    record = path.with_suffix(".checked")
    if not verify and _recorded(record) == stamp:
        return True
    if tables.digest(_map(path, spec.bytes)[0]) != spec.digest:
        return False
    if _stamp(path) == stamp:
        _hashed.add(seen)
        _write_record(record, stamp)
    return True


def _recorded(record: Path) -> object:
    """Return what a file says a table was when it was hashed; None if it says nothing."""
    try:
        return json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _write_record(record: Path, stamp: dict[str, int]) -> None:
    """Keep what a table was when it was hashed, which spares others to hash it again.

    A cache that cannot be written to serves its tables all the same.
    """
    try:
        files.write_text(record, json.dumps(stamp))
    except OSError:
        return


def _build(spec: TableSpec, path: Path, progress: bool) -> None:
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        left.unlink(missing_ok=True)
    _room(spec, path.parent)
    memory = _anonymous(spec.bytes)
    start = time.perf_counter()
    with tqdm(
        desc=f"building table {spec.name}",
        unit="step",
        disable=not progress,
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
    ) as bar:

        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        tables.build(spec, memory, progress=report)
    found = tables.digest(memory)
    if found != spec.digest:
        raise tables.WrongTableError(f"{spec.name}: the hash is {found}, but must be {spec.digest}")
    with files.whole(path) as file:
        for begin in range(0, spec.bytes, 1 << 26):
            file.write(memory[begin : begin + (1 << 26)].data)
    _write_record(path.with_suffix(".checked"), _stamp(path))
    if progress:
        seconds = time.perf_counter() - start
        print(f"{path}: {spec.bytes / 1e6:,.0f} MB in {seconds:.1f} s", file=sys.stderr)


def _room(spec: TableSpec, folder: Path) -> None:
    """Refuse to begin what cannot end well."""
    free = shutil.disk_usage(folder).free
    if free < spec.bytes + (1 << 24):
        raise ValueError(
            f"table {spec.name} needs {spec.bytes / 1e9:.1f} GB in {folder}, where "
            f"{free / 1e9:.1f} GB are free; set FACELET_CACHE to a folder with more room"
        )
    available = _available_memory()
    needed = spec.bytes + spec.entry_bytes // 2 + (1 << 26)
    if available is not None and available < needed:
        raise ValueError(
            f"building table {spec.name} needs {needed / 1e9:.1f} GB of memory, and "
            f"{available / 1e9:.1f} GB are available; choose a smaller one"
        )


def _available_memory() -> int | None:
    """Return the bytes of memory that can be had without swapping, where the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(x.split()[1]) for x in lines if x.startswith("MemAvailable:")), None)


def _fits(size: int) -> bool:
    """Whether so much memory, and a little more, can be taken; true where the system is silent."""
    available = _available_memory()
    return available is None or available > size + (1 << 28)


def _advise(mapping: mmap.mmap, advice: int) -> None:
    """Give the system a hint; one that it does not know makes no difference but in speed."""
    try:
        mapping.madvise(advice)
    except (OSError, ValueError):
        return


def _anonymous(size: int) -> Memory:
    mapping = mmap.mmap(-1, (size + _HUGE - 1) // _HUGE * _HUGE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        _advise(mapping, mmap.MADV_HUGEPAGE)
    return np.frombuffer(mapping, dtype=np.uint8)[:size]


def _map(path: Path, size: int) -> tuple[Memory, bool]:
    """Return a file's bytes, read only, and whether most of them are in huge pages."""
    with path.open("rb") as file:
        if (found := os.fstat(file.fileno()).st_size) != size:
            raise ValueError(f"{path} has {found} bytes instead of {size}; {_CUT}")
        mapping = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        _advise(mapping, mmap.MADV_HUGEPAGE)
        _populate(mapping, path)
    memory = np.frombuffer(mapping, dtype=np.uint8)
    line = plain(f"facelet: {path} was cut, or cannot be read, while it was in use; {_CUT}")
    if first := core.guard(memory, f"\n{line}\n".encode()):
        weakref.finalize(mapping, core.release, first).atexit = False
    return memory, _huge_bytes(memory.ctypes.data) > size // 2


def _populate(mapping: mmap.mmap, path: Path) -> None:
    """Read all pages of a mapped file in, where the system can; a page that is gone is an error.

    To touch such a page later would end the process without a word.

    Raises:
        ValueError: the file is shorter than its mapping.
    """
    try:
        mapping.madvise(_POPULATE_READ)
    except ValueError:
        return
    except OSError as error:
        if error.errno == errno.EFAULT:
            raise ValueError(f"{path} was cut while it was opened; {_CUT}") from None


def _huge_bytes(address: int) -> int:
    """Return how many bytes of the mapping at an address are in huge pages; 0 if unknown."""
    try:
        lines = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    inside = False
    for line in lines:
        key = line.split(maxsplit=1)[0]
        if not key.endswith(":"):
            low, _, high = key.partition("-")
            inside = int(low, 16) <= address < int(high, 16)
        elif inside and key == "FilePmdMapped:":
            return 1024 * int(line.split()[1])
    return 0
