"""Four maneuvers of which one solves: exactly one, and none that stands out."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves, notation, scrambles
from facelet.generators.cube.engine.notation import CENTRES, SOLVED, Metric, is_solved
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.questions.move_question import draw_four_maneuvers, refuting_stickers
from facelet.generators.cube.states.certified_states import CertifiedState

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
"""A shortest maneuver to the state in which every edge is flipped in place (Reid 1995)."""


def make_state(word: tuple[str, ...], metric: Metric = "htm") -> CertifiedState:
    facelets = moves.apply_maneuver(SOLVED, notation.invert_maneuver(word))
    depth = notation.maneuver_length(word, metric)
    text = notation.format_maneuver(word)
    return CertifiedState(facelets, metric, depth, text, "x", "x", "x", depth - 1, "x", 1)


words = st.builds(
    lambda metric, depth, seed: (
        metric,
        scrambles.random_word(metric, depth, make_generator("words", metric, depth, seed)),
    ),
    st.sampled_from(("htm", "qtm")),
    st.integers(1, 20),
    st.integers(0, 10_000),
)


@settings(max_examples=200)
@given(words, st.integers(0, 100))
def test_exactly_one_option_solves(word: tuple[Metric, tuple[str, ...]], seed: int) -> None:
    metric, solution = word
    posed = make_state(solution, metric)
    right, wrong = draw_four_maneuvers(posed, np.random.default_rng(seed))
    ends = [moves.apply_maneuver(posed.facelets, option) for option in (right, *wrong)]
    assert [is_solved(end) for end in ends] == [True, False, False, False]
    assert len(set(ends)) == 4
    for option in (right, *wrong):
        assert notation.maneuver_length(option, metric) == posed.optimal_depth
        assert notation.simplify_maneuver(option) == option, (
            "a canonical word, without a turn to merge"
        )


def factorial_places(options: list[tuple[str, ...]]) -> tuple[int, ...] | None:
    """Return the places in which options differ, if they are the corners of a 2 x 2 factorial."""
    places = [place for place, turns in enumerate(zip(*options, strict=True)) if len({*turns}) > 1]
    values = {tuple(option[place] for place in places) for option in options}
    levels = [len({value[i] for value in values}) for i in range(len(places))]
    return tuple(places) if levels == [2, 2] and len(values) == 4 else None


@settings(max_examples=200)
@given(st.integers(2, 20), st.integers(0, 10_000))
def test_options_are_the_corners_of_a_factorial(depth: int, seed: int) -> None:
    rng = make_generator("factorial", depth, seed)
    right, wrong = draw_four_maneuvers(make_state(scrambles.random_word("htm", depth, rng)), rng)
    places = factorial_places([right, *wrong])
    assert places is not None
    assert depth == 2 or places[1] - places[0] > 1, "the two places do not touch"


def axis_pattern(word: tuple[str, ...]) -> tuple[bool, ...]:
    """Return for each pair of consecutive turns whether they share an axis."""
    axis = dict(zip("URFDLB", "URFURF", strict=True))
    return tuple(axis[one[0]] == axis[two[0]] for one, two in pairwise(word))


@settings(max_examples=100)
@given(words, st.integers(0, 100))
def test_options_look_alike(word: tuple[Metric, tuple[str, ...]], seed: int) -> None:
    metric, solution = word
    if len(solution) > 1:
        right, wrong = draw_four_maneuvers(
            make_state(solution, metric), np.random.default_rng(seed)
        )
        if factorial_places([right, *wrong]) is not None:
            assert len({axis_pattern(option) for option in (right, *wrong)}) == 1
            costs = {
                tuple(notation.maneuver_length((move,), metric) for move in option)
                for option in (right, *wrong)
            }
            assert len(costs) == 1


def test_any_corner_of_a_square_of_two_moves_makes_it_as_often() -> None:
    """Exchangeability at depth 2, over all 243 words: equally many squares at each corner."""
    for metric in ("htm", "qtm"):
        size: dict[tuple[str, ...], int] = {}
        corners: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for index in range(scrambles.word_count("htm", 2)):
            word = scrambles.find_word("htm", 2, index)
            squares = move_question._list_change_pairs(word, metric)
            size[word] = len(squares)
            corners[word] = [
                corner
                for (_, one), (_, two) in squares
                for corner in ((one, word[1]), (word[0], two), (one, two))
            ]
        for word, others in corners.items():
            assert {size[other] for other in others} <= {size[word]}
        assert len(size) == 243


@settings(max_examples=60)
@given(st.integers(3, 9), st.integers(0, 1000))
def test_any_corner_of_a_longer_square_makes_it_as_often(depth: int, seed: int) -> None:
    """What a place may hold is the same at all four corners, so all are equally likely sources."""
    rng = make_generator("corners", depth, seed)
    right, wrong = draw_four_maneuvers(make_state(scrambles.random_word("htm", depth, rng)), rng)
    options = [right, *wrong]
    places = factorial_places(options)
    assert places is not None
    for place in range(depth):
        if place in places:
            allowed = {
                frozenset((option[place], *move_question._list_alternatives(option, place, "htm")))
                for option in options
            }
            assert len(allowed) == 1


def test_single_moves_are_drawn_from_all_eighteen() -> None:
    seen: Counter[str] = Counter()
    for seed in range(1700):
        right, wrong = draw_four_maneuvers(make_state(("R2",)), np.random.default_rng(seed))
        assert right == ("R2",)
        seen.update(move for (move,) in wrong)
    assert set(seen) == set(moves.FACE_MOVES) - {"R2"}
    assert all(220 < count < 380 for count in seen.values()), "300 of each are expected"


def test_a_state_at_the_diameter_gets_options_too() -> None:
    posed = make_state(notation.parse_maneuver(SUPERFLIP))
    right, wrong = draw_four_maneuvers(posed, np.random.default_rng(5))
    assert [len(option) for option in (right, *wrong)] == [20] * 4
    assert is_solved(moves.apply_maneuver(posed.facelets, right))


def test_words_without_a_factorial_are_matched_by_their_like() -> None:
    """In quarter turns, U2 D2 has no alternative of its kind; the single half turns neither."""
    right, wrong = draw_four_maneuvers(make_state(("R2",), "qtm"), np.random.default_rng(1))
    assert all(len(option) == 1 and option[0].endswith("2") for option in (right, *wrong))
    right, wrong = draw_four_maneuvers(make_state(("U2", "D2"), "qtm"), np.random.default_rng(1))
    alike = [word for word in wrong if word in (("R2", "L2"), ("F2", "B2"))]
    assert len(alike) == 2


@given(words)
def test_refuting_stickers_are_those_that_end_on_a_foreign_face(
    word: tuple[Metric, tuple[str, ...]],
) -> None:
    metric, solution = word
    posed = make_state(solution, metric)
    assert refuting_stickers(posed.facelets, solution) == frozenset()
    other = (*solution, "U")
    shown = refuting_stickers(posed.facelets, other)
    assert shown and not shown & set(CENTRES)
    for sticker in range(54):
        marked = "".join("x" if i == sticker else "." for i in range(54))
        home = SOLVED[moves.apply_maneuver(marked, other).index("x")]
        assert (sticker in shown) == (posed.facelets[sticker] != home)


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_same_draw_same_options(metric: Metric) -> None:
    posed = make_state(scrambles.random_word(metric, 6, make_generator("same")), metric)
    assert draw_four_maneuvers(posed, np.random.default_rng(3)) == draw_four_maneuvers(
        posed, np.random.default_rng(3)
    )
