"""Looking: the group of viewpoints, what is seen, and the whole-cube turns that should show it."""

from __future__ import annotations

import random
from itertools import product

import magiccube
import networkx
import pytest
from cube_twins import face_rows
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.engine.moves import FACE_MOVES, apply_maneuver
from facelet.generators.cube.engine.notation import FACES, SOLVED
from facelet.generators.cube.navigation.observations import (
    CORNER_PLACES,
    DIRECTIONS,
    FACE_PLACES,
    START,
    VIEWPOINTS,
    corner_seen,
    face_seen,
    walk_quarter,
)

LABELS = "".join(chr(65 + index) for index in range(54))
"""A state in which every sticker is told apart."""
TURN_OF = {"up": "x'", "down": "x", "left": "y'", "right": "y"}
"""The turn of the whole cube that looks like walking in a direction."""
UNDONE = {"up": "down", "down": "up", "left": "right", "right": "left"}

walks = st.lists(st.sampled_from(DIRECTIONS), max_size=30)


def walk_viewpoints(directions: list[str]) -> str:
    viewpoint = START
    for direction in directions:
        viewpoint = walk_quarter(viewpoint, direction)
    return viewpoint


def test_the_start_and_its_four_neighbours() -> None:
    assert START == "FU"
    assert face_seen(SOLVED, START) == "F" * 9
    assert corner_seen(SOLVED, START) == "U" * 9 + "F" * 9 + "R" * 9
    around = {direction: walk_quarter(START, direction) for direction in DIRECTIONS}
    assert around == {"up": "UB", "down": "DF", "left": "LU", "right": "RU"}


def test_the_directions_lead_to_all_24_viewpoints_and_no_other() -> None:
    graph = networkx.DiGraph(
        (here, walk_quarter(here, direction)) for here, direction in product(VIEWPOINTS, DIRECTIONS)
    )
    assert len(set(VIEWPOINTS)) == 24 and set(graph) == set(VIEWPOINTS)
    assert set(networkx.descendants(graph, START)) | {START} == set(VIEWPOINTS)
    assert {here[0] for here in VIEWPOINTS} == set(FACES)


def test_they_generate_a_group_of_order_24_that_acts_freely() -> None:
    # As permutations of the viewpoints: walks that agree anywhere agree everywhere.
    def walk_further(walked: tuple[str, ...], direction: str) -> tuple[str, ...]:
        return tuple(walk_quarter(here, direction) for here in walked)

    found = {VIEWPOINTS}
    fresh = list(found)
    while fresh:
        more = {
            walk_further(walked, direction) for walked in fresh for direction in DIRECTIONS
        } - found
        found |= more
        fresh = list(more)
    assert len(found) == 24
    for places in zip(*found, strict=True):
        assert len(set(places)) == 24


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("here", VIEWPOINTS)
def test_back_is_undone_and_four_of_a_kind_are_nothing(here: str, direction: str) -> None:
    assert walk_quarter(walk_quarter(here, direction), UNDONE[direction]) == here
    circle = [here]
    for _ in range(4):
        circle.append(walk_quarter(circle[-1], direction))
    assert circle[4] == here and len(set(circle)) == 4


@given(walks)
def test_walking_looks_like_turning_the_whole_cube(directions: list[str]) -> None:
    here = walk_viewpoints(directions)
    turned = apply_maneuver(LABELS, tuple(TURN_OF[direction] for direction in directions))
    seen = {name: "".join(face_rows(turned, name)) for name in "UFR"}
    assert face_seen(LABELS, here) == seen["F"]
    assert corner_seen(LABELS, here) == seen["U"] + seen["F"] + seen["R"]
    home = apply_maneuver(SOLVED, tuple(TURN_OF[direction] for direction in directions))
    assert here + corner_seen(SOLVED, here)[22] == home[22] + home[4] + home[13]


@pytest.mark.parametrize("seed", range(4))
def test_an_independent_cube_shows_the_same(seed: int) -> None:
    rng = random.Random(seed)
    cube = magiccube.Cube(3)
    cube.rotate(" ".join(rng.choices(FACE_MOVES, k=25)))
    colours = cube.get_kociemba_facelet_colors()
    here = START
    for direction in rng.choices(DIRECTIONS, k=40):
        here = walk_quarter(here, direction)
        cube.rotate(TURN_OF[direction])
        shown = cube.get_kociemba_facelet_colors()
        assert face_seen(colours, here) == shown[18:27]
        assert corner_seen(colours, here) == shown[:9] + shown[18:27] + shown[9:18]


def test_every_sticker_is_seen_four_times_by_face_and_twelve_times_by_corner() -> None:
    for places, size, times in ((FACE_PLACES, 9, 4), (CORNER_PLACES, 27, 12)):
        assert set(places) == set(VIEWPOINTS)
        assert all(len(set(seen)) == size for seen in places.values())
        shown = [place for seen in places.values() for place in seen]
        assert sorted(shown) == sorted(list(range(54)) * times)


def test_no_two_viewpoints_show_the_same_and_eight_corners_have_three_ways_up() -> None:
    assert len({face_seen(LABELS, here) for here in VIEWPOINTS}) == 24
    assert len({corner_seen(LABELS, here) for here in VIEWPOINTS}) == 24
    corners = [frozenset(corner_seen(SOLVED, here)) for here in VIEWPOINTS]
    assert {corners.count(corner) for corner in corners} == {3} and len(set(corners)) == 8


@given(st.permutations(range(54)), st.sampled_from(VIEWPOINTS))
def test_any_letters_are_carried_along(order: list[int], here: str) -> None:
    letters = "".join(LABELS[index] for index in order)
    assert face_seen(letters, here) == "".join(letters[i] for i in FACE_PLACES[here])
    assert corner_seen(letters, here) == "".join(letters[i] for i in CORNER_PLACES[here])


@pytest.mark.parametrize("here", VIEWPOINTS)
def test_moves_keep_their_home_names(here: str) -> None:
    # Turning the face in front by its home name turns the picture of it clockwise.
    before = face_seen(LABELS, here)
    after = face_seen(apply_maneuver(LABELS, here[0]), here)
    assert after == "".join(before[index] for index in (6, 3, 0, 7, 4, 1, 8, 5, 2))


@pytest.mark.parametrize("viewpoint", ["", "F", "FF", "FB", "UD", "fu", "FUR", "XY"])
def test_no_viewpoint(viewpoint: str) -> None:
    with pytest.raises(ValueError, match=r"is no viewpoint; .* such as 'FU'"):
        walk_quarter(viewpoint, "up")
    with pytest.raises(ValueError, match="is no viewpoint"):
        face_seen(SOLVED, viewpoint)
    with pytest.raises(ValueError, match="is no viewpoint"):
        corner_seen(SOLVED, viewpoint)


def test_no_direction_and_no_state() -> None:
    with pytest.raises(ValueError, match="'UP' is no direction; go one of up, down, left, right"):
        walk_quarter(START, "UP")
    for call in (face_seen, corner_seen):
        with pytest.raises(ValueError, match="has 54 letters, this one has 53"):
            call(SOLVED[1:], START)
