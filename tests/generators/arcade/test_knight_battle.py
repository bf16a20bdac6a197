"""Knight battle: the monitor against a twin, and the analysis against a plain minimax."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.knight_battle import TASK, KnightBattle, Puzzle, State
from facelet.generators.core.seeding import make_generator

Square = tuple[int, int]


def is_attacked(a: Square, b: Square) -> bool:
    return sorted((abs(a[0] - b[0]), abs(a[1] - b[1]))) == [1, 2]


def knight_leaps(size: int, square: Square) -> list[Square]:
    board = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    return [other for other in board if is_attacked(square, other)]


class Twin:
    """Case N.61 and algorithm 12; Black's move is any of its moves."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size = row["size"]
        self.white, self.black = tuple(row["white"]), tuple(row["black"])
        half = self.size // 2
        self.goals = (half, half), (half + 1, half)

    def answer_line(self, line: str) -> str | set[str]:
        move = line_numbers(line, "My Move:")
        if move is None or "," in line or len(move) != 2:
            return INVALID
        x, y = move
        inside = 1 <= x <= self.size and 1 <= y <= self.size
        if not inside or not is_attacked(self.white, (x, y)):
            self.has_won = False
            return INVALID
        self.white = x, y
        if self._has_won(self.white, self.black, self.goals[0]):
            self.has_won = True
            return ""
        return {f"{x} {y}" for x, y in knight_leaps(self.size, self.black)}

    def note_answer(self, text: str) -> None:
        x, y = map(int, text.split())
        self.black = x, y
        if self._has_won(self.black, self.white, self.goals[1]):
            self.has_won = False

    @staticmethod
    def _has_won(mover: Square, other: Square, goal: Square) -> bool:
        return mover == other or (mover == goal and not is_attacked(mover, other))


def test_a_fault_is_found() -> None:
    class Faulty(KnightBattle):
        """Black wins nothing."""

        def list_opponent_states(self, puzzle: Any, state: Any) -> list[State]:
            return [State(s.white, s.black) for s in super().list_opponent_states(puzzle, state)]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_outlook_is_that_of_minimax(level: int) -> None:
    def white_wins_within(puzzle: Any, white: Square, black: Square, turns: int) -> bool:
        """Whether White, to move, wins within so many turns whatever Black does."""
        twin = Twin({"size": puzzle.size, "white": white, "black": black})

        @cache
        def wins_within(white: Square, black: Square, turns: int) -> bool:
            if not turns:
                return False
            for after in knight_leaps(twin.size, white):
                if twin._has_won(after, black, twin.goals[0]):
                    return True
                answers = knight_leaps(twin.size, black)
                if any(twin._has_won(answer, after, twin.goals[1]) for answer in answers):
                    continue
                if all(wins_within(after, answer, turns - 1) for answer in answers):
                    return True
            return False

        return wins_within(white, black, turns)

    for puzzle in make_puzzles(TASK, TASK.params(level=level), 6 if level < 3 else 3):
        turns = puzzle.terms.optimum
        start = TASK.start(puzzle)
        assert white_wins_within(puzzle, start.white, start.black, turns)
        assert not white_wins_within(puzzle, start.white, start.black, turns - 1)


@pytest.mark.parametrize("level", [1, 2])
def test_a_forced_win_is_a_run_that_black_cannot_stop(level: int) -> None:
    """One list of moves wins whatever Black does: it has to be seen ahead, and nothing heard."""

    def has_free_run(size: int, white: Square, blacks: frozenset[Square], turns: int) -> bool:
        twin = Twin({"size": size, "white": white, "black": white})
        for after in knight_leaps(size, white) if turns else ():
            left = [black for black in blacks if not twin._has_won(after, black, twin.goals[0])]
            moved = {answer for black in left for answer in knight_leaps(size, black)}
            if any(twin._has_won(answer, after, twin.goals[1]) for answer in moved):
                continue
            if not left or has_free_run(size, after, frozenset(moved), turns - 1):
                return True
        return False

    for puzzle in make_puzzles(TASK, TASK.params(level=level), 5):
        start = TASK.start(puzzle)
        assert has_free_run(
            puzzle.size, start.white, frozenset({start.black}), puzzle.terms.optimum
        )


@pytest.mark.parametrize("size", [6, 9, 16])
def test_the_best_moves_are_those_that_a_look_at_every_reply_finds(size: int) -> None:
    rng = make_generator("liked", size)
    squares = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    for _ in range(150):
        white, black = (squares[place] for place in rng.choice(len(squares), 2, replace=False))
        puzzle = Puzzle(blank_terms("strategic_gaming"), size, white, black, "optimal")
        replies = TASK.list_opponent_states(puzzle, State(white, black))
        assert TASK._best_opponent_states(puzzle, replies) == Duel._best_opponent_states(
            TASK, puzzle, replies
        )
