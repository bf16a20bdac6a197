"""Cubies: the group, conversion, and legality with its reason on all twelve orbits."""

import kociemba
import numpy as np
import pytest
from cube_states import SOLVED_CUBIES
from cube_twins import MOVE_CUBIES, multiply_cubies
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from uniform_states import random_state

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import cubies
from facelet.generators.cube.engine.cubies import (
    CORNER_FACELETS,
    CORNERS,
    EDGE_FACELETS,
    EDGES,
    Cubies,
    check_legality,
    from_facelets,
    invert_cubies,
    permutation_parity,
    to_facelets,
)
from facelet.generators.cube.engine.moves import FACE_MOVES, apply_maneuver
from facelet.generators.cube.engine.notation import (
    FACES,
    SOLVED,
    IllegalCube,
    Maneuver,
    invert_maneuver,
)

maneuvers = st.lists(st.sampled_from(FACE_MOVES), max_size=25).map(tuple)


@st.composite
def assemblies(draw: st.DrawFn) -> Cubies:
    """Any way to put the 20 pieces together, reachable by turns or not."""
    return Cubies(
        cp=tuple(draw(st.permutations(range(8)))),
        co=tuple(draw(st.lists(st.integers(0, 2), min_size=8, max_size=8))),
        ep=tuple(draw(st.permutations(range(12)))),
        eo=tuple(draw(st.lists(st.integers(0, 1), min_size=12, max_size=12))),
    )


def test_places_are_named_and_numbered_as_kociemba_does() -> None:
    assert CORNERS == ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
    assert EDGES == ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
    assert CORNER_FACELETS[0] == (8, 9, 20)  # U9 R1 F3
    assert CORNER_FACELETS[7] == (35, 17, 51)  # D9 R9 B7
    assert EDGE_FACELETS[0] == (5, 10)  # U6 R2
    assert EDGE_FACELETS[11] == (48, 14)  # B4 R6
    for names, places in ((CORNERS, CORNER_FACELETS), (EDGES, EDGE_FACELETS)):
        for name, place in zip(names, places, strict=True):
            assert "".join(SOLVED[index] for index in place) == name


def test_a_quarter_turn_by_pieces() -> None:
    """U moves UBR to URF and UB to UR; F twists four corners and flips four edges."""
    u, f = (MOVE_CUBIES[move] for move in "UF")
    assert u == Cubies(
        (3, 0, 1, 2, 4, 5, 6, 7), (0,) * 8, (3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11), (0,) * 12
    )
    assert f.cp == (1, 5, 2, 3, 0, 4, 6, 7)
    assert f.co == (1, 2, 0, 0, 2, 1, 0, 0)
    assert f.ep == (0, 9, 2, 3, 4, 8, 6, 7, 1, 5, 10, 11)
    assert f.eo == (0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0)


@given(maneuvers)
def test_facelets_and_pieces_say_the_same(maneuver: Maneuver) -> None:
    facelets = apply_maneuver(SOLVED, maneuver)
    check_legality(facelets)
    assert to_facelets(from_facelets(facelets)) == facelets


@given(maneuvers)
def test_a_maneuver_is_the_product_of_its_moves(maneuver: Maneuver) -> None:
    product = SOLVED_CUBIES
    for move in maneuver:
        product = multiply_cubies(product, MOVE_CUBIES[move])
    assert product == from_facelets(apply_maneuver(SOLVED, maneuver))


@given(maneuvers, maneuvers)
def test_products_are_maneuvers_read_on(first: Maneuver, second: Maneuver) -> None:
    a, b = (from_facelets(apply_maneuver(SOLVED, part)) for part in (first, second))
    assert to_facelets(multiply_cubies(a, b)) == apply_maneuver(SOLVED, first + second)


@given(maneuvers)
def test_the_inverse_maneuver_makes_the_inverse(maneuver: Maneuver) -> None:
    a = from_facelets(apply_maneuver(SOLVED, maneuver))
    assert to_facelets(invert_cubies(a)) == apply_maneuver(SOLVED, invert_maneuver(maneuver))


@given(assemblies(), assemblies(), assemblies())
def test_assemblies_are_a_group(a: Cubies, b: Cubies, c: Cubies) -> None:
    assert multiply_cubies(multiply_cubies(a, b), c) == multiply_cubies(a, multiply_cubies(b, c))
    assert multiply_cubies(a, SOLVED_CUBIES) == multiply_cubies(SOLVED_CUBIES, a) == a
    assert (
        multiply_cubies(a, invert_cubies(a))
        == multiply_cubies(invert_cubies(a), a)
        == SOLVED_CUBIES
    )
    assert invert_cubies(multiply_cubies(a, b)) == multiply_cubies(
        invert_cubies(b), invert_cubies(a)
    )


@given(st.permutations(range(9)), st.permutations(range(9)))
def test_parity_is_a_homomorphism_and_counts_inversions(p: list[int], q: list[int]) -> None:
    inversions = sum(p[i] > p[j] for i in range(9) for j in range(i + 1, 9))
    assert permutation_parity(tuple(p)) == inversions % 2
    assert permutation_parity(tuple(p[i] for i in q)) == permutation_parity(
        tuple(p)
    ) ^ permutation_parity(tuple(q))


def _cube_orbit(a: Cubies) -> tuple[int, int, int]:
    return sum(a.co) % 3, sum(a.eo) % 2, permutation_parity(a.cp) ^ permutation_parity(a.ep)


def _illegal_reason(facelets: str) -> str | None:
    try:
        check_legality(facelets)
    except IllegalCube as error:
        return error.reason
    return None


@given(assemblies())
def test_random_assemblies_are_refused_for_the_first_law_they_break(a: Cubies) -> None:
    twist, flip, odd = _cube_orbit(a)
    expected = "twist" if twist else "flip" if flip else "parity" if odd else None
    assert _illegal_reason(to_facelets(a)) == expected


@given(maneuvers)
def test_turns_stay_in_each_of_the_twelve_orbits(maneuver: Maneuver) -> None:
    """One corner turned, one edge flipped, two edges swapped: 3 x 2 x 2 cubes apart."""
    turned = (1, *[0] * 7)
    flipped = (1, *[0] * 11)
    swapped = (1, 0, *range(2, 12))
    move = from_facelets(apply_maneuver(SOLVED, maneuver))
    orbits = set()
    for twist in range(3):
        for flip in range(2):
            for swap in range(2):
                start = Cubies(
                    tuple(range(8)),
                    tuple(twist * t for t in turned),
                    swapped if swap else tuple(range(12)),
                    tuple(flip * f for f in flipped),
                )
                assert to_facelets(multiply_cubies(start, move)) == apply_maneuver(
                    to_facelets(start), maneuver
                )
                assert (
                    _cube_orbit(multiply_cubies(start, move))
                    == _cube_orbit(start)
                    == (twist, flip, swap)
                )
                orbits.add(_cube_orbit(start))
    assert len(orbits) == 12


def test_kociembas_package_accepts_and_refuses_the_same_assemblies() -> None:
    rng = np.random.default_rng(11)
    verdicts = set()
    for number in range(240):
        a = Cubies(
            tuple(rng.permutation(8).tolist()),
            tuple(rng.integers(3, size=8).tolist()),
            tuple(rng.permutation(12).tolist()),
            tuple(rng.integers(2, size=12).tolist()),
        )
        if number % 4 == 0:  # otherwise only one in twelve is legal
            a = from_facelets(
                apply_maneuver(SOLVED, tuple(rng.choice(FACE_MOVES, size=8).tolist()))
            )
        facelets = to_facelets(a)
        reason = _illegal_reason(facelets)
        verdicts.add(reason)
        if reason is None:
            assert apply_maneuver(facelets, kociemba.solve(facelets)) == SOLVED
        else:
            with pytest.raises(ValueError):
                kociemba.solve(facelets)
    assert verdicts == {None, "twist", "flip", "parity"}


def _swap_stickers(facelets: str, *pairs: tuple[int, int]) -> str:
    letters = list(facelets)
    for i, j in pairs:
        letters[i], letters[j] = letters[j], letters[i]
    return "".join(letters)


ILLEGAL = [
    ("length", SOLVED + "U", "has 54 letters, this one has 55"),
    ("length", "", "this one has 0"),
    ("letters", SOLVED[:5] + "u" + SOLVED[6:], "'u' at index 5 (U6) is not one of"),
    ("counts", "R" + SOLVED[1:], "must occur 9 times; found 8 U, 10 R"),
    ("centres", _swap_stickers(SOLVED, (4, 13), (0, 9)), "must be URFDLB, not RUFDLB"),
    ("centres", apply_maneuver(SOLVED, "y"), "turn it back first"),
    ("centres", apply_maneuver(SOLVED, "M"), "must be URFDLB"),
    (
        "corner",
        _swap_stickers(SOLVED, (8, 29)),
        "URF (U9, R1, F3) shows DRF: no such corner exists",
    ),
    (
        "corner",
        _swap_stickers(SOLVED, (9, 20)),
        "URF (U9, R1, F3) shows UFR: no such corner exists",
    ),
    (
        "corner",
        _swap_stickers(SOLVED, (9, 37), (20, 46)),
        "ULB is there twice, at URF (U9, R1, F3) and at",
    ),
    ("edge", _swap_stickers(SOLVED, (5, 19)), "UF (U8, F2) shows UU: no such edge exists"),
    (
        "edge",
        _swap_stickers(SOLVED, (5, 28)),
        "DR is there twice, at UR (U6, R2) and at DR (D6, R8)",
    ),
    ("edge", _swap_stickers(SOLVED, (7, 16)), "DR (D6, R8) shows DU"),
    ("twist", _swap_stickers(SOLVED, (8, 20), (9, 20)), "twists sum to 1 mod 3"),
    ("twist", _swap_stickers(SOLVED, (8, 9), (9, 20)), "twists sum to 2 mod 3"),
    ("flip", _swap_stickers(SOLVED, (5, 10)), "flips sum to 1 mod 2"),
    ("parity", _swap_stickers(SOLVED, (10, 19)), "permuted evenly and the edges oddly"),
    ("parity", _swap_stickers(SOLVED, (9, 36), (20, 47)), "corners are permuted oddly"),
]


@pytest.mark.parametrize(("reason", "facelets", "message"), ILLEGAL)
def test_each_reason_says_what_and_where(reason: str, facelets: str, message: str) -> None:
    with pytest.raises(IllegalCube) as caught:
        from_facelets(facelets)
    assert caught.value.reason == reason
    assert message in str(caught.value)


def test_a_sticker_swap_within_the_counts_is_never_accepted() -> None:
    """All 1,215 ways to exchange two stickers of different colours; none can be reached."""
    reasons = set()
    for i in range(54):
        for j in range(i + 1, 54):
            if SOLVED[i] != SOLVED[j]:
                reasons.add(_illegal_reason(_swap_stickers(SOLVED, (i, j))))
    assert None not in reasons
    assert reasons == {"centres", "corner", "edge", "flip", "parity"}


def test_names_in_the_engine_are_consistent() -> None:
    assert {frozenset(name) for name in CORNERS} == {
        frozenset((a, b, c)) for a in "UD" for b in "RL" for c in "FB"
    }
    assert sorted(index for place in CORNER_FACELETS + EDGE_FACELETS for index in place) == [
        index for index in range(54) if index % 9 != 4
    ]
    assert cubies.to_facelets(SOLVED_CUBIES) == SOLVED
    assert len({letter for name in EDGES for letter in name}) == len(FACES)


def test_random_states_are_legal_and_uniform_in_each_part() -> None:
    rng = make_generator("test", "random states")
    states = [cubies.from_facelets(random_state(rng)) for _ in range(4000)]
    parts = {
        "corner at URF": [state.cp[0] for state in states],
        "last corner": [state.cp[7] for state in states],
        "twist at URF": [state.co[0] for state in states],
        "last twist": [state.co[7] for state in states],
        "edge at UR": [state.ep[0] for state in states],
        "edge at UF": [state.ep[1] for state in states],
        "last flip": [state.eo[11] for state in states],
        "parity": [cubies.permutation_parity(state.cp) for state in states],
    }
    for name, values in parts.items():
        assert chisquare(np.bincount(values)).pvalue > 1e-4, name
