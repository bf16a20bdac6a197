"""Build pruning tables, and hash their bytes.

A table bounds the distance of a state from below by the exact distance of its coset (see _cube.h):
the places of the U corners, the twist of the corners, the places of the four middle-layer edges,
and some edge flips. Entries take two bits: 0 for at most `base`, then base + 1, base + 2, and more.
For entries of 0 a stripe of 64 keeps its least distance in four bits.

Building is breadth first, on all cores; the bytes depend on the spec only. The number of cosets at
each distance and the hash of the bytes are known in advance and checked. No files are touched here:
`facelet.pipeline.cube.table_cache` keeps tables in a cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.distance.compiled_cores import core
from facelet.generators.cube.engine.notation import Metric

Memory = npt.NDArray[np.uint8]

_CLASSES, _SLICES = 9930, 495
"""Classes of corner parts, and sets of places of the middle-layer edges; as in _cube.h."""

_BLOCKS = _CLASSES * _SLICES
_CHUNK = 64
"""Corner classes that one call builds; even, because two of them may share a byte of minima."""

_HASH_CHUNK = 1 << 24


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A kind of table.

    Attributes:
        name: metric and size, such as "htm-default".
        metric: "htm" or "qtm".
        flips: edge flips that the coset keeps: 4, 8 or 11.
        base: distances up to this one share an entry.
        counts: cosets at distance 0, 1, ..., base + 2.
        digest: hash of the table's bytes; see `hash_table`.
    """

    name: str
    metric: Metric
    flips: int
    base: int
    counts: tuple[int, ...]
    digest: str

    @property
    def entry_bytes(self) -> int:
        """Bytes of the entries alone."""
        return _BLOCKS * (1 << self.flips) // 4

    @property
    def byte_count(self) -> int:
        """Bytes of the whole table."""
        stripes = _BLOCKS * max(1, (1 << self.flips) // 64)
        return self.entry_bytes + (stripes + 1) // 2


def _table_spec(name: str, flips: int, base: int, digest: str, counts: str) -> TableSpec:
    metric: Metric = "qtm" if name.startswith("qtm") else "htm"
    return TableSpec(name, metric, flips, base, tuple(map(int, counts.split())), digest)


SPECS: dict[str, TableSpec] = {
    spec.name: spec
    for spec in (
        _table_spec(
            "htm-small",
            flips=4,
            base=7,
            digest="d9c842d20ebc9688ca41765f83133e4f",
            counts="1 12 133 1594 19138 232204 2720096 29418548 240591144 733843578",
        ),
        _table_spec(
            "htm-default",
            flips=8,
            base=8,
            digest="6fe36b4a3607f8dd4b752366e93e705e",
            counts="1 12 133 1602 19422 242236 3020094 36947476 426319150 3830907638 12355080048",
        ),
        _table_spec(
            "htm-large",
            flips=11,
            base=9,
            digest="b62b887c84ccaac324bd8fe14571c87e",
            counts="1 12 133 1602 19518 244892 3080590 38441460 470328584 5368215656 44357827016 "
            "96779083572",
        ),
        _table_spec(
            "qtm-small",
            flips=4,
            base=8,
            digest="62388ec363faf1f594b53eed62880781",
            counts="1 8 76 672 6045 53768 468860 3973222 31450014 199885766 630092940",
        ),
        _table_spec(
            "qtm-default",
            flips=8,
            base=9,
            digest="f2221672a5a22be0039570850ca4343d",
            counts="1 8 76 680 6165 56800 522274 4766232 42880880 369252072 2683146228 10095129356",
        ),
        _table_spec(
            "qtm-large",
            flips=11,
            base=10,
            digest="83e4f5271891136554d1b8a0b7147ba4",
            counts="1 8 76 680 6213 57456 531162 4890384 44865740 406982748 3551010787 26016320198 "
            "89443882429",
        ),
    )
}
"""The tables by name. Small ones take seconds to build and serve for lengths up to about 13."""


def find_spec(name: str) -> TableSpec:
    """Return the kind of table with a name.

    Raises:
        ValueError: there is no such table; the message lists the names.
    """
    if name not in SPECS:
        raise ValueError(f"unknown table {name!r}; known: {', '.join(SPECS)}")
    return SPECS[name]


class WrongTableError(RuntimeError):
    """Bytes or counts differ from the known ones: damage, or a fault of machine or compiler."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PruningTable:
    """A table in memory, whose bytes were hashed when it was made; no table is made otherwise.

    Proofs made with it hold as long as the memory is not written to afterwards. So it must be made
    of memory that only this process has, or that is sealed against writing; never of the pages of
    a file, which can change under it.

    Attributes:
        spec: its kind.
        memory: uint8 (spec.bytes,), read only by solvers, shared by any number of them.

    Raises:
        WrongTableError: these are not the bytes of its kind.
    """

    spec: TableSpec
    memory: Memory

    def __post_init__(self) -> None:
        if (found := hash_table(self.memory)) != self.spec.digest:
            raise WrongTableError(
                f"{self.spec.name}: the hash is {found}, but must be {self.spec.digest}"
            )

    @property
    def memory_hash(self) -> str:
        """Hash of the memory; certificates carry it."""
        return self.spec.digest


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def build_table(
    spec: TableSpec,
    out: Memory,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Build a table.

    While it runs it takes half as much memory again as the table.

    Args:
        spec: the kind of table.
        out: uint8 (spec.bytes,), overwritten.
        threads: how many to use; all processors by default. The bytes are the same.
        progress: called as (steps done, steps in all).

    Raises:
        ValueError: `out` has the wrong size or type.
        WrongTableError: the number of cosets at some distance is not the known one.
    """
    if out.shape != (spec.byte_count,) or out.dtype != np.uint8 or not out.flags.c_contiguous:
        raise ValueError(
            f"{spec.name} needs a contiguous uint8 array of {spec.byte_count} bytes, not "
            f"{out.dtype} {out.shape}"
        )
    planes, minima = out[: spec.entry_bytes], out[spec.entry_bytes :]
    planes[:] = 0
    minima[:] = 0xFF
    other = np.zeros(spec.entry_bytes // 2, dtype=np.uint8)
    active = np.zeros((2, _BLOCKS), dtype=np.uint8)
    programs = core.programs(spec.flips)
    quarter_turns = spec.metric == "qtm"
    ranges = [(low, min(low + _CHUNK, _CLASSES)) for low in range(0, _CLASSES, _CHUNK)]
    total = len(ranges) * (spec.base + 3)

    def count_level(number: int, low: int, high: int) -> int:
        last, following = active[(number - 1) % 2], active[number % 2]
        return core.level(
            *(planes, other, last, classes, following, minima, programs),
            *(spec.flips, spec.base, number, quarter_turns, low, high),
        )

    classes = np.zeros(_CLASSES, dtype=np.uint8)
    counts = [count_level(0, 0, 0)]
    with ThreadPoolExecutor(threads or count_processors()) as pool:
        step = 0

        def report_progress() -> None:
            nonlocal step
            step += 1
            if progress is not None:
                progress(step, total)

        for number in range(1, spec.base + 3):
            found = 0
            last = active[(number - 1) % 2].reshape(_CLASSES, _SLICES)
            classes = last.max(axis=1)
            for count in pool.map(lambda r, n=number: count_level(n, *r), ranges):
                found += count
                report_progress()
            counts.append(found)
            if spec.counts and counts != list(spec.counts[: len(counts)]):
                raise WrongTableError(
                    f"{spec.name}: {found} cosets at distance {number}, "
                    f"but there are {spec.counts[number]}"
                )
        finish = pool.map(lambda r: core.finish(planes, other, spec.flips, spec.base, *r), ranges)
        for _ in finish:
            report_progress()


def hash_table(memory: Memory) -> str:
    """Return the hash of a table's bytes: BLAKE2b over the BLAKE2b hashes of its pieces of 16 MiB.

    Hexadecimal, 32 digits. Pieces are hashed on all processors.
    """
    pieces = [memory[start : start + _HASH_CHUNK] for start in range(0, len(memory), _HASH_CHUNK)]
    whole = blake2b(digest_size=16)
    with ThreadPoolExecutor(count_processors()) as pool:
        for part in pool.map(lambda piece: blake2b(piece, digest_size=32).digest(), pieces):
            whole.update(part)
    return whole.hexdigest()
