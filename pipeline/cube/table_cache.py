"""The cache of pruning tables: built once, and hashed by every process that proves with them.

The cache folder is the `cache` argument, else $FACELET_CACHE, else facelet in $XDG_CACHE_HOME or
~/.cache. A table is built in memory under a lock, so one process builds and the others wait, then
written to a temporary name, synced and renamed: a file with a table's name is complete. Its hash is
part of the name, so tables of different versions of this package coexist. A read-only cache still
serves its good tables.

The file itself is never searched or trusted. A process copies it into memory that nobody can modify
(see `frozen_memory`), hashes the copy and searches it; if the hash differs, the table is built
again. On Linux the copy is sealed and shared: the first process creates it, the others map and hash
it themselves, so any number of workers need the memory of one. Elsewhere, and with `private`, each
has its own. Later changes of the file have no effect.

Measured on two cores of an EPYC, with the file in the page cache, to open a table takes

    small     22 MB    0.03 s   0.03 s where another process has it already (the hash alone)
    default   0.3 GB   0.3 s    0.3 s
    large     2.6 GB   2.6 s    2.2 s

once in a process. To search depth 17 takes 0.6 s with the default table, each further move some 13
times as long; to build it takes 8 s.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from tqdm import tqdm

from facelet.generators.cube.distance import pruning_tables
from facelet.generators.cube.distance.pruning_tables import (
    Memory,
    PruningTable,
    TableSpec,
    WrongTableError,
)
from facelet.pipeline.argument_text import expand_home
from facelet.pipeline.cube import frozen_memory
from facelet.pipeline.dataset import atomic_files
from facelet.pipeline.dataset.atomic_files import wait_for_lock
from facelet.pipeline.family_modules import FamilySettings

_SPARE = 1 << 28
"""Bytes of memory that are left to others."""


def read_cache_setting(told: FamilySettings) -> Path | None:
    """Return the folder of tables that a build's key `cache` names, if it names one."""
    cache = told.get("cache")
    return expand_home(cache) if cache else None


def cache_folder(cache: Path | None = None) -> Path:
    """Return the folder that tables are kept in.

    Raises:
        ValueError: no folder is named, and this user has no home folder.
    """
    if cache is not None:
        return cache
    if named := os.environ.get("FACELET_CACHE"):
        return expand_home(named)
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else expand_home("~/.cache")) / "facelet"


def table_path(name: str, cache: Path | None = None) -> Path:
    """Return the file of a table, whether it is there or not.

    Raises:
        ValueError: there is no such table.
    """
    return cache_folder(cache) / f"{name}-{pruning_tables.find_spec(name).digest[:12]}.table"


_held: weakref.WeakValueDictionary[Path, PruningTable] = weakref.WeakValueDictionary()
"""The tables that this process has in memory, by the file that they were read from."""


def open_table(
    name: str, cache: Path | None = None, *, progress: bool = True, private: bool = False
) -> PruningTable:
    """Return a table that this process hashed, built first if the cache does not have it.

    While this process keeps it, another call returns the same one.

    Args:
        name: such as "htm-default"; see `tables.SPECS`.
        cache: the folder to keep it in; see `cache_folder`.
        progress: whether to show a progress bar on stderr while building.
        private: copy it into this process's own memory, where searches are up to a tenth faster,
            instead of sharing one copy with other processes; the answers are the same.

    Raises:
        ValueError: there is no such table, or too little disk space to build it or memory for it.
        WrongTableError: what was built is not what must come out.
    """
    spec = pruning_tables.find_spec(name)
    path = table_path(name, cache).absolute()
    if (table := _held.get(path) or _read_table(spec, path, private)) is None:
        waiting = f"waiting for the process that builds {name}" if progress else ""
        with wait_for_lock(path.with_suffix(".lock"), waiting):
            if (table := _read_table(spec, path, private)) is None:
                _build_file(spec, path, progress)
                table = _read_table(spec, path, private)
    if table is None:
        raise WrongTableError(f"{path} does not hold what was written to it; look at the disk")
    _held[path] = table
    return table


def _read_table(spec: TableSpec, path: Path, private: bool) -> PruningTable | None:
    """Return the table of a file; None if it has to be built."""
    try:
        if path.stat().st_size != spec.byte_count:
            return None
        if not private and frozen_memory.can_seal():
            return _read_shared(spec, path)
        return _read_private(spec, path)
    except FileNotFoundError:
        return None


def _read_private(spec: TableSpec, path: Path) -> PruningTable | None:
    """Return the table of a file, in memory of this process alone."""
    _demand_memory(spec)
    memory = frozen_memory.read_private(path, spec.byte_count)
    return None if memory is None else _verify_table(spec, memory)


def _read_shared(spec: TableSpec, path: Path) -> PruningTable | None:
    """Return the table of a file, in sealed memory that processes share."""
    # Another cache is another label: who names one asks what stands there.
    place = blake2b(os.fsencode(path), digest_size=8).hexdigest()
    label = f"facelet {path.stem} {place}"
    if (table := _find_shared(spec, label)) is not None:
        return table
    with _one_reads(path):
        if (table := _find_shared(spec, label)) is not None:
            return table
        _demand_memory(spec)
        try:
            memory = frozen_memory.read_sealed(path, spec.byte_count, label)
        except FileNotFoundError:
            raise
        except OSError:  # no such call here, or none allowed
            return _read_private(spec, path)
        return None if memory is None else _verify_table(spec, memory)


def _find_shared(spec: TableSpec, label: str) -> PruningTable | None:
    """Return a table that another process has open, hashed here."""
    for memory in frozen_memory.iterate_sealed(spec.byte_count, label):
        if (table := _verify_table(spec, memory)) is not None:
            return table
    return None


def _verify_table(spec: TableSpec, memory: Memory) -> PruningTable | None:
    try:
        return PruningTable(spec, memory)
    except WrongTableError:
        return None


@contextmanager
def _one_reads(path: Path) -> Iterator[None]:
    """Let the processes of this machine read a file one at a time, where a lock can be kept."""
    machine = "".join(letter if letter.isalnum() else "-" for letter in platform.node())
    lock = path.with_suffix(f".{machine[:40]}.lock")
    if not os.access(path.parent, os.W_OK):
        yield
        return
    with wait_for_lock(lock, ""):
        yield


def _build_file(spec: TableSpec, path: Path, progress: bool) -> None:
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        left.unlink(missing_ok=True)
    _check_space(spec, path.parent)
    memory = frozen_memory.allocate_anonymous(spec.byte_count)
    start = time.perf_counter()
    with tqdm(
        desc=f"building table {spec.name}",
        unit="step",
        disable=not progress,
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
    ) as bar:

        def report_progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        pruning_tables.build_table(spec, memory, progress=report_progress)
    PruningTable(spec, memory)  # raises if it is another
    with atomic_files.write_atomically(path) as file:
        for begin in range(0, spec.byte_count, 1 << 26):
            file.write(memory[begin : begin + (1 << 26)].data)
    if progress:
        seconds = time.perf_counter() - start
        print(f"{path}: {spec.byte_count / 1e6:,.0f} MB in {seconds:.1f} s", file=sys.stderr)


def _check_space(spec: TableSpec, folder: Path) -> None:
    """Refuse to begin what cannot end well."""
    free = shutil.disk_usage(folder).free
    if free < spec.byte_count + (1 << 24):
        raise ValueError(
            f"table {spec.name} needs {spec.byte_count / 1e9:.1f} GB in {folder}, where "
            f"{free / 1e9:.1f} GB are free; set FACELET_CACHE to a folder with more room"
        )
    available = available_memory()
    needed = spec.byte_count + spec.entry_bytes // 2 + (1 << 26)
    if available is not None and available < needed:
        raise ValueError(
            f"building table {spec.name} needs {needed / 1e9:.1f} GB of memory, and "
            f"{available / 1e9:.1f} GB are available; free some, "
            "or choose a smaller one with table=..."
        )


def available_memory() -> int | None:
    """Return the bytes of memory available without swapping, where the system reports it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(x.split()[1]) for x in lines if x.startswith("MemAvailable:")), None)


def _demand_memory(spec: TableSpec) -> None:
    """Refuse to fill more memory than can be had.

    Raises:
        ValueError: it is too little.
    """
    if (available := available_memory()) is not None and available < spec.byte_count + _SPARE:
        raise ValueError(
            f"table {spec.name} takes {spec.byte_count / 1e9:.1f} GB of memory, and "
            f"{max(0, available - _SPARE) / 1e9:.1f} GB are available; free some, "
            "or choose a smaller one with table=..."
        )
