"""The 54 moves: group relations, batches, and two independent packages as witnesses."""

import magiccube
import numpy as np
import numpy.typing as npt
import pycuber
import pytest
from cube_batches import apply_batch, array_to_states, states_to_array
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.moves import (
    ALL_MOVES,
    FACE_MOVES,
    PERMUTATIONS,
    ROTATIONS,
    SLICE_MOVES,
    WIDE_MOVES,
    apply_maneuver,
    turn_upright,
)
from facelet.generators.cube.engine.notation import CENTRES, FACES, SOLVED, IllegalCube, is_solved

maneuvers = st.lists(st.sampled_from(ALL_MOVES), max_size=30).map(tuple)
LABELS = "".join(chr(65 + index) for index in range(54))
"""A state in which every sticker is told apart."""


def test_names_and_their_order() -> None:
    assert " ".join(FACE_MOVES) == "U U2 U' R R2 R' F F2 F' D D2 D' L L2 L' B B2 B'"
    assert " ".join(WIDE_MOVES) == "u u2 u' r r2 r' f f2 f' d d2 d' l l2 l' b b2 b'"
    assert " ".join(SLICE_MOVES) == "M M2 M' E E2 E' S S2 S'"
    assert " ".join(ROTATIONS) == "x x2 x' y y2 y' z z2 z'"
    assert ALL_MOVES == FACE_MOVES + WIDE_MOVES + SLICE_MOVES + ROTATIONS
    assert PERMUTATIONS.shape == (54, 54)
    assert PERMUTATIONS.dtype == np.uint8
    assert not PERMUTATIONS.flags.writeable


def test_moves_are_54_different_permutations() -> None:
    assert (np.sort(PERMUTATIONS, axis=1) == np.arange(54)).all()
    assert len({row.tobytes() for row in PERMUTATIONS}) == 54


@pytest.mark.parametrize("move", ALL_MOVES)
def test_a_turn_has_order_four_and_its_powers_are_named(move: str) -> None:
    letter = move[0]
    assert apply_maneuver(LABELS, (letter,) * 4) == LABELS
    assert apply_maneuver(LABELS, (letter,) * 2) == apply_maneuver(LABELS, (letter + "2",))
    assert apply_maneuver(LABELS, (letter,) * 3) == apply_maneuver(LABELS, (letter + "'",))
    assert apply_maneuver(LABELS, (move, *notation.invert_maneuver((move,)))) == LABELS


@pytest.mark.parametrize(
    ("move", "means"),
    [
        ("x", "R M' L'"),
        ("y", "U E' D'"),
        ("z", "F S B'"),
        ("r", "R M'"),
        ("l", "L M"),
        ("u", "U E'"),
        ("d", "D E"),
        ("f", "F S"),
        ("b", "B S'"),
        ("r", "x L"),
        ("M", "x' L' R"),
    ],
)
def test_slices_wide_moves_and_rotations_relate(move: str, means: str) -> None:
    assert apply_maneuver(LABELS, move) == apply_maneuver(LABELS, means)


@pytest.mark.parametrize(
    ("turn", "moved"),
    [("x", "U>B B>D D>F F>U R>R L>L"), ("y", "F>L L>B B>R R>F U>U D>D"), ("z", "U>R R>D D>L L>U")],
)
def test_rotations_carry_whole_faces_like_r_u_and_f(turn: str, moved: str) -> None:
    after = apply_maneuver(SOLVED, turn)
    for step in moved.split():
        source, target = step.split(">")
        assert after[CENTRES[FACES.index(target)]] == source


def test_a_known_order() -> None:
    """R U has order 105 and R U R' U' has order 6."""

    def maneuver_order(maneuver: str) -> int:
        state, count = apply_maneuver(LABELS, maneuver), 1
        while state != LABELS:
            state, count = apply_maneuver(state, maneuver), count + 1
        return count

    assert (
        maneuver_order("R U"),
        maneuver_order("R U R' U'"),
        maneuver_order("x y"),
        maneuver_order("R U2 D' B D'"),
    ) == (
        105,
        6,
        3,
        1260,
    )


@given(maneuvers, maneuvers)
def test_applying_is_an_action(first: notation.Maneuver, second: notation.Maneuver) -> None:
    assert apply_maneuver(apply_maneuver(LABELS, first), second) == apply_maneuver(
        LABELS, first + second
    )


@given(maneuvers)
def test_the_inverse_maneuver_undoes(maneuver: notation.Maneuver) -> None:
    assert (
        apply_maneuver(apply_maneuver(LABELS, maneuver), notation.invert_maneuver(maneuver))
        == LABELS
    )


@given(maneuvers)
def test_text_and_tuple_do_the_same(maneuver: notation.Maneuver) -> None:
    assert apply_maneuver(LABELS, notation.format_maneuver(maneuver)) == apply_maneuver(
        LABELS, maneuver
    )


@given(st.lists(st.tuples(maneuvers, st.sampled_from(range(54))), max_size=8))
def test_batches_agree_with_strings(pairs: list[tuple[notation.Maneuver, int]]) -> None:
    before = [apply_maneuver(SOLVED, maneuver) for maneuver, _ in pairs]
    moves = np.array([move for _, move in pairs], dtype=np.intp)
    after = array_to_states(apply_batch(states_to_array(before), moves))
    assert after == [
        apply_maneuver(state, (ALL_MOVES[move],)) for state, move in zip(before, moves, strict=True)
    ]
    for move in (0, 17, 53):
        assert array_to_states(apply_batch(states_to_array(before), move)) == [
            apply_maneuver(state, (ALL_MOVES[move],)) for state in before
        ]


def test_apply_refuses_what_is_no_state_or_no_move() -> None:
    with pytest.raises(ValueError, match=r"54 ASCII characters, this is 'UUU' \(3\)"):
        apply_maneuver("UUU", "R")
    with pytest.raises(ValueError, match="54 ASCII characters"):
        apply_maneuver("é" * 54, "R")
    with pytest.raises(ValueError, match="'Q' is not a move name"):
        apply_maneuver(SOLVED, ("Q",))
    with pytest.raises(ValueError, match="'Q' at position 2 is not a move"):
        apply_maneuver(SOLVED, "R Q")


@given(maneuvers)
def test_upright_turns_the_whole_cube_home(maneuver: notation.Maneuver) -> None:
    state = apply_maneuver(SOLVED, maneuver)
    home, turns = turn_upright(state)
    assert [home[index] for index in CENTRES] == list(FACES)
    assert home == apply_maneuver(state, turns)
    assert set(turns) <= set(ROTATIONS)
    assert len(turns) <= 2


def test_upright_refuses_centres_that_no_cube_has() -> None:
    swapped = SOLVED.translate(str.maketrans("UD", "DU"))
    assert is_solved(swapped)
    with pytest.raises(IllegalCube, match="no whole-cube turn brings the centres DRFULB") as caught:
        turn_upright(swapped)
    assert caught.value.reason == "centres"


def _random_maneuvers(count: int, longest: int) -> list[notation.Maneuver]:
    rng = np.random.default_rng(2026)
    lengths = rng.integers(1, longest + 1, size=count)
    return [tuple(ALL_MOVES[i] for i in rng.integers(54, size=size)) for size in lengths]


MAGICCUBE_COLOURS = dict(zip("WOGRBY", "ULFRBD", strict=True))


def _magiccube_facelets(cube: magiccube.Cube) -> str:
    """Return a facelet string; magiccube lists U L F R B D in its colours W O G R B Y."""
    text = cube.get().translate(str.maketrans(MAGICCUBE_COLOURS))
    faces = {face: text[9 * i : 9 * i + 9] for i, face in enumerate("ULFRBD")}
    return "".join(faces[face] for face in FACES)


def _magiccube_name(move: str) -> str:
    if move[0] in "urfdlb":
        return f"{move[0].upper()}w{move[1:]}"
    return move.upper()


def test_magiccube_agrees_on_thousands_of_random_maneuvers_of_all_moves() -> None:
    for maneuver in _random_maneuvers(3000, 12):
        cube = magiccube.Cube(3)
        cube.rotate(" ".join(map(_magiccube_name, maneuver)))
        assert _magiccube_facelets(cube) == apply_maneuver(SOLVED, maneuver), maneuver


PYCUBER_COLOURS = dict(zip("yogwrb", "URFDLB", strict=True))


def _pycuber_facelets(cube: pycuber.Cube) -> str:
    return "".join(
        PYCUBER_COLOURS[str(sticker)[1]]
        for face in FACES
        for row in cube.get_face(face)
        for sticker in row
    )


def test_pycuber_agrees_on_each_move() -> None:
    for move in ALL_MOVES:
        assert _pycuber_facelets(pycuber.Cube()(move)) == apply_maneuver(SOLVED, (move,)), move


def test_pycuber_agrees_after_every_move_of_long_random_maneuvers() -> None:
    """Each prefix is a random maneuver of its own: 2,000 of them."""
    rng = np.random.default_rng(2026)
    for walk in rng.integers(54, size=(20, 100)):
        cube, state = pycuber.Cube(), SOLVED
        for move in (ALL_MOVES[index] for index in walk):
            cube(move)
            state = apply_maneuver(state, (move,))
            assert _pycuber_facelets(cube) == state


def test_two_thousand_walks_at_once_agree_with_single_ones() -> None:
    rng = np.random.default_rng(7)
    steps = rng.integers(54, size=(30, 2000))
    states: npt.NDArray[np.uint8] = states_to_array([SOLVED] * 2000)
    for moves in steps:
        states = apply_batch(states, moves)
    walks = [tuple(ALL_MOVES[i] for i in column) for column in steps.T]
    assert array_to_states(states) == [apply_maneuver(SOLVED, walk) for walk in walks]
