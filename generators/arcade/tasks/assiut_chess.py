"""Assiut chess: a queen traps a hidden king that announces the direction of each of its moves.

EvolArena, cases N.79 and N.80; the puzzle is Codeforces 1557 E. Squares are (x, y): row x from the
top and column y from the left. The queen attacks whole lines, through everything. The king evades:
it makes a move after which a queen that sees it would need longest against a king that then moves
at random. Or it moves at random, as in the paper. The column `rolls` breaks ties, so every play of
a puzzle is the same.

The reference player keeps the probability of each square and makes the move with the least expected
number of turns, as if it saw the king from then on. LOOK rounds of value iteration give that number
for every queen and king. Only a win in the row itself is guaranteed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
    LEVELS,
    TURNS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    ErrorPrice,
    Luck,
    Player,
    Sample,
    blank_terms,
    blind_limits,
    column,
    level_param,
    param,
    several,
)

MOVES = 20
"""Turns of the paper's text, and the number of rolls in a row."""
LOOK = 60
ROLL = 840
"""Rolls are below this multiple of every number of moves that a king can have."""
DIRECTIONS = {
    "Right": (0, 1),
    "Left": (0, -1),
    "Up": (-1, 0),
    "Down": (1, 0),
    "Down-Right": (1, 1),
    "Down-Left": (1, -1),
    "Up-Left": (-1, -1),
    "Up-Right": (-1, 1),
}

King = Literal["evading", "random"]
Square = tuple[int, int]
Table = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A board, and where and how its king moves."""

    size: int = column("squares along a side of the board", role="puzzle")
    king: tuple[int, ...] = column("where the king starts, x and y", role="secret")
    rolls: tuple[int, ...] = column(
        "which of equal moves the king makes: roll k modulo their number in round k", role="secret"
    )
    king_moves: King = column("how the king moves: evading or random")


@dataclass(frozen=True, slots=True)
class State:
    """The squares of the queen and the king, the last message of the king, and the rounds so far.

    `queen` is empty before it is placed; `king_directions` is "Done" once the king is trapped.
    """

    queen: tuple[int, ...]
    king: Square
    king_directions: str = ""
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; at a later level the player would have to track too many positions."""

    level: int = level_param(7)
    king: Literal["auto", "evading", "random"] = param(
        "auto",
        "how the king moves: away from the queen, or at random as in the paper; auto is away, and "
        "at random where the game is as published",
    )

    @property
    def king_moves(self) -> King:
        """The kind of king."""
        if self.king == "auto":
            return "random" if self.published else "evading"
        return self.king


class AssiutChess(ArcadeGame[Params, Puzzle, State]):
    """A queen traps a king by the directions in which it moves."""

    name = "arcade/assiut_chess"
    version = 6
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int} {int}", "My Choice: x y"),)
    illegal = ErrorPrice("end")
    lucky = blind_limits(
        {1: 0.35, 2: 0.2}, "a queen that keeps moving traps the king by chance at times"
    )
    sample = Sample(
        Puzzle(blank_terms("strategic_gaming"), 5, (5, 4), (0, 0, 3, 1, 2), "random"),
        (Command("choice", (3, 2)), Command("choice", (3, 4))),
        "On a board of 5 x 5 squares I have a king that you do not see.",
    )
    deviations = (
        Deviation(
            "20 moves in the text, 15 turns in appendix F",
            "9 turns at level 1, 8 at levels 2 and 3, then three fewer than squares along a side",
            "with more, a queen that only keeps moving wins most games; larger boards alone "
            "hardly help",
            "published=true: 15 turns",
        ),
        Deviation(
            "boards of 4 x 4, 6 x 6 and 7 x 7 squares",
            "8 x 8, 9 x 9 and 11 x 11",
            "on smaller boards a fixed list of moves traps the king",
            "published=true",
        ),
        Deviation(
            "",
            "x is the row from the top: Down adds 1 to x, Right adds 1 to y",
            "the directions need a meaning",
        ),
        Deviation(
            "",
            "the queen moves and attacks through the king; on its square it is trapped",
            "all squares next to it are then attacked",
        ),
        Deviation(
            "the published king moves at random",
            "it makes the move after which it lasts longest",
            "a random king walks into a trap",
            "published=true",
        ),
        Deviation(
            "",
            "an illegal move loses; a reply without a move costs a turn",
            "the paper covers only illegal moves",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(8, 9, 11, 1, paper=(4, 6, 7))
        king, rolls = _draw_king(size, MOVES, draw.rng)
        trapped = _build_tables(size).count == 0
        luck = float(trapped.mean(axis=1).max())
        terms = self.terms(params, draw, first_luck=luck)
        return Puzzle(terms, size, king, rolls, params.king_moves)

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        if params.published:
            return TURNS
        # Larger boards are swept in hardly more turns than smaller ones.
        return shown.size + (1, -1, -3)[min(params.level, LEVELS[-1]) - 1]

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Assiut chess. On a board of {size} x {size} squares I have a king that you do not "
            "see, and you have a queen. A square is written x y: its row x from the top and its "
            f"column y from the left, both 1 to {size}.\n"
            "In your first turn you place the queen on any square. From then on I move the king, "
            "and you move the queen, in turn.\n"
            "- The king moves to one of the squares next to it and I tell you the direction: "
            "Right, Left, Up, Down, Down-Right, Down-Left, Up-Left or Up-Right. Right adds 1 to "
            "y and Down adds 1 to x. It moves to no square that the queen is on or attacks. "
            f"{_KING[puzzle.king_moves]}\n"
            "- The queen moves to another square in her row, her column or one of her diagonals. "
            "She attacks all squares of these lines. The king is in the way of neither.\n"
            "You win when the king has to move and cannot; I then say Done. You lose if that has "
            "not happened by the end of your last turn."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return "Place your queen."

    def start(self, puzzle: Puzzle) -> State:
        return State((), (puzzle.king[0], puzzle.king[1]))

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        x, y = command.args
        if not (1 <= x <= puzzle.size and 1 <= y <= puzzle.size):
            return f"rows and columns are 1 to {puzzle.size}"
        if not state.queen:
            return ""
        if command.args == state.queen:
            return "the queen has to move"
        return (
            "" if _is_attacked(state.queen, command.args) else f"the queen does not move to {x} {y}"
        )

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        moves = _king_moves(puzzle.size, command.args, state.king, puzzle.king_moves)
        rounds = state.rounds + 1
        if not moves:
            return State(command.args, state.king, "Done", rounds)
        roll = puzzle.rolls[state.rounds % len(puzzle.rolls)]
        told, king = moves[roll % len(moves)]
        return State(command.args, king, told, rounds)

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return state.king_directions

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.king_directions == "Done" else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("choice", _draw_square(puzzle.size, state.queen, rng))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        found = [_draw_king(puzzle.size, len(puzzle.rolls), rng) for _ in range(count)]
        return [replace(puzzle, king=king, rolls=rolls) for king, rolls in found]

    def player(self, shown: Puzzle) -> Player:
        size, tables = shown.size, _build_tables(shown.size, shown.king_moves)
        chance = np.full(size * size, 1 / (size * size))
        queens = np.arange(size * size)
        while True:
            cost = np.round(tables.after[queens] @ chance, 9)
            queen = int(queens[int(cost.argmin())])
            answer = yield Command("choice", _number_to_square(size, queen))
            # What is told moves each square's chance, shared among the moves that it has.
            direction = list(DIRECTIONS).index(answer)
            able = np.flatnonzero(tables.likely[queen, :, direction])
            moved = np.zeros_like(chance)
            likely = tables.likely[queen, able, direction]
            moved[tables.target[able, direction]] = chance[able] * likely
            chance = moved / moved.sum()
            queens = tables.queens[queen]


TASK = AssiutChess()

_KING = {
    "evading": "Of the moves that are left to it, it makes one after which it would last longest; "
    "it sees the queen.",
    "random": "Of the moves that are left to it, it makes any.",
}


def _draw_square(size: int, queen: Sequence[int], rng: np.random.Generator) -> Square:
    """Draw a square for the queen: one that it can move to, or any if it is not placed yet."""
    while True:
        down, right = several(rng, size, 2)
        square = down + 1, right + 1
        if not queen or (square != queen and _is_attacked(queen, square)):
            return square


def _is_attacked(queen: Sequence[int], square: Sequence[int]) -> bool:
    """Return whether a square shares a line with the queen; its own square does."""
    down, right = square[0] - queen[0], square[1] - queen[1]
    return down == 0 or right == 0 or abs(down) == abs(right)


@lru_cache(maxsize=1 << 16)
def _king_moves(
    size: int, queen: Square, king: Square, how: King
) -> tuple[tuple[str, Square], ...]:
    """Return the moves of a king, each as its direction and its square."""
    place = _square_to_number(size, king)
    likely = _build_tables(size, how).likely[_square_to_number(size, queen), place]
    return tuple(
        (told, (king[0] + x, king[1] + y))
        for (told, (x, y)), chance in zip(DIRECTIONS.items(), likely.tolist(), strict=True)
        if chance
    )


def _square_to_number(size: int, square: Square) -> int:
    """Return the number of a square, row by row from 0."""
    return (square[0] - 1) * size + square[1] - 1


def _number_to_square(size: int, number: int) -> Square:
    """Return a square by its number, row by row from 0."""
    x, y = divmod(number, size)
    return x + 1, y + 1


def _draw_king(size: int, rounds: int, rng: np.random.Generator) -> tuple[Square, tuple[int, ...]]:
    """Draw the square where a king starts, and its rolls."""
    x, y = (number + 1 for number in several(rng, size, 2))
    return (x, y), tuple(several(rng, ROLL, rounds))


@dataclass(frozen=True, slots=True)
class BoardTables:
    """Tables of a board of N squares, numbered row by row.

    Attributes:
        likely: probability of a king's move, by queen, king and direction; shape (N, N, 8).
        target: the square that a move leads to, by king and direction; shape (N, 8).
        count: number of moves of a king, by queen and king; shape (N, N).
        queens: the squares that each queen can move to.
        after: expected turns after a move of the queen, with the king to move, if it sees the
            king; shape (N, N).
    """

    likely: Table
    target: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    queens: tuple[npt.NDArray[np.int64], ...]
    after: Table


@lru_cache(maxsize=16)
def _build_tables(size: int, how: King = "random") -> BoardTables:
    """Return the tables of a board for one kind of king."""
    places = size * size
    x, y = np.divmod(np.arange(places), size)
    down, right = x[None] - x[:, None], y[None] - y[:, None]
    lines = (down == 0) | (right == 0) | (abs(down) == abs(right))
    steps = np.array(list(DIRECTIONS.values()))
    tx, ty = x[:, None] + steps[:, 0], y[:, None] + steps[:, 1]
    inside = (tx >= 0) & (tx < size) & (ty >= 0) & (ty < size)
    target = np.where(inside, tx * size + ty, 0)
    able = inside[None] & ~lines[:, target]
    count = able.sum(axis=2)
    queens = tuple(np.flatnonzero(row & (np.arange(places) != q)) for q, row in enumerate(lines))
    likely: Table = able / np.maximum(count, 1)[:, :, None]
    if how == "evading":
        # The king goes where a queen that sees it needs longest to trap one that moves at random.
        _, before = _count_needed_turns(queens, target, likely)
        worth = np.where(able, np.round(before[:, target], 9), -1.0)
        best = able & (worth == worth.max(axis=2, keepdims=True))
        likely = best / np.maximum(best.sum(axis=2), 1)[:, :, None]
    after, _ = _count_needed_turns(queens, target, likely)
    return BoardTables(likely, target, count, queens, after)


def _count_needed_turns(
    queens: Sequence[npt.NDArray[np.int64]], target: npt.NDArray[np.int64], likely: Table
) -> tuple[Table, Table]:
    """Return the expected turns with the king to move, and with the queen to move."""
    after: Table = np.zeros(likely.shape[:2])
    for _ in range(LOOK):
        before = np.stack([1 + after[moves].min(axis=0) for moves in queens])
        after = (before[:, target] * likely).sum(axis=2)
    return after, before
