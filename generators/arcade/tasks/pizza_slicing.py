"""Pizza slicing: eat corners of a convex pizza in turn; the side that eats less wins.

EvolArena, cases N.67 and N.68; the puzzle is Codeforces 1776 I. A side that picks a vertex eats the
ear there: the triangle of it and its two neighbours. Areas are doubled, so they are whole numbers.

With an even number of vertices, the first mover wins by always eating the smallest ear: no later
ear is smaller. Eating c between b and d replaces the ear a b c by a b d. If a b d were smaller than
a b c, then d and all vertices from d to a would be nearer to the line a b than c is, so the ear at
a would be smaller than a b c, and hence than the ear at c, which is the smallest. So each ear of
the other side is at least as large as the one eaten before it. Puzzles are kept where some of these
pairs are not equal.

Up to EXACT vertices the outlook is that of minimax over all sets of vertices; beyond, it is what
this strategy proves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

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
    Reject,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    level_param,
)

EXACT = 12
"""Most vertices for which every line of play is searched."""
WIDE = 12
"""The greatest coordinate, about, as a multiple of the number of vertices."""

Ints = NDArray[np.int64]
Point = tuple[int, int]
Points = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """The pizza, and how the other side plays."""

    xs: tuple[int, ...] = column("x of each vertex, counter-clockwise", role="puzzle")
    ys: tuple[int, ...] = column("y of each vertex, counter-clockwise", role="puzzle")
    opponent: Opponent = column("how the other side plays: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The remaining vertices, the doubled lead in area of the player, and the last pick."""

    left: tuple[int, ...]
    lead: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Params(DuelParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(40)


class PizzaSlicing(Duel[Params, Puzzle, State]):
    """Two sides eat corners of a polygon; the smaller area wins."""

    name = "arcade/pizza_slicing"
    version = 4
    fixed = 0.28
    fixed_at_random = 0.45
    picks_from = 2
    picks_to = 3  # with more vertices a play against the best takes half a second
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int}", "My Choice: X"),)
    illegal = ErrorPrice("end")
    # With 6 vertices two turns decide, and a random opponent seldom eats little.
    lucky = blind_limits(
        {1: 0.5, 2: 0.35, 3: 0.35}, "a pizza has few slices, so two or three turns decide"
    )
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"), (0, 5, 4, 0), (0, 0, 3, 4), "random"
        ),
        (Command("choice", (3,)),),
        "The vertices are 1: (0, 0), 2: (5, 0), 3: (4, 3), 4: (0, 4).",
    )
    deviations = (
        Deviation(
            "",
            "polygons have whole coordinates, and no three vertices in line",
            "areas can then be compared exactly",
        ),
        Deviation(
            "",
            "equal areas lose, as the prompt states",
            "victory is to eat a smaller area",
        ),
        AT_RANDOM,
        INVALID_LOSES,
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        points = _draw_polygon(params.level_size(6, 8, 12, 2), draw.rng)
        xs, ys = zip(*points, strict=True)
        puzzle = Puzzle(self.terms(params, draw), xs, ys, params.opponent_kind)
        if self.bound(puzzle) is None:
            raise Reject("the reference player may eat as much as the other side")
        return puzzle

    def optimal_turns(self, shown: Puzzle) -> int | None:
        """Return the bound, since every game has the same length."""
        return self.bound(shown)

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.xs)
        return (
            f"Pizza slicing. A spinach pizza is a convex polygon with the vertices 1 to {size}, in "
            "this order around it. You and I pick vertices in turn, you first. Whoever picks a "
            "vertex eats the triangle of this vertex and its two neighbors, those vertices next "
            "to it on both sides that are still there. The vertex is then gone, and its "
            "neighbors become neighbors of each other.\n"
            f"After {size - 2} picks in all, half of them yours, the pizza is eaten. You win if "
            "the area that you have eaten is less than mine; if it is equal or more, you lose.\n"
            "The area of the triangle (x1, y1), (x2, y2), (x3, y3) is "
            "|(x2 - x1)(y3 - y1) - (x3 - x1)(y2 - y1)| / 2.\n"
            "After each of your choices I tell you the vertex that I pick."
        )

    def opening(self, puzzle: Puzzle) -> str:
        points = enumerate(zip(puzzle.xs, puzzle.ys, strict=True), 1)
        return (
            "\n".join(f"Vertex {number}: ({x}, {y})" for number, (x, y) in points)
            + "\nYour choice."
        )

    def start(self, puzzle: Puzzle) -> State:
        return State(tuple(range(1, len(puzzle.xs) + 1)))

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        (vertex,) = command.args
        if not 1 <= vertex <= len(puzzle.xs):
            return f"vertices are 1 to {len(puzzle.xs)}"
        return "" if vertex in state.left else f"vertex {vertex} is gone"

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        return _eat_slice(_puzzle_points(puzzle), state, command.args[0], -1)

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        points = _puzzle_points(puzzle)
        return [_eat_slice(points, state, vertex, 1) for vertex in state.left]

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.last

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.lead > 0 if len(state.left) == 2 else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("choice", (state.left[below(rng, len(state.left))],))

    def wins_randomly(self, puzzle: Puzzle, rng: np.random.Generator) -> bool:
        """Play against the best opponent, which never gives a win back, without its outlook."""
        if puzzle.opponent != "optimal" or len(puzzle.xs) > EXACT:
            return super().wins_randomly(puzzle, rng)
        points, left, lead = _puzzle_points(puzzle), tuple(range(1, len(puzzle.xs) + 1)), 0
        known = _ear_cache(points)
        # The number of vertices left at each turn is known, so all picks are drawn at once.
        sizes = range(len(puzzle.xs), 2, -2)[: puzzle.terms.turns]
        for turn, place in enumerate([below(rng, size) for size in sizes]):
            lead -= _ear_areas(points, left, known)[place]
            left = left[:place] + left[place + 1 :]
            ears = _ear_areas(points, left, known)
            least = min(ears)
            if len(left) == 3:
                return lead + least > 0
            # With an even number of vertices left the mover eats no more than the other side.
            if lead + least <= 0 and lead - _mover_advantage(points, left) <= 0:
                return False
            liked = [place for place, ear in enumerate(ears) if ear == least]
            lead += least
            place = liked[self.step_luck(puzzle, turn).draw_index(len(liked))]
            left = left[:place] + left[place + 1 :]
        return False

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return more, the less the opponent has eaten."""
        return -float(state.lead)

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        points, turns = _puzzle_points(puzzle), len(state.left) // 2 - 1
        if state.lead > 0:
            return turns
        least = _smallest_ear(points, state.left)
        after = _eat_slice(points, state, least, -1)
        following = _smallest_ear(points, after.left)
        if _eat_slice(points, after, following, 1).lead > 0:
            return turns
        if len(state.left) > EXACT:
            return None
        return turns if state.lead + _mover_advantage(points, state.left) > 0 else None

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        return Command("choice", (_smallest_ear(_puzzle_points(puzzle), state.left),))


TASK = PizzaSlicing()


def _puzzle_points(puzzle: Puzzle) -> Points:
    return tuple(zip(puzzle.xs, puzzle.ys, strict=True))


def _ear_area(points: Points, left: Sequence[int], place: int) -> int:
    """Return the doubled area of the ear at a place of the remaining vertices."""
    x1, y1 = points[left[place - 1] - 1]
    x2, y2 = points[left[place] - 1]
    x3, y3 = points[left[place + 1 - len(left)] - 1]
    return abs((x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1))


@lru_cache(maxsize=32)
def _ear_cache(points: Points) -> dict[tuple[int, ...], list[int]]:
    """Return a cache of the ears of a pizza, by the remaining vertices."""
    return {}


def _ear_areas(
    points: Points, left: tuple[int, ...], known: dict[tuple[int, ...], list[int]]
) -> list[int]:
    """Return the doubled areas of all ears of the remaining vertices."""
    if (found := known.get(left)) is None:
        found = known[left] = [_ear_area(points, left, place) for place in range(len(left))]
    return found


def _smallest_ear(points: Points, left: Sequence[int]) -> int:
    """Return the vertex with the smallest ear; of several the first."""
    return left[min(range(len(left)), key=lambda place: _ear_area(points, left, place))]


def _eat_slice(points: Points, state: State, vertex: int, sign: int) -> State:
    """Return the state after a vertex is picked.

    Args:
        points: the vertices.
        state: the state before.
        vertex: the vertex.
        sign: 1 if the other side picks it, -1 if the player does.
    """
    place = state.left.index(vertex)
    lead = state.lead + sign * _ear_area(points, state.left, place)
    return State(state.left[:place] + state.left[place + 1 :], lead, vertex)


def _mover_advantage(points: Points, left: tuple[int, ...]) -> int:
    """Return how much less than the other the side to move eats, doubled, if both play best."""
    if len(points) <= EXACT:
        return int(_search_advantages(points)[sum(1 << vertex - 1 for vertex in left)])
    known = _list_known_advantages(points)
    wanted = sum(1 << vertex for vertex in left)
    if (found := next((one for one in known if not wanted & ~one[0]), None)) is None:
        found = wanted, _search_advantages(tuple(points[vertex - 1] for vertex in left))
        known.append(found)
    vertices, advantages = found
    here = place = 0
    while vertices:  # map the remaining vertices to places of the search
        last = vertices & -vertices
        here |= bool(wanted & last) << place
        vertices, place = vertices ^ last, place + 1
    return int(advantages[here])


@lru_cache(maxsize=128)
def _list_known_advantages(points: Points) -> list[tuple[int, Ints]]:
    """Return a cache of a pizza: sets of vertices as bits, each with its search."""
    return []


@lru_cache(maxsize=32)
def _search_advantages(points: Points) -> Ints:
    """Return the doubled advantage of the side to move, by the remaining vertices.

    Args:
        points: the vertices that the search begins with, at most EXACT of them.
    """
    size = len(points)
    x, y = np.array(points, dtype=np.int64).T
    before, after = _neighbor_tables(size)
    across, up = x[after] - x[before], y[after] - y[before]
    ears = np.abs((x - x[before]) * up - across * (y - y[before]))
    found = np.zeros(1 << size, dtype=np.int64)
    for sets, places in _by_count(size)[3:]:
        # Each remaining vertex of a set may be eaten.
        worth = -ears[sets[:, None], places] - found[sets[:, None] ^ (1 << places)]
        found[sets] = worth.max(axis=1)
    return found


@lru_cache(maxsize=EXACT)
def _neighbor_tables(size: int) -> tuple[Ints, Ints]:
    """Return the vertices before and after each vertex, shape (2 ** size, size) each."""
    sets = np.arange(1 << size)[:, None]
    vertices = np.arange(size)[None, :]

    def nearest_vertices(step: int) -> Ints:
        found = np.broadcast_to(vertices, (1 << size, size)).copy()
        for distance in range(size - 1, 0, -1):
            other = (vertices + step * distance) % size
            found = np.where(sets >> other & 1, other, found)
        return found

    return nearest_vertices(-1), nearest_vertices(1)


@lru_cache(maxsize=EXACT)
def _by_count(size: int) -> list[tuple[Ints, Ints]]:
    """Return all sets of vertices and their members, by the size of the set."""
    found = []
    every = np.array([number.bit_count() for number in range(1 << size)])
    for count in range(size + 1):
        sets = np.flatnonzero(every == count)
        places = np.nonzero(sets[:, None] >> np.arange(size) & 1)[1].reshape(len(sets), count)
        found.append((sets, places))
    return found


def _draw_polygon(size: int, rng: np.random.Generator) -> Points:
    """Draw a convex polygon, counter-clockwise, without three vertices in line.

    Its sides are random steps with sum zero, ordered by direction (P. Valtr, 1995).

    Raises:
        Reject: two sides have one direction.
    """

    def draw_steps() -> list[int]:
        low, *inner, high = sorted(map(int, rng.permutation(WIDE * size)[:size]))
        found, ends = [], [low, low]
        for value in inner:
            side = below(rng, 2)
            found.append((value - ends[side]) * (1, -1)[side])
            ends[side] = value
        return [*found, high - ends[0], ends[1] - high]

    across, up = draw_steps(), draw_steps()
    sides = zip(across, (up[int(place)] for place in rng.permutation(size)), strict=True)
    ordered = sorted(sides, key=lambda side: float(np.arctan2(side[1], side[0])))
    pairs = zip(ordered, [*ordered[1:], ordered[0]], strict=True)
    if any(a * d - b * c <= 0 for (a, b), (c, d) in pairs):
        raise Reject("three vertices are in line")
    places = np.cumsum(np.array([(0, 0), *ordered[:-1]]), axis=0)
    places -= places.min(axis=0)
    return tuple((int(x), int(y)) for x, y in places)
