"""Treasure hunt: visit all junctions of a forest that have no names and are shuffled each time.

EvolArena, cases N.43 and N.44; the puzzle is Codeforces 1639 A. A visited junction has a flag. At
each junction the player sees, in a new random order, how many paths each neighbor has and whether
it has a flag.

The order may be unfavourable for ever, so no number of turns surely suffices. The reference player
goes to a neighbor without a flag where there is one, of several to the one with the fewest paths,
and otherwise walks on as if at random; only a win in the row itself is guaranteed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import permutations

import numpy as np

from facelet.generators.arcade.game_toolkit import (
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
    Reject,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    shuffled,
)

PAPER = 8
"""Most junctions in the paper."""
MOST = 4
"""Most paths of a junction."""
SPARE = 3
"""Turns beyond the number of junctions, up to the paper's sizes."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A forest."""

    size: int = column("how many junctions there are", role="puzzle")
    view: str = column("what is seen at the start", role="puzzle")
    joined: tuple[str, ...] = column("the neighbors of each junction", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The neighbors in the order that the player sees, and the visited junctions."""

    order: tuple[int, ...]
    visited: frozenset[int] = frozenset({1})


class TreasureHunt(ArcadeGame[ArcadeParams, Puzzle, State]):
    """A player visits all junctions of a forest without names."""

    name = "arcade/treasure_hunt"
    version = 5
    picks_from = 2
    category = "state_operation"
    forms = (CommandForm("move", "My Choice: {int}", "My Choice: X"),)
    by_luck = True
    illegal = ErrorPrice("end")
    lucky = blind_limits(
        {1: 0.3}, "forests are small, so a walk that reads nothing finds the treasure at times"
    )
    unread = 0.7
    sample = Sample(
        Puzzle(blank_terms("state_operation", seed="0"), 3, "R 2 2 0 2 0", ("2 3", "1 3", "1 2")),
        (Command("move", (1,)), Command("move", (1,))),
        "There are 3 junctions, each joined to both others. At the start I said R 2 2 0 2 0.",
    )
    deviations = (
        Deviation(
            "",
            "a visited junction has a flag",
            "no command sets one",
        ),
        Deviation(
            "",
            "junctions have at most four paths; in all half as many more than a tree",
            "few neighbors can be distinguished, so flags and numbers of paths help",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(6, 7, 8, 1)
        near = _draw_forest(size, draw.rng)
        joined = tuple(" ".join(map(str, others)) for others in near)
        start = State(tuple(near[0]))
        return Puzzle(self.terms(params, draw), size, _describe_view(joined, start), joined)

    def rules(self, puzzle: Puzzle) -> str:
        return (
            f"Visit all junctions of a forest. It has {puzzle.size} junctions, joined by paths, "
            "and all can be reached. The junctions have numbers, but you never see them. You "
            "start at junction 1. A junction that you have visited has a flag.\n"
            "I tell you what you see as R d deg1 flag1 deg2 flag2 ... degd flagd: the junction "
            "where you are has d neighbors; deg is how many paths a neighbor has, and flag is 1 "
            "if it has a flag and 0 if not. The neighbors stand in an order that is shuffled "
            "anew each time you come to a junction. The paths stay as they are.\n"
            "In each turn you go to a neighbor: X is its place in the list that you saw last, 1 to "
            "d.\n"
            "You win as soon as all junctions have a flag. You lose at once if there is no such "
            "place in the list, and if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"{puzzle.view}\nMake your first choice."

    def start(self, puzzle: Puzzle) -> State:
        return State(_junction_neighbors(puzzle.joined)[0])

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        fits = 1 <= command.args[0] <= len(state.order)
        return "" if fits else "there is no such place in the list"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        here = state.order[command.args[0] - 1]
        near = _junction_neighbors(puzzle.joined)[here - 1]
        order = tuple([near[place] for place in luck.draw_memoized(_make_shuffle(len(near)))])
        return State(order, state.visited | {here})

    def list_outcomes(self, puzzle: Puzzle, state: State, command: Command) -> Iterator[State]:
        here = state.order[command.args[0] - 1]
        yield from (
            State(order, state.visited | {here})
            for order in permutations(_junction_neighbors(puzzle.joined)[here - 1])
        )

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return _describe_view(puzzle.joined, state)

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if len(state.visited) == puzzle.size else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("move", (below(rng, len(state.order)) + 1,))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw forests whose first junction has the same view at the start."""
        degrees = list(map(int, puzzle.view.split()[2::2]))
        wanted = sorted(degrees)
        found: list[Puzzle] = []
        while len(found) < count:
            try:
                near = _draw_forest(puzzle.size, rng)
            except Reject:
                continue
            if sorted([len(near[k - 1]) for k in near[0]]) != wanted:
                continue
            # The first junction lists its neighbors in the order of the view.
            by_degree = sorted(near[0], key=lambda k: len(near[k - 1]))
            places = sorted(range(len(degrees)), key=lambda place: degrees[place])
            for place, junction in zip(places, by_degree, strict=True):
                near[0][place] = junction
            joined = tuple(" ".join(map(str, others)) for others in near)
            terms = replace(puzzle.terms, seed=f"{int(rng.integers(1 << 62)):016x}")
            found.append(replace(puzzle, terms=terms, joined=joined))
        return found

    def turn_limit(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        if params.published:
            return TURNS
        # With more turns a random walk would win.
        return shown.size + SPARE if shown.size <= PAPER else 4 * shown.size

    def player(self, shown: Puzzle) -> Player:
        view, turn = shown.view, 0
        while True:
            numbers = list(map(int, view.split()[2:]))
            seen = list(zip(numbers[1::2], numbers[::2], range(1, len(numbers)), strict=False))
            flag, _, place = min(seen)
            turn += 1
            view = yield Command("move", (turn * 7 % len(seen) + 1 if flag else place,))


TASK = TreasureHunt()


@lru_cache(maxsize=4096)
def _junction_neighbors(joined: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the neighbors of each junction."""
    return tuple(tuple(map(int, others.split())) for others in joined)


@cache
def _make_shuffle(count: int) -> Callable[[np.random.Generator], list[int]]:
    """Return a function that draws an order of this many things; the same object each time."""
    return lambda rng: shuffled(rng, count)


def _describe_view(joined: tuple[str, ...], state: State) -> str:
    """Return the view of the player."""
    near = _junction_neighbors(joined)
    seen = (f"{len(near[k - 1])} {int(k in state.visited)}" for k in state.order)
    return f"R {len(state.order)} " + " ".join(seen)


def _draw_forest(size: int, rng: np.random.Generator) -> list[list[int]]:
    """Draw the neighbors of each junction: a tree, and half as many paths more."""
    near: list[list[int]] = [[] for _ in range(size)]
    names = shuffled(rng, size)
    for place in range(1, size):
        first = names[place]
        # A new junction has no path yet.
        while len(near[second := names[below(rng, place)]]) == MOST:
            pass
        near[first].append(second + 1)
        near[second].append(first + 1)
    more = size // 2
    for _ in range(100 * size):
        first, second = below(rng, size), below(rng, size)
        one, other = near[first], near[second]
        if first == second or len(one) == MOST or len(other) == MOST or second + 1 in one:
            continue
        one.append(second + 1)
        other.append(first + 1)
        more -= 1
        if not more:
            return near
    raise Reject("no more paths fit")
