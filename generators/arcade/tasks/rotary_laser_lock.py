"""Rotary laser lock: find the positions of rings by turning them and counting lasers.

EvolArena, cases N.23 and N.24; the puzzle is Codeforces 1428 H. Each of n rings has n m sections
and one arc of metal, m sections long; m is 6 at the paper's levels. The laser of a section passes
if no arc covers it. The offset of a ring is its arc's first section minus that of ring 0, modulo
n m.

Up to `LISTED` sections the reference player lists all offsets and makes the turn that splits them
best. Beyond, it turns ring 0 first, (n - 1) m + 1 times: as ring 0 leaves section x for x + m, the
count changes by u(x) - u(x + m), where u is 1 if no other arc covers the section. Of n sections
that are m apart the other n - 1 arcs cover one each, so one is free: that determines all u. Then
the player lists and splits the possible offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    TURNS,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    ErrorPrice,
    Player,
    QuestionGame,
    QuestionState,
    Sample,
    below,
    blank_terms,
    column,
    number_to_digits,
    several,
)
from facelet.generators.arcade.solvers.laser_rings import (
    Offsets,
    choose_turn,
    filter_offsets,
    free_sections,
    list_offsets,
    replay_answers,
)

LISTED = 24
"""Most sections for which all offsets are listed from the start: three or four rings."""
BOUNDS = {(3, 6): 9, (4, 6): 20}
"""Turns that surely suffice, by rings and arc; a test follows all plays."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The number of rings, the length of an arc, and the offsets of the rings."""

    rings: int = column("how many rings there are", role="puzzle")
    arc: int = column("sections of an arc; a ring has rings x arc sections", role="puzzle")
    offsets: Offsets = column("offsets of rings 1, 2, ... at the start", role="secret")


State = QuestionState[int, Offsets]
"""The offsets now."""


class RotaryLaserLock(QuestionGame[ArcadeParams, Puzzle, int, Offsets]):
    """A player finds the positions of rings by turning them."""

    name = "arcade/rotary_laser_lock"
    version = 5
    category = "dynamic_adaptation"
    answers = frozenset()
    forms = (
        CommandForm("query", "My Query: {int} {int}", "My Query: x d"),
        CommandForm("answer", "My Answer: {ints}", "My Answer: p1 p2 ..."),
    )
    illegal = ErrorPrice("end")
    unreadable = ErrorPrice("end")
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), 3, 2, (1, 4)),
        (
            Command("query", (1, 1)),
            Command("query", (0, 1)),
            Command("answer", ((2, 4),)),
            Command("answer", ((1, 3),)),
        ),
        "There are 3 rings with 6 sections and arcs of 2 sections. The positions of rings 1 and 2 "
        "are 1 and 4 at the start. Turning ring 1 makes its position 2; turning ring 0 makes both "
        "smaller by 1.",
    )
    deviations = (
        Deviation(
            "15 turns",
            "15 with three rings, 20 with four, (n + 2) m + 1 with five",
            "9 and 20 are surely enough with three and four rings; with five, the reference "
            "player wins the row; a turn of a ring reveals at most which of three ways the "
            "count changes",
            "turns=15 up to four rings; the reference player wins the rows in them",
        ),
        Deviation(
            "an answer is p1 to pn, relative to ring 0",
            "p1 to p(n-1), of rings 1 to n - 1",
            "ring 0 has no offset; the original asks for as many",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; an unreadable or illegal one loses",
            "the text covers only the second",
        ),
        Deviation(
            "levels end at five rings",
            "from level 4 on, five rings whose arcs grow by a section a level",
            "turns grow with both; rows stay short",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        rings, arc = params.level_size(3, 4, 5, 0), params.level_size(6, 6, 6, 1)
        number = draw.unique_number("offsets", self.capacity(params))
        offsets = number_to_digits(number, (rings * arc,) * (rings - 1))
        terms = self.terms(params, draw)
        return Puzzle(terms, rings, arc, offsets)

    def capacity(self, params: ArcadeParams) -> int:
        rings, arc = params.level_size(3, 4, 5, 0), params.level_size(6, 6, 6, 1)
        return int((rings * arc) ** (rings - 1))

    def turn_limit(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        if shown.rings * shown.arc > LISTED:
            return (shown.rings + 2) * shown.arc + 1
        return max(TURNS, bound or 0)

    def rules(self, puzzle: Puzzle) -> str:
        rings, sections = puzzle.rings, puzzle.rings * puzzle.arc
        names = " ".join(f"p{ring}" for ring in range(1, rings))
        return (
            f"Open a lock. It has {rings} rings around one center, numbered 0 to {rings - 1}. Each "
            f"ring has {sections} sections, numbered 0 to {sections - 1} clockwise. On each ring "
            f"lies one arc of metal, which covers {puzzle.arc} sections in a row. From the center "
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
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return (
            f"{puzzle.rings} rings, {puzzle.rings * puzzle.arc} sections, arcs of {puzzle.arc} "
            "sections. Give your first command."
        )

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if command.form == "query":
            if not 0 <= command.args[0] < puzzle.rings:
                return f"rings are 0 to {puzzle.rings - 1}"
            return "" if command.args[1] in (-1, 1) else "a direction is 1 or -1"
        sections = puzzle.rings * puzzle.arc
        if len(command.args[0]) != puzzle.rings - 1:
            return f"an answer has {puzzle.rings - 1} numbers"
        inside = all(0 <= place < sections for place in command.args[0])
        return "" if inside else f"positions are 0 to {sections - 1}"

    def start_state(self, puzzle: Puzzle) -> Offsets:
        return puzzle.offsets

    def list_replies(
        self, puzzle: Puzzle, now: Offsets, command: Command
    ) -> list[tuple[Offsets, int]]:
        (ring, way), sections = command.args, puzzle.rings * puzzle.arc
        offsets = tuple(
            (offset - way if ring == 0 else offset + way * (ring == number)) % sections
            for number, offset in enumerate(now, start=1)
        )
        arcs = _arc_masks(sections, puzzle.arc)
        covered = arcs[0]
        for offset in offsets:
            covered |= arcs[offset]
        return [(offsets, sections - covered.bit_count())]

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.7:
            return Command("query", (below(rng, puzzle.rings), (-1, 1)[below(rng, 2)]))
        return Command(
            "answer", (tuple(several(rng, puzzle.rings * puzzle.arc, puzzle.rings - 1)),)
        )

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw puzzles with any offsets."""
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
                heard = (*heard, (yield Command("query", (0, 1))))
            alive, heard = list_offsets(rings, arc, free_sections(rings, arc, heard)), ()
        while True:
            if rings * arc <= LISTED:
                alive, move = replay_answers(rings, arc, heard)
            else:
                assert alive is not None
                move = choose_turn(rings, arc, alive)
            if move is None:
                yield Command("answer", (tuple(map(int, alive[0])),))
                lasers = -1
            else:
                lasers = yield Command("query", move)
            heard = (*heard, lasers)
            alive = filter_offsets(rings, arc, alive, move, lasers)


TASK = RotaryLaserLock()


@lru_cache(maxsize=64)
def _arc_masks(sections: int, arc: int) -> tuple[int, ...]:
    """Return the sections that an arc covers, as bits, by its first section."""
    return tuple(
        sum(1 << (start + place) % sections for place in range(arc)) for start in range(sections)
    )
