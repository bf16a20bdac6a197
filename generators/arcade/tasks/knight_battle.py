"""Knight battle: capture the other knight, or reach your own target square safely.

EvolArena, cases N.61 and N.62, algorithms 11 to 13; the puzzle is Codeforces 1201 E. Squares are
(x, y) from 1, y upwards. White, the model, moves first. A side wins when it captures the other
knight, or reaches its target while the other knight does not attack it.

Retrograde analysis of every position of the two knights gives the turns within which White surely
wins. On boards wider than WIDEST only the part around the targets is analysed: a Black knight that
leaves it counts as not beaten, so every win found is a win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
    NEVER,
    TURNS,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Duel,
    DuelParams,
    DuelPuzzle,
    ErrorPrice,
    Opponent,
    Reject,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    number_to_digits,
)
from facelet.generators.arcade.solvers.pursuit_solver import pad_moves, solve_pursuit

LEAPS = ((1, 2), (-1, 2), (1, -2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1))
WIDEST = 32
SOONEST, LATEST = 3, 6
"""The fewest turns that White needs from a start: up to level 3, and at most."""
SPARE = 30
"""Starts that each item of a published puzzle may try."""

Square = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """A board, where the knights start, and how Black plays."""

    size: int = column("squares along a side of the board", role="puzzle")
    white: tuple[int, ...] = column("where White starts, x and y", role="puzzle")
    black: tuple[int, ...] = column("where Black starts, x and y", role="puzzle")
    opponent: Opponent = column("how Black plays: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The squares of the knights, and the winner: True for White, False for Black."""

    white: Square
    black: Square
    won: bool | None = None


class KnightBattle(Duel[DuelParams, Puzzle, State]):
    """Two knights race for their targets or capture each other."""

    name = "arcade/knight_battle"
    version = 4
    older_versions = (3,)
    beats_rule = True
    fixed = 0.08
    category = "strategic_gaming"
    forms = (CommandForm("move", "My Move: {int} {int}", "My Move: x y"),)
    illegal = ErrorPrice("end")
    exact = True
    lucky = blind_limits({1: 0.45, 2: 0.25}, "on a small board one run fits many a target")
    sample = Sample(
        Puzzle(blank_terms("strategic_gaming", seed="sample"), 10, (1, 1), (9, 2), "random"),
        (Command("move", (2, 3)), Command("move", (3, 5))),
        "On a board of 10 x 10 squares your knight is on 1 1 and mine on 9 2.",
    )
    deviations = (
        Deviation(
            "any two starting squares that are no targets",
            "White surely wins, in three turns at the soonest, and Black could not win at once",
            "from most others Black can hold out; appendix D.3 wants a sustained exchange",
            "published=true",
        ),
        Deviation(
            "",
            "the hard board is 16 wide, as in the text; 15 in the data",
            "the text has priority",
        ),
        Deviation(
            "",
            "a win in the last turn counts; not in the data's evaluation",
            "the text gives the player 15 rounds",
        ),
        Deviation(
            "the opponent plays at random",
            "it never misses a forced win",
            "beating a random mover means little",
            "published=true",
        ),
        Deviation(
            "",
            "the prompt states how Black wins; in the paper only algorithm 12 does",
            "a player must know what to prevent",
        ),
        Deviation(
            "",
            "an illegal move loses; a reply without a move costs a turn",
            "the paper covers only illegal moves",
        ),
    )

    def make(self, params: DuelParams, draw: Draw) -> Puzzle:
        size = params.level_size(6, 8, 16, 4)
        if params.published:
            number = draw.unique_number("start", size**4, self.capacity(params))
            xw, yw, xb, yb = (place + 1 for place in number_to_digits(number, (size,) * 4))
            white, black = (xw, yw), (xb, yb)
            targets = _target_squares(size)
            if white == black or white in targets or black in targets:
                raise Reject("a knight starts on a target, or on the other")
            if _wins_at_once(size, white, black) or _wins_at_once(size, black, white, black=True):
                raise Reject("a side wins with its first move")
        else:
            starts = _list_starts(params)
            white, black = _start_squares(size, starts[draw.unique_number("start", len(starts))])
        return Puzzle(self.terms(params, draw), size, white, black, params.opponent_kind)

    def capacity(self, params: DuelParams) -> int:
        size = params.level_size(6, 8, 16, 4)
        return size**4 // SPARE if params.published else len(_list_starts(params))

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Knight battle. You and I have one knight each on a board of {size} x {size} squares. "
            f"A square is written x y, its column and its row, both 1 to {size}; y grows upwards. "
            "You have the white knight and move first; I have the black one. We move in turn, and "
            "nobody may stay.\n"
            "A knight moves by two along one axis and by one along the other: from x y to x+1 y+2, "
            "x-1 y+2, x+1 y-2, x-1 y-2, x+2 y+1, x+2 y-1, x-2 y+1 or x-2 y-1, as long as that is "
            "on the board. It attacks the squares that it could move to.\n"
            "Each of us has a target square. You win at once if you move\n"
            "- to the square of my knight, which captures it, or\n"
            "- to your target, while my knight does not attack it.\n"
            "I win at once if I move to the square of your knight, or to my target while your "
            "knight does not attack it. A knight that comes to its target while it is attacked "
            "just stands there. Nothing else is special about targets: either knight may stand "
            "on either.\n"
            "After each of your moves I tell you where I have moved my knight: x y.\n"
            "You also lose if you have not won by the end of your last turn."
        )

    def opening(self, puzzle: Puzzle) -> str:
        yours, mine = _target_squares(puzzle.size)
        return (
            f"Your knight (white): {_format_square(puzzle.white)}\n"
            f"My knight (black): {_format_square(puzzle.black)}\n"
            f"Your target: {_format_square(yours)}\nMy target: {_format_square(mine)}\nYour move."
        )

    def start(self, puzzle: Puzzle) -> State:
        return State(_to_square(puzzle.white), _to_square(puzzle.black))

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if (square := _to_square(command.args)) in _knight_moves(puzzle.size, state.white):
            return ""
        return f"a knight on {_format_square(state.white)} cannot move to {_format_square(square)}"

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        white = _to_square(command.args)
        won = _has_won(puzzle.size, white, state.black, _target_squares(puzzle.size)[0])
        return State(white, state.black, True if won else None)

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        size, target = puzzle.size, _target_squares(puzzle.size)[1]
        return [
            State(state.white, black, False if _has_won(size, black, state.white, target) else None)
            for black in _knight_moves(size, state.black)
        ]

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return _format_square(state.black)

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.won

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        moves = _knight_moves(puzzle.size, state.white)
        return Command("move", moves[below(rng, len(moves))])

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return the most for a win, then for not losing at once, then for being near its target.

        The distance counts along the longer axis.
        """
        if state.won is False:
            return float(2 * puzzle.size)
        target = _target_squares(puzzle.size)[1]
        near = -max(abs(a - b) for a, b in zip(state.black, target, strict=True))
        risk = _wins_at_once(puzzle.size, state.white, state.black)
        return float(near - puzzle.size * risk)

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        return _turns_to_force_win(puzzle.size, state.white, state.black)

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        def rank_square(square: Square) -> tuple[int, int]:
            follow = self.list_outcomes(puzzle, state, Command("move", square))
            hopes = [self._turns_after_reply(puzzle, after) for after in follow]
            lost = sum(after.won is False for after in follow)
            return max(hopes), len(hopes) * lost + hopes.count(NEVER)

        return Command("move", min(_knight_moves(puzzle.size, state.white), key=rank_square))


TASK = KnightBattle()


def _target_squares(size: int) -> tuple[Square, Square]:
    """Return White's target and Black's (algorithm 11)."""
    return (size // 2, size // 2), (size // 2 + 1, size // 2)


@lru_cache(maxsize=1 << 16)
def _knight_moves(size: int, square: Square) -> tuple[Square, ...]:
    """Return the squares that a knight can move to."""
    x, y = square
    squares = ((x + right, y + up) for right, up in LEAPS)
    return tuple((x, y) for x, y in squares if 1 <= x <= size and 1 <= y <= size)


def _has_won(size: int, mover: Square, other: Square, target: Square) -> bool:
    """Return whether a knight that has just moved has won."""
    return mover == other or (mover == target and mover not in _knight_moves(size, other))


def _wins_at_once(size: int, mover: Square, other: Square, *, black: bool = False) -> bool:
    """Return whether a knight wins with its next move."""
    target = _target_squares(size)[black]
    return any(_has_won(size, square, other, target) for square in _knight_moves(size, mover))


def _to_square(numbers: Sequence[int]) -> Square:
    x, y = numbers
    return x, y


def _format_square(square: Sequence[int]) -> str:
    return f"{square[0]} {square[1]}"


# --- analysis -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardAnalysis:
    """The analysis of all positions of the two knights with White to move.

    Square (x, y) has the number (x - 1) * width + y - 1 in the analysed part of the board.

    Attributes:
        width: squares along a side of that part.
        shift: columns left of it, and rows below it.
        turns: turns within which White surely wins, by the squares of White and Black; 0 for never.
        starts: the positions that puzzles start from, shape (S, 2).
    """

    width: int
    shift: int
    turns: npt.NDArray[np.int16]
    starts: npt.NDArray[np.int64]


def _analyze_board(size: int) -> BoardAnalysis:
    """Return the analysis of a board."""
    width = min(size, WIDEST)
    return BoardAnalysis(
        width, size // 2 - width // 2, *_search_board(width, open_sides=size > width)
    )


@lru_cache(maxsize=4)
def _search_board(
    width: int, *, open_sides: bool
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int64]]:
    """Return the turns to a sure win, and the starts of puzzles.

    Args:
        width: squares along a side of the analysed part, with the targets in its middle.
        open_sides: whether the board extends beyond that part.
    """
    squares = [(x, y) for x in range(1, width + 1) for y in range(1, width + 1)]
    leaps = [
        [_square_to_place(width, other) for other in _knight_moves(width, square)]
        for square in squares
    ]
    count = len(squares)
    attacks = np.zeros((count, count), dtype=np.bool_)
    for place, others in enumerate(leaps):
        attacks[place, others] = True
    yours, mine = (_square_to_place(width, target) for target in _target_squares(width))
    wins = np.eye(count, dtype=np.bool_)
    loses = wins.copy()
    wins[yours] |= ~attacks[:, yours]
    loses[:, mine] |= ~attacks[:, mine]
    threats = np.stack([loses[:, others].any(axis=1) for others in leaps], axis=1)
    black = leaps
    if open_sides:
        # One more place stands for all squares beyond: nothing returns from it or wins there.
        black = [[*others, *([count] if len(others) < len(LEAPS) else [])] for others in leaps]
        black.append([count])
        wins, loses = (np.pad(flags, ((0, 0), (0, 1))) for flags in (wins, loses))
    turns = solve_pursuit(pad_moves(leaps), pad_moves(black), wins, loses, TURNS)
    fit = (turns[:, :count] >= SOONEST) & ~threats
    for target in (yours, mine):
        fit[target] = fit[:, target] = False
    return turns, np.argwhere(fit)


def _square_to_place(width: int, square: Square) -> int:
    return (square[0] - 1) * width + square[1] - 1


def _list_starts(params: DuelParams) -> npt.NDArray[np.int64]:
    """Return the starts of a level; from level 4 on White needs one turn more a level."""
    analysis = _analyze_board(params.level_size(6, 8, 16, 4))
    soonest = min(SOONEST + max(0, params.level - 3), LATEST)
    white, black = analysis.starts.T
    starts: npt.NDArray[np.int64] = analysis.starts[analysis.turns[white, black] >= soonest]
    return starts


def _start_squares(size: int, places: Sequence[int]) -> tuple[Square, Square]:
    """Return the squares of White and Black in a start, by their numbers."""
    analysis = _analyze_board(size)
    white, black = (divmod(int(place), analysis.width) for place in places)
    first = 1 + analysis.shift
    return (white[0] + first, white[1] + first), (black[0] + first, black[1] + first)


def _turns_to_force_win(size: int, white: Square, black: Square) -> int | None:
    """Return the turns within which White, to move, surely wins; None if it cannot."""
    analysis = _analyze_board(size)
    width, shift = analysis.width, analysis.shift
    squares = [(x - shift, y - shift) for x, y in (white, black)]
    if not all(1 <= place <= width for square in squares for place in square):
        return None
    return (
        int(
            analysis.turns[_square_to_place(width, squares[0]), _square_to_place(width, squares[1])]
        )
        or None
    )
