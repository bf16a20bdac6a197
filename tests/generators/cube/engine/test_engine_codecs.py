"""Facelet orders and colour schemes: round trips, the papers' own examples, exact complaints."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.engine.facelet_codecs import (
    CODECS,
    COLOUR_RGB,
    SCHEMES,
    FaceletCodec,
    decode_facelets,
    encode_facelets,
    facelet_places,
    scheme_letters,
)
from facelet.generators.cube.engine.moves import ALL_MOVES, apply_maneuver
from facelet.generators.cube.engine.notation import (
    FACES,
    SOLVED,
    IllegalCube,
    invert_maneuver,
    parse_maneuver,
)

texts = st.text(alphabet=FACES, min_size=54, max_size=54)
codecs = st.sampled_from(sorted(CODECS)).map(lambda name: CODECS[name])


@given(texts, codecs)
def test_decoding_undoes_encoding(facelets: str, codec: FaceletCodec) -> None:
    text = encode_facelets(facelets, codec)
    assert len(text) == 54
    assert decode_facelets(text, codec) == facelets
    assert decode_facelets(f"  {text}\n", codec) == facelets


@given(st.permutations(FACES), st.permutations("abcdef"), st.sets(st.sampled_from(FACES)), texts)
def test_any_order_letters_and_upside_down_faces_can_be_undone(
    order: list[str], letters: list[str], upside_down: set[str], facelets: str
) -> None:
    codec = FaceletCodec("any", "".join(order), "".join(letters), "".join(sorted(upside_down)))
    assert sorted(facelet_places(codec)) == list(range(54))
    assert decode_facelets(encode_facelets(facelets, codec), codec) == facelets


def test_the_engine_string_is_the_solver_format() -> None:
    state = apply_maneuver(SOLVED, "R U F'")
    assert encode_facelets(state, CODECS["urfdlb"]) == state


def test_solved_in_each_codec() -> None:
    shown = {name: encode_facelets(SOLVED, codec)[::9] for name, codec in CODECS.items()}
    assert shown == {
        "urfdlb": "URFDLB",
        "urfdlb_colours": "WRGYOB",
        "fblrud": "RGBYOW",
        "fblrud_upright": "RGBYOW",
    }


def test_the_cubebench_environment_lists_back_as_it_hangs_below_down() -> None:
    """CubeBench, appendix L.8: a solution of 14 moves, and three faces of the state it solves."""
    solution = parse_maneuver("R2 L1 B2 R1 U1 R1 B1 U2 D2 F2 L2 F2 U1 D2")
    state = apply_maneuver(SOLVED, invert_maneuver(solution))
    text = encode_facelets(state, CODECS["fblrud"])
    as_faces = text.translate(str.maketrans("OYRWBG", "URFDLB"))
    assert as_faces[36:45] == "DRFFUDFUL"
    assert as_faces[27:36] == "BRRDRRDBB"
    assert as_faces[9:18] == "UURRBURBU"
    upright = encode_facelets(state, CODECS["fblrud_upright"])
    assert upright[9:18] == text[9:18][::-1]
    assert upright[:9] + upright[18:] == text[:9] + text[18:]


@pytest.mark.parametrize("move", ALL_MOVES)
def test_the_row_of_back_that_comes_first_in_the_net_touches_down(move: str) -> None:
    state = apply_maneuver(SOLVED, (move,))
    text = encode_facelets(state, CODECS["fblrud"])
    back = state[45:].translate(str.maketrans(FACES, scheme_letters(SCHEMES["cubebench"])))
    assert text[9:12] == back[8:5:-1]


COMPLAINTS = [
    ("fblrud", "R" * 53, "length", "fblrud text has 54 letters, this one has 53"),
    ("fblrud", "R" * 10 + "Z" + "R" * 43, "letters", "'Z' at index 10 (B8) is not one of O, Y, R"),
    ("fblrud", "R" * 20 + "u" + "R" * 33, "letters", "'u' at index 20 (L3) is not one of O, Y, R"),
    ("urfdlb", "W" + SOLVED[1:], "letters", "'W' at index 0 (U1) is not one of U, R, F, D, L, B"),
    ("urfdlb_colours", "W" * 53 + "w", "letters", "'w' at index 53 (B9)"),
]


@pytest.mark.parametrize(("name", "text", "reason", "message"), COMPLAINTS)
def test_decoding_says_what_is_wrong(name: str, text: str, reason: str, message: str) -> None:
    with pytest.raises(IllegalCube) as caught:
        decode_facelets(text, CODECS[name])
    assert caught.value.reason == reason
    assert message in str(caught.value)


def test_encoding_refuses_what_is_no_facelet_string() -> None:
    with pytest.raises(IllegalCube, match="this one has 3"):
        encode_facelets("URF", CODECS["fblrud"])


@pytest.mark.parametrize(
    ("order", "letters", "upside_down", "complaint"),
    [
        ("URFDL", FACES, "", "face_order 'URFDL' must hold"),
        ("URFDLL", FACES, "", "face_order 'URFDLL' must hold"),
        (FACES, "WRGYOO", "", "letters 'WRGYOO' must be six different"),
        (FACES, "WRGYO", "", "letters 'WRGYO' must be six different"),
        (FACES, FACES, "X", "upside_down 'X' must name faces"),
    ],
)
def test_codecs_that_cannot_be_undone_are_refused(
    order: str, letters: str, upside_down: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        FaceletCodec("wrong", order, letters, upside_down)


def test_colours_are_those_of_cube_bench() -> None:
    assert COLOUR_RGB == {
        "White": (255, 255, 255),
        "Yellow": (255, 255, 0),
        "Red": (255, 0, 0),
        "Orange": (255, 128, 0),
        "Blue": (0, 0, 255),
        "Green": (0, 255, 0),
    }
    assert tuple(COLOUR_RGB) == ("White", "Yellow", "Red", "Orange", "Blue", "Green")


def test_schemes_of_the_papers() -> None:
    letters = {name: scheme_letters(scheme) for name, scheme in SCHEMES.items()}
    assert letters == {
        "western": "WRGYOB",
        "western_lower": "wrgyob",
        "cubebench": "OYRWBG",
        "inf_bench": "yogwrb",
    }
    for name, scheme in SCHEMES.items():
        assert scheme.name == name
        assert list(scheme.colours) == list(scheme.letters) == list(FACES)
        assert sorted(scheme.colours.values()) == sorted(COLOUR_RGB)
        assert scheme.rgb == tuple(COLOUR_RGB[scheme.colours[face]] for face in FACES)
        for face in FACES:
            assert scheme.letters[face].upper() == scheme.colours[face][0]


def test_inf_bench_holds_the_western_cube_upside_down() -> None:
    western, inf_bench = SCHEMES["western"].colours, SCHEMES["inf_bench"].colours
    turned = apply_maneuver(SOLVED, "z2")
    assert [western[turned[9 * i]] for i in range(6)] == [inf_bench[face] for face in FACES]


def test_schemes_and_codecs_cross_processes() -> None:
    for thing in (*SCHEMES.values(), *CODECS.values()):
        copy = pickle.loads(pickle.dumps(thing))
        assert copy == thing
        assert hash(copy) == hash(thing)
