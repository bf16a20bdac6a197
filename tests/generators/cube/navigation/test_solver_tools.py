"""The solver tools: every text is answered, solutions solve, complaints say what is wrong where."""

from dataclasses import replace

import kociemba
import pytest
from cube_states import SOLVED_CUBIES
from hypothesis import given, settings
from hypothesis import strategies as st
from navigate_cases import read_answer

from facelet.generators.cube.engine import cubies, facelet_codecs, moves
from facelet.generators.cube.engine.facelet_codecs import CODECS, FaceletCodec
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import FACES, SOLVED
from facelet.generators.cube.navigation import solver_tools

CODEC = CODECS["fblrud"]
WORDS = st.lists(st.sampled_from(FACE_MOVES), max_size=30).map(tuple)


def swap_stickers(text: str, first: int, second: int) -> str:
    letters = list(text)
    letters[first], letters[second] = letters[second], letters[first]
    return "".join(letters)


@settings(max_examples=40, deadline=None)
@given(WORDS)
def test_solutions_solve(word: tuple[str, ...]) -> None:
    state = moves.apply_maneuver(SOLVED, word)
    said = solver_tools.solve_standard(state)
    solution = read_answer(said)
    assert moves.apply_maneuver(state, solution) == SOLVED
    assert said.endswith(f"({len(solution)}f)")
    assert solver_tools.format_solution(solution) == said
    for codec in CODECS.values():
        assert solver_tools.solve_ideal(facelet_codecs.encode_facelets(state, codec), codec) == said


def test_answers_in_kociembas_notation() -> None:
    assert solver_tools.solve_standard(moves.apply_maneuver(SOLVED, "R' F2 U")) == "U3 F2 R1 (3f)"
    assert solver_tools.solve_standard(f"  {SOLVED}\n") == "(0f)"
    assert read_answer("(0f)") == ()
    assert read_answer("U3 F2 R1 (3f)") == ("U'", "F2", "R")


def test_the_papers_own_format_of_the_solver_is_kociembas() -> None:
    state = moves.apply_maneuver(SOLVED, "R U F2 L' D B R2 U' F")
    theirs = tuple(kociemba.solve(state).split())
    assert moves.apply_maneuver(state, theirs) == SOLVED
    assert len(read_answer(solver_tools.solve_standard(state))) <= len(theirs)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (
            "R U F2 L' D B R2 U' F L2 D' R B2 U L F' D2 R U2 B",
            "B3 D3 F3 L3 U3 R2 L2 F1 U2 R3 D1 R1 D2 R1 L1 D2 L1 F2 (18f)",
        ),
        (
            "F D2 L B' U R' F2 D L2 U' B R D' F L' U2 R B2 D L",
            "F2 D1 B1 D3 L2 U2 F2 R3 L3 F3 U2 R1 B2 L1 F2 B2 R1 D2 B2 D2 (20f)",
        ),
        (
            "M E' S u r' F d2 L b U2 f R M' x y",
            "U3 D1 F3 B3 R3 L3 D2 B3 D2 B1 F2 R2 D3 R2 U1 D2 R2 F2 R2 U1 (20f)",
        ),
    ],
)
def test_the_tools_say_what_they_have_always_said(word: str, said: str) -> None:
    state, _ = moves.turn_upright(moves.apply_maneuver(SOLVED, word))
    assert solver_tools.solve_standard(state) == said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["54 stickers", "has 0 letters"]),
        (SOLVED[1:], ["has 53 letters"]),
        (" ".join(SOLVED), ["has 107 letters", "blanks"]),
        ("x" + SOLVED[1:], ["letter 1 (U1) is 'x'", "only U, R, F, D, L and B"]),
        (SOLVED.lower(), ["letter 3 (U3) is 'u'", "51 more"]),
        (SOLVED[:-1] + "U", ["nine times", "10 U and 8 B"]),
        (
            moves.apply_maneuver(SOLVED, "x"),
            ["centers never move", "U5 (letter 5) is F and should be U"],
        ),
        (
            swap_stickers(SOLVED, 9, 20),
            ["corner at U9, R1 and F3 (letters 9, 10 and 21)", "other way"],
        ),
        (
            swap_stickers(SOLVED, 8, 29),
            ["corner at U9, R1 and F3", "shows D, R and F", "other way"],
        ),
        (swap_stickers(SOLVED, 1, 28), ["edge of U and F is there twice", "U8 and F2", "U and B"]),
        (
            cubies.to_facelets(replace(SOLVED_CUBIES, cp=(0, 0, 2, 3, 5, 5, 6, 7))),
            ["corner of U, R and F is there twice", "U7, F1 and L3", "U, F and L is missing"],
        ),
        (
            swap_stickers(SOLVED, 19, 28),
            ["edge at U8 and F2 (letters 8 and 20) shows U and D: no edge"],
        ),
        (swap_stickers(SOLVED, 20, 29), ["corner at U9, R1 and F3", "shows U, R and D: no corner"]),
    ],
)
def test_complaints_say_what_is_wrong_and_where(text: str, words: list[str]) -> None:
    said = solver_tools.solve_standard(text)
    assert said.startswith(solver_tools.ERROR)
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    ("pieces", "word"),
    [
        (replace(SOLVED_CUBIES, co=(1, *SOLVED_CUBIES.co[1:])), "corner is twisted"),
        (replace(SOLVED_CUBIES, eo=(1, *SOLVED_CUBIES.eo[1:])), "edge is flipped"),
        (replace(SOLVED_CUBIES, ep=(1, 0, *SOLVED_CUBIES.ep[2:])), "parity"),
        (replace(SOLVED_CUBIES, cp=(1, 0, *SOLVED_CUBIES.cp[2:])), "parity"),
    ],
)
@pytest.mark.parametrize("codec", [solver_tools.STANDARD, CODEC], ids=["standard", "ideal"])
def test_whole_pieces_that_no_moves_bring_home(
    pieces: cubies.Cubies, word: str, codec: FaceletCodec
) -> None:
    text = facelet_codecs.encode_facelets(cubies.to_facelets(pieces), codec)
    assert word in solver_tools.solve_ideal(text, codec)


def test_the_ideal_tool_complains_in_the_environments_letters_and_places() -> None:
    text = facelet_codecs.encode_facelets(swap_stickers(SOLVED, 9, 20), CODEC)
    said = solver_tools.solve_ideal(text, CODEC)
    assert "U9, R1 and F3 (letters 45, 28 and 3) shows O, R and Y" in said
    assert text[44] + text[27] + text[2] == "ORY"
    assert "B10" not in said
    assert "only R, G, B, Y, O and W" in solver_tools.solve_ideal(SOLVED, CODEC)
    turned = facelet_codecs.encode_facelets(moves.apply_maneuver(SOLVED, "y"), CODEC)
    assert "F5 (letter 5) is Y and should be R" in solver_tools.solve_ideal(turned, CODEC)


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_what_a_prompt_says_names_order_and_letters(codec: FaceletCodec) -> None:
    said = solver_tools.ideal_format(codec)
    assert ", ".join(codec.face_order) in said
    assert all(
        f"{letter} that of {face}" in said
        for face, letter in zip(FACES, codec.letters, strict=True)
    )
    assert ("reverse" in said) == bool(codec.upside_down)
    assert "U, R, F, D, L, B" in solver_tools.standard_format()
    assert "U3 F2 R1 (3f)" in solver_tools.ANSWER_FORMAT


CUBE_LIKE = st.one_of(
    st.permutations(SOLVED).map("".join),
    st.text("URFDLB", min_size=54, max_size=54),
    st.tuples(WORDS, st.integers(0, 53), st.integers(0, 53)).map(
        lambda drawn: swap_stickers(moves.apply_maneuver(SOLVED, drawn[0]), drawn[1], drawn[2])
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=80), CUBE_LIKE))
def test_every_text_has_a_bounded_answer(text: str) -> None:
    for said in (
        solver_tools.solve_standard(text),
        solver_tools.solve_ideal(text, CODEC),
        solver_tools.solve_ideal(text.translate(str.maketrans("URFDLB", CODEC.letters)), CODEC),
    ):
        assert said.startswith(solver_tools.ERROR) or read_answer(said) is not None
        assert len(said) < 600
        assert "\n" not in said


def test_long_texts_are_answered_shortly() -> None:
    assert len(solver_tools.solve_standard("U" * 1_000_000)) < 200
    assert len(solver_tools.solve_ideal(" \n" * 1_000_000 + "\ud800" * 54, CODEC)) < 400
