"""Assiut chess: the monitor against a twin, the king's moves against its rolls, the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks import assiut_chess
from facelet.generators.arcade.tasks.assiut_chess import TASK, AssiutChess, State

Square = tuple[int, int]
WAYS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}


def queen_lines(n: int, queen: Square) -> set[Square]:
    """Return the squares of the queen's lines, her own included, walked one by one."""
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    walked = {(queen[0] + k * a, queen[1] + k * b) for a, b in steps for k in range(n)}
    return {(x, y) for x, y in walked if 1 <= x <= n and 1 <= y <= n}


def king_moves(n: int, queen: Square, king: Square) -> dict[str, Square]:
    """Return the king's moves by their names."""
    found = {}
    for up in ("", "Up", "Down"):
        for side in ("", "Left", "Right"):
            parts = [part for part in (up, side) if part]
            x = king[0] + sum(WAYS[part][0] for part in parts)
            y = king[1] + sum(WAYS[part][1] for part in parts)
            if parts and 1 <= x <= n and 1 <= y <= n and (x, y) not in queen_lines(n, queen):
                found["-".join(parts)] = (x, y)
    return found


class Twin:
    """Case N.79; the king makes any of its moves."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.n, self.king = row["size"], tuple(row["king"])
        self.queen: Square | None = None

    def answer_line(self, line: str) -> str | set[str]:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 2:
            return INVALID
        x, y = choice
        allowed = 1 <= min(x, y) and max(x, y) <= self.n
        if self.queen:
            allowed = allowed and (x, y) in queen_lines(self.n, self.queen) - {self.queen}
        if not allowed:
            self.has_won = False
            return INVALID
        self.queen = x, y
        found = king_moves(self.n, self.queen, self.king)
        if not found:
            self.has_won = True
            return "Done"
        return set(found)

    def note_answer(self, text: str) -> None:
        self.king = king_moves(self.n, self.queen or (0, 0), self.king)[text]


def test_a_fault_is_found() -> None:
    class Faulty(AssiutChess):
        """The king stays where it is and only says that it moves."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            after = super().step(puzzle, state, said, luck)
            return State(after.queen, state.king, after.king_directions, after.rounds)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_all_moves_of_a_king_are_as_likely() -> None:
    found = Counter(
        assiut_chess._king_moves(6, (1, 1), (4, 3), "random")[roll % 6][0]
        for roll in range(assiut_chess.ROLL)
    )
    assert set(found) == set(king_moves(6, (1, 1), (4, 3))) and set(found.values()) == {140}
    for puzzle in make_puzzles(TASK, TASK.params(level=2), 3):
        assert all(0 <= roll < assiut_chess.ROLL for roll in puzzle.rolls)


def test_the_tables_tell_the_moves() -> None:
    for n in (4, 5):
        tables = assiut_chess._build_tables(n)
        squares = [(x, y) for x in range(1, n + 1) for y in range(1, n + 1)]
        for q, queen in enumerate(squares):
            reach = {squares[place] for place in tables.queens[q]}
            assert reach == queen_lines(n, queen) - {queen}
            for k, king in enumerate(squares):
                right = king_moves(n, queen, king)
                told = assiut_chess._king_moves(n, queen, king, "random")
                assert tables.count[q, k] == len(right) == len(told)
                assert (tables.after[q, k] == 0) == (not right)
        names = list(assiut_chess.DIRECTIONS)
        # In the middle of the board and far from the queen every direction is as it is named.
        king = squares.index((2, 2))
        for name, place in king_moves(n, (n, n), (2, 2)).items():
            assert squares[tables.target[king, names.index(name)]] == place


def test_an_evading_king_goes_where_it_would_last_longest() -> None:
    """As the rules say it, square by square: no table of the game's."""
    n = 4
    squares = [(x, y) for x in range(1, n + 1) for y in range(1, n + 1)]
    options = {(q, k): list(king_moves(n, q, k).values()) for q in squares for k in squares}
    reach = {q: queen_lines(n, q) - {q} for q in squares}
    needed = {pair: 0.0 for pair in options}
    best: dict[tuple[Square, Square], float] = {}
    for _ in range(60):
        best = {(q, k): 1 + min(needed[other, k] for other in reach[q]) for q, k in options}
        needed = {
            (q, k): sum(best[q, to] for to in tos) / len(tos) if tos else 0.0
            for (q, k), tos in options.items()
        }
    for queen, king in options:
        tos = options[queen, king]
        longest = max((best[queen, to] for to in tos), default=0.0)
        right = {to for to in tos if best[queen, to] > longest - 1e-8}
        assert {to for _, to in assiut_chess._king_moves(n, queen, king, "evading")} == right


def test_the_player_knows_where_the_king_may_be() -> None:
    """Most puzzles are won inside the cap, and those that are made all are."""
    for level, share in ((1, 0.5), (2, 0.3), (3, 0.2)):
        (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
        others = TASK.draw_lookalikes(puzzle, 60, np.random.default_rng(level))
        won = sum(TASK.play_reference(other)[1] for other in others)
        assert won >= share * 60
