"""Knight battle: the monitor against a twin, and the analysis against a plain minimax."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare, make, numbers

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.knight_battle import TASK, KnightBattle, Puzzle, State
from facelet.generators.core.seeding import generator

Square = tuple[int, int]


def attacks(a: Square, b: Square) -> bool:
    return sorted((abs(a[0] - b[0]), abs(a[1] - b[1]))) == [1, 2]


def leaps(size: int, square: Square) -> list[Square]:
    board = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    return [other for other in board if attacks(square, other)]


class Twin:
    """Case N.61 and algorithm 12; Black's move is any of its moves."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.over: bool | None = None
        self.size = row["size"]
        self.white, self.black = tuple(row["white"]), tuple(row["black"])
        half = self.size // 2
        self.goals = (half, half), (half + 1, half)

    def answer(self, line: str) -> str | set[str]:
        move = numbers(line, "My Move:")
        if move is None or "," in line or len(move) != 2:
            return INVALID
        x, y = move
        inside = 1 <= x <= self.size and 1 <= y <= self.size
        if not inside or not attacks(self.white, (x, y)):
            self.over = False
            return INVALID
        self.white = x, y
        if self._won(self.white, self.black, self.goals[0]):
            self.over = True
            return ""
        return {f"{x} {y}" for x, y in leaps(self.size, self.black)}

    def heard(self, text: str) -> None:
        x, y = map(int, text.split())
        self.black = x, y
        if self._won(self.black, self.white, self.goals[1]):
            self.over = False

    @staticmethod
    def _won(mover: Square, other: Square, goal: Square) -> bool:
        return mover == other or (mover == goal and not attacks(mover, other))


def test_a_fault_is_found() -> None:
    class Faulty(KnightBattle):
        """Black wins nothing."""

        def replies(self, puzzle: Any, state: Any) -> list[State]:
            return [State(s.white, s.black) for s in super().replies(puzzle, state)]

    with pytest.raises(AssertionError, match="twin:"):
        compare(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_outlook_is_that_of_minimax(level: int) -> None:
    def surely(puzzle: Any, white: Square, black: Square, turns: int) -> bool:
        """Whether White, to move, wins within so many turns whatever Black does."""
        twin = Twin({"size": puzzle.size, "white": white, "black": black})

        @cache
        def wins(white: Square, black: Square, turns: int) -> bool:
            if not turns:
                return False
            for after in leaps(twin.size, white):
                if twin._won(after, black, twin.goals[0]):
                    return True
                answers = leaps(twin.size, black)
                if any(twin._won(answer, after, twin.goals[1]) for answer in answers):
                    continue
                if all(wins(after, answer, turns - 1) for answer in answers):
                    return True
            return False

        return wins(white, black, turns)

    for puzzle in make(TASK, TASK.params(level=level), 6 if level < 3 else 3):
        turns = puzzle.terms.optimum
        start = TASK.start(puzzle)
        assert surely(puzzle, start.white, start.black, turns)
        assert not surely(puzzle, start.white, start.black, turns - 1)


@pytest.mark.parametrize("level", [1, 2])
def test_a_forced_win_is_a_run_that_black_cannot_stop(level: int) -> None:
    """One list of moves wins whatever Black does: it has to be seen ahead, and nothing heard."""

    def run(size: int, white: Square, blacks: frozenset[Square], turns: int) -> bool:
        twin = Twin({"size": size, "white": white, "black": white})
        for after in leaps(size, white) if turns else ():
            left = [black for black in blacks if not twin._won(after, black, twin.goals[0])]
            moved = {answer for black in left for answer in leaps(size, black)}
            if any(twin._won(answer, after, twin.goals[1]) for answer in moved):
                continue
            if not left or run(size, after, frozenset(moved), turns - 1):
                return True
        return False

    for puzzle in make(TASK, TASK.params(level=level), 5):
        start = TASK.start(puzzle)
        assert run(puzzle.size, start.white, frozenset({start.black}), puzzle.terms.optimum)


@pytest.mark.parametrize("size", [6, 9, 16])
def test_the_best_moves_are_those_that_a_look_at_every_reply_finds(size: int) -> None:
    rng = generator("liked", size)
    squares = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    for _ in range(150):
        white, black = (squares[place] for place in rng.choice(len(squares), 2, replace=False))
        puzzle = Puzzle(blank_terms("strategic_gaming"), size, white, black, "optimal")
        replies = TASK.replies(puzzle, State(white, black))
        assert TASK._liked(puzzle, replies) == Duel._liked(TASK, puzzle, replies)
