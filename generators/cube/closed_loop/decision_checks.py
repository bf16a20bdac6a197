"""Check the decisions of the closed loop by simulation.

Distances that need a search are left to claims. Checked here, without a search: that a move changes
a distance by at most one, where each option leads, and which move is the teacher's.
"""

from __future__ import annotations

from collections.abc import Callable

from facelet.generators.core.task import Claim
from facelet.generators.cube.closed_loop.decision_graph import (
    SOLVED,
    STOP,
    DecisionGraph,
    DecisionNode,
    on_the_way,
)
from facelet.generators.cube.closed_loop.move_options import teacher_move
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import is_solved
from facelet.generators.cube.engine.notation import UNIT_MOVES, Metric
from facelet.generators.cube.states.certified_states import CertifiedState, distance_claim
from facelet.generators.options.letter_placement import LETTERS


def option_claims(metric: Metric, node: DecisionNode) -> tuple[Claim, ...]:
    """Return as claims the distance after each option that does not solve the cube."""
    return tuple(
        distance_claim(moves.apply_maneuver(node.state, (move,)), metric, left)
        for move, left in zip(node.options, node.distances, strict=True)
        if left
    )


def find_graph_faults(state: CertifiedState, key: str, found: DecisionGraph) -> list[str]:
    """Return what simulation finds false about a graph, in words; empty if nothing.

    Args:
        state: the item's start.
        key: the item's key.
        found: the graph.
    """
    nodes = found.nodes
    if len(found.answers) != len(nodes) or not nodes:
        return [f"{len(found.answers)} answers to {len(nodes)} decisions"]
    wrong = []
    if nodes[0].state != state.facelets:
        wrong.append("the first decision is not about the certified state")
    if [node.state for node in nodes[: state.optimal_depth]] != list(on_the_way(state)):
        wrong.append("the first decisions are not those of the solution")
    if len({node.state for node in nodes}) != len(nodes):
        wrong.append("a state has two decisions")
    reached = {to for node in nodes for to in node.next}
    if not set(range(1, len(nodes))) <= reached:
        wrong.append("a decision is there that no option leads to")
    for number, (node, answer) in enumerate(zip(nodes, found.answers, strict=True)):

        def leads_to(to: int, place: str) -> bool:
            return 0 <= to < len(nodes) and nodes[to].state == place

        local = node_faults(state, key, number, node, answer, leads_to)
        wrong += [f"decision {number}: {text}" for text in local]
    return wrong


def node_faults(
    state: CertifiedState,
    key: str,
    number: int,
    node: DecisionNode,
    answer: str,
    leads_to: Callable[[int, str], bool],
) -> list[str]:
    """Return what simulation finds false about one node, in words.

    Args:
        state: the item's start.
        key: the item's key.
        number: the node's number.
        node: the node.
        answer: letter of the teacher's move.
        leads_to: whether the node of a number may be about a state.
    """
    legal = UNIT_MOVES[state.metric]
    if len(set(node.options)) != len(LETTERS) or not set(node.options) <= set(legal):
        return [f"the options {list(node.options)} are not four moves of {state.metric}"]
    if not len(node.distances) == len(node.next) == len(LETTERS) or answer not in tuple(LETTERS):
        return ["it does not have four options and one answer"]
    wrong = []
    for move, left, to in zip(node.options, node.distances, node.next, strict=True):
        after = moves.apply_maneuver(node.state, (move,))
        change = left - node.distance
        if abs(change) > 1 or (state.metric == "qtm" and not change):
            wrong.append(f"{move} alone cannot change {node.distance} to {left}")
        if is_solved(after) != (left == 0) or (left == 0) != (to == SOLVED):
            wrong.append(f"{move} is said to lead to distance {left} and node {to}")
        if (change >= 0) != (to == STOP) or (to >= 0 and not leads_to(to, after)):
            wrong.append(f"{move} does not lead to node {to}")
    taught = node.options[LETTERS.index(answer)]
    way = on_the_way(state)
    shown = [node.options[LETTERS.index(letter)] for letter in node.progress_letters()]
    if node.state in way:
        if list(way).index(node.state) != number:
            wrong.append(f"the state is number {list(way).index(node.state)} of the solution")
        expected = way[node.state]
    else:
        expected = teacher_move(state.metric, key, node.state, shown) if shown else ""
    if taught != expected or taught not in shown:
        wrong.append(f"the answer is {answer}, {taught}; the teacher's move is {expected}")
    return wrong
