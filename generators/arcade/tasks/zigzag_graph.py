"""Zigzag graph: move a token along falling weights, while the other side moves along rising ones.

EvolArena, cases N.63 and N.64; the puzzle is Codeforces 1147 F. Nodes 1 to n are on the left, n + 1
to 2n on the right; each left node has an edge to each right one, and all weights differ.

The side that places the token first loses against best play. So here the other side places it, and
the player surely wins by following a stable matching. Let the nodes that it moves from prefer light
edges, and those that it moves to heavy ones. Take a stable matching of the remaining nodes, the
token's node with its usable edges. If the token's node is matched, the player goes to its partner;
wherever the other side goes, the partner of that node is allowed, since otherwise the edge would
break the matching. If it is not matched, the other side answers in the same way and wins. All
stable matchings match the same nodes (Gale and Sotomayor, 1985), so this is exact at any size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

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
    Luck,
    Opponent,
    Sample,
    below,
    blank_terms,
    column,
    larger_sizes_deviation,
    level_param,
)

FALLING, RISING = True, False


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """The weights, where the token starts, and how the other side plays."""

    size: int = column("nodes on each side", role="puzzle")
    weights: tuple[int, ...] = column(
        "weights of the edges of node 1, then of node 2, and so on", role="puzzle"
    )
    first: int = column(
        "where the other side places the token; 0 if the player does", role="puzzle"
    )
    opponent: Opponent = column("how the other side plays: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The nodes of the token so far, in order, and whether the player has won."""

    way: tuple[int, ...]
    won: bool | None = None


@dataclass(frozen=True, slots=True)
class Params(DuelParams):
    """Params of the game; later levels take seconds a row."""

    level: int = level_param(35)


class ZigzagGraph(Duel[Params, Puzzle, State]):
    """Two sides move a token over a weighted graph."""

    name = "arcade/zigzag_graph"
    version = 5
    fixed_at_random = 0.1
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int}", "My Choice: X"),)
    illegal = ErrorPrice("end")
    # A random opponent gets stuck soon: a random player wins more than half of the games.
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"),
            3,
            (4, 2, 9, 1, 8, 3, 6, 5, 7),
            1,
            "random",
        ),
        (Command("choice", (4,)),),
        "Nodes 1 to 3 are on the left and 4 to 6 on the right. The weights from node 1 to 4, 5 and "
        "6 are 4, 2 and 9, from node 2 they are 1, 8 and 3, from node 3 they are 6, 5 and 7. The "
        "token is on 1.",
    )
    deviations = (
        larger_sizes_deviation("5, 8 and 12 vertices of each side", "8, 10 and 13"),
        Deviation(
            "the player places the token first",
            "the other side places it; the player moves first along an edge",
            "the side that places it first loses against best play",
            "published=true",
        ),
        Deviation(
            "any weights",
            "no first move leaves the other side without a move",
            "looking one move ahead would win half of the puzzles at once",
            "published=true",
        ),
        AT_RANDOM,
        INVALID_LOSES,
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(8, 10, 13, 1, paper=(5, 8, 12))
        terms = self.terms(params, draw)
        while True:
            weights = tuple(int(weight) + 1 for weight in draw.rng.permutation(size * size))
            first = 0 if params.published else 1 + below(draw.rng, 2 * size)
            puzzle = Puzzle(terms, size, weights, first, params.opponent_kind)
            if params.published or not _is_won_at_once(puzzle):
                return puzzle

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        placed = (
            "I have placed a token on a node. You make the first move, along any edge of it"
            if puzzle.first
            else "In your first turn you place a token on any node. I make the first move, along "
            "any edge of it"
        )
        return (
            f"Zigzag graph. The nodes 1 to {size} are on the left and {size + 1} to {2 * size} on "
            "the right. Each left node is joined to each right node by an edge; each edge has a "
            "weight, and no two weights are equal.\n"
            f"{placed}. From then on we move in turn. A move takes the token along an edge to a "
            "node on the other side that it has not been on before.\n"
            "- You play falling: the edge of your move must weigh less than that of the move "
            "before, which was mine.\n"
            "- I play rising: the edge of my move must weigh more than that of the move before, "
            "which was yours.\n"
            "Who has to move and cannot loses.\n"
            "After each of your moves I tell you the node that I move the token to."
        )

    def opening(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        lines = [
            f"From {left}: "
            + ", ".join(
                f"{right} ({_edge_weight(puzzle, left, right)})"
                for right in range(size + 1, 2 * size + 1)
            )
            for left in range(1, size + 1)
        ]
        token = (
            f"The token is on {puzzle.first}. Your move." if puzzle.first else "Place the token."
        )
        return "Edges, each with its weight in brackets:\n" + "\n".join([*lines, token])

    def start(self, puzzle: Puzzle) -> State:
        return State((puzzle.first,) if puzzle.first else ())

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        (node,) = command.args
        if not 1 <= node <= 2 * puzzle.size:
            return f"nodes are 1 to {2 * puzzle.size}"
        if node in state.way:
            return f"the token has been on {node}"
        if node in _list_moves(puzzle, state.way, FALLING):
            return ""
        token = state.way[-1]
        if (node <= puzzle.size) == (token <= puzzle.size):
            return f"no edge joins {token} and {node}"
        return f"the edge of {token} and {node} does not weigh less than the edge before"

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        way = (*state.way, *command.args)
        return State(way, None if _list_moves(puzzle, way, RISING) else True)

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        if puzzle.opponent != "optimal" or not state.way:
            return super().step(puzzle, state, command, luck)
        way = (*state.way, *command.args)
        if not (liked := _best_replies(puzzle, way)):
            return State(way, True)
        node, moves = liked[luck.draw_index(len(liked))]
        return State((*way, node), None if moves else False)

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        ways = [(*state.way, node) for node in _list_moves(puzzle, state.way, RISING)]
        return [State(way, None if _list_moves(puzzle, way, FALLING) else False) for way in ways]

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.way[-1]

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.won

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        moves = _list_moves(puzzle, state.way, FALLING)
        return Command("choice", (moves[below(rng, len(moves))],))

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return more, the fewer moves the player has."""
        return -float(len(_list_moves(puzzle, state.way, FALLING)))

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        if not state.way or _stable_partner(puzzle, state.way) is None:
            return None
        left = state.way[-1] <= puzzle.size
        return puzzle.size - sum((node <= puzzle.size) != left for node in state.way)

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        node = _stable_partner(puzzle, state.way) if state.way else None
        if node is None:
            node = max(
                _list_moves(puzzle, state.way, FALLING),
                key=lambda node: self._luck_left(puzzle, state, node),
            )
        return Command("choice", (node,))

    def _luck_left(self, puzzle: Puzzle, state: State, node: int) -> float:
        """Return the share of the other side's moves after which the player could surely win."""
        follow = self.list_outcomes(puzzle, state, Command("choice", (node,)))
        return sum(
            after.won is True
            or (after.won is None and self.turns_to_force_win(puzzle, after) is not None)
            for after in follow
        ) / len(follow)


TASK = ZigzagGraph()


def _edge_weight(puzzle: Puzzle, one: int, other: int) -> int:
    """Return the weight of the edge of two nodes on different sides."""
    left, right = min(one, other), max(one, other)
    return puzzle.weights[(left - 1) * puzzle.size + right - puzzle.size - 1]


@lru_cache(maxsize=16)
def _edge_weights(
    size: int, weights: tuple[int, ...]
) -> tuple[Sequence[Mapping[int, int]], Sequence[Sequence[int]]]:
    """Return the weights of the edges of each node, and its neighbours, heaviest edge first."""
    of: list[dict[int, int]] = [{} for _ in range(2 * size + 1)]
    for place, weight in enumerate(weights):
        left, right = place // size + 1, place % size + size + 1
        of[left][right] = of[right][left] = weight
    return of, [sorted(edges, key=edges.__getitem__, reverse=True) for edges in of]


def _list_moves(puzzle: Puzzle, way: Sequence[int], falling: bool) -> list[int]:
    """Return the nodes that the token may move to, ascending."""
    size = puzzle.size
    if not way:
        return list(range(1, 2 * size + 1))
    token = way[-1]
    nodes = range(size + 1, 2 * size + 1) if token <= size else range(1, size + 1)
    free = [node for node in nodes if node not in way]
    if len(way) == 1:
        return free
    weights = _edge_weights(size, puzzle.weights)[0][token]
    last = weights[way[-2]]
    return [node for node in free if (weights[node] < last) == falling]


def _is_won_at_once(puzzle: Puzzle) -> bool:
    """Return whether a first move leaves the other side without a move."""
    way = (puzzle.first,)
    return any(
        not _list_moves(puzzle, (*way, node), RISING) for node in _list_moves(puzzle, way, FALLING)
    )


def _stable_partner(puzzle: Puzzle, way: Sequence[int]) -> int | None:
    """Return the partner of the token's node in a stable matching of the remaining nodes."""
    token, size = way[-1], puzzle.size
    left = token <= size
    sides = range(1, size + 1), range(size + 1, 2 * size + 1)
    weights, heaviest = _edge_weights(puzzle.size, puzzle.weights)
    gone = set(way)
    # Nodes that the player moves from propose along light edges; others accept heavy ones.
    wishes = {
        node: [other for other in heaviest[node] if other not in gone]
        for node in sides[not left]
        if node not in gone
    }
    moves = set(_list_moves(puzzle, way, FALLING))
    wishes[token] = [other for other in heaviest[token] if other in moves]
    held = _stable_matching(weights, wishes)
    return next((other for other, node in held.items() if node == token), None)


def _stable_matching(
    weights: Sequence[Mapping[int, int]], wishes: Mapping[int, list[int]]
) -> Mapping[int, int]:
    """Return the stable matching in which nodes propose along their wishes, the last one first.

    Args:
        weights: the weights of the edges of each node, by the other node; heavy ones are better.
        wishes: the nodes that each node proposes to; used up.

    Returns:
        The proposing node, by the node that accepts it.
    """
    held: dict[int, int] = {}
    single = sorted(wishes)
    while single:
        node = single.pop()
        if not wishes[node]:
            continue
        other = wishes[node].pop()
        if (rival := held.get(other)) is not None and weights[rival][other] > weights[node][other]:
            single.append(node)
            continue
        held[other] = node
        if rival is not None:
            single.append(rival)
    return held


@lru_cache(maxsize=256)
def _best_replies(puzzle: Puzzle, way: tuple[int, ...]) -> Sequence[tuple[int, int]]:
    """Return the best moves of the other side from the end of a way, with the player's moves there.

    One stable matching of the remaining nodes decides for each of its moves whether the player wins
    then. A move removes some edges of the node that it goes to, all of them worse for that node
    than the others. If its partner is not among the removed nodes, the matching is still stable; if
    it is, the node has no partner any more, since a matching that is stable without these edges is
    stable with them.
    """
    weights, heaviest = _edge_weights(puzzle.size, puzzle.weights)
    gone, here = set(way), weights[way[-1]]
    last = here[way[-2]]
    rest = [node for node in here if node not in gone]
    wishes = {node: [other for other in heaviest[node] if other not in gone] for node in rest}
    lighter = {
        node: sum(weights[node][other] < here[node] for other in wishes[node])
        for node in rest
        if here[node] > last
    }
    partner = {node: other for other, node in _stable_matching(weights, wishes).items()}
    worth = {
        node: (node not in partner or weights[node][partner[node]] >= here[node], -moves)
        for node, moves in lighter.items()
    }
    best = max(worth.values(), default=None)
    return [(node, moves) for node, moves in lighter.items() if worth[node] == best]
