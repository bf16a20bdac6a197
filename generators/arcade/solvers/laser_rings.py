"""Rings with one arc each: find the offsets that fit the counted lasers, and the best next turn.

Offsets are those of rings 1, 2, ... from ring 0, modulo the sections of a ring. A turn is a ring
and 1 for clockwise or -1; the laser of a section passes where no arc covers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

PLACED = 100_000
"""Most placings to enumerate; beyond, fitting ones are built step by step."""
LOOKED_AT = 2000
"""About how many offsets are evaluated for the choice of a turn."""

Offsets = tuple[int, ...]
Alive = npt.NDArray[np.int16]
"""Possible offsets, a row each, shape (C, rings - 1)."""


def free_sections(rings: int, arc: int, heard: Sequence[int]) -> list[int]:
    """Return for each section, from where ring 0 begins now, 1 if no other arc covers it, else 0.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        heard: the lasers that passed after each of (rings - 1) arc + 1 turns of ring 0, clockwise.
    """
    sections = rings * arc
    # Sections from where ring 0 began; it has turned by one when the first count is heard.
    free = [0] * sections
    for place, (before, after) in enumerate(pairwise(heard), start=1):
        free[(place + arc) % sections] = free[place % sections] - (after - before)
    for first in range(arc):
        least = max(free[first::arc]) - 1
        for place in range(first, sections, arc):
            free[place] -= least
    return [free[(place + len(heard)) % sections] for place in range(sections)]


def list_offsets(rings: int, arc: int, free: Sequence[int]) -> Alive:
    """Return all offsets of rings 1, 2, ... whose arcs cover exactly the sections not free."""
    sections = rings * arc
    covers = _coverage_bits(rings, arc)
    wanted = sum(1 << place for place in range(sections) if not free[place])
    if covers.shape[1] == 1:
        word = _coverage_words(rings, arc)
        few = np.flatnonzero(word & ~np.uint64(wanted) == 0)
        if len(few) ** (rings - 1) <= PLACED:
            covered = word[few]
            for _ in range(rings - 2):
                covered = (covered[:, None] | word[few]).ravel()
            fits = np.flatnonzero(covered == wanted)
            chosen = np.array(np.unravel_index(fits, (len(few),) * (rings - 1))).T
            return few[chosen].astype(np.int16).reshape(-1, rings - 1)
    cells = {
        start: frozenset((start + place) % sections for place in range(arc))
        for start in range(sections)
    }
    starts = [start for start, covered in cells.items() if not any(free[c] for c in covered)]
    found: set[Offsets] = set()
    first = frozenset(place for place in range(sections) if not free[place])
    stack: list[tuple[frozenset[int], Offsets]] = [(first, (-1,) * (rings - 1))]
    while stack:
        need, placed = stack.pop()
        open_rings = [ring for ring, start in enumerate(placed) if start < 0]
        if not need:
            for others in product(starts, repeat=len(open_rings)):
                whole = dict(zip(open_rings, others, strict=True))
                found.add(tuple(whole.get(ring, start) for ring, start in enumerate(placed)))
        elif len(need) <= arc * len(open_rings):
            cell = min(need)
            for start in starts:
                if cell in cells[start]:
                    for ring in open_rings:
                        after = (*placed[:ring], start, *placed[ring + 1 :])
                        stack.append((need - cells[start], after))
    return np.array(sorted(found), dtype=np.int16).reshape(-1, rings - 1)


@cache
def _all_offsets(rings: int, arc: int) -> Alive:
    """Return all offsets."""
    every = np.indices((rings * arc,) * (rings - 1), dtype=np.int16).reshape(rings - 1, -1)
    return np.ascontiguousarray(every.T)


def _turn_ring(alive: Alive, sections: int, ring: int, way: int) -> Alive:
    """Return the offsets after a turn of a ring.

    Args:
        alive: the offsets.
        sections: sections of a ring.
        ring: the ring.
        way: 1 for clockwise, -1 for anticlockwise.
    """
    by = np.zeros(alive.shape[1], dtype=np.int16)
    by[slice(None) if ring == 0 else ring - 1] = -way if ring == 0 else way
    after: Alive = (alive + by) % np.int16(sections)
    return after


@cache
def _coverage_bits(rings: int, arc: int) -> npt.NDArray[np.uint64]:
    """Return the sections that an arc covers, by its offset, as bits: (sections, words of 64)."""
    sections = rings * arc
    places = np.arange(sections)
    flags = np.zeros((sections, -(-sections // 64) * 64), dtype=np.bool_)
    flags[:, :sections] = (places - places[:, None]) % sections < arc
    return np.packbits(flags, axis=1).view(np.uint64)


@cache
def _coverage_words(rings: int, arc: int) -> npt.NDArray[np.uint64]:
    """Return the sections that an arc covers, by its offset, as bits; at most 64 sections."""
    places = [
        [(start + place) % (rings * arc) for place in range(arc)] for start in range(rings * arc)
    ]
    return np.array([sum(1 << place for place in covered) for covered in places], dtype=np.uint64)


def _count_lasers(rings: int, arc: int, alive: Alive) -> npt.NDArray[np.int64]:
    """Return the number of lasers that pass, for each row of offsets."""
    covers = _coverage_bits(rings, arc)
    if covers.shape[1] == 1:
        word = _coverage_words(rings, arc)
        covered = word[alive[:, 0]] | word[0]
        for ring in range(1, alive.shape[1]):
            covered |= word[alive[:, ring]]
        left: npt.NDArray[np.int64] = rings * arc - np.bitwise_count(covered).astype(np.int64)
        return left
    blocked = np.tile(covers[0], (len(alive), 1))
    for offsets in alive.T:
        blocked |= covers[offsets]
    free: npt.NDArray[np.int64] = rings * arc - np.bitwise_count(blocked).sum(axis=1, dtype=int)
    return free


def choose_turn(rings: int, arc: int, alive: Alive) -> tuple[int, int] | None:
    """Return the turn that leaves the fewest possible offsets, or None where one should be named.

    Where no single turn splits them, it is the start of the shortest sequence of turns of one ring
    that does. Of many offsets it evaluates an evenly spaced sample, since any turn is allowed.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        alive: the possible offsets.
    """
    if len(alive) <= 2:
        return None
    if len(alive) == (rings * arc) ** (rings - 1):
        return 0, 1  # nothing is known, so all turns are alike
    looked_at = alive[:: len(alive) // LOOKED_AT + 1]
    ahead = {(ring, way): looked_at for ring in range(rings) for way in (1, -1)}
    for _ in range(rings * arc):
        best = (len(looked_at), (0, 0))
        for move, offsets in ahead.items():
            ahead[move] = _turn_ring(offsets, rings * arc, *move)
            commonest = int(np.bincount(_count_lasers(rings, arc, ahead[move])).max())
            best = min(best, (commonest, move))
        if best[0] < len(looked_at):
            return best[1]
    return None


def filter_offsets(
    rings: int, arc: int, alive: Alive, move: tuple[int, int] | None, lasers: int
) -> Alive:
    """Return the possible offsets after a turn, or after a wrong name.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        alive: the possible offsets before.
        move: the turn; None where the first possible offsets were named.
        lasers: the lasers that pass after the turn.
    """
    if move is None:
        return alive[1:]
    after = _turn_ring(alive, rings * arc, *move)
    fits: Alive = after[_count_lasers(rings, arc, after) == lasers]
    return fits


@lru_cache(maxsize=4096)
def replay_answers(
    rings: int, arc: int, heard: tuple[int, ...]
) -> tuple[Alive, tuple[int, int] | None]:
    """Return the possible offsets after some answers, and the next turn.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        heard: the lasers after each turn, -1 for a wrong name.
    """
    if not heard:
        alive = _all_offsets(rings, arc)
    else:
        before, move = replay_answers(rings, arc, heard[:-1])
        alive = filter_offsets(rings, arc, before, move, heard[-1])
    return alive, choose_turn(rings, arc, alive)
