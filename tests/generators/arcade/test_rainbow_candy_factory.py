"""Rainbow candy factory: the monitor against a twin, and what the player does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.tasks.rainbow_candy_factory import TASK, RainbowCandyFactory

BASIC = {frozenset("RG"): "Y", frozenset("GB"): "C", frozenset("RB"): "P"}


class Twin:
    """Case N.47; a candy is the set of dyes that it took."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.n = len(row["grid"])
        text = "".join(row["grid"])
        devices = list(row["devices"])
        self.cells = [devices.pop(0) if sign == "X" else sign for sign in text]
        self.target = row["target"]
        self.r = self.c = 0
        self.dyes: frozenset[str] = frozenset()

    def answer_line(self, line: str) -> str:
        words = line.split()
        if words[:2] != ["My", "Move:"] or len(words) != 3 or words[2] not in list("NESW"):
            return INVALID
        r = self.r + {"N": -1, "S": 1}.get(words[2], 0)
        c = self.c + {"W": -1, "E": 1}.get(words[2], 0)
        if min(r, c) < 0 or max(r, c) >= self.n:
            self.has_won = False
            return INVALID
        self.r, self.c = r, c
        place = r * self.n + c
        inside = 0 < place < self.n**2 - 1
        if inside and self.cells[place] == "W":
            self.dyes = frozenset()
        elif inside and self.cells[place] in "RGB" and len(self.dyes) < 2:
            self.dyes |= {self.cells[place]}
        color = BASIC.get(self.dyes) or next(iter(self.dyes), "W")
        if place == self.n**2 - 1 and color == self.target:
            self.has_won = True
        return color


def test_a_fault_is_found() -> None:
    class Faulty(RainbowCandyFactory):
        """Colors do not mix."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> Any:
            after = super().step(puzzle, state, said, luck)
            return replace(after, color=state.color) if after.color in "YCP" else after

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_targets_are_dealt_and_won(level: int) -> None:
    puzzles = make_puzzles(TASK, TASK.params(level=level), 12)
    assert sorted(puzzle.target for puzzle in puzzles) == sorted("YCPRGB" * 2)
    for puzzle in puzzles:
        twin = Twin(TASK.encode(puzzle))
        for line in TASK.reference(puzzle):
            twin.answer_line(line)
        assert twin.has_won is True
