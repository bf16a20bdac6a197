"""The validator against the naive block: the same verdict, and the same conflicts."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jigsaw_block import ORIENTED, block_is_full, fillings

from facelet.generators.jigsaw.assemblies.closeness import compare, nearest, right_answers
from facelet.generators.jigsaw.assemblies.solver import solve
from facelet.generators.jigsaw.assemblies.validator import (
    LETTERS,
    breaches,
    closes,
    examine,
    explain,
)
from facelet.generators.jigsaw.geometry import dealing
from facelet.generators.jigsaw.geometry.hull import (
    CELLS,
    CORNERS,
    FACES,
    JOINTS,
    Placement,
    symmetries,
)
from facelet.generators.jigsaw.geometry.pieces import ORIENTATIONS, rows

SEEDS = st.integers(0, 2**32 - 1)


def puzzle(seed: int, flips: bool = True):
    rng = np.random.default_rng(seed)
    return dealing.shuffle(rng, dealing.deal(rng), flips)


def arrays(pieces):
    return [np.array([list(map(int, row)) for row in rows(piece)]) for piece in pieces]


def mixed(seed: int, solution):
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
    pieces, solution = puzzle(seed)
    assert closes(pieces, solution) and block_is_full(arrays(pieces), solution)
    answer = mixed(other, solution)
    assert closes(pieces, answer) == block_is_full(arrays(pieces), answer)


@given(SEEDS, SEEDS)
def test_conflicts_are_where_the_block_has_them(seed: int, other: int) -> None:
    pieces, solution = puzzle(seed)
    answer = mixed(other, solution)
    found = examine(pieces, answer)
    filled = fillings(arrays(pieces), answer)
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
    pieces, solution = puzzle(seed)
    answer = mixed(other, solution)
    found = examine(pieces, answer)
    sentences = explain(answer, found)
    assert len(sentences) == len(found.edges) + len(found.corners)
    sides = {"left": 1, "top": 2, "right": 3, "bottom": 4}
    named = re.findall(r"he (\w+) side of (\w+) \(piece (\w), edge (\d)\)", " ".join(sentences))
    assert len(named) == 2 * len(found.edges)
    for side, face, letter, edge in named:
        place = answer[LETTERS.index(letter)]
        assert place.face == face
        marked = np.zeros((5, 5), int)
        _line(marked, int(edge))[1:4] = 1
        turned = ORIENTED[place.left, place.top](marked)
        assert (_line(turned, sides[side])[1:4] == 1).all()


def _line(array: np.ndarray, edge: int) -> np.ndarray:
    return {1: array[:, 0], 2: array[0], 3: array[:, 4], 4: array[4]}[edge]


def test_a_face_with_no_piece_or_two_spoils_its_four_edges() -> None:
    pieces, solution = puzzle(1)
    crowded = (solution[0], solution[1]._replace(face=solution[0].face), *solution[2:])
    found = examine(pieces, crowded)
    bad = {solution[0].face, solution[1].face}
    expected = {joint for joint in JOINTS if {joint.face, joint.other} & bad}
    assert set(found.edges) == expected and 7 <= len(expected) <= 8
    assert len(examine(pieces, [Placement("Top", 1, 2)] * 6).edges) == 12
    apart = (solution[0]._replace(left=1, top=3), *solution[1:])
    spoiled = {joint for joint in JOINTS if solution[0].face in (joint.face, joint.other)}
    assert set(examine(pieces, apart).edges) == spoiled


def test_breaches_of_the_rules_are_named() -> None:
    good = [Placement(face, 1, 2) for face in FACES]
    assert breaches(good, flips=False) == []
    over = [good[0]._replace(left=2, top=1), *good[1:]]
    assert breaches(over, flips=True) == []
    assert breaches(over, flips=False) == [
        "Piece A: (2, 1) turns the piece over, which is not allowed."
    ]
    apart = [good[0]._replace(top=3), good[1]._replace(left=2), *good[2:]]
    assert breaches(apart, flips=True) == [
        "Piece A: edges 1 and 3 are not next to each other.",
        "Piece B: edges 2 and 2 are not next to each other.",
    ]
    crowded = [good[0], good[1]._replace(face="Top"), *good[2:]]
    assert breaches(crowded, flips=True) == [
        "Pieces A and B share the Top face.",
        "No piece is on the Bottom face.",
    ]


@pytest.mark.parametrize("flips", [False, True])
def test_every_right_answer_is_accepted_and_they_are_all_different(flips: bool) -> None:
    pieces, solution = puzzle(2, flips)
    right = list(right_answers(solve(pieces, flips), flips))
    assert len(set(right)) == len(right) == len(solve(pieces, flips)) * (48 if flips else 24)
    assert solution in right
    for answer in right:
        assert closes(pieces, answer) and breaches(answer, flips) == []
        assert nearest(answer, right).distance == 0


@given(SEEDS, SEEDS)
def test_closeness_counts_entries(seed: int, other: int) -> None:
    pieces, solution = puzzle(seed % 50)
    answer = mixed(other, solution)
    close = compare(answer, solution)
    entries = [
        [one != two for one, two in zip(a, b, strict=True)]
        for a, b in zip(answer, solution, strict=True)
    ]
    assert close.distance == sum(map(sum, entries))
    assert close.faces == sum(not wrong[0] for wrong in entries)
    assert close.rotations == sum(not any(wrong) for wrong in entries)
    right = list(right_answers(solve(pieces, True), True))
    best = nearest(answer, right)
    assert best.distance == min(compare(answer, one).distance for one in right) <= close.distance
    assert (best.distance == 0) == closes(pieces, answer)


def test_closeness_ranges_from_0_to_18() -> None:
    answer = [Placement(face, 1, 2) for face in FACES]
    other = [Placement(face, 3, 4) for face in (*FACES[1:], FACES[0])]
    assert compare(answer, answer).distance == 0
    assert compare(answer, answer).faces == compare(answer, answer).rotations == 6
    assert (compare(answer, other).distance, compare(answer, other).faces) == (18, 0)


def test_a_cube_held_differently_is_no_further_away() -> None:
    """To the reference a rotated answer looks all wrong; to the nearest it is right."""
    pieces, solution = puzzle(3)
    right = list(right_answers(solve(pieces, True), True))
    distances = Counter()
    for symmetry in symmetries(flips=True):
        answer = tuple(map(symmetry.move, solution))
        distances[compare(answer, solution).distance] += 1
        assert nearest(answer, right).distance == 0
    assert distances[0] == 1 and max(distances) == 18
