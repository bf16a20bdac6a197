"""Facelet strings, arrays and the picture in space behind them."""

import pickle

import pytest
from cube_batches import array_to_states, states_to_array
from cube_twins import face_rows
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.engine import sticker_geometry
from facelet.generators.cube.engine.moves import apply_maneuver
from facelet.generators.cube.engine.notation import (
    ALL_MOVES,
    CENTRES,
    FACES,
    ROTATIONS,
    SOLVED,
    IllegalCube,
    check_letters,
    facelet_label,
    is_solved,
)

texts = st.text(alphabet=FACES, min_size=54, max_size=54)


def test_solved_is_nine_of_each_face_in_order() -> None:
    assert SOLVED == "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
    assert [SOLVED[index] for index in CENTRES] == list(FACES)


def test_faces_are_read_as_seen_from_outside() -> None:
    after = apply_maneuver(SOLVED, "U")  # a clockwise U carries R's stickers to the front
    assert face_rows(after, "F") == ("RRR", "FFF", "FFF")
    after = apply_maneuver(SOLVED, "R")  # a clockwise R carries F's stickers up and U's back
    assert face_rows(after, "U") == ("UUF",) * 3
    assert face_rows(after, "B") == ("UBB",) * 3


def test_names_of_facelets() -> None:
    assert [facelet_label(index) for index in (0, 8, 9, 22, 53)] == ["U1", "U9", "R1", "F5", "B9"]


@given(st.lists(texts, max_size=5))
def test_batches_are_rows(states: list[str]) -> None:
    arrays = states_to_array(states)
    assert arrays.shape == (len(states), 54)
    assert array_to_states(arrays) == states


@pytest.mark.parametrize("read", [is_solved, check_letters])
def test_what_is_no_facelet_string_is_named(read) -> None:
    with pytest.raises(IllegalCube, match="54 letters, this one has 53") as caught:
        read(SOLVED[1:])
    assert caught.value.reason == "length"
    with pytest.raises(IllegalCube, match=r"'W' at index 10 \(R2\) is not one of") as caught:
        read(SOLVED[:10] + "W" + SOLVED[11:])
    assert caught.value.reason == "letters"
    with pytest.raises(IllegalCube, match="'é' at index 0"):
        read("é" + SOLVED[1:])


def test_an_illegal_cube_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(IllegalCube("twist", "a message")))
    assert (type(error), error.reason, str(error)) == (IllegalCube, "twist", "a message")


def test_solved_in_each_of_24_orientations_and_in_no_other_way() -> None:
    orientations = {apply_maneuver(SOLVED, (a, b)) for a in ROTATIONS for b in ROTATIONS}
    assert len(orientations) == 24
    assert all(is_solved(state) for state in orientations)
    turned = {apply_maneuver(SOLVED, (move,)) for move in ALL_MOVES if move not in ROTATIONS}
    assert not any(is_solved(state) for state in turned)


@pytest.mark.parametrize("index", range(54))
def test_one_wrong_sticker_is_not_solved(index: int) -> None:
    other = "U" if SOLVED[index] != "U" else "D"
    assert not is_solved(SOLVED[:index] + other + SOLVED[index + 1 :])


def test_stickers_are_where_the_convention_says() -> None:
    at = sticker_geometry.STICKERS
    assert len(set(at)) == 54
    assert at[0].position == (-1, 1, -1)  # U1: at L and B
    assert at[8].position == (1, 1, 1)  # U9: at R and F
    assert at[9].position == (1, 1, 1)  # R1: at U and F
    assert at[27].position == (-1, -1, 1)  # D1: at L and F
    assert at[36].position == (-1, 1, -1)  # L1: at U and B
    assert at[45].position == (1, 1, -1)  # B1: at U and R
    for index, sticker in enumerate(at):
        assert sticker.normal == sticker_geometry.NORMALS[FACES[index // 9]]
        assert sticker_geometry.dot_product(sticker.position, sticker.normal) == 1


def test_a_clockwise_turn_about_up_carries_right_to_front() -> None:
    turn = sticker_geometry.clockwise_turn(sticker_geometry.NORMALS["U"])
    carried = {
        face: sticker_geometry.transform_vector(turn, normal)
        for face, normal in sticker_geometry.NORMALS.items()
    }
    place = {normal: face for face, normal in sticker_geometry.NORMALS.items()}
    assert "".join(place[carried[face]] for face in "UDRFLB") == "UDFLBR"


def test_rigid_motions_are_24_rotations_then_24_reflections() -> None:
    signs = [sticker_geometry.determinant(matrix) for matrix in sticker_geometry.SYMMETRIES]
    assert signs == [1] * 24 + [-1] * 24
    assert len(set(sticker_geometry.SYMMETRIES)) == 48
    assert sticker_geometry.SYMMETRIES[0] == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
