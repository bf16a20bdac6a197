"""Build the graph of all decisions that a player can meet on one item of the closed loop.

Cube Bench, sections 4.3.5, A.5 and A.6. A node is a state with four options: the teacher's move and
three other moves of the metric (18 face moves in htm, 12 quarter turns in qtm). Everything at a
node is drawn from names: the item's key and the state. So all players see the same options in the
same state, and so do all tasks that share the item. Letters of the teacher are dealt in balanced
blocks at each step of the solution; elsewhere the node's seed draws them.

On the way that undoes the scramble, the published solution, the teacher's move is the next of that
solution (a half turn is two quarter turns in qtm). At any other node it is an optimal move: the
first one in an order of all moves that the node's own seed shuffles.

Only a move that brings the cube closer is carried out, and each brings it closer by exactly one; so
a state is met at one step only, and paths that lead to the same state join. The nodes are the start
and every state that an option of a node leads to. Nodes 0 to d - 1 are those of the solution, in
order; the others follow, nearer to the start first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from facelet.generators.core.seeding import Draw, digest_names, make_generator
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.distance.distance_oracle import REACH
from facelet.generators.cube.engine.moves import apply_maneuver, turn_relation
from facelet.generators.cube.engine.notation import UNIT_MOVES, Maneuver, Metric, unit_steps
from facelet.generators.cube.questions.distinct_options import draw_different
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.options.letter_placement import LETTERS


@dataclass(frozen=True, slots=True)
class MoveOffer:
    """What a state offers.

    Attributes:
        distance: its exact distance to solved.
        closer: all optimal moves, in the order of the state's own seed.
        options: four moves, in the order of their letters.
        letter: the letter of the teacher's.
    """

    distance: int
    closer: Maneuver
    options: tuple[str, ...]
    letter: str

    def with_teacher_at(self, letter: str) -> MoveOffer:
        """Return the same options with the teacher's under another letter."""
        place = LETTERS.index(self.letter)
        others = [*self.options[:place], *self.options[place + 1 :]]
        others.insert(LETTERS.index(letter), self.options[place])
        return MoveOffer(self.distance, self.closer, tuple(others), letter)


def offer_moves(
    metric: Metric, key: str, state: str, *, taught: str, controlled: bool
) -> MoveOffer:
    """Return what a state offers.

    Args:
        metric: what distances count.
        key: the item's key.
        state: facelet string, not solved.
        taught: the teacher's move where the published solution gives it; "" for the first optimal
            move in the order of the state's seed.
        controlled: whether the options hold exactly one optimal move beside the teacher's wherever
            there is another (A.6.2); otherwise the other three are drawn from all other moves.
    """
    around = distance_oracle.find_progress(metric, state)
    rng = make_generator("cube/stepping", key, state)
    order = _shuffle_moves(UNIT_MOVES[metric], rng)
    closer = tuple(move for move in order if move in around.closer)
    right = taught or closer[0]
    others = [move for move in _shuffle_moves(UNIT_MOVES[metric], rng) if move != right]
    letter = LETTERS[int(rng.integers(len(LETTERS)))]
    wrong = _draw_controlled_options(right, others, closer, rng) if controlled else others[:3]
    wrong.insert(LETTERS.index(letter), right)
    return MoveOffer(around.distance, closer, tuple(wrong), letter)


def teacher_move(metric: Metric, key: str, state: str, options: Sequence[str]) -> str:
    """Return which of the optimal moves among the options is the teacher's, off the solution.

    It is the first of them in the order of the state's seed, whatever other optimal moves there
    are; so a label can be checked without a search.

    Args:
        metric: what distances count.
        key: the item's key.
        state: facelet string.
        options: the optimal moves among the options, at least one.
    """
    order = _shuffle_moves(UNIT_MOVES[metric], make_generator("cube/stepping", key, state))
    return min(options, key=order.index)


def _shuffle_moves(legal: Maneuver, rng: np.random.Generator) -> list[str]:
    return [legal[place] for place in rng.permutation(len(legal)).tolist()]


def _draw_controlled_options(
    right: str, others: Sequence[str], closer: Maneuver, rng: np.random.Generator
) -> list[str]:
    """Return three options of which exactly one is optimal, where another optimal move exists.

    Two optimal moves often turn opposite faces, or one face, which would show them to a player
    that reads the options only. So the two others are chosen to be related as these are, where
    there are two such moves.
    """
    optimal = [move for move in others if move in closer]
    rest = [move for move in others if move not in closer]
    if not optimal:
        return rest[:3]
    second = optimal[0]
    kind = turn_relation(right, second)
    pairs = [
        (one, two)
        for place, one in enumerate(rest)
        for two in rest[place + 1 :]
        if turn_relation(one, two) == kind
    ]
    chosen = [second, *(pairs[0] if pairs else rest[:2])]
    # Near a few symmetric states almost every move is optimal; then more of them are taken.
    chosen += optimal[1 : 1 + 3 - len(chosen)]
    return [chosen[place] for place in rng.permutation(len(chosen)).tolist()]


STOP, SOLVED = -1, -2
"""The nodes of an option that is not carried out, and of one that solves the cube."""

MAX_DEPTH: dict[Metric, int] = {metric: reach - 1 for metric, reach in REACH.items()}
"""The greatest depth of a start: a wrong option leads one farther, which the oracle must reach."""


@dataclass(frozen=True, slots=True)
class DecisionNode:
    """One decision.

    Attributes:
        state: facelet string, 54 letters in URFDLB order.
        distance: exact distance to solved.
        options: four different moves, in the order of their letters.
        distances: exact distance after each.
        next: number of the node that each leads to; STOP or SOLVED where it leads to none.
    """

    state: str
    distance: int
    options: tuple[str, ...]
    distances: tuple[int, ...]
    next: tuple[int, ...]

    def next_node(self, letter: str) -> int:
        """Return where the option of a letter leads."""
        return self.next[LETTERS.index(letter)]

    def progress_letters(self) -> tuple[str, ...]:
        """Return the letters of the options that are carried out."""
        return tuple(x for x, to in zip(LETTERS, self.next, strict=True) if to != STOP)


@dataclass(frozen=True, slots=True)
class DecisionGraph:
    """All decisions of an item.

    Attributes:
        nodes: the nodes; number 0 is the start.
        answers: letter of the teacher's move at each.
    """

    nodes: tuple[DecisionNode, ...]
    answers: str


def derive_shared_draw(draw: Draw, task: str) -> Draw:
    """Return a draw that all tasks of the same cell share: its path without the task.

    Args:
        draw: the item's draw; on its path the task's name is followed by the task's version. A path
            without the name stays as it is.
        task: the name.
    """
    path = draw.path
    if task in path:
        place = path.index(task)
        path = (*path[:place], *path[place + 2 :])
    return Draw(path, draw.index, draw.attempt)


def item_key(draw: Draw, state: CertifiedState) -> str:
    """Return the key of an item, 16 hexadecimal digits: the seed of all its nodes."""
    again = ("attempt", draw.attempt) if draw.attempt else ()
    return digest_names(*draw.path, "item", draw.index, *again, state.metric).hex()[:16]


def of_item(
    pool: CertifiedStates, draw: Draw, *, controlled: bool
) -> tuple[CertifiedState, str, DecisionGraph]:
    """Return the start of an item, its key, and its decisions.

    Where states are few, several items are about one state, and their first options differ.

    Args:
        pool: the states.
        draw: the item's shared draw.
        controlled: as in `build_graph`.

    Raises:
        Reject: an earlier item of the state has the same first options.
    """

    def draw_graph(own: Draw) -> DecisionGraph:
        return build_graph(own, pool.of_item(own.index), controlled=controlled)

    found = draw_different(
        draw, pool.capacity, draw_graph, lambda made: frozenset(made.nodes[0].options)
    )
    state = pool.of_item(draw.index)
    return state, item_key(draw, state), found


def teacher_moves(state: CertifiedState) -> Maneuver:
    """Return the published solution in moves of length one."""
    return unit_steps(state.witness_moves, state.metric)


def on_the_way(state: CertifiedState) -> dict[str, str]:
    """Return the states from the start to one move before solved, each with the teacher's move."""
    found: dict[str, str] = {}
    now = state.facelets
    for move in teacher_moves(state):
        found[now] = move
        now = apply_maneuver(now, (move,))
    return found


def build_graph(draw: Draw, state: CertifiedState, *, controlled: bool) -> DecisionGraph:
    """Return the decisions of an item.

    Args:
        draw: the item's shared draw.
        state: the start; at most MAX_DEPTH moves from solved.
        controlled: whether the options are controlled (Cube Bench, A.6.2) or drawn from all moves
            (A.5.2); see facelet.generators.cube.closed_loop.decision_graph.

    Raises:
        ValueError: the start is too far from solved.
    """
    key, metric = item_key(draw, state), state.metric
    way = on_the_way(state)
    number = {place: index for index, place in enumerate(way)}
    made: dict[str, tuple[MoveOffer, tuple[int, ...], tuple[str, ...]]] = {}
    queue = deque(number)
    while queue:
        now = queue.popleft()
        offered = offer_moves(metric, key, now, taught=way.get(now, ""), controlled=controlled)
        if now in way:
            step = number[now]
            letter = draw.deal_card("gold" if step == 0 else f"gold {step + 1}", LETTERS)
            offered = offered.with_teacher_at(letter)
        after = tuple(apply_maneuver(now, (move,)) for move in offered.options)
        distances = tuple(
            offered.distance - 1
            if move in offered.closer
            else _distance_after(metric, offered, place)
            for move, place in zip(offered.options, after, strict=True)
        )
        for place, left in zip(after, distances, strict=True):
            if 0 < left < offered.distance and place not in number:
                number[place] = len(number)
                queue.append(place)
        made[now] = offered, distances, after
    nodes = []
    for now, (offered, distances, after) in made.items():
        leads = (
            STOP if left >= offered.distance else number[place] if left else SOLVED
            for place, left in zip(after, distances, strict=True)
        )
        nodes.append(DecisionNode(now, offered.distance, offered.options, distances, tuple(leads)))
    return DecisionGraph(tuple(nodes), "".join(offered.letter for offered, _, _ in made.values()))


def _distance_after(metric: Metric, offered: MoveOffer, after: str) -> int:
    """Return the distance after a move that brings the cube no closer."""
    # A quarter turn changes the parity of a state, and so of its distance in quarter turns.
    return (
        offered.distance + 1 if metric == "qtm" else distance_oracle.exact_distance(metric, after)
    )
