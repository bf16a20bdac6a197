"""Geometric distance: take points in turn; the sum of the squared distances must become even.

EvolArena, cases N.75 and N.76; the puzzle is Codeforces 1903 E. The squared distance of two points
is odd exactly when x + y is odd for one of them and even for the other. So the sum is even exactly
when the last point has the same parity as the start. The other side takes the last point. The
player surely wins when at least half of the remaining points have the start's parity: it takes
points of the other parity until none are left. With fewer it cannot force a win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    AT_RANDOM,
    INVALID_LOSES,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Duel,
    DuelParams,
    DuelPuzzle,
    ErrorPrice,
    Opponent,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    larger_sizes_deviation,
    level_param,
)

SIDE = 20
"""Coordinates are 0 to SIDE - 1; larger where there are more points."""


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """The starting point, the points, and how the other side plays."""

    start: tuple[int, ...] = column("the starting point, x and y", role="puzzle")
    xs: tuple[int, ...] = column("x of each point", role="puzzle")
    ys: tuple[int, ...] = column("y of each point", role="puzzle")
    opponent: Opponent = column("how the other side plays: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The points taken so far, in order, by their numbers from 1."""

    taken: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Params(DuelParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(60)


class GeometricDistance(Duel[Params, Puzzle, State]):
    """Two sides take points; parity decides."""

    name = "arcade/geometric_distance"
    version = 5
    fixed_at_random = 0.2
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int}", "My Choice: X"),)
    illegal = ErrorPrice("end")
    exact = True
    # With 4 points two turns decide, so any two points often beat a random opponent.
    lucky = blind_limits(
        {1: 0.2}, "two turns decide the smallest board, so one of few pairs fits many"
    )
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"),
            (0, 0),
            (1, 0, 1, 1),
            (0, 1, 1, 3),
            "random",
        ),
        (Command("choice", (1,)),),
        "The starting point is (0, 0). Point 1: (1, 0), point 2: (0, 1), point 3: (1, 1), "
        "point 4: (1, 3).",
    )
    deviations = (
        larger_sizes_deviation("4, 6 and 8 points", "6, 8 and 12"),
        Deviation(
            "any points",
            "half of them are of the start's kind (x + y even or odd)",
            "with fewer the player cannot force a win, with more it may err and still win",
            "published=true",
        ),
        AT_RANDOM,
        INVALID_LOSES,
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(6, 8, 12, 2, paper=(4, 6, 8))
        side = max(SIDE, 2 * size)
        kind = draw.deal_card("kind", (0, 1))
        kinds = np.array([(kind + (place >= size // 2)) % 2 for place in range(size)])
        if params.published:
            kinds = draw.rng.integers(2, size=size)
        places = draw.rng.permutation(side * side)
        xs, ys = np.divmod(places, side)
        odd = (xs + ys) % 2
        # The start, and then the points of each kind, are the first places of that kind.
        queue = {one: [int(place) for place in places[odd == one][: size + 1]] for one in (0, 1)}
        first = queue[kind].pop()
        chosen = [queue[int(one)].pop() for one in draw.rng.permutation(kinds)]
        return Puzzle(
            self.terms(params, draw),
            divmod(first, side),
            tuple(place // side for place in chosen),
            tuple(place % side for place in chosen),
            params.opponent_kind,
        )

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.xs)
        return (
            f"Geometric distance. There are {size} points, numbered 1 to {size}, and a starting "
            "point. You and I take points in turn, you first; each point is taken once. Whoever "
            "takes a point adds to a sum the squared distance, (x1 - x2)^2 + (y1 - y2)^2, between "
            "it and the point that was taken just before; for your first point, between it and "
            "the starting point.\n"
            "The game is over when all points are taken; I take the last one. You win if the sum "
            "is then even, and lose if it is odd.\n"
            "After each of your choices I tell you the number of the point that I take."
        )

    def opening(self, puzzle: Puzzle) -> str:
        points = enumerate(zip(puzzle.xs, puzzle.ys, strict=True), 1)
        listed = "\n".join(f"Point {number}: ({x}, {y})" for number, (x, y) in points)
        return f"Starting point: ({puzzle.start[0]}, {puzzle.start[1]})\n{listed}\nYour choice."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        (point,) = command.args
        if not 1 <= point <= len(puzzle.xs):
            return f"points are 1 to {len(puzzle.xs)}"
        return f"point {point} is taken" if point in state.taken else ""

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        return State((*state.taken, *command.args))

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        return [State((*state.taken, point)) for point in _free_points(puzzle, state)]

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.taken[-1]

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        if len(state.taken) < len(puzzle.xs):
            return None
        way = [
            (puzzle.start[0], puzzle.start[1]),
            *((puzzle.xs[point - 1], puzzle.ys[point - 1]) for point in state.taken),
        ]
        return sum((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in pairwise(way)) % 2 == 0

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        left = _free_points(puzzle, state)
        return Command("choice", (left[below(rng, len(left))],))

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return 1 if the opponent has just taken a point of the start's parity, else 0."""
        return float(_is_start_kind(puzzle, state.taken[-1]))

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        left = _free_points(puzzle, state)
        alike = sum(_is_start_kind(puzzle, point) for point in left)
        return len(left) // 2 if 2 * alike >= len(left) else None

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        left = _free_points(puzzle, state)
        return Command(
            "choice", (min(left, key=lambda point: (_is_start_kind(puzzle, point), point)),)
        )


TASK = GeometricDistance()


def _free_points(puzzle: Puzzle, state: State) -> list[int]:
    """Return the points that are not taken."""
    return [point for point in range(1, len(puzzle.xs) + 1) if point not in state.taken]


def _is_start_kind(puzzle: Puzzle, point: int) -> bool:
    """Return whether a point has the start's parity."""
    return (sum(puzzle.start) + puzzle.xs[point - 1] + puzzle.ys[point - 1]) % 2 == 0
