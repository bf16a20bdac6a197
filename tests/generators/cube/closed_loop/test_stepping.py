"""The decisions of the closed loop, against breadth-first shells and a player that tries all."""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache
from typing import Any

import pytest

from facelet.generators.core.seeding import Draw
from facelet.generators.cube.closed_loop import decision_checks, decision_graph
from facelet.generators.cube.closed_loop.decision_graph import (
    MAX_DEPTH,
    SOLVED,
    STOP,
    DecisionGraph,
    teacher_move,
)
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED as SOLVED_CUBE
from facelet.generators.cube.engine.notation import UNIT_MOVES, is_solved
from facelet.generators.cube.pools.pool_spec import EXHAUSTIVE, shells_to
from facelet.generators.options.letter_placement import LETTERS

METRICS = ("htm", "qtm")
NAMES = (7, "test", "optimal_depth")
COUNT = 40


@cache
def distances_near(metric: Any) -> dict[str, int]:
    """Return the distance of every state near solved, by breadth-first search."""
    shells = shells_to(metric, EXHAUSTIVE[metric])
    return {state: distance for distance, shell in enumerate(shells) for state in shell}


def make_loops(
    pools: Any, metric: Any, depth: int, controlled: bool
) -> list[tuple[Any, str, DecisionGraph]]:
    found = []
    for index, state in enumerate(pools(metric, depth).states[:COUNT]):
        draw = Draw((*NAMES, depth), index)
        key = decision_graph.item_key(draw, state)
        found.append((state, key, decision_graph.build_graph(draw, state, controlled=controlled)))
    return found


CASES = [
    pytest.param(
        (metric, depth, controlled),
        id=f"{metric}-{depth}-{'controlled' if controlled else 'plain'}",
    )
    for metric in METRICS
    for depth in (1, 2, 3)
    for controlled in (False, True)
]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, pools: Any) -> tuple[Any, ...]:
    metric, depth, controlled = request.param
    return metric, depth, controlled, make_loops(pools, metric, depth, controlled)


def test_distances_are_those_of_breadth_first_search(case: Any) -> None:
    metric, depth, _, found = case
    known = distances_near(metric)
    for _, _, graph in found:
        assert graph.nodes[0].distance == depth
        for node in graph.nodes:
            assert node.distance == known[node.state]
            for move, left in zip(node.options, node.distances, strict=True):
                after = moves.apply_maneuver(node.state, (move,))
                # The shells end one short of the farthest neighbours: what they lack is farther.
                assert left == known.get(after, node.distance + 1)


def test_nodes_are_what_some_player_comes_to(case: Any) -> None:
    """A player that tries every option: closer moves are made, others end."""
    metric, _, _, found = case
    known = distances_near(metric)
    for state, _, graph in found:
        by_state = {node.state: node for node in graph.nodes}
        come, waiting = set(), [state.facelets]
        while waiting:
            now = waiting.pop()
            if now in come:
                continue
            come.add(now)
            for move in by_state[now].options:
                after = moves.apply_maneuver(now, (move,))
                if known.get(after, 99) < known[now] and not is_solved(after):
                    waiting.append(after)
        assert come == set(by_state)
        assert len(by_state) == len(graph.nodes)


def test_options_are_four_moves_with_the_teachers_among_them(case: Any) -> None:
    metric, depth, _, found = case
    for state, _, graph in found:
        now = state.facelets
        for step, move in enumerate(decision_graph.teacher_moves(state)):
            node = graph.nodes[step]
            assert node.state == now
            assert node.options[LETTERS.index(graph.answers[step])] == move
            now = moves.apply_maneuver(now, (move,))
        assert is_solved(now)
        assert len(decision_graph.teacher_moves(state)) == depth
        for node, answer in zip(graph.nodes, graph.answers, strict=True):
            assert len(set(node.options)) == 4 and set(node.options) <= set(UNIT_MOVES[metric])
            assert answer in node.progress_letters()


def test_controlled_options_hold_exactly_one_more_optimal_move(case: Any) -> None:
    metric, _, controlled, found = case
    known = distances_near(metric)
    more = Counter()
    for _, _, graph in found:
        for node in graph.nodes:
            optimal = [
                move
                for move in UNIT_MOVES[metric]
                if known.get(moves.apply_maneuver(node.state, (move,)), 99) < node.distance
            ]
            shown = len(set(optimal) & set(node.options))
            assert shown == len(node.progress_letters())
            if controlled:
                assert shown == min(2, len(optimal))
            more[len(optimal) - 1, shown - 1] += 1
    if not controlled:
        assert all(shown <= there for there, shown in more)


def test_numbers_and_ends(case: Any) -> None:
    for _, _, graph in case[3]:
        for node in graph.nodes:
            for move, left, to in zip(node.options, node.distances, node.next, strict=True):
                after = moves.apply_maneuver(node.state, (move,))
                if left >= node.distance:
                    assert to == STOP
                elif left == 0:
                    assert to == SOLVED and is_solved(after)
                else:
                    assert graph.nodes[to].state == after


def test_simulation_finds_no_fault(case: Any) -> None:
    for state, key, graph in case[3]:
        assert decision_checks.find_graph_faults(state, key, graph) == []


def test_letters_are_balanced_in_blocks_at_every_step_of_the_solution(case: Any) -> None:
    _, depth, _, found = case
    for step in range(depth):
        letters = [graph.answers[step] for _, _, graph in found]
        for first in range(0, len(letters) - 3, 4):
            assert sorted(letters[first : first + 4]) == list(LETTERS)


def test_letters_off_the_solution_are_spread(pools: Any) -> None:
    found = [g for depth in (2, 3) for g in make_loops(pools, "qtm", depth, True)]
    seen = Counter(
        graph.answers[number]
        for state, _, graph in found
        for number in range(state.optimal_depth, len(graph.nodes))
    )
    assert set(seen) == set(LETTERS)


@pytest.mark.parametrize("controlled", [False, True])
def test_options_follow_from_names_alone(pools: Any, controlled: bool) -> None:
    """The order in which items are made does not matter, nor does what is made between them."""
    forwards = make_loops(pools, "htm", 3, controlled)
    state, key, graph = forwards[5]
    draw = Draw((*NAMES, 3), 5)
    assert decision_graph.build_graph(draw, state, controlled=controlled) == graph
    other = decision_graph.build_graph(Draw((*NAMES, 3), 6), state, controlled=controlled)
    assert [node.options for node in other.nodes[:3]] != [n.options for n in graph.nodes[:3]]
    assert decision_graph.item_key(Draw((*NAMES, 3), 6), state) != key


def test_tasks_share_a_draw_whatever_their_names_and_versions() -> None:
    one = decision_graph.derive_shared_draw(
        Draw((3, "cube/one", 1, "test", "optimal_depth", 4), 9, 2), "cube/one"
    )
    two = decision_graph.derive_shared_draw(
        Draw((3, "cube/two", 5, "test", "optimal_depth", 4), 9, 2), "cube/two"
    )
    assert one == two == Draw((3, "test", "optimal_depth", 4), 9, 2)
    assert decision_graph.derive_shared_draw(one, "cube/one") == one


def test_half_turns_of_a_solution_are_two_steps_in_quarter_turns(pools: Any) -> None:
    found = make_loops(pools, "qtm", 3, False)
    halves = [(s, g) for s, _, g in found if "2" in s.solution]
    assert halves
    for state, graph in halves:
        taught = [
            graph.nodes[n].options[LETTERS.index(graph.answers[n])] for n in range(len("abc"))
        ]
        solution = state.witness_moves
        assert notation.simplify_maneuver(tuple(taught)) == notation.simplify_maneuver(solution)
        assert not any(move.endswith("2") for node in graph.nodes for move in node.options)


def test_teachers_off_the_solution_are_optimal_and_vary(pools: Any) -> None:
    """The teacher is not simply the first optimal move of some fixed order."""
    # A half turn and a turn opposite: U' leads off the way U U D, and there U' and D are optimal.
    solution = ("U2", "D")
    state = dataclasses.replace(
        pools("qtm", 3).states[0],
        facelets=moves.apply_maneuver(SOLVED_CUBE, notation.invert_maneuver(solution)),
        solution=notation.format_maneuver(solution),
    )
    taught = Counter()
    for index in range(60):
        draw = Draw(NAMES, index)
        key, graph = (
            decision_graph.item_key(draw, state),
            decision_graph.build_graph(draw, state, controlled=True),
        )
        for number in range(3, len(graph.nodes)):
            node, answer = graph.nodes[number], graph.answers[number]
            shown = [node.options[LETTERS.index(letter)] for letter in node.progress_letters()]
            teacher = node.options[LETTERS.index(answer)]
            assert teacher == teacher_move("qtm", key, node.state, shown)
            if len(shown) > 1:
                taught[teacher] += 1
    assert set(taught) >= {"U'", "D"}


def test_two_optimal_moves_stand_as_the_two_others_do(pools: Any) -> None:
    """Opposite faces, or one face, do not betray which two of four moves are optimal."""

    def axis_relation(one: str, two: str) -> str:
        if one[0] == two[0]:
            return "face"
        return "axis" if {one[0], two[0]} in ({"U", "D"}, {"R", "L"}, {"F", "B"}) else "apart"

    seen = Counter()
    for metric in METRICS:
        for _, _, graph in make_loops(pools, metric, 3, True):
            for node in graph.nodes:
                closer = [node.options[LETTERS.index(letter)] for letter in node.progress_letters()]
                if len(closer) == 2:
                    others = [move for move in node.options if move not in closer]
                    assert axis_relation(*closer) == axis_relation(*others)
                    seen[axis_relation(*closer)] += 1
    assert seen["axis"] and seen["face"]


def test_states_that_are_too_far_are_refused(pools: Any) -> None:
    state = pools("htm", MAX_DEPTH["htm"] + 4).states[0]
    with pytest.raises(ValueError, match="moves from solved"):
        decision_graph.build_graph(Draw(NAMES, 0), state, controlled=False)


def change_option(graph: DecisionGraph, number: int, **fields: Any) -> DecisionGraph:
    nodes = list(graph.nodes)
    nodes[number] = dataclasses.replace(nodes[number], **fields)
    return DecisionGraph(tuple(nodes), graph.answers)


def test_false_decisions_are_found(pools: Any) -> None:
    state, key, graph = next(
        case for case in make_loops(pools, "htm", 3, True) if len(case[2].nodes) > 3
    )
    first = graph.nodes[0]
    wrong = next(x for x in LETTERS if x not in first.progress_letters())
    last = len(graph.nodes) - 1
    bad = [
        change_option(graph, 0, options=("U", "U", "R", "F")),
        change_option(graph, 0, options=("u", *first.options[1:])),
        change_option(graph, 0, state=graph.nodes[1].state),
        change_option(graph, 0, distances=(9, *first.distances[1:])),
        change_option(graph, 0, next=(STOP,) * 4),
        change_option(graph, 0, next=(1,) * 4),
        change_option(graph, 0, next=(99, *first.next[1:])),
        change_option(graph, 2, next=(SOLVED,) * 4),
        change_option(graph, 1, distances=tuple(d + 1 for d in graph.nodes[1].distances)),
        change_option(graph, 0, distances=first.distances[:3]),
        DecisionGraph(graph.nodes, wrong + graph.answers[1:]),
        DecisionGraph(graph.nodes, graph.answers + "A"),
        DecisionGraph(graph.nodes, graph.answers[:-1] + "E"),
        DecisionGraph(graph.nodes[:last], graph.answers[:last]),
        DecisionGraph((*graph.nodes, graph.nodes[0]), graph.answers + graph.answers[0]),
        DecisionGraph((graph.nodes[1], graph.nodes[0], *graph.nodes[2:]), graph.answers),
        DecisionGraph((), ""),
    ]
    assert decision_checks.find_graph_faults(state, key, graph) == []
    for false in bad:
        assert decision_checks.find_graph_faults(state, key, false) != []


def test_claims_name_every_distance_that_needs_a_search(pools: Any) -> None:
    known = distances_near("htm")
    for _, _, graph in make_loops(pools, "htm", 2, False)[:5]:
        for node in graph.nodes:
            claims = decision_checks.option_claims("htm", node)
            assert len(claims) == 4 - node.next.count(SOLVED)
            for claim in claims:
                args = dict(claim.args)
                assert known[str(args["facelets"])] == args["depth"]
