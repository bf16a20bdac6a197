"""Finding the biggest: the monitor against a twin, and lies that never follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.finding_biggest import TASK, FindingBiggest
from facelet.generators.core.seeding import make_generator

COMPASS = {
    (-1, 0): "N",
    (-1, 1): "NE",
    (0, 1): "E",
    (1, 1): "SE",
    (1, 0): "S",
    (1, -1): "SW",
    (0, -1): "W",
    (-1, -1): "NW",
}


def number_sign(value: int) -> int:
    return (value > 0) - (value < 0)


class Twin:
    """Case N.51; what is nearest is looked for ring by ring."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.n, self.fading, self.ruler = row["size"], row["fading"], row["distance"]
        self.left = {
            (place // self.n + 1, place % self.n + 1): value
            for place, value in zip(row["cells"], row["values"], strict=True)
        }
        self.values = dict(self.left)
        self.x = self.y = 1
        self.lied = False
        self.true = ""

    def answer_line(self, line: str) -> Any:
        if line.strip() == "My Choice: COLLECT":
            here = self.values.get((self.x, self.y), 0)
            self.has_won = here == max(self.values.values())
            return "Win" if self.has_won else "Lose"
        named = line_numbers(line, "My Choice:")
        if named is None or len(named) != 2:
            return INVALID
        x, y = named
        if not (1 <= x <= self.n and 1 <= y <= self.n and 0 < abs(x - self.x) + abs(y - self.y)):
            return INVALID
        if abs(x - self.x) > 1 or abs(y - self.y) > 1:
            return INVALID
        self.x, self.y = x, y
        if (x, y) in self.values:
            if self.fading:
                self.left.pop((x, y), None)
            self.lied = False
            return f"TREASURE {self.values[x, y]}"
        for ring in range(1, 2 * self.n):
            at = [c for c in sorted(self.left or self.values) if self.ring_distance(c) == ring]
            if at:
                self.true = COMPASS[number_sign(at[0][0] - x), number_sign(at[0][1] - y)]
                break
        return {f"EMPTY {way}" for way in ([self.true] if self.lied else COMPASS.values())}

    def ring_distance(self, cell: tuple[int, int]) -> int:
        sides = abs(cell[0] - self.x), abs(cell[1] - self.y)
        return max(sides) if self.ruler == "moves" else sum(sides)

    def note_answer(self, text: str) -> None:
        if text.startswith("EMPTY"):
            self.lied = text != f"EMPTY {self.true}"


def test_as_published_it_is_as_printed() -> None:
    compare_games(TASK, Twin, transcripts=600, published=True)


def test_a_fault_is_found() -> None:
    class Faulty(FindingBiggest):
        """Lies may follow each other."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> Any:
            return super().step(puzzle, replace(state, lied=False), said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_half_of_the_free_hints_lie() -> None:
    """Of the hints that do not follow a lie, one half lies, in all seven directions."""
    free = lies = 0
    said: set[tuple[str, str]] = set()
    for number, puzzle in enumerate(make_puzzles(TASK, TASK.params(level=3), 30)):
        rng, state = make_generator("hints", number), TASK.start(puzzle)
        for step in range(40):
            command = TASK.random_command(puzzle, state, rng)
            if command.form == "collect":
                continue
            before = state
            state = TASK.step(puzzle, state, command, TASK.step_luck(puzzle, step))
            assert not (before.lied and state.lied)
            if state.heard.startswith("EMPTY") and not before.lied:
                free += 1
                lies += state.lied
                said.add((str(state.lied), state.heard))
    assert abs(lies / free - 0.5) < 0.1
    assert len(said) == 16
