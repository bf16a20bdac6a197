"""Search cosets: exact distances, in half turns, of all states of a coset, level by level.

H is the subgroup that U, D and half turns of the other faces make: 19,508,428,800 elements. A coset
is R * H, all states that some R and an element of H after it make; there are 2,217,093,120. A
maneuver w makes a state of the coset exactly if it takes the inverse of R into H, and then the
element is what that product is. So to find every such w of length 0, 1, 2, ... gives the states at
each distance: what is new at length d is exactly d turns from solved, as all that is nearer is
known. No state is searched for; a search leads on at every node, since the distance to H of every
coset is in a table.

A level is found in one of two ways, with the same result. Up to `SPREAD_FROM` - 1 every maneuver of
the length is searched. From there on, what one turn of H makes of the states before is found first,
in bulk, and only maneuvers whose last turn is not in H are searched: every optimal maneuver is of
one of the two kinds, so the level is complete.

A coset is numbered by twist, middle-layer places and flips of the inverse of R, an element by its
code; see _coset_tables.h. `coset_states` turns codes into states, `find_words` into words.

After T. Rokicki, H. Kociemba, M. Davidson and J. Dethridge, "The diameter of the Rubik's cube group
is twenty" (2010).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.distance.compiled_cores import coset as core
from facelet.generators.cube.distance.ordered_threads import run_ordered
from facelet.generators.cube.distance.pruning_tables import Memory, count_processors
from facelet.generators.cube.engine import cubies, symmetry
from facelet.generators.cube.engine.cubies import Cubies
from facelet.generators.cube.engine.notation import FACE_MOVES, Maneuver

Job = TypeVar("Job")
Done = TypeVar("Done")

Codes = npt.NDArray[np.uint64]
Allocate = Callable[[int], Memory]
"""Returns so many zeroed bytes."""

Progress = Callable[[str, int, int], None]
"""Called as (what is done, steps done, steps in all)."""


class LevelCheckpoint(Protocol):
    """Keeps a level that takes hours while it is searched, so that a killed search can go on.

    What is kept of a level is its map and how many of the beginnings were searched. A map may have
    bits of later ones: to set a bit again does no harm.
    """

    def resume_level(self, depth: int, bits: Memory) -> int:
        """Fill the map with what was kept of a level; return how many beginnings that holds.

        With 0, the map is as it was.
        """

    def save_level(self, depth: int, bits: Memory, done: int) -> None:
        """Take note that so many beginnings of a level are searched; keep the map if it is time."""


COSETS = 2187 * 495 * 2048
"""How many cosets there are."""

ELEMENTS = 40320 * 20160 * 24
"""How many states a coset has; codes are 0 to one less."""

KNOWN_COSETS = (
    *(1, 4, 50, 592, 7156, 87236, 1043817, 12070278),
    *(124946368, 821605960, 1199128738, 58202444, 476),
)
"""Cosets at distance 0, 1, ... from H, as published; what is built must agree."""

SPREAD_FROM = 16
"""Depth from which on a level begins with what turns of H make of the states before."""

DEEPEST = 17
"""The deepest level that is searched; one more would take a coset half a day."""

_PIECE = 64
"""Pages that a thread handles at a time."""

_CLEARED = 1 << 20
"""Bits of a map that are cleared one by one; with more, all of it is."""

_SPLIT_FROM = 10
"""Length from which on a search is cut up by its first two moves."""


class CosetTables:
    """The tables of the search, filled once: 214 MB, ten seconds of a processor.

    Args:
        allocate: makes the memory.
        within: distances up to this one are filled in; levels up to it can be searched. Least 6;
            12 serves any level.

    Raises:
        RuntimeError: the cosets at some distance are not as many as they must be.
    """

    def __init__(self, allocate: Allocate, within: int = len(KNOWN_COSETS) - 1) -> None:
        self.memory = allocate(core.BYTES)
        self.deepest = DEEPEST if within == len(KNOWN_COSETS) - 1 else within
        core.fill(self.memory, within)
        found, known = core.counts(self.memory)[: within + 1], KNOWN_COSETS[: within + 1]
        if tuple(found) != known:
            raise RuntimeError(f"cosets by distance are {found}, but must be {known}")

    def code_of(self, facelets: str) -> int:
        """Return the code of a state in its coset.

        Raises:
            IllegalCube: face turns cannot reach the state.
        """
        state = cubies.from_facelets(facelets)
        inverse_of_base = coset_representative(self._locate_state(cubies.invert_cubies(state))[0])
        if (code := self._locate_state(cubies.compose_cubies(inverse_of_base, state))[1]) is None:
            raise RuntimeError(f"{facelets} is not in its own coset")
        return code

    def least_image(self, number: int) -> int:
        """Return the least number of a coset's images under the symmetries that keep H."""
        facelets = cubies.to_facelets(coset_representative(number))
        images = (symmetry.transform_state(facelets, s) for s in KEEPING_H)
        return min(self._locate_state(cubies.from_facelets(image))[0] for image in images)

    def _locate_state(self, state: Cubies) -> tuple[int, int | None]:
        return core.place(self.memory, pack_state(state))


KEEPING_H = tuple(s for s in range(symmetry.COUNT) if symmetry.COLOURS[s, 0] in (0, 3))
"""The sixteen symmetries that leave the axis from U to D where it is."""


def pack_state(state: Cubies) -> bytes:
    """Return a state as the compiled search reads it: 40 bytes."""
    return bytes((*state.cp, *state.co, *state.ep, *state.eo))


def coset_representative(number: int) -> Cubies:
    """Return a state that lies in H * R for R of a coset: the search starts there.

    Its corners are at home, twisted; two edges are exchanged where that makes it legal.

    Raises:
        ValueError: there is no such coset.
    """
    if not 0 <= number < COSETS:
        raise ValueError(f"coset {number} is not one of 0 to {COSETS - 1}")
    rest, flips = divmod(number, 2048)
    twist, slice_ = divmod(rest, 495)
    turns = [twist // 3**place % 3 for place in range(7)]
    turns.append(-sum(turns) % 3)
    flipped = [flips >> place & 1 for place in range(11)]
    flipped.append(sum(flipped) % 2)
    mask = _middle_edge_masks()[slice_]
    middle, outer = iter(range(8, 12)), iter(range(8))
    edges = [next(middle if mask >> place & 1 else outer) for place in range(12)]
    if cubies.permutation_parity(tuple(edges)):
        edges = [{0: 1, 1: 0}.get(edge, edge) for edge in edges]
    return Cubies(tuple(range(8)), tuple(turns), tuple(edges), tuple(flipped))


@cache
def _middle_edge_masks() -> tuple[int, ...]:
    """Return the sets of places of the four middle edges, as bits, by number."""
    return tuple(mask for mask in range(1 << 12) if mask.bit_count() == 4)


@dataclass(frozen=True, slots=True)
class CosetLevel:
    """All states of a coset at one distance.

    Attributes:
        depth: the distance, in half turns.
        pages: int64 (40320,), how many are on each page; a code's page is code // 483,840.
        codes: returns uint64 codes of pages low to high - 1, rising. Call it before the next
            level is asked for.
    """

    depth: int
    pages: npt.NDArray[np.int64]
    codes: Callable[[int, int], Codes]

    @property
    def state_count(self) -> int:
        """How many states there are."""
        return int(self.pages.sum())


class CosetSearch:
    """Finds the levels of a coset, on all processors.

    A search to 15 takes one map of 2.4 GB, one further down two.

    Args:
        tables: what it searches with.
        allocate: makes the memory of maps.
        threads: how many work at the same time; all processors by default. The result is the same.
        spread_from: see `SPREAD_FROM`; a test may choose another.
    """

    def __init__(
        self,
        tables: CosetTables,
        allocate: Allocate,
        *,
        threads: int | None = None,
        spread_from: int = SPREAD_FROM,
    ) -> None:
        self.tables = tables
        self._allocate = allocate
        self._threads = threads or count_processors()
        self._spread_from = spread_from
        self._maps: list[Memory] = []
        self._marked: list[Codes] = []
        """What is set in the first map, unless it is `_full`."""
        self._full = False

    def iterate_levels(
        self,
        number: int,
        deepest: int,
        progress: Progress | None = None,
        keeper: LevelCheckpoint | None = None,
    ) -> Iterator[CosetLevel]:
        """Yield the levels of a coset from depth 0 on.

        Args:
            number: the coset's.
            deepest: the last level.
            progress: told what is done.
            keeper: keeps what is searched of a level that has a map.

        Raises:
            ValueError: there is no such coset, or the last level is out of range.
        """
        if not 0 <= deepest <= self.tables.deepest:
            raise ValueError(f"depth {deepest} is not one of 0 to {self.tables.deepest}")
        start = pack_state(coset_representative(number))
        now, before = self._empty_map(), None
        for depth in range(deepest + 1):
            if depth < self._spread_from:
                found = self._search_level(now, start, depth, core.LIST, progress)
                codes = np.sort(found)
                self._marked.append(codes)
                yield _codes_to_level(depth, codes)
                continue
            if before is None:
                before = self._allocate_map(1)
            self._full = True
            now, before = before, now
            begun = keeper.resume_level(depth, now) if keeper else 0
            if not begun:
                self._spread_level(before, now, depth, progress)
            self._search_level(now, start, depth, core.MARK, progress, begun, keeper)
            yield self._read_level(depth, now, before, progress)

    def find_words(
        self,
        number: int,
        depth: int,
        codes: Codes,
        progress: Progress | None = None,
    ) -> list[Maneuver]:
        """Return an optimal maneuver that solves each of some states: of several the same always.

        Its first map is used, so levels that are still asked for are lost.

        Args:
            number: the coset's.
            depth: the distance of these states.
            codes: theirs, rising.
            progress: told what is done.

        Raises:
            ValueError: one is not at that distance.
        """
        wanted = self._empty_map()
        self._marked.append(codes)
        np.bitwise_or.at(wanted, codes >> np.uint64(3), _code_bits(codes))
        start = pack_state(coset_representative(number))
        found = self._search_level(wanted, start, depth, core.WORDS, progress).reshape(-1, 3)
        order = np.lexsort((found[:, 2], found[:, 1], found[:, 0]))
        found = found[order]
        first = np.ones(len(found), dtype=bool)
        first[1:] = found[1:, 0] != found[:-1, 0]
        found = found[first]
        if not np.array_equal(found[:, 0], codes):
            raise ValueError(f"a state of coset {number} is not at distance {depth}")
        return [_decode_maneuver(int(high), int(low), depth) for high, low in found[:, 1:]]

    def _empty_map(self) -> Memory:
        """Return the first map, empty: a few bits are cleared one by one."""
        bits = self._allocate_map(0)
        if self._full or sum(map(len, self._marked)) > _CLEARED:
            bits[:] = 0
        else:
            for codes in self._marked:
                bits[codes >> np.uint64(3)] = 0
        self._marked, self._full = [], False
        return bits

    def _allocate_map(self, which: int) -> Memory:
        while len(self._maps) <= which:
            self._maps.append(self._allocate(core.MAP_BYTES))
        return self._maps[which]

    def _search_level(
        self,
        bits: Memory,
        start: bytes,
        depth: int,
        task: int,
        progress: Progress | None,
        begun: int = 0,
        keeper: LevelCheckpoint | None = None,
    ) -> Codes:
        """Search all maneuvers of a length; return what is listed, in no order.

        With `begun`, the first so many beginnings are left out.
        """
        firsts = [b""] if depth < _SPLIT_FROM else _list_beginnings()

        def search_beginning(first: bytes) -> Codes:
            found = core.search(self.tables.memory, bits, start, first, depth, task)
            return np.frombuffer(found, dtype=np.uint64)

        parts = [np.empty(0, dtype=np.uint64)]
        for part in self._run_jobs(search_beginning, firsts, f"search {depth}", progress, begun):
            parts.append(part)
            if keeper is not None:
                keeper.save_level(depth, bits, begun + len(parts) - 1)
        return np.concatenate(parts)

    def _spread_level(
        self,
        before: Memory,
        now: Memory,
        depth: int,
        progress: Progress | None,
    ) -> None:
        def spread_range(low: int) -> None:
            core.spread(self.tables.memory, before, now, low, low + _PIECE)

        for _ in self._run_jobs(
            spread_range, range(0, core.PAGES, _PIECE), f"spread {depth}", progress
        ):
            pass

    def _read_level(
        self,
        depth: int,
        now: Memory,
        before: Memory,
        progress: Progress | None,
    ) -> CosetLevel:
        """Return the level that one map has and the other does not."""
        pages = np.zeros(core.PAGES, dtype=np.uint64)

        def count_range(low: int) -> None:
            core.count(now, before, low, low + _PIECE, pages[low : low + _PIECE])

        for _ in self._run_jobs(
            count_range, range(0, core.PAGES, _PIECE), f"count {depth}", progress
        ):
            pass

        def read_codes(low: int, high: int) -> Codes:
            out = np.empty(int(pages[low:high].sum()), dtype=np.uint64)
            core.codes(now, before, low, high, out)
            return out

        return CosetLevel(depth, pages.astype(np.int64), read_codes)

    def _run_jobs(
        self,
        work: Callable[[Job], Done],
        jobs: Sequence[Job],
        what: str,
        progress: Progress | None,
        begun: int = 0,
    ) -> Iterator[Done]:
        found = run_ordered(work, jobs[begun:], self._threads, threading.Event())
        for done, result in enumerate(found, begun + 1):
            yield result
            if progress is not None:
                progress(what, done, len(jobs))


@cache
def _list_beginnings() -> list[bytes]:
    """Return all pairs of moves that a search can begin with; the core leaves out what repeats."""
    return [bytes((first, second)) for first in range(18) for second in range(18)]


def _code_bits(codes: Codes) -> npt.NDArray[np.uint8]:
    bits: npt.NDArray[np.uint8] = (1 << (codes & np.uint64(7))).astype(np.uint8)
    return bits


def _codes_to_level(depth: int, codes: Codes) -> CosetLevel:
    """Return the level that sorted codes are."""
    starts = np.searchsorted(
        codes, np.arange(core.PAGES + 1, dtype=np.uint64) * np.uint64(core.PAGE_BITS)
    )
    return CosetLevel(depth, np.diff(starts), lambda low, high: codes[starts[low] : starts[high]])


def _decode_maneuver(high: int, low: int, depth: int) -> Maneuver:
    """Return the inverse of a maneuver that the core wrote, five bits a move, ten in a word."""
    moves = [(high, low)[place // 10] >> (9 - place % 10) * 5 & 31 for place in range(depth)]
    return tuple(FACE_MOVES[(move - 1) // 3 * 3 + 2 - (move - 1) % 3] for move in reversed(moves))
