"""Singmaster notation: what is read, what is refused and how, and the algebra of maneuvers."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.moves import apply_maneuver
from facelet.generators.cube.engine.notation import ALL_MOVES, SOLVED, Maneuver, Metric

maneuvers = st.lists(st.sampled_from(ALL_MOVES), max_size=30).map(tuple)
LABELS = "".join(chr(65 + index) for index in range(54))

ACCEPTED = [
    ("", ""),
    (" \t\n", ""),
    ("R U R' U'", "R U R' U'"),
    ("RUR'U'", "R U R' U'"),
    ("  R\tU2\nF' ", "R U2 F'"),
    ("R\u2019 U\u2018 F` D\u00b4 L\u2032", "R' U' F' D' L'"),
    ("R2' U'2 F2\u2019", "R2 U2 F2"),
    ("R1 U2 F3", "R U2 F'"),
    ("R\u00b2 Uw\u00b2", "R2 u2"),
    ("R1' U3'", "R' U"),
    ("Rw Uw2 Fw' Dw Lw2' Bw3", "r u2 f' d l2 b'"),
    ("RwUw2Fw'", "r u2 f'"),
    ("r u2 f' M2 E' S x y2 z'", "r u2 f' M2 E' S x y2 z'"),
    ("(R U R' U')", "R U R' U'"),
    ("(R U)3", "R U R U R U"),
    ("(R U2)'", "U2 R'"),
    ("(R U)2'", "U' R' U' R'"),
    ("F (R U R' U')2 F'", "F R U R' U' R U R' U' F'"),
    ("((R)2 U)2", "R R U R R U"),
    ("()", ""),
    ("( )5 R", "R"),
    ("(R)(U)", "R U"),
]


@pytest.mark.parametrize(("text", "moves"), ACCEPTED)
def test_accepted_spellings(text: str, moves: str) -> None:
    assert notation.parse_maneuver(text) == tuple(moves.split())


REFUSED = [
    ("R Q U", "'Q' at position 2 is not a move"),
    ("RUQ", "'Q' at position 2 is not a move"),
    ("R X", "'X' at position 2 is not a move"),
    ("R4", "'R4' at position 0 is not a move"),
    ("R0", "'R0' at position 0 is not a move"),
    ("U R22 F", "'R22' at position 2 is not a move"),
    ("U R''", "\"R''\" at position 2 is not a move"),
    ("U R2''", "\"R2''\" at position 2 is not a move"),
    ("U 2", "'2' at position 2 is not a move"),
    ("U '", '"\'" at position 2 is not a move'),
    ("U, R", "',' at position 1 is not a move"),
    ("Mw", "'w' at position 1 is not a move"),
    ("m", "'m' at position 0 is not a move"),
    ("I turn R", "'I' at position 0 is not a move"),
    ("[R, U]", "'[R,' at position 0 is not a move"),
    ("R U\u00b3", "'\u00b3' at position 3 is not a move"),
    ("(R U", "'(' at position 0 is never closed"),
    ("R ((U) F", "'(' at position 2 is never closed"),
    ("R)", "')' at position 1 closes nothing"),
    ("(R)0", "')0' at position 2 is not a move"),
    ("(R)''", "\")''\" at position 2 is not a move"),
    ("(R) 3", "'3' at position 4 is not a move"),
]


@pytest.mark.parametrize(("text", "complaint"), REFUSED)
def test_refused_spellings_name_the_token_and_its_place(text: str, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        notation.parse_maneuver(text)
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("R " * 10_001, "at most 10,000 moves; this one has more at position 20000"),
        ("R" * 10_001, "at most 10,000 moves; this one has more at position 10000"),
        ("(R)10001", "at most 10,000 moves; this one has more at position 2"),
        ("(((((R)99)99)99)99)99", "at most 10,000 moves"),
        ("(R)100000", "')100000' at position 2 is not a move"),
        ("R" * 100_001, "at most 100,000 characters, this one 100,001"),
        ("(" * 33 + "R" + ")" * 33, "position 32 nests deeper than 32"),
    ],
)
def test_the_length_is_bounded(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint.replace("(", r"\(").replace(")", r"\)")):
        notation.parse_maneuver(text)


def test_the_longest_maneuvers_are_read() -> None:
    assert notation.parse_maneuver("(R)10000") == ("R",) * 10_000
    assert notation.parse_maneuver("R " * 10_000) == ("R",) * 10_000
    assert notation.parse_maneuver("(" * 32 + "R" + ")" * 32) == ("R",)


@given(maneuvers, st.sampled_from([" ", "", "  ", "\n"]))
def test_formatting_is_undone_by_parsing(maneuver: Maneuver, gap: str) -> None:
    text = notation.format_maneuver(maneuver)
    assert notation.parse_maneuver(text.replace(" ", gap)) == maneuver


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        maneuver = notation.parse_maneuver(text)
    except ValueError as error:
        assert "position" in str(error)
    else:
        assert set(maneuver) <= set(ALL_MOVES)


@given(st.text(alphabet="RUruMx2'() 3w", max_size=20))
def test_text_that_is_nearly_notation_is_read_or_refused(text: str) -> None:
    try:
        maneuver = notation.parse_maneuver(text)
    except ValueError as error:
        assert "position" in str(error)
    else:
        assert notation.parse_maneuver(notation.format_maneuver(maneuver)) == maneuver


@given(maneuvers)
def test_inversion_is_an_involution_and_reverses(maneuver: Maneuver) -> None:
    inverse = notation.invert_maneuver(maneuver)
    assert notation.invert_maneuver(inverse) == maneuver
    assert [move[0] for move in inverse] == [move[0] for move in reversed(maneuver)]


@given(maneuvers, maneuvers)
def test_the_inverse_of_a_product_is_the_product_of_inverses(a: Maneuver, b: Maneuver) -> None:
    assert notation.invert_maneuver(a + b) == notation.invert_maneuver(
        b
    ) + notation.invert_maneuver(a)


@pytest.mark.parametrize(
    ("text", "htm", "qtm"),
    [
        ("", 0, 0),
        ("R U' F2", 3, 4),
        ("r u2", 2, 3),
        ("M E2", 4, 6),
        ("x y2 z'", 0, 0),
        ("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2", 20, 28),
    ],
)
def test_lengths(text: str, htm: int, qtm: int) -> None:
    maneuver = notation.parse_maneuver(text)
    assert notation.maneuver_length(maneuver, "htm") == htm
    assert notation.maneuver_length(maneuver, "qtm") == qtm


def test_lengths_in_unknown_metrics_are_refused() -> None:
    with pytest.raises(ValueError, match="'stm' is not a metric; use 'htm' or 'qtm'"):
        notation.maneuver_length(("R",), "stm")  # type: ignore[arg-type]


SIMPLER = [
    ("", ""),
    ("R R", "R2"),
    ("R R'", ""),
    ("R R2", "R'"),
    ("R2 R2", ""),
    ("L R", "R L"),
    ("D U D'", "U"),
    ("R L R", "R2 L"),
    ("R U U' R'", ""),
    ("R L U D D' U' L' R'", ""),
    ("F R L R' L' F", "F2"),
    ("R M'", "r"),
    ("R M' L'", "x"),
    ("r R'", "M'"),
    ("x R x'", "R"),
    ("M M M", "M'"),
    ("x x y y'", "x2"),
    ("U R U'", "U R U'"),
]


@pytest.mark.parametrize(("text", "simple"), SIMPLER)
def test_simplifications(text: str, simple: str) -> None:
    assert (
        notation.format_maneuver(notation.simplify_maneuver(notation.parse_maneuver(text)))
        == simple
    )


@given(maneuvers)
def test_simplifying_keeps_the_effect_and_never_lengthens(maneuver: Maneuver) -> None:
    simple = notation.simplify_maneuver(maneuver)
    assert apply_maneuver(LABELS, simple) == apply_maneuver(LABELS, maneuver)
    assert notation.simplify_maneuver(simple) == simple
    metrics: tuple[Metric, ...] = ("htm", "qtm")
    lengths = [
        (notation.maneuver_length(simple, m), notation.maneuver_length(maneuver, m))
        for m in metrics
    ]
    assert lengths[0][0] <= lengths[0][1]
    assert len(simple) <= len(maneuver) or lengths[0][0] < lengths[0][1]


@given(maneuvers)
def test_a_maneuver_and_its_inverse_cancel_to_nothing(maneuver: Maneuver) -> None:
    assert notation.simplify_maneuver(maneuver + notation.invert_maneuver(maneuver)) == ()


@pytest.mark.parametrize("letters", ["RLrlMx", "UDudEy", "FBfbSz"])
def test_on_one_axis_equal_effects_have_one_shortest_spelling(letters: str) -> None:
    """All 6,174 maneuvers of up to three moves about the axis, against their effects."""
    own = [move for move in ALL_MOVES if move[0] in letters]
    spelling: dict[str, Maneuver] = {}
    shortest: dict[str, int] = {}
    for count in range(4):
        for maneuver in product(own, repeat=count):
            effect = apply_maneuver(LABELS, maneuver)
            simple = notation.simplify_maneuver(maneuver)
            assert spelling.setdefault(effect, simple) == simple
            shortest[effect] = min(
                shortest.get(effect, 9), notation.maneuver_length(maneuver, "htm")
            )
    assert len(spelling) == 64
    for effect, simple in spelling.items():
        assert apply_maneuver(LABELS, simple) == effect
        assert notation.maneuver_length(simple, "htm") == shortest[effect]


@pytest.mark.parametrize(
    "use",
    [
        notation.format_maneuver,
        notation.invert_maneuver,
        notation.simplify_maneuver,
        lambda m: notation.maneuver_length(m, "htm"),
    ],
)
def test_names_that_are_no_moves_are_refused(use) -> None:
    for wrong in (("R", "Rw"), ("R", "R3"), "R U"):
        with pytest.raises(ValueError, match="is not a move name; parse text first"):
            use(wrong)


def test_face_turns_stay_face_turns() -> None:
    """Simplifying a maneuver of face turns never brings in a slice, a wide move or a rotation."""
    faces = notation.FACE_MOVES
    for maneuver in product(faces, repeat=2):
        assert set(notation.simplify_maneuver(maneuver)) <= set(faces)


def test_names_of_moves_are_all_understood() -> None:
    for move in ALL_MOVES:
        assert notation.parse_maneuver(move) == (move,)
        assert apply_maneuver(SOLVED, move) != SOLVED


@given(maneuvers)
def test_quarter_turns_do_what_half_turns_do(maneuver: Maneuver) -> None:
    turned = notation.quarter_turns(maneuver)
    assert apply_maneuver(LABELS, turned) == apply_maneuver(LABELS, maneuver)
    assert not any(move.endswith("2") for move in turned)
    assert len(turned) == len(maneuver) + sum(move.endswith("2") for move in maneuver)
