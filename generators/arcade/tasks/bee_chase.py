"""Bee chase: three bees catch Nastya on a graph in which every vertex has at most three edges.

EvolArena, cases N.77 and N.78; the puzzle is Codeforces 1340 F, Nastya and Bees. Graphs grow from a
short cycle: an edge gets a new cycle of 3, 4 or 5 edges, or an edge joins two near vertices, so
that each edge lies on a cycle of at most five.

Retrograde analysis covers every position of the three bees and Nastya. Its arrays are indexed by
the vertices of the bees; bit v of a value stands for Nastya on vertex v. The bees move one after
the other, so one step of the analysis moves each bee along its edges once. What is kept is a byte
for each ascending triple of bees and vertex of Nastya: hundreds of graphs fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
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
    column,
)
from facelet.generators.arcade.solvers.breadth_first_search import compute_distances

DEGREE, CYCLE = 3, 5
WIDEST = 48
"""Most vertices: larger graphs take seconds to analyse, and a value has 64 bits."""

SPARE = 5
"""Vertices with room for one more edge that a growing graph keeps, about."""
TRIES = 20
"""Edges to try for each vertex of a graph."""

UNWON = 255
"""The turns to a win that the bees cannot force; a graph of 64 vertices needs far fewer."""

Bits = npt.NDArray[np.uint64]
Turns = npt.NDArray[np.uint8]
Near = tuple[tuple[int, ...], ...]
"""The neighbours of each vertex, ascending; here vertices are numbered from 0."""


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """The graph, and how Nastya moves."""

    vertices: int = column("how many vertices there are", role="puzzle")
    ones: tuple[int, ...] = column("the lower vertex of each edge", role="puzzle")
    others: tuple[int, ...] = column("the higher vertex of each edge", role="puzzle")
    opponent: Opponent = column("how Nastya moves: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The vertices of the bees and of Nastya, from 1; () and 0 before they are placed."""

    bees: tuple[int, ...] = ()
    nastya: int = 0


class BeeChase(Duel[DuelParams, Puzzle, State]):
    """Three bees chase Nastya over a graph that both sides see."""

    name = "arcade/bee_chase"
    version = 3
    fixed_at_random = 0.14
    picks_from = 2
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int} {int} {int}", "My Choice: X Y Z"),)
    illegal = ErrorPrice("end")
    exact = True
    # Nastya at random comes to the bees by herself: bees that never move catch her in most games
    # of levels 1 and 2. Against the other two opponents they have to be moved.
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"),
            6,
            (1, 2, 3, 1, 4, 5, 1),
            (2, 3, 4, 4, 5, 6, 6),
            "random",
        ),
        (Command("choice", (2, 2, 3)), Command("choice", (1, 2, 4))),
        "The edges of a graph of 6 vertices are 1-2, 2-3, 3-4, 1-4, 4-5, 5-6 and 1-6.",
    )
    deviations = (
        Deviation(
            "",
            "turns are the lesser of n and 15, placing the bees included, or what surely suffices",
            "the text and appendix F differ, and both are limits",
        ),
        Deviation(
            "",
            "Nastya may move to a bee, and is caught",
            "she must move, and may be surrounded",
        ),
        Deviation(
            "",
            "graphs grow from cycles of 3 to 5 edges, where the bees surely win; 48 vertices "
            "from level 7 on",
            "every such graph fits the text",
        ),
        Deviation(
            "Nastya moves at random",
            "she flees as long as possible",
            "catching a random mover means little",
            "published=true",
        ),
        Deviation(
            "",
            "an illegal move loses; a reply without a move costs a turn",
            "the paper covers only illegal moves",
        ),
    )

    def make(self, params: DuelParams, draw: Draw) -> Puzzle:
        size = min(params.level_size(10, 20, 40, 2), WIDEST)
        edges = _draw_graph(size, draw.rng)
        ones, others = zip(*edges, strict=True)
        puzzle = Puzzle(self.terms(params, draw), size, ones, others, params.opponent_kind)
        if (bound := self.bound(puzzle)) is None or bound > TURNS:
            raise Reject("the bees may need too long")
        return puzzle

    def turn_limit(self, params: DuelParams, shown: Puzzle, bound: int | None) -> int:
        if params.published:
            return max(min(TURNS, shown.vertices), bound or 0)
        return super().turn_limit(params, shown, bound)

    def rules(self, puzzle: Puzzle) -> str:
        return (
            f"Bee chase. A graph has the vertices 1 to {puzzle.vertices}; each has at most "
            f"{DEGREE} edges, and each edge is part of a cycle of at most {CYCLE} edges. You have "
            "three bees and I have Nastya; we see everything.\n"
            "In your first turn you place the bees on any three vertices, of which some may be "
            "the same. I then place Nastya on a vertex without a bee.\n"
            "In each later turn you name where your bees are then, in the same order: each bee "
            "moves along one edge or stays. Then I move Nastya along one edge; she cannot stay.\n"
            "You win as soon as a bee and Nastya are on one vertex, whoever moved there. You lose "
            "if that has not happened by the end of your last turn.\n"
            "After each of your turns I tell you the vertex where Nastya is."
        )

    def opening(self, puzzle: Puzzle) -> str:
        edges = zip(puzzle.ones, puzzle.others, strict=True)
        return "Edges: " + ", ".join(f"{a}-{b}" for a, b in edges) + "\nPlace your bees."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(1 <= vertex <= puzzle.vertices for vertex in command.args):
            return f"vertices are 1 to {puzzle.vertices}"
        near = _list_neighbors(puzzle)
        for bee, vertex in zip(state.bees, command.args, strict=bool(state.bees)):
            if vertex != bee and vertex - 1 not in near[bee - 1]:
                return f"no edge joins {bee} and {vertex}"
        return ""

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        return State(tuple(command.args), state.nastya)

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        if not state.nastya:
            places = range(1, puzzle.vertices + 1)
            return [State(state.bees, place) for place in places if place not in state.bees]
        near = _list_neighbors(puzzle)[state.nastya - 1]
        return [State(state.bees, vertex + 1) for vertex in near]

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.nastya

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.nastya in state.bees else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if not state.bees:
            return Command(
                "choice", tuple(int(v) + 1 for v in rng.integers(puzzle.vertices, size=3))
            )
        near = _list_neighbors(puzzle)
        drawn = []
        for bee in state.bees:
            places = (bee, *(vertex + 1 for vertex in near[bee - 1]))
            drawn.append(places[below(rng, len(places))])
        return Command("choice", tuple(drawn))

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return the distance of the nearest bee."""
        far = _vertex_distances(_list_neighbors(puzzle))[state.nastya - 1]
        return float(min(far[bee - 1] for bee in state.bees))

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        if not state.bees:
            return self._best_placement(puzzle)[0]
        place = _number_triples(puzzle.vertices)[tuple(sorted(state.bees))]
        turns = int(_analyse_graph(_list_neighbors(puzzle))[place, state.nastya - 1])
        return None if turns == UNWON else turns

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        near = _list_neighbors(puzzle)
        if not state.bees:
            return Command("choice", self._best_placement(puzzle)[1])
        moves = [(bee, *(vertex + 1 for vertex in near[bee - 1])) for bee in state.bees]
        best = min(
            product(*moves),
            key=lambda bees: max(
                self._turns_after_reply(puzzle, after)
                for after in self.list_outcomes(puzzle, state, Command("choice", bees))
            ),
        )
        return Command("choice", best)

    def _best_placement(self, puzzle: Puzzle) -> tuple[int | None, tuple[int, ...]]:
        """Return the turns of a sure win, the placement included, and the placement of the bees."""
        longest = _analyse_graph(_list_neighbors(puzzle)).max(axis=1)
        place = int(longest.argmin())
        if longest[place] == UNWON:
            return None, (1, 1, 1)
        return int(longest[place]) + 1, [*_number_triples(puzzle.vertices)][place]


TASK = BeeChase()


@lru_cache(maxsize=256)
def _list_neighbors(puzzle: Puzzle) -> Near:
    near: list[list[int]] = [[] for _ in range(puzzle.vertices)]
    for one, other in zip(puzzle.ones, puzzle.others, strict=True):
        near[one - 1].append(other - 1)
        near[other - 1].append(one - 1)
    return tuple(tuple(sorted(others)) for others in near)


@lru_cache(maxsize=64)
def _number_triples(size: int) -> Mapping[tuple[int, ...], int]:
    """Return the ascending triples of vertices, from 1, with their numbers."""
    triples = combinations_with_replacement(range(1, size + 1), 3)
    return {triple: number for number, triple in enumerate(triples)}


@lru_cache(maxsize=256)
def _vertex_distances(near: Near) -> tuple[tuple[int, ...], ...]:
    found = []
    for vertex in range(len(near)):
        steps = compute_distances(vertex, lambda place: near[place])
        found.append(tuple(steps[other] for other in range(len(near))))
    return tuple(found)


@lru_cache(maxsize=256)
def _analyse_graph(near: Near) -> Turns:
    """Return the turns within which the bees, to move, surely win; UNWON where they do not.

    Shape (triples, n): by the bees, whose order is of no account, and by Nastya's vertex. 0 means
    that she is caught already.
    """
    size = len(near)
    vertex = np.uint64(1) << np.arange(size, dtype=np.uint64)
    caught = vertex[:, None, None] | vertex[None, :, None] | vertex[None, None, :]
    moves = np.array([[v, *near[v], *[v] * (DEGREE - len(near[v]))] for v in range(size)]).T
    tables = _neighbor_tables(near)
    triples = tuple(np.array([*_number_triples(size)]).T - 1)
    layer, after, count = np.zeros_like(caught), caught, 0
    turns = np.zeros((len(triples[0]), size), dtype=np.uint8)
    while not np.array_equal(after, layer):
        layer, count = after, count + 1
        bits = layer[triples].astype("<u8")[:, None].view(np.uint8)
        turns += 1 - np.unpackbits(bits, axis=1, bitorder="little", count=size)
        escapes = ~layer & np.uint64((1 << size) - 1)
        free = np.zeros_like(escapes)
        for byte, table in enumerate(tables):
            free |= table[(escapes >> np.uint64(8 * byte)) & np.uint64(255)]
        forced = ~free & np.uint64((1 << size) - 1) | caught
        for axis in range(3):
            reached = [np.take(forced, column, axis=axis) for column in moves]
            forced = reached[0] | reached[1] | reached[2] | reached[3]
        after = forced | layer
    turns[turns == count] = UNWON
    return turns


def _neighbor_tables(near: Near) -> list[Bits]:
    """Return a table for each byte of a value: the vertices next to any of its vertices."""
    bits = [sum(1 << other for other in others) for others in near]
    tables = []
    for first in range(0, len(near), 8):
        table = np.zeros(256, dtype=np.uint64)
        for place, others in enumerate(bits[first : first + 8]):
            table[np.arange(256) >> place & 1 == 1] |= np.uint64(others)
        tables.append(table)
    return tables


def _vertices_with_room(
    near: Sequence[set[int]], start: int, far: int
) -> tuple[list[int], dict[int, int]]:
    """Return the vertices near a start that can have one more edge, ascending.

    Also return the number of steps from the start to each vertex within `far` steps.
    """
    found, layer = {start: 0}, [start]
    for step in range(1, far + 1):
        layer = [v for u in layer for v in near[u] if v not in found]
        found.update(dict.fromkeys(layer, step))
    return sorted(v for v in found if v != start and len(near[v]) < DEGREE), found


def _draw_graph(size: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Draw the edges of a graph, with vertices numbered from 1 in random order.

    Raises:
        Reject: the graph cannot grow to that size.
    """
    first = int(rng.integers(3, CYCLE + 1))
    near: list[set[int]] = [{(v - 1) % first, (v + 1) % first} for v in range(first)]
    open_ends = list(range(first))
    tries, stuck = 0, False
    while len(near) < size:
        tries += 1
        if len(open_ends) < 2 or tries > TRIES * size or stuck:
            raise Reject("no more edges fit")
        one = open_ends[below(rng, len(open_ends))]
        # A path of k new edges between vertices d apart closes a cycle of d + k.
        # Only next to each other do they make room for more new ends than they use up.
        far = CYCLE - 2 if len(open_ends) > SPARE else 1
        room, steps = _vertices_with_room(near, one, far)
        if not room:
            # Where no end has room, none will ever have.
            stuck = not any(_vertices_with_room(near, end, far)[0] for end in open_ends)
            continue
        other = room[below(rng, len(room))]
        most = min(CYCLE - steps[other], size - len(near) + 1)
        least = most if far == 1 else 1 if steps[other] > 1 else 2
        fresh = int(rng.integers(least, most + 1)) - 1
        way = [one, *range(len(near), len(near) + fresh), other]
        open_ends += way[1:-1]
        near.extend(set() for _ in range(fresh))
        for a, b in pairwise(way):
            near[a].add(b)
            near[b].add(a)
        open_ends = [v for v in open_ends if len(near[v]) < DEGREE]
    names = [int(name) + 1 for name in rng.permutation(size)]
    edges = {
        (min(names[a], names[b]), max(names[a], names[b]))
        for a, others in enumerate(near)
        for b in others
    }
    return sorted(edges)
