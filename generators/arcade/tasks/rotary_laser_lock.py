"""Rotary laser lock: find how rings stand to each other, by turning them and counting lasers.

EvolArena, cases N.23 and N.24; the puzzle is Codeforces 1428 H. Each of n rings has n m sections
and one arc of metal, m sections long; m is 6 at the paper's levels. A laser of a section passes if
no arc covers it. The offset of a ring is its arc's first section less that of ring 0, modulo n m.

Up to `LISTED` sections the reference player lists all offsets and makes the turn that splits them
best. Beyond, it turns ring 0 first, (n - 1) m + 1 times: as ring 0 leaves section x for x + m, the
count changes by u(x) - u(x + m), where u is 1 if no other arc covers the section. Of the n sections
that are m apart the other n - 1 arcs cover one each, so one is free: that gives all u. What the
offsets may be then is listed and split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.base.game import ArcadeGame, Sample, blank_terms
from facelet.generators.arcade.base.params import TURNS, ArcadeParams
from facelet.generators.arcade.base.terms import Terms
from facelet.generators.arcade.numbering import digits
from facelet.generators.core.columns import column, nested
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.forms import Form, Said
from facelet.generators.core.game import Luck, Player
from facelet.generators.core.play import Price
from facelet.generators.core.seeding import Draw

LISTED = 24
"""Most sections of which all offsets are listed from the start: those of three and four rings."""
BOUNDS = {(3, 6): 9, (4, 6): 20}
"""Turns that are surely enough, by rings and arc: a test follows all plays."""
LOOKED_AT = 2000
"""Some so many offsets are looked at when a turn is chosen."""

Offsets = tuple[int, ...]
Alive = npt.NDArray[np.int16]
"""Offsets that are possible, a row each, shape (C, rings - 1)."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """How many rings there are, how long an arc is, and how the rings stand."""

    terms: Terms = nested(Terms)
    rings: int = column("how many rings there are", role="puzzle")
    arc: int = column("sections of an arc; a ring has rings x arc sections", role="puzzle")
    offsets: Offsets = column("offsets of rings 1, 2, ... at the start", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The offsets now, and the lasers that pass; -1 after an answer."""

    offsets: Offsets
    lasers: int = -1
    won: bool = False


class RotaryLaserLock(ArcadeGame[ArcadeParams, Puzzle, State]):
    """The game; see the module."""

    name = "arcade/rotary_laser_lock"
    version = 1
    category = "dynamic_adaptation"
    params = ArcadeParams
    instance = Puzzle
    forms = (
        Form("query", "My Query: {int} {int}", "My Query: x d"),
        Form("answer", "My Answer: {ints}", "My Answer: p1 p2 ..."),
    )
    illegal = Price("end")
    unreadable = Price("end")
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), 3, 2, (1, 4)),
        (
            Said("query", (1, 1)),
            Said("query", (0, 1)),
            Said("answer", ((2, 4),)),
            Said("answer", ((1, 3),)),
        ),
        "There are 3 rings with 6 sections and arcs of 2 sections. The offsets of rings 1 and 2 "
        "are 1 and 4 at the start. Turning ring 1 makes its offset 2; turning ring 0 makes both "
        "smaller by 1.",
    )
    deviations = (
        Deviation(
            "15 turns",
            "15 with three rings, of which 9 are surely enough; 20 with four, which are surely "
            "enough; (n + 2) m + 1 with five, in which the reference player wins the row",
            "each turn of a ring tells at most which of three ways the count changes",
            "turns=15 up to four rings; the rows are those that the reference player wins in them",
        ),
        Deviation(
            "an answer is p1 to pn, relative to ring 0",
            "p1 to p(n-1), of the rings 1 to n - 1",
            "ring 0 has no offset; the original asks for as many",
        ),
        Deviation(
            "what a wrong answer does is not said",
            "it is answered Incorrect and a turn is spent; what cannot be read or is not allowed "
            "loses at once",
            "the text says the second only",
        ),
        Deviation(
            "levels end at five rings",
            "from level 4 on there are five rings, and arcs grow by a section a level",
            "turns grow with both; rows stay short",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        rings, arc = params.size(3, 4, 5, 0), params.size(6, 6, 6, 1)
        number = draw.number("offsets", self.capacity(params))
        offsets = digits(number, (rings * arc,) * (rings - 1))
        terms = self.terms(params, draw)
        return Puzzle(terms, rings, arc, offsets)

    def capacity(self, params: ArcadeParams) -> int:
        rings, arc = params.size(3, 4, 5, 0), params.size(6, 6, 6, 1)
        return int((rings * arc) ** (rings - 1))

    def cap(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        if shown.rings * shown.arc > LISTED:
            return (shown.rings + 2) * shown.arc + 1
        return max(TURNS, bound or 0)

    def rules(self, puzzle: Puzzle) -> str:
        rings, sections = puzzle.rings, puzzle.rings * puzzle.arc
        names = " ".join(f"p{ring}" for ring in range(1, rings))
        return (
            f"Open a lock. It has {rings} rings around one centre, numbered 0 to {rings - 1}. Each "
            f"ring has {sections} sections, numbered 0 to {sections - 1} clockwise. On each ring "
            f"lies one arc of metal, which covers {puzzle.arc} sections in a row. From the centre "
            f"{sections} lasers shine, one through each section; a laser passes if no ring has "
            "metal there. Arcs of different rings may cover the same section.\n"
            f"The position of a ring is how many sections clockwise its arc begins from where the "
            f"arc of ring 0 begins: 0 to {sections - 1}. You are not told any at the start.\n"
            "In each turn you either turn a ring or answer.\n"
            f"- Query: name a ring x, 0 to {rings - 1}, and a direction d, 1 for clockwise or -1 "
            "for anticlockwise. The ring is turned by one section, and I say how many lasers pass "
            "then. So turning ring 0 changes the positions of all others.\n"
            f"- Answer: name the positions {names} of rings 1 to {rings - 1} as they are now. If "
            "all are right, you win. If not, I say Incorrect, and the game goes on.\n"
            "A command that is not allowed or cannot be read loses at once. You also lose if your "
            "turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return (
            f"{puzzle.rings} rings, {puzzle.rings * puzzle.arc} sections, arcs of {puzzle.arc} "
            "sections. Give your first command."
        )

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.offsets)

    def legal(self, puzzle: Puzzle, state: State, said: Said) -> str:
        if said.form == "query":
            if not 0 <= said.args[0] < puzzle.rings:
                return f"rings are 0 to {puzzle.rings - 1}"
            return "" if said.args[1] in (-1, 1) else "a direction is 1 or -1"
        sections = puzzle.rings * puzzle.arc
        if len(said.args[0]) != puzzle.rings - 1:
            return f"an answer has {puzzle.rings - 1} numbers"
        inside = all(0 <= place < sections for place in said.args[0])
        return "" if inside else f"positions are 0 to {sections - 1}"

    def step(self, puzzle: Puzzle, state: State, said: Said, luck: Luck) -> State:
        if said.form == "answer":
            return State(state.offsets, won=said.args[0] == state.offsets)
        (ring, way), sections = said.args, puzzle.rings * puzzle.arc
        offsets = tuple(
            (offset - way if ring == 0 else offset + way * (ring == number)) % sections
            for number, offset in enumerate(state.offsets, start=1)
        )
        arc = range(puzzle.arc)
        covered = {(start + place) % sections for start in {0, *offsets} for place in arc}
        return State(offsets, sections - len(covered))

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.lasers

    def tell(self, puzzle: Puzzle, state: State) -> str:
        if state.lasers < 0:
            return "Correct" if state.won else "Incorrect"
        return str(state.lasers)

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.won else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Said:
        if rng.random() < 0.7:
            return Said("query", (int(rng.integers(puzzle.rings)), int(rng.choice((-1, 1)))))
        named = rng.integers(puzzle.rings * puzzle.arc, size=puzzle.rings - 1)
        return Said("answer", (tuple(map(int, named)),))

    def alike(self, puzzle: Puzzle, count: int, rng: np.random.Generator) -> Sequence[Puzzle]:
        """Return puzzles with any offsets."""
        drawn = rng.integers(puzzle.rings * puzzle.arc, size=(count, puzzle.rings - 1))
        return [replace(puzzle, offsets=tuple(map(int, offsets))) for offsets in drawn]

    def bound(self, shown: Puzzle) -> int | None:
        return BOUNDS.get((shown.rings, shown.arc))

    def player(self, shown: Puzzle) -> Player:
        rings, arc = shown.rings, shown.arc
        heard: tuple[int, ...] = ()
        alive = None
        if rings * arc > LISTED:
            for _ in range((rings - 1) * arc + 1):
                heard = (*heard, (yield Said("query", (0, 1))))
            alive, heard = _placings(rings, arc, _free(rings, arc, heard)), ()
        while True:
            if rings * arc <= LISTED:
                alive, move = _known(rings, arc, heard)
            else:
                assert alive is not None
                move = _choice(rings, arc, alive)
            if move is None:
                yield Said("answer", (tuple(map(int, alive[0])),))
                lasers = -1
            else:
                lasers = yield Said("query", move)
            heard = (*heard, lasers)
            alive = _left(rings, arc, alive, move, lasers)


TASK = RotaryLaserLock()


def _free(rings: int, arc: int, heard: Sequence[int]) -> list[int]:
    """Return which sections no other arc covers, from where ring 0 begins now; 1 for free.

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


def _placings(rings: int, arc: int, free: Sequence[int]) -> Alive:
    """Return all offsets of rings 1, 2, ... whose arcs cover what is not free, and nothing else."""
    sections = rings * arc
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


# --- what may be ----------------------------------------------------------------------------------


@cache
def _every(rings: int, arc: int) -> Alive:
    """Return all offsets."""
    every = np.indices((rings * arc,) * (rings - 1), dtype=np.int16).reshape(rings - 1, -1)
    return np.ascontiguousarray(every.T)


def _turned(alive: Alive, sections: int, ring: int, way: int) -> Alive:
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
def _covers(rings: int, arc: int) -> npt.NDArray[np.uint64]:
    """Return the sections that an arc covers, by its offset, as bits: (sections, words of 64)."""
    sections = rings * arc
    places = np.arange(sections)
    flags = np.zeros((sections, -(-sections // 64) * 64), dtype=np.bool_)
    flags[:, :sections] = (places - places[:, None]) % sections < arc
    return np.packbits(flags, axis=1).view(np.uint64)


def _lasers(rings: int, arc: int, alive: Alive) -> npt.NDArray[np.int64]:
    """Return how many lasers pass."""
    covers = _covers(rings, arc)
    blocked = np.tile(covers[0], (len(alive), 1))
    for offsets in alive.T:
        blocked |= covers[offsets]
    free: npt.NDArray[np.int64] = rings * arc - np.bitwise_count(blocked).sum(axis=1, dtype=int)
    return free


def _choice(rings: int, arc: int, alive: Alive) -> tuple[int, int] | None:
    """Return the turn that leaves the fewest offsets possible, or None where one is named.

    Where no single turn splits them, it begins the shortest row of turns of one ring that does.
    Of many offsets some are looked at, evenly spread: that is a choice of a turn, not a claim.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        alive: the offsets that are possible.
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
            ahead[move] = _turned(offsets, rings * arc, *move)
            commonest = int(np.bincount(_lasers(rings, arc, ahead[move])).max())
            best = min(best, (commonest, move))
        if best[0] < len(looked_at):
            return best[1]
    return None


def _left(rings: int, arc: int, alive: Alive, move: tuple[int, int] | None, lasers: int) -> Alive:
    """Return what is possible after a turn, or after a wrong name.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        alive: what was possible.
        move: the turn; None where the first of what was possible was named.
        lasers: the lasers that pass after the turn.
    """
    if move is None:
        return alive[1:]
    after = _turned(alive, rings * arc, *move)
    left: Alive = after[_lasers(rings, arc, after) == lasers]
    return left


@lru_cache(maxsize=4096)
def _known(rings: int, arc: int, heard: tuple[int, ...]) -> tuple[Alive, tuple[int, int] | None]:
    """Return what is possible after some answers, and what is done then.

    Args:
        rings: how many rings there are.
        arc: sections of an arc.
        heard: the lasers after each turn, -1 for a wrong name.
    """
    if not heard:
        alive = _every(rings, arc)
    else:
        before, move = _known(rings, arc, heard[:-1])
        alive = _left(rings, arc, before, move, heard[-1])
    return alive, _choice(rings, arc, alive)


def _longest(rings: int, arc: int) -> int:
    """Return the turns that the player which lists all needs at most: all plays are followed."""
    most = 0
    stack = [(_every(rings, arc), 1)]
    while stack:
        alive, turn = stack.pop()
        most = max(most, turn)
        move = _choice(rings, arc, alive)
        if move is None:
            stack += [(alive[1:], turn + 1)] if len(alive) > 1 else []
            continue
        after = _turned(alive, rings * arc, *move)
        lasers = _lasers(rings, arc, after)
        stack += [(after[lasers == count], turn + 1) for count in np.unique(lasers)]
    return most
