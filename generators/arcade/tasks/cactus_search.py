"""Cactus search: find a vertex of a cactus; each wrong guess reveals a neighbour that is nearer.

EvolArena, cases N.59 and N.60; the puzzle is Codeforces 1089 C. In a cactus no edge lies on two
cycles. Of two neighbours that are nearer, the reply names the one with the smaller number; with the
published rules it names the one that comes first in the paths, as a search in their order does.

The reference player guesses the vertex that leaves the fewest candidates in the worst case. Up to
24 vertices it searches every strategy, so that it needs the fewest turns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
    LAST,
    LEVELS,
    TURNS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Luck,
    Player,
    Reject,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    larger_sizes_deviation,
    level_param,
    shuffled,
)

GUESSES = 4
"""Most guesses for a graph of the first three levels; larger graphs leave fewer to spare."""
SEARCHED = 24
"""Most vertices for which every strategy is searched."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A cactus and a vertex of it."""

    size: int = column("how many vertices there are", role="puzzle")
    paths: tuple[str, ...] = column("cycles and single edges, as their vertices", role="puzzle")
    in_order: bool = column("whether of two nearer neighbours the first in the paths is told")
    vertex: int = column("the vertex that is looked for", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The neighbour that the last reply named; 0 once the vertex is found, -1 at the start."""

    told_neighbor: int = -1


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(40)


class CactusSearch(ArcadeGame[Params, Puzzle, State]):
    """A player finds a vertex of a cactus by guesses."""

    name = "arcade/cactus_search"
    version = 6
    fixed = 0.1
    # With so few guesses and candidates chance wins any puzzle, so there is no selection.
    picks_from = LAST + 1
    category = "state_operation"
    forms = (CommandForm("guess", "My Guess: {int}", "My Guess: x"),)
    questions = frozenset({"guess"})
    answers = frozenset({"guess"})
    unread = 0.35
    lucky = blind_limits(
        {1: 0.2, 2: 0.2, 3: 0.15},
        "four or five of 26 vertices or more can be named one after the other",
    )
    sample = Sample(
        Puzzle(blank_terms("state_operation"), 5, ("1 2 3 1", "3 4", "4 5"), False, 5),
        (Command("guess", (2,)), Command("guess", (4,)), Command("guess", (5,))),
        "The vertices are 1 to 5. The paths are 1 2 3 1, 3 4 and 4 5.",
    )
    deviations = (
        larger_sizes_deviation(
            "10, 12 and 15 vertices", "26, 27 and 34, all in four guesses at most"
        ),
        Deviation(
            "",
            "all graphs are cacti with at least two cycles; one published graph is",
            "the text requires it",
        ),
        Deviation(
            "",
            "of two nearer neighbours the smaller number is given",
            "the answer then follows from the graph",
            "published=true, for the first in the paths",
        ),
        Deviation(
            "15 turns",
            "as many as the reference player surely needs, plus one at level 1",
            "otherwise all vertices could be named in turn",
            "published=true",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(26, 27, 34, 3, paper=(10, 12, 15))
        paths = _draw_cactus(size, draw.rng)
        if sum(path[0] == path[-1] for path in paths) < 2:
            raise Reject("there are fewer than two cycles")
        texts = tuple(" ".join(map(str, path)) for path in paths)
        if not params.published and params.level <= LEVELS[-1]:
            graph = _build_graph(texts, False)
            if not graph.is_solved_within(graph.everything, GUESSES):
                raise Reject("it takes too many guesses")
        terms = self.terms(params, draw, first_luck=1 / size)
        vertex = draw.deal_card("vertex", range(1, size + 1))
        return Puzzle(terms, size, texts, params.published, vertex)

    def rules(self, puzzle: Puzzle) -> str:
        answer = (
            "the one that stands before the other among the vertices joined to yours, in the order "
            "in which the paths name them"
            if puzzle.in_order
            else "the one with the smaller number"
        )
        return (
            "Find a secret vertex of a graph. The graph is connected and is a cactus: no edge lies "
            f"on more than one cycle. Its vertices are numbered 1 to {puzzle.size}. You are shown "
            "it as a list of paths: vertices that follow each other in a path are joined by an "
            "edge, and there are no other edges.\n"
            "In each turn you guess a vertex. If it is the secret one, you win. If not, I say GO "
            "and a vertex that is joined to the one you guessed and is one step nearer to the "
            f"secret one; if two are nearer, {answer}.\n"
            "You lose if your turns run out before you have guessed it."
        )

    def opening(self, puzzle: Puzzle) -> str:
        paths = "\n".join(path.replace(" ", " - ") for path in puzzle.paths)
        return f"The graph has {puzzle.size} vertices. Its paths:\n{paths}\nGive your first guess."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        fits = 1 <= command.args[0] <= puzzle.size
        return "" if fits else f"vertices are 1 to {puzzle.size}"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        return State(_puzzle_graph(puzzle).find_told_neighbor(command.args[0], puzzle.vertex))

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return f"GO {state.told_neighbor}" if state.told_neighbor else "FOUND"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return None if state.told_neighbor else True

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("guess", (below(rng, puzzle.size) + 1,))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        yield from (replace(shown, vertex=vertex) for vertex in range(1, shown.size + 1))

    def bound(self, shown: Puzzle) -> int:
        graph = _puzzle_graph(shown)
        return graph.choose_guess(graph.everything)[0]

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return self.bound(shown) if shown.size <= SEARCHED else None

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        if params.published or bound is None:
            return TURNS
        return bound + (params.level == LEVELS[0])

    def player(self, shown: Puzzle) -> Player:
        graph = _puzzle_graph(shown)
        alive = graph.everything
        while alive:
            guess = graph.choose_guess(alive)[1]
            heard = yield Command("guess", (guess,))
            alive = graph.split_candidates(alive, guess).get(int(heard.split()[1]), 0)


TASK = CactusSearch()


class Graph:
    """A graph and the reply to each guess; sets of vertices are bit masks."""

    def __init__(self, paths: Sequence[str], *, in_order: bool) -> None:
        """Take paths as their vertices, and which of two nearer neighbours a reply names."""
        self.joined: dict[int, list[int]] = defaultdict(list)
        for path in paths:
            way = [int(vertex) for vertex in path.split()]
            for first, second in pairwise(way):
                self.joined[first].append(second)
                self.joined[second].append(first)
        if not in_order:
            for near in self.joined.values():
                near.sort()
        self.everything = sum(1 << vertex for vertex in self.joined)
        self._within: dict[tuple[int, int], int] = {}
        self._plans: dict[int, tuple[int, int]] = {}
        self._bests: dict[int, tuple[int, list[int]]] = {}

    def find_told_neighbor(self, guess: int, secret: int) -> int:
        """Return the neighbour that the reply to a guess names; 0 if the guess is right."""
        behind = self._secrets_by_answer[guess].items()
        return next((told for told, secrets in behind if secrets >> secret & 1), 0)

    def split_candidates(self, alive: int, guess: int) -> dict[int, int]:
        """Return the remaining part of a set by the reply to a wrong guess."""
        behind = self._secrets_by_answer[guess]
        return {told: alive & secrets for told, secrets in behind.items() if alive & secrets}

    @cached_property
    def _secrets_by_answer(self) -> dict[int, dict[int, int]]:
        """All secret vertices as masks, by guess, ascending, and by reply."""
        within = [{vertex: 1 << vertex for vertex in self.joined}]  # so many steps
        while any(secrets != self.everything for secrets in within[-1].values()):
            last = within[-1]
            grown = {}
            for vertex, near in self.joined.items():
                reached = last[vertex]
                for other in near:
                    reached |= last[other]
                grown[vertex] = reached
            within.append(grown)
        found: dict[int, dict[int, int]] = {}
        for guess in sorted(self.joined):
            behind: dict[int, int] = {}
            found[guess] = behind
            rest = self.everything & ~(1 << guess)
            for told in self.joined[guess]:
                # Vertices that are nearer to it than to the guess, and to no neighbour before it.
                nearer = 0
                for ball in within:
                    nearer |= ball[told] & ~ball[guess]
                if nearer & rest:
                    behind[told] = nearer & rest
                    rest &= ~nearer
        return found

    @cached_property
    def _vertex_bits(self) -> npt.NDArray[np.uint64]:
        """The mask of each vertex, ascending."""
        return np.uint64(1) << np.array(sorted(self.joined), dtype=np.uint64)

    @cached_property
    def _answer_masks(self) -> npt.NDArray[np.uint64]:
        """The same masks as an array, by guess and reply; 0 where a guess has fewer replies."""
        rows = [list(behind.values()) for behind in self._secrets_by_answer.values()]
        most = max(map(len, rows))
        return np.array([row + [0] * (most - len(row)) for row in rows], dtype=np.uint64)

    def choose_guess(self, alive: int) -> tuple[int, int]:
        """Return the turns that the player needs for a set, and its guess."""
        if alive not in self._plans:
            search = self._fewest_turns if len(self.joined) <= SEARCHED else self._halving_guess
            self._plans[alive] = search(alive)
        return self._plans[alive]

    def _rank_guesses(self, alive: int) -> list[tuple[int, int, list[int]]]:
        """Return guesses, best first: the size of the largest part, the guess, the parts."""
        found = []
        for guess, behind in self._secrets_by_answer.items():
            parts = [alive & secrets for secrets in behind.values() if alive & secrets]
            found.append((max(map(int.bit_count, parts), default=0), guess, parts))
        return sorted(found, key=lambda item: (item[0], not alive >> item[1] & 1, item[1]))

    def is_solved_within(self, alive: int, turns: int) -> bool:
        """Return whether the player needs at most so many turns for a set."""
        if alive in self._plans or len(self.joined) <= SEARCHED:
            return self.choose_guess(alive)[0] <= turns
        if turns <= 1:
            return turns == 1 and alive.bit_count() == 1
        parts = sorted(self._best_guess(alive)[1], key=int.bit_count, reverse=True)
        return all(self.is_solved_within(part, turns - 1) for part in parts)

    def _best_guess(self, alive: int) -> tuple[int, list[int]]:
        """Return the guess and parts of the first of `_rank_guesses`, by array operations."""
        if len(self.joined) > 63:
            return self._rank_guesses(alive)[0][1:]
        if alive not in self._bests:
            left = (
                np.bitwise_count(self._answer_masks & np.uint64(alive)).max(axis=1).astype(np.int64)
            )
            place = int((2 * left + (self._vertex_bits & np.uint64(alive) == 0)).argmin())
            guess = list(self._secrets_by_answer)[place]
            self._bests[alive] = guess, list(self.split_candidates(alive, guess).values())
        return self._bests[alive]

    def _halving_guess(self, alive: int) -> tuple[int, int]:
        """Return the plan of the guess whose largest part is smallest."""
        guess, parts = self._best_guess(alive)
        return 1 + max((self.choose_guess(part)[0] for part in parts), default=0), guess

    def _fewest_turns(self, alive: int) -> tuple[int, int]:
        """Return the plan that needs the fewest turns."""
        turns = 1
        while not (guess := self._find_guess_within(alive, turns)):
            turns += 1
        return turns, guess

    def _find_guess_within(self, alive: int, turns: int) -> int:
        """Return a guess that finds every vertex of a set within so many turns, or 0."""
        if not turns:
            return 0
        key = alive, turns
        if key not in self._within:
            self._within[key] = next(
                (
                    guess
                    for _, guess, parts in self._rank_guesses(alive)
                    if all(self._find_guess_within(part, turns - 1) for part in parts)
                ),
                0,
            )
        return self._within[key]


@lru_cache(maxsize=256)
def _build_graph(paths: tuple[str, ...], in_order: bool) -> Graph:
    return Graph(paths, in_order=in_order)


def _puzzle_graph(puzzle: Puzzle) -> Graph:
    return _build_graph(puzzle.paths, puzzle.in_order)


def _draw_cactus(size: int, rng: np.random.Generator) -> list[list[int]]:
    """Draw the cycles and single edges of a cactus, as their vertices, in random order."""
    names = [name + 1 for name in shuffled(rng, size)]
    grown: list[list[int]] = []
    used = 1
    while used < size:
        added = min(1 + below(rng, 4), size - used)
        root = names[below(rng, used)]
        path = [root, *names[used : used + added]]
        grown.append([*path, root] if added > 1 else path)
        used += added
    return [grown[place] for place in shuffled(rng, len(grown))]
