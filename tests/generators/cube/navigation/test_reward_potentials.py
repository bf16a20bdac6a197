"""Potentials against states built step by step, and against a slow twin on pieces."""

import itertools

import magiccube
import numpy as np
import pytest
from cube_twins import face_rows
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.cubies import (
    CORNERS,
    EDGES,
    Cubies,
    from_facelets,
    permutation_parity,
    to_facelets,
)
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.navigation.environment import (
    POTENTIALS,
    count_home_stickers,
    count_layer_steps,
    count_solved_faces,
)

QUARTER_TURNS = [move for move in moves.FACE_MOVES if not move.endswith("2")]
WORDS = st.lists(st.sampled_from(moves.FACE_MOVES), max_size=30).map(tuple)

TOP_EDGES = [place for place, name in enumerate(EDGES) if "U" in name]
BOTTOM_EDGES = [place for place, name in enumerate(EDGES) if "D" in name]
MIDDLE_EDGES = [place for place, name in enumerate(EDGES) if not set("UD") & set(name)]
TOP_CORNERS = [place for place, name in enumerate(CORNERS) if "U" in name]
BOTTOM_CORNERS = [place for place, name in enumerate(CORNERS) if "D" in name]


# --- an independent reading of appendix J, on pieces ----------------------------------------------


def steps_done(cubies: Cubies) -> list[bool]:
    """Return for each of the seven steps whether its own condition holds."""

    def are_edges_home(places: list[int]) -> bool:
        return all(cubies.ep[place] == place and cubies.eo[place] == 0 for place in places)

    def are_corners_home(places: list[int], twisted: bool = False) -> bool:
        return all(
            cubies.cp[place] == place and (twisted or cubies.co[place] == 0) for place in places
        )

    return [
        are_edges_home(BOTTOM_EDGES),
        are_corners_home(BOTTOM_CORNERS),
        are_edges_home(MIDDLE_EDGES),
        all(cubies.ep[p] in TOP_EDGES and cubies.eo[p] == 0 for p in TOP_EDGES),
        are_edges_home(TOP_EDGES),
        are_corners_home(TOP_CORNERS, twisted=True),
        are_corners_home(TOP_CORNERS),
    ]


def slow_heuristic(facelets: str) -> int:
    return len(list(itertools.takewhile(bool, steps_done(from_facelets(facelets)))))


# --- states that complete exactly so many steps ---------------------------------------------------


def shuffle_places(
    places: list[int], count: int, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Return pieces and turns of all places, random in some, at home in the others."""
    pieces, turns = list(range(count)), [0] * count
    modulus = 3 if count == 8 else 2
    for place, piece in zip(places, rng.permutation(places).tolist(), strict=True):
        pieces[place] = piece
        turns[place] = int(rng.integers(modulus))
    return pieces, turns


def build_state(done: int, rng: np.random.Generator) -> str:
    """Return a random state on which the first `done` steps are complete and the next is not."""
    free_edges = {0: range(12), 1: TOP_EDGES + MIDDLE_EDGES, 2: TOP_EDGES + MIDDLE_EDGES}
    free_corners = {0: range(8), 1: range(8)}
    while True:
        edges = sorted(free_edges.get(done, TOP_EDGES if done in (3, 4) else ()))
        corners = sorted(free_corners.get(done, TOP_CORNERS if done < 7 else ()))
        ep, eo = shuffle_places(edges, 12, rng)
        cp, co = shuffle_places(corners, 8, rng)
        if done >= 4:
            eo = [0] * 12
        if done == 6:
            cp = list(range(8))
        cubies = Cubies(tuple(cp), tuple(co), tuple(ep), tuple(eo))
        legal = (
            sum(co) % 3 == 0
            and sum(eo) % 2 == 0
            and permutation_parity(cubies.cp) == permutation_parity(cubies.ep)
        )
        own = steps_done(cubies)
        if legal and all(own[:done]) and not all(own[: done + 1][done:] or [False]):
            return to_facelets(cubies)


@pytest.mark.parametrize("done", range(8))
def test_states_built_to_a_step_have_its_number(done: int) -> None:
    rng = make_generator("tests", "potentials", done)
    found = {build_state(done, rng) for _ in range(60)}
    assert len(found) >= (60 if done < 3 else 1 if done == 7 else 7)
    assert {count_layer_steps(state) for state in found} == {done}


@pytest.mark.parametrize(
    ("algorithm", "before", "after"),
    [
        ("R", 0, 7),
        ("R U R'", 1, 7),
        ("U R U' R' U' F' U F", 2, 7),
        ("F R U R' U' F'", 3, 7),
        ("R U R' U R U2 R' U", 4, 7),
        ("R U' L' U R' U' L U", 5, 7),
        ("R' D' R D R' D' R D U R' D' R D R' D' R D R' D' R D R' D' R D U'", 6, 7),
    ],
)
def test_the_last_algorithm_of_each_step_solves_what_is_left(
    algorithm: str, before: int, after: int
) -> None:
    """The usual algorithms of the method, undone from solved, leave just their own step open."""
    state = moves.apply_maneuver(SOLVED, tuple(reverse_algorithm(algorithm)))
    assert count_layer_steps(state) == before
    assert count_layer_steps(moves.apply_maneuver(state, algorithm)) == after


def reverse_algorithm(algorithm: str) -> list[str]:
    undo = {"": "'", "'": "", "2": "2"}
    return [move[0] + undo[move[1:]] for move in reversed(algorithm.split())]


@given(word=WORDS)
def test_heuristic_agrees_with_its_twin(word: tuple[str, ...]) -> None:
    state = moves.apply_maneuver(SOLVED, word)
    assert count_layer_steps(state) == slow_heuristic(state)


@given(step=st.integers(0, 7), seed=st.integers(0, 2**32), word=WORDS)
def test_heuristic_agrees_with_its_twin_along_the_way(
    step: int, seed: int, word: tuple[str, ...]
) -> None:
    state = build_state(step, make_generator("tests", seed))
    for move in word[:4]:
        assert count_layer_steps(state) == slow_heuristic(state)
        state = moves.apply_maneuver(state, (move,))


# --- stickers and faces ---------------------------------------------------------------------------


@given(word=WORDS)
def test_stickers_and_faces_by_an_independent_cube(word: tuple[str, ...]) -> None:
    cube = magiccube.Cube(3, SOLVED.translate(str.maketrans("URFDLB", "WRGYOB")))
    cube.rotate(" ".join(word))
    theirs = {f.name: str(grid) for f, grid in pair_faces(cube)}
    home = {name: colours[4] for name, colours in theirs.items()}
    right = {name: colours.count(home[name]) for name, colours in theirs.items()}
    state = moves.apply_maneuver(SOLVED, word)
    assert count_home_stickers(state) == sum(right.values())
    assert count_solved_faces(state) == sum(count == 9 for count in right.values())


def pair_faces(cube: magiccube.Cube) -> list[tuple[magiccube.Face, str]]:
    return [
        (name, "".join(colour.name for row in grid for colour in row))
        for name, grid in cube.get_all_faces().items()
    ]


def test_ends_of_the_scales() -> None:
    assert {name: potential(SOLVED) for name, potential in POTENTIALS.items()} == {
        "sticker": 54,
        "face": 6,
        "heuristic": 7,
    }
    # All edges flipped and all corners but none at home: only the centres are in place.
    flipped = to_facelets(Cubies((0, 1, 2, 3, 4, 5, 6, 7), (1, 2) * 4, tuple(range(12)), (1,) * 12))
    assert count_home_stickers(flipped) == 6
    assert count_solved_faces(flipped) == count_layer_steps(flipped) == 0


@pytest.mark.parametrize("move", QUARTER_TURNS)
def test_one_turn_moves_twelve_stickers_and_four_faces(move: str) -> None:
    """A quarter turn from solved: appendix L.7 reports the reward -12 for it."""
    state = moves.apply_maneuver(SOLVED, (move,))
    assert (count_home_stickers(state), count_solved_faces(state)) == (42, 2)
    assert face_rows(state, move[0]) == (move[0] * 3,) * 3
