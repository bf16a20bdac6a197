"""Pictures of the labyrinth: everything that is asked for can be read off the pixels."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from facelet.renderers.api import render_png, render_scene
from facelet.renderers.painters import labyrinth
from facelet.renderers.painters.labyrinth import (
    CORRIDOR,
    FLAT,
    FLOOR,
    TARGET_AT,
    TARGET_SIZE,
    TEXTURE,
    TILE,
    WALL,
)
from facelet.renderers.painters.labyrinth_icons import LEVELS, SHAPES, draw_icon
from facelet.renderers.scenes.labyrinth import PLACES, TREASURES, LabyrinthBoard
from facelet.renderers.scenes.labyrinth import SHAPES as TILES

OPACITIES = (0, 20, 50, 80, 100)
LIMIT = 40_000
DOOR = 4
"""Pixels of a corridor along the side of its tile, which nothing covers."""


def make_scene(number: int, **changes: Any) -> LabyrinthBoard:
    """Return a random scene; not all are boards of the game."""
    rng = np.random.default_rng(number)
    letters = ["-"] * PLACES
    for letter, place in zip(TREASURES, rng.permutation(PLACES), strict=False):
        letters[place] = letter
    fields: dict[str, Any] = {
        "tiles": tuple(int(tile) for tile in rng.choice(sorted(TILES), PLACES)),
        "treasures": "".join(letters),
        "pawn": int(rng.integers(PLACES - 1)),
        "target": TREASURES[int(rng.integers(24))],
        "opacity": OPACITIES[number % len(OPACITIES)],
        "overlay": number % 2 == 1,
    }
    return LabyrinthBoard(**(fields | changes))


def render_pixels(picture: LabyrinthBoard) -> np.ndarray:
    return np.asarray(render_scene(picture), np.int64)


def corridor_box(place: int, side: int) -> tuple[int, int, int, int]:
    """Where the corridor of a tile would meet a side (1 north, 2 east, 4 south, 8 west)."""
    left, top, right, bottom = labyrinth.tile_box(place)
    low, high = (TILE - CORRIDOR) // 2, (TILE + CORRIDOR) // 2
    if side in (1, 4):
        y = top + 1 if side == 1 else bottom - 1 - DOOR
        return left + low, y, left + high, y + DOOR
    x = left + 1 if side == 8 else right - 1 - DOOR
    return x, top + low, x + DOOR, top + high


def nearest_colour(colour: np.ndarray, choices: list[tuple[int, int, int]]) -> int:
    return int(np.argmin([np.abs(colour - choice).sum() for choice in choices]))


@pytest.mark.parametrize("number", range(20))
def test_openings_can_be_read(number: int) -> None:
    """By eye, that is without knowing codes: the mean of a door is nearer to floor than to wall."""
    drawn = make_scene(number)
    image = render_pixels(drawn)
    for place, tile in enumerate(drawn.tiles):
        seen = 0
        for side in (1, 2, 4, 8):
            left, top, right, bottom = corridor_box(place, side)
            door = image[top:bottom, left:right].reshape(-1, 3)
            seen += side * nearest_colour(door.mean(axis=0), [FLAT[WALL], FLAT[FLOOR]])
            # Nothing covers any of it, and whatever the texture, no pixel is in doubt.
            kinds = {
                nearest_colour(pixel, [FLAT[WALL], FLAT[FLOOR]])
                for pixel in np.unique(door, axis=0)
            }
            assert len(kinds) == 1
        assert seen == tile


def test_walls_and_floors_stay_apart_in_every_texture() -> None:
    def colour_lightness(colour: tuple[int, int, int]) -> float:
        return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]

    darkest = min(colour_lightness(FLAT[FLOOR]), colour_lightness(TEXTURE[FLOOR]))
    assert darkest - max(colour_lightness(FLAT[WALL]), colour_lightness(TEXTURE[WALL])) > 40


@pytest.mark.parametrize("number", range(6))
def test_treasures_and_the_pawn_can_be_found(number: int) -> None:
    """What is on a tile is told from the black and green pixels on it."""
    drawn = make_scene(number)
    image = render_pixels(drawn)
    green = np.array(labyrinth.RAMPS[labyrinth.GREEN][0])
    for place, letter in enumerate(drawn.treasures):
        left, top, right, bottom = labyrinth.tile_box(place)
        tile = image[top:bottom, left:right]
        black = (tile == 0).all(axis=2)
        has_pawn = bool((tile == green).all(axis=2).any())
        assert has_pawn == (place == drawn.pawn)
        assert bool(black.any()) == (letter != "-")
        if letter == "-":
            continue
        shift = labyrinth.APART if has_pawn else 0
        x = labyrinth.TILE // 2 + shift - labyrinth.ICON // 2
        y = labyrinth.TILE // 2 - shift - labyrinth.ICON // 2
        seen = black[y : y + labyrinth.ICON, x : x + labyrinth.ICON]
        wrong = [(seen != (draw_icon(i, labyrinth.ICON) == LEVELS)).sum() for i in range(24)]
        assert TREASURES[int(np.argmin(wrong))] == letter
        assert sorted(wrong)[1] > 3 * min(wrong) + 40
    left, top = TARGET_AT
    panel = image[top : top + TARGET_SIZE, left : left + TARGET_SIZE, 0]
    wrong = [
        np.abs(255 - panel - 51 * draw_icon(i, TARGET_SIZE).astype(int)).sum() for i in range(24)
    ]
    assert TREASURES[int(np.argmin(wrong))] == drawn.target and min(wrong) == 0


def test_icons_are_distinct_at_a_glance() -> None:
    """Even blurred to 7 x 7 spots no two are alike, and each has ink and paper."""
    assert len(SHAPES) == 24
    spots = [draw_icon(i, 28).reshape(7, 4, 7, 4).mean(axis=(1, 3)) / LEVELS for i in range(24)]
    for one, other in itertools.combinations(spots, 2):
        assert np.abs(one - other).mean() > 0.08
    for i in range(24):
        ink = (draw_icon(i, 96) == LEVELS).mean()
        assert 0.08 < ink < 0.75
        box = np.argwhere(draw_icon(i, 96) > 0)
        assert (box.max(axis=0) - box.min(axis=0)).max() > 80


def test_icons_are_whole() -> None:
    """No ink reaches beyond the square in which it is drawn, but for the round ends of lines."""
    for name, numbers in itertools.chain.from_iterable(SHAPES):
        kind, reach, places = name, 0.0, numbers
        if kind == "disc":
            places, reach = numbers[:2], numbers[2]
        elif kind == "line":
            places, reach = numbers[1:], numbers[0] / 2 - 1
        if not kind.startswith("-"):
            assert min(places) - reach >= 0 and max(places) + reach <= 100, (name, numbers)


def test_the_overlay_changes_labels_only() -> None:
    plain, labelled = (render_pixels(make_scene(3, overlay=overlay)) for overlay in (False, True))
    changed = (plain != labelled).any(axis=2)
    assert 0.01 < changed.mean() < 0.1
    for place in range(PLACES):
        for side in (1, 2, 4, 8):
            left, top, right, bottom = corridor_box(place, side)
            assert not changed[top:bottom, left:right].any()


@pytest.mark.parametrize("tile", sorted(TILES))
def test_names_in_the_overlay_are_those_of_the_paper(tile: int) -> None:
    named = {5: "I0", 10: "I1", 3: "L0", 6: "L1", 12: "L2", 9: "L3"}
    named |= {11: "T0", 7: "T1", 14: "T2", 13: "T3"}
    assert labyrinth._TILE_NAMES[tile] == named[tile]


def test_opacity_changes_the_texture_only() -> None:
    images = [render_pixels(make_scene(1, opacity=opacity)) for opacity in OPACITIES]
    for one, other in itertools.pairwise(images):
        changed = (one != other).any(axis=2)
        assert 0.02 < changed.mean() < 0.35
        assert np.abs(one - other)[changed].max() < 64
    flat = images[0]
    assert not (flat == np.array(TEXTURE[WALL])).all(axis=2).any()
    assert (images[-1] == np.array(TEXTURE[WALL])).all(axis=2).any()


def test_pictures_are_small() -> None:
    for number in range(10):
        drawn = make_scene(number)
        image = render_scene(drawn)
        assert image.size == (700, 552)
        data, _ = render_png(drawn)
        assert len(data) < LIMIT


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tiles": (5,) * 49}, "49 tiles; give a tuple of 50"),
        ({"tiles": (15,) * 50}, "tile 0 has the openings 15; allowed are"),
        ({"treasures": "-"}, "1 marks of treasures; give 50"),
        ({"treasures": "Z" + "-" * 49}, "'Z'; use A to X"),
        ({"pawn": 49}, "pawn is 49; allowed are 0 to 48"),
        ({"pawn": True}, "pawn is True"),
        ({"target": "Y"}, "target is 'Y'"),
        ({"target": "AB"}, "target is 'AB'"),
        ({"opacity": 101}, "opacity is 101; allowed are"),
        ({"opacity": 0.5}, "opacity is 0.5"),
    ],
)
def test_scenes_that_cannot_be_drawn_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        make_scene(0, **changes)
