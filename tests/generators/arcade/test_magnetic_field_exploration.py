"""Magnetic fields: the monitor against a twin, and the chance to win against every way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.tasks.magnetic_field_exploration import (
    TASK,
    MagneticFieldExploration,
    State,
)


class Twin:
    """Case N.49, on a dictionary of complex numbers; the imaginary part is the row."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.cells = {
            complex(c, r): cell for r, line in enumerate(row["grid"]) for c, cell in enumerate(line)
        }
        compass = {"N": -1j, "S": 1j, "W": -1, "E": 1}
        self.push = {str(k + 1): compass[way] for k, way in enumerate(row["directions"])}
        self.where = 0j

    def answer_line(self, line: str) -> str:
        words = line.split()
        if words[:2] != ["My", "Move:"] or len(words) != 3 or words[2] not in list("UDLR"):
            return INVALID
        after = self.where + {"U": -1j, "D": 1j, "L": -1, "R": 1}[words[2]]
        if after not in self.cells:
            return INVALID
        self.where = after
        used = set()
        while self.cells[self.where] in self.push and self.where not in used:
            used.add(self.where)
            forced = self.where + self.push[self.cells[self.where]]
            if forced not in self.cells:
                break
            self.where = forced
        if self.cells[self.where] == "X":
            self.has_won = False
            return "-1 -1"
        if self.cells[self.where] == "G":
            self.has_won = True
        return f"{int(self.where.imag) + 1} {int(self.where.real) + 1}"


def test_a_fault_is_found() -> None:
    class Faulty(MagneticFieldExploration):
        """The first two kinds are exchanged."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            way = puzzle.directions
            wrong = replace(puzzle, directions=way[1] + way[0] + way[2:])
            return super().step(wrong, state, said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_chance_is_that_of_all_ways(level: int) -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 8):
        plays = [TASK.play_reference(other) for other in TASK.list_candidates(puzzle)]
        assert sum(won for _, won in plays) == round(puzzle.terms.probability * 24)
        if puzzle.terms.bound is not None:
            assert max(len(said) for said, _ in plays) == puzzle.terms.bound


def test_no_player_wins_more() -> None:
    """Every strategy for five turns, run by the twin, wins no more ways than the search finds."""

    def play_twin(puzzle: Any, way: str, moves: str) -> tuple[str, bool | None]:
        played = Twin({"grid": puzzle.grid, "directions": way})
        told = ""
        for move in moves:
            told = played.answer_line(f"My Move: {move}")
        return told, played.has_won

    def count_most_wins(puzzle: Any, ways: list[str], moves: str, turns: int) -> int:
        if not turns:
            return 0
        best = 0
        for move in "UDLR":
            found: dict[str, list[str]] = {}
            won = 0
            for way in ways:
                told, over = play_twin(puzzle, way, moves + move)
                if told == INVALID:
                    break
                won += over is True
                if over is None:
                    found.setdefault(told, []).append(way)
            if told != INVALID:
                won += sum(
                    count_most_wins(puzzle, w, moves + move, turns - 1) for w in found.values()
                )
            best = max(best, won)
        return best

    for puzzle in make_puzzles(TASK, TASK.params(level=1), 2):
        every = [other.directions for other in TASK.list_candidates(puzzle)]
        ever = replace(puzzle, terms=replace(puzzle.terms, turns=99))
        short = replace(puzzle, terms=replace(puzzle.terms, turns=5))
        best = count_most_wins(puzzle, every, "", 5)
        assert (
            round(TASK.win_probability(short) * 24)
            <= best
            <= round(TASK.win_probability(ever) * 24)
        )
