"""Check the decisions of the closed loop by simulation, and measure walks through them.

Cube Bench, 4.3.5 and A.6.1. Checked here, without a search: that a move changes a distance by at
most one, where each option leads, and which move is the teacher's. Distances that need a search are
left to claims.

Metrics of an outcome, over a walk from depth d:

    teacher_adherence    teacher's moves / d: steps that were not reached count as wrong
    perfect              1 if all d were the teacher's
    optimal_adherence    moves that brought the cube closer / d, the teacher's and any other
    optimal_perfect      1 if all d did: the player solved the cube itself

and, where the player may abstain,

    decisions, answered, correct_answers, idk_answers
                         replies asked for, letters, teacher's moves, abstentions
    coverage             answered / decisions
    selective_accuracy   correct_answers / answered; left out if there is none
    idk_rate             idk_answers / decisions
    apa                  (correct_answers + credit * idk_answers) / decisions
    step_1_coverage, ... 1 if the reply at that step was a letter, 0 if it was not
    step_1_decisions, .. 1; both are left out for steps that were not reached

and, in all,

    replies, reply_parse_rate
                         replies, and the share of them that could be read

Means over many walks are weighted by the denominator, which gives the pooled figures of the paper's
formulas. Its table of abstentions has means over the depths, each pooled: the macro figures. A
missing prediction counts as one decision without a choice: all decisions count (A.6.1), so leaving
out the doubtful ones must not pay. Selective accuracy is about letters only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from facelet.generators.core.measures import (
    READ_REPLIES,
    Called,
    MacroMeanOf,
    MeanOf,
    Measure,
    Proportion,
    WeightedMeanOf,
    read_replies,
)
from facelet.generators.core.task import Claim
from facelet.generators.cube.closed_loop.decision_graph import (
    MAX_DEPTH,
    SOLVED,
    STOP,
    DecisionGraph,
    DecisionNode,
    on_the_way,
    teacher_move,
)
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import UNIT_MOVES, Metric, is_solved
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


STEPS = max(MAX_DEPTH.values())
"""Steps that coverage is given for."""


class Decision(StrEnum):
    """What a reply was at its node."""

    TEACHER = "teacher"
    OPTIMAL = "optimal"
    """Another move that brings the cube closer."""
    WRONG = "wrong"
    IDK = "idk"
    UNREAD = "unread"


def _over_decisions(metric: str, weight: str, missing: int) -> Measure:
    """Return the mean over decisions; a prediction that is missing has `missing` of them."""
    return WeightedMeanOf(
        metric=metric, weight=weight, default_weight=missing, unless=("abstain", "off")
    )


CALLED = Called(
    names=(
        ("teacher_adherence", "TA%"),
        ("perfect_rate", "Perfect-Solve%"),
        ("idk_rate", "IDK%"),
        ("apa", "APA"),
        ("macro_coverage", "Coverage, mean over depths"),
        ("macro_selective_accuracy", "Sel. Acc., mean over depths"),
        ("macro_idk_rate", "IDK%, mean over depths"),
        ("macro_apa", "APA, mean over depths"),
    )
)
"""The paper's names, for live episodes and for walks through trees."""

MEASURES: tuple[Measure, ...] = (
    CALLED,
    MeanOf(metric="teacher_adherence"),
    Proportion(metric="perfect"),
    MeanOf(metric="optimal_adherence"),
    Proportion(metric="optimal_perfect"),
    _over_decisions("coverage", "decisions", 1),
    WeightedMeanOf(metric="selective_accuracy", weight="answered"),
    _over_decisions("idk_rate", "decisions", 1),
    _over_decisions("apa", "decisions", 1),
    *(
        MacroMeanOf(metric=metric, weight=weight, default_weight=missing, unless=("abstain", "off"))
        for metric, weight, missing in (
            ("coverage", "decisions", 1),
            ("selective_accuracy", "answered", 0),
            ("idk_rate", "decisions", 1),
            ("apa", "decisions", 1),
        )
    ),
    READ_REPLIES,
    *(
        _over_decisions(f"step_{step}_coverage", f"step_{step}_decisions", int(step == 1))
        for step in range(1, STEPS + 1)
    ),
)


@dataclass(frozen=True, slots=True)
class Walk(Measure):
    """Figures of walks through trees of decisions, one row a decision, one tree an item.

    A tree that lacks a decision that an option of another leads to is left out.
    A walk of a model and sample begins at node 0 and goes where its answers lead. It ends at an
    option that leads to no node, and at a reply that says nothing; a prediction that is missing is
    such a reply. An abstention takes the right option's way, or ends it, as the row's policy says.
    Figures: the adherence of all walks, and those of abstention where it is allowed, pooled over
    walks, under the names of the live episodes' metrics.

    The columns are those of cube/step_tree.
    """

    counted_by: ClassVar[str] = "cube/walking"


def walk_metrics(
    decisions: Sequence[Decision], depth: int, credit: float | None
) -> dict[str, float]:
    """Return the metrics of a walk.

    Args:
        decisions: what the replies were, in order.
        depth: the start's distance, at least 1.
        credit: what an abstention is worth (lambda, 0 to 1); None where the player may not abstain.
    """
    taught = decisions.count(Decision.TEACHER)
    closer = taught + decisions.count(Decision.OPTIMAL)
    found = {
        "teacher_adherence": taught / depth,
        "perfect": float(taught == depth),
        "optimal_adherence": closer / depth,
        "optimal_perfect": float(closer == depth),
    }
    total = len(decisions)
    found |= read_replies(total - decisions.count(Decision.UNREAD), total)
    if credit is None or not total:
        return found
    answered = closer + decisions.count(Decision.WRONG)
    abstained = decisions.count(Decision.IDK)
    found |= {
        "decisions": float(total),
        "answered": float(answered),
        "correct_answers": float(taught),
        "idk_answers": float(abstained),
        "coverage": answered / total,
        "idk_rate": abstained / total,
        "apa": (taught + credit * abstained) / total,
    }
    if answered:
        found["selective_accuracy"] = taught / answered
    for step, decision in enumerate(decisions, 1):
        letter = decision not in (Decision.IDK, Decision.UNREAD)
        found[f"step_{step}_coverage"] = float(letter)
        found[f"step_{step}_decisions"] = 1.0
    return found
