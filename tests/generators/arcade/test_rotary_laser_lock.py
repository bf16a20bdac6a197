"""Rotary laser lock: the monitor against a twin, the player against all offsets of three rings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.solvers import laser_rings as module
from facelet.generators.arcade.solvers.question_trees import longest_play
from facelet.generators.arcade.tasks.rotary_laser_lock import (
    BOUNDS,
    TASK,
    Puzzle,
    RotaryLaserLock,
)
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.23: rings as lists of sections, turned one by one; ring 0 turns as the others do."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size = row["rings"] * row["arc"]
        bare = [1] * row["arc"] + [0] * (self.size - row["arc"])
        self.rings = [bare[-by:] + bare[:-by] if by else bare for by in (0, *row["offsets"])]
        self.first = [0, *row["offsets"]]

    def answer_line(self, line: str) -> str:
        turn = line_numbers(line, "My Query:")
        if turn is not None and len(turn) == 2:
            ring, way = turn
            if 0 <= ring < len(self.rings) and way in (1, -1):
                sections = self.rings[ring]
                self.rings[ring] = [sections[place - way] for place in range(1 - self.size, 1)]
                self.rings[ring] = [self.rings[ring][place - 1] for place in range(self.size)]
                self.first[ring] += way
                return str(sum(not any(cells) for cells in zip(*self.rings, strict=True)))
        named = line_numbers(line, "My Answer:")
        if named is not None and len(named) == len(self.rings) - 1:
            if all(0 <= place < self.size for place in named):
                right = [(first - self.first[0]) % self.size for first in self.first[1:]]
                self.has_won = True if named == right else None
                return "Correct" if self.has_won else "Incorrect"
        self.has_won = False
        return INVALID


def test_a_fault_is_found() -> None:
    class Faulty(RotaryLaserLock):
        """Turning ring 0 turns the others along."""

        def list_replies(self, puzzle: Any, now: Any, said: Any) -> list[tuple[Any, int]]:
            ((after, lasers),) = super().list_replies(puzzle, now, said)
            return [(after if said.args[0] else now, lasers)]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def worst_case_turns(rings: int, arc: int) -> int:
    """Return the most turns of the player that lists all offsets, by following every play."""

    def list_successors(alive: module.Alive) -> list[module.Alive]:
        if (move := module.choose_turn(rings, arc, alive)) is None:
            return [alive[1:]] if len(alive) > 1 else []
        after = module._turn_ring(alive, rings * arc, *move)
        lasers = module._count_lasers(rings, arc, after)
        return [after[lasers == count] for count in np.unique(lasers)]

    return longest_play(module._all_offsets(rings, arc), list_successors)


def test_the_player_finds_all_offsets_of_three_rings() -> None:
    terms = blank_terms("dynamic_adaptation")
    turns = []
    for offsets in product(range(18), repeat=2):
        said, won = TASK.play_reference(Puzzle(terms, 3, 6, offsets))
        assert won
        turns.append(len(said))
    assert max(turns) == worst_case_turns(3, 6) == BOUNDS[3, 6]


@pytest.mark.slow
def test_the_bound_of_four_rings() -> None:
    """All plays are followed: some half a minute."""
    assert worst_case_turns(4, 6) == BOUNDS[4, 6]


@pytest.mark.parametrize(("rings", "arc"), [(3, 2), (3, 3), (4, 2)])
def test_a_tour_tells_what_the_others_cover(rings: int, arc: int) -> None:
    """Of all offsets; and what is listed then is what covers the same."""
    sections = rings * arc
    covered: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for offsets in product(range(sections), repeat=rings - 1):
        cells = {(start + place) % sections for start in offsets for place in range(arc)}
        free = tuple(int(place not in cells) for place in range(sections))
        covered.setdefault(free, set()).add(offsets)
        turns = (rings - 1) * arc + 1
        heard = [
            sum(free) - sum(free[(turn + place) % sections] for place in range(arc))
            for turn in range(1, turns + 1)
        ]
        found = module.free_sections(rings, arc, heard)
        assert found == [free[(turns + place) % sections] for place in range(sections)]
    for free, all_offsets in covered.items():
        placings = module.list_offsets(rings, arc, free)
        assert {tuple(map(int, row)) for row in placings} == all_offsets
        assert len(placings) == len(all_offsets)


def test_lasers_are_counted_beyond_one_word() -> None:
    alive = np.array([[0, 0, 0, 0], [14, 28, 42, 56], [14, 14, 69, 1]], dtype=np.int16)
    assert module._count_lasers(5, 14, alive).tolist() == [56, 0, 70 - 29]


def test_placings_are_those_that_are_built_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = make_generator("placings")
    for _ in range(12):
        starts = rng.integers(20, size=3).tolist()
        covered = {(start + place) % 20 for start in starts for place in range(5)}
        free = [int(section not in covered) for section in range(20)]
        at_once = module.list_offsets(4, 5, free)
        with monkeypatch.context() as patch:
            patch.setattr(module, "PLACED", 0)
            assert at_once.tolist() == module.list_offsets(4, 5, free).tolist()
