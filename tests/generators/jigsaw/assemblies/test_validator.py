"""The validator against the naive block: the same verdict, and the same conflicts."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jigsaw_block import ORIENTED, count_fillings, is_block_full

from facelet.generators.jigsaw.assemblies.solver import find_assemblies
from facelet.generators.jigsaw.assemblies.validator import (
    LETTERS,
    describe_conflicts,
    find_conflicts,
    find_rule_breaches,
    is_closed_cube,
)
from facelet.generators.jigsaw.assembly_task.episode import (
    measure_closeness,
    nearest_answer,
    right_answers,
)
from facelet.generators.jigsaw.geometry.cube_surface import (
    CELLS,
    CORNERS,
    FACES,
    JOINTS,
    Placement,
    answer_symmetries,
    draw_pieces,
    shuffle_pieces,
)
from facelet.generators.jigsaw.geometry.pieces import ORIENTATIONS, piece_rows

SEEDS = st.integers(0, 2**32 - 1)


def make_puzzle(seed: int, flips: bool = True):
    rng = np.random.default_rng(seed)
    return shuffle_pieces(rng, draw_pieces(rng), flips)


def piece_arrays(pieces):
    return [np.array([list(map(int, row)) for row in piece_rows(piece)]) for piece in pieces]


def mix_placements(seed: int, solution):
    """Six placements on six faces, some as in a solution."""
    rng = np.random.default_rng(seed)
    places = list(solution)
    for _ in range(int(rng.integers(0, 4))):
        one, other = rng.integers(0, 6, 2)
        face, places[other] = places[other].face, places[other]._replace(face=places[one].face)
        left, top = ORIENTATIONS[int(rng.integers(8))]
        places[one] = Placement(face, left, top)
    return tuple(places)


@given(SEEDS, SEEDS)
def test_the_verdict_is_that_of_the_block(seed: int, other: int) -> None:
    pieces, solution = make_puzzle(seed)
    assert is_closed_cube(pieces, solution) and is_block_full(piece_arrays(pieces), solution)
    answer = mix_placements(other, solution)
    assert is_closed_cube(pieces, answer) == is_block_full(piece_arrays(pieces), answer)


@given(SEEDS, SEEDS)
def test_conflicts_are_where_the_block_has_them(seed: int, other: int) -> None:
    pieces, solution = make_puzzle(seed)
    answer = mix_placements(other, solution)
    found = find_conflicts(pieces, answer)
    filled = count_fillings(piece_arrays(pieces), answer)
    wrong_edges = {
        joint
        for joint, mask in JOINTS.items()
        if any(filled[tuple(c + 2 for c in CELLS[k])] != 1 for k in range(44) if mask >> k & 1)
    }
    assert set(found.edges) == wrong_edges
    corners = {CORNERS[index]: filled[tuple(c + 2 for c in CELLS[index])] for index in CORNERS}
    assert {corner.faces: len(corner.pieces) for corner in found.corners} == {
        faces: times for faces, times in corners.items() if times != 1
    }
    on = {place.face: index for index, place in enumerate(answer)}
    for corner in found.corners:
        assert set(corner.pieces) <= {on[face] for face in corner.faces}


@given(SEEDS, SEEDS)
def test_words_name_the_edges_that_lie_there(seed: int, other: int) -> None:
    """Each sentence is checked against the arrays: that side of that face shows that edge."""
    pieces, solution = make_puzzle(seed)
    answer = mix_placements(other, solution)
    found = find_conflicts(pieces, answer)
    sentences = describe_conflicts(answer, found)
    assert len(sentences) == len(found.edges) + len(found.corners)
    sides = {"left": 1, "top": 2, "right": 3, "bottom": 4}
    named = re.findall(r"he (\w+) side of (\w+) \(piece (\w), edge (\d)\)", " ".join(sentences))
    assert len(named) == 2 * len(found.edges)
    for side, face, letter, edge in named:
        place = answer[LETTERS.index(letter)]
        assert place.face == face
        marked = np.zeros((5, 5), int)
        _edge_line(marked, int(edge))[1:4] = 1
        turned = ORIENTED[place.left, place.top](marked)
        assert (_edge_line(turned, sides[side])[1:4] == 1).all()


def _edge_line(array: np.ndarray, edge: int) -> np.ndarray:
    return {1: array[:, 0], 2: array[0], 3: array[:, 4], 4: array[4]}[edge]


def test_a_face_with_no_piece_or_two_spoils_its_four_edges() -> None:
    pieces, solution = make_puzzle(1)
    crowded = (solution[0], solution[1]._replace(face=solution[0].face), *solution[2:])
    found = find_conflicts(pieces, crowded)
    bad = {solution[0].face, solution[1].face}
    expected = {joint for joint in JOINTS if {joint.face, joint.other} & bad}
    assert set(found.edges) == expected and 7 <= len(expected) <= 8
    assert len(find_conflicts(pieces, [Placement("Top", 1, 2)] * 6).edges) == 12
    apart = (solution[0]._replace(left=1, top=3), *solution[1:])
    spoiled = {joint for joint in JOINTS if solution[0].face in (joint.face, joint.other)}
    assert set(find_conflicts(pieces, apart).edges) == spoiled


def test_breaches_of_the_rules_are_named() -> None:
    good = [Placement(face, 1, 2) for face in FACES]
    assert find_rule_breaches(good, flips=False) == []
    over = [good[0]._replace(left=2, top=1), *good[1:]]
    assert find_rule_breaches(over, flips=True) == []
    assert find_rule_breaches(over, flips=False) == [
        "Piece A: (2, 1) turns the piece over, which is not allowed."
    ]
    apart = [good[0]._replace(top=3), good[1]._replace(left=2), *good[2:]]
    assert find_rule_breaches(apart, flips=True) == [
        "Piece A: edges 1 and 3 are not next to each other.",
        "Piece B: edges 2 and 2 are not next to each other.",
    ]
    crowded = [good[0], good[1]._replace(face="Top"), *good[2:]]
    assert find_rule_breaches(crowded, flips=True) == [
        "Pieces A and B share the Top face.",
        "No piece is on the Bottom face.",
    ]


@pytest.mark.parametrize("flips", [False, True])
def test_every_right_answer_is_accepted_and_they_are_all_different(flips: bool) -> None:
    pieces, solution = make_puzzle(2, flips)
    right = list(right_answers(find_assemblies(pieces, flips), flips))
    assert (
        len(set(right)) == len(right) == len(find_assemblies(pieces, flips)) * (48 if flips else 24)
    )
    assert solution in right
    for answer in right:
        assert is_closed_cube(pieces, answer) and find_rule_breaches(answer, flips) == []
        assert nearest_answer(answer, right).distance == 0


@given(SEEDS, SEEDS)
def test_closeness_counts_entries(seed: int, other: int) -> None:
    pieces, solution = make_puzzle(seed % 50)
    answer = mix_placements(other, solution)
    close = measure_closeness(answer, solution)
    entries = [
        [one != two for one, two in zip(a, b, strict=True)]
        for a, b in zip(answer, solution, strict=True)
    ]
    assert close.distance == sum(map(sum, entries))
    assert close.faces == sum(not wrong[0] for wrong in entries)
    assert close.rotations == sum(not any(wrong) for wrong in entries)
    right = list(right_answers(find_assemblies(pieces, True), True))
    best = nearest_answer(answer, right)
    assert (
        best.distance
        == min(measure_closeness(answer, one).distance for one in right)
        <= close.distance
    )
    assert (best.distance == 0) == is_closed_cube(pieces, answer)


def test_closeness_ranges_from_0_to_18() -> None:
    answer = [Placement(face, 1, 2) for face in FACES]
    other = [Placement(face, 3, 4) for face in (*FACES[1:], FACES[0])]
    assert measure_closeness(answer, answer).distance == 0
    assert (
        measure_closeness(answer, answer).faces == measure_closeness(answer, answer).rotations == 6
    )
    assert (measure_closeness(answer, other).distance, measure_closeness(answer, other).faces) == (
        18,
        0,
    )


def test_a_cube_held_differently_is_no_further_away() -> None:
    """To the reference a rotated answer looks all wrong; to the nearest it is right."""
    pieces, solution = make_puzzle(3)
    right = list(right_answers(find_assemblies(pieces, True), True))
    distances = Counter()
    for symmetry in answer_symmetries(flips=True):
        answer = tuple(map(symmetry.move_placement, solution))
        distances[measure_closeness(answer, solution).distance] += 1
        assert nearest_answer(answer, right).distance == 0
    assert distances[0] == 1 and max(distances) == 18
