"""States in words: an independent reader gets the same cube back."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import FACES, SOLVED
from facelet.generators.cube.states import state_texts

LETTER_OF = {"w": "U", "r": "R", "g": "F", "y": "D", "o": "L", "b": "B"}
states = st.lists(st.sampled_from(moves.FACE_MOVES), max_size=25).map(
    lambda word: moves.apply_maneuver(SOLVED, tuple(word))
)


def read_net(net: str) -> str:
    """Read a net by its columns: U above F; L, F, R, B side by side; D below F."""
    lines = net.splitlines()
    assert len(lines) == 9
    start = {"U": (0, 7), "L": (3, 0), "F": (3, 7), "R": (3, 14), "B": (3, 21), "D": (6, 7)}
    return "".join(
        LETTER_OF[lines[start[face][0] + row][start[face][1] + 2 * column]]
        for face in FACES
        for row in range(3)
        for column in range(3)
    )


@given(states)
def test_a_net_can_be_read_back(state: str) -> None:
    assert read_net(state_texts.format_net(state)) == state
    assert state_texts.state_text(state, "net") == state_texts.format_net(state)
    assert state_texts.state_text(state, "facelets") == state


def test_a_net_looks_like_one() -> None:
    assert state_texts.format_net(moves.apply_maneuver(SOLVED, "R U2")).splitlines() == [
        "       g w w",
        "       g w w",
        "       g w w",
        "r r r  w b b  o o o  g g y",
        "o o o  g g y  r r r  w b b",
        "o o o  g g y  r r r  w b b",
        "       y y b",
        "       y y b",
        "       y y b",
    ]


def test_the_centers_are_those_of_the_western_scheme() -> None:
    assert state_texts.COLOUR_OF == {
        **{"U": "White", "R": "Red", "F": "Green", "D": "Yellow", "L": "Orange", "B": "Blue"}
    }


def test_both_vocabularies_read_b_and_r_alike() -> None:
    assert set(state_texts.COLOUR_WORDS) & set(state_texts.FACE_WORDS) == {
        *(name.lower() for name in state_texts.COLOUR_OF.values()),
        *("b", "r"),
    }
    for word in ("b", "r"):
        assert state_texts.COLOUR_WORDS[word] == state_texts.FACE_WORDS[word]


def test_a_palette_lists_every_colour_once() -> None:
    lines = state_texts.format_palette([(1, 2, 3)] * 6).splitlines()
    assert lines[0] == "- White: (1, 2, 3)"
    assert [line.split()[1] for line in lines] == [f"{n}:" for n in state_texts.COLOUR_OF.values()]


@pytest.mark.parametrize("serialisation", get_args(state_texts.Serialisation))
def test_every_serialisation_is_explained(serialisation: state_texts.Serialisation) -> None:
    assert "state" in state_texts.reading_text(serialisation)


def test_a_grid_has_three_rows_of_names() -> None:
    assert state_texts.format_grid("UUURRRFDB") == (
        "Row 1: [White, White, White]\nRow 2: [Red, Red, Red]\nRow 3: [Green, Yellow, Blue]"
    )
