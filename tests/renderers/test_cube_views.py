"""Face and corner pictures: stickers read back from pixels, shapes, and all 24 viewpoints."""

from __future__ import annotations

import io
import random
import re
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from painting import paint
from PIL import Image
from scipy import ndimage

from facelet.generators.cube.engine.facelet_codecs import SCHEMES
from facelet.generators.cube.engine.moves import FACE_MOVES, apply_maneuver
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.navigation.observations import (
    CORNER_PLACES,
    FACE_PLACES,
    VIEWPOINTS,
    corner_seen,
    face_seen,
)
from facelet.renderers.api import render_png, render_scene
from facelet.renderers.painters.cube_corner import EYE, MARGIN, REACH, SIDES
from facelet.renderers.painters.cube_net import net_pattern
from facelet.renderers.scenes.cube import SIZES, CubeCorner, CubeFace
from facelet.renderers.scenes.palettes import draw_palette
from facelet.renderers.scenes.records import (
    CUBE_BENCH,
    FACES,
    FRAME,
    RGB,
    WHITE,
    SixColours,
    dim_colour,
)

Pixels = npt.NDArray[np.uint8]
WESTERN = ("white", "red", "green", "yellow", "orange", "blue")
CUBEBENCH = SCHEMES["cubebench"].rgb
GREY: RGB = (50, 50, 50)
SOME_SIZES = (84, 101, 160, 320, 512)
MIXED = "URFDLBBLDFRUUFLRBDRRDDLLFBU"


def render_pixels(scene: CubeFace | CubeCorner) -> Pixels:
    """Encode, decode, and return (height, width, 3)."""
    data, _ = render_png(scene)
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)


def find_colour(picture: Pixels, colour: RGB) -> npt.NDArray[np.bool_]:
    """Which pixels have exactly this colour."""
    found: npt.NDArray[np.bool_] = (picture == np.array(colour, np.uint8)).all(axis=2)
    return found


def read_letters(scene: CubeFace | CubeCorner) -> dict[tuple[int, ...], str]:
    return {
        dim_colour(colour, scene.brightness): face
        for face, colour in zip(FACES, scene.colours, strict=True)
    }


def project_stickers(scene: CubeCorner) -> list[tuple[float, float]]:
    """Where the middles of the 27 stickers must appear, by a camera of matrices."""
    eye = np.array(EYE)
    far = np.linalg.norm(eye)
    towards = eye / far
    right = np.cross((0, 1, 0), towards)
    right /= np.linalg.norm(right)
    view = np.stack([right, -np.cross(towards, right)])

    def project_points(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        seen: npt.NDArray[np.float64] = points @ view.T / (1 - points @ towards / far)[:, None]
        return seen

    ends = (-REACH, REACH)
    body = project_points(np.array([(x, y, z) for x in ends for y in ends for z in ends]))
    low, high = body.min(axis=0), body.max(axis=0)
    scale = scene.size * (1 - 2 * MARGIN) / (high - low).max()
    middles = [
        REACH * np.array(out) + (column - 1) * np.array(along) + (row - 1) * np.array(down)
        for out, along, down in SIDES
        for row in range(3)
        for column in range(3)
    ]
    spots = scale * (project_points(np.array(middles)) - (low + high) / 2) + scene.size / 2
    return [(float(x), float(y)) for x, y in spots]


def read_corner(scene: CubeCorner) -> str:
    """Read all stickers where they are said to be, each from one pixel."""
    picture, letters = render_pixels(scene), read_letters(scene)
    return "".join(
        letters[tuple(picture[int(y), int(x)].tolist())] for x, y in project_stickers(scene)
    )


def read_face(scene: CubeFace) -> str:
    """Read all stickers, each of which must be one flat box."""
    picture, letters = render_pixels(scene), read_letters(scene)
    found = ""
    for left, top, right, bottom in net_pattern(False, scene.cell, "face").boxes:
        (shade,) = {tuple(s) for s in picture[top:bottom, left:right].reshape(-1, 3).tolist()}
        found += letters[shade]
    return found


palettes = st.one_of(
    st.sampled_from([CUBE_BENCH, CUBEBENCH]),
    st.integers(0, 1000).map(lambda seed: draw_palette(np.random.default_rng(seed), WESTERN)),
)
backgrounds = st.sampled_from([WHITE, FRAME, GREY, (255, 128, 0), (200, 210, 220)])


@given(
    st.text(FACES, min_size=27, max_size=27),
    palettes,
    st.floats(0.55, 1.0),
    st.sampled_from(SOME_SIZES),
    backgrounds,
)
@settings(max_examples=60, deadline=None)
def test_every_sticker_of_a_corner_is_read_back(
    stickers: str, colours: SixColours, brightness: float, size: int, background: RGB
) -> None:
    scene = CubeCorner(stickers, colours, brightness, size, background)
    assert read_corner(scene) == stickers


@given(
    st.text(FACES, min_size=9, max_size=9),
    palettes,
    st.floats(0.55, 1.0),
    st.integers(16, 128),
    backgrounds,
)
@settings(max_examples=40, deadline=None)
def test_every_sticker_of_a_face_is_read_back(
    stickers: str, colours: SixColours, brightness: float, cell: int, background: RGB
) -> None:
    assert read_face(CubeFace(stickers, colours, brightness, cell, background)) == stickers


@pytest.mark.parametrize("size", [84, 101, 320])
def test_each_sticker_is_one_large_patch_around_its_spot(size: int) -> None:
    taken = np.zeros((size, size), int)
    for place, (x, y) in enumerate(project_stickers(CubeCorner(MIXED, size=size))):
        alone = CubeCorner("U" * place + "R" + "U" * (26 - place), size=size)
        patch = find_colour(render_pixels(alone), CUBE_BENCH[1])
        _, patches = ndimage.label(patch)
        assert patches == 1 and patch[int(y), int(x)]
        # In its full colour alone, even the most slanted sticker fills 55 pixels of 84 x 84.
        assert patch.sum() >= 0.0078 * size * size
        # Its middle is the middle of the patch, but for the perspective.
        down, across = ndimage.center_of_mass(patch)
        assert np.hypot(across + 0.5 - x, down + 0.5 - y) < 0.006 * size
        taken += patch
    assert taken.max() == 1


def fit_projection(spots: list[tuple[float, float]]) -> npt.NDArray[np.float64]:
    """The projective map from the plane of a 3 x 3 grid that the outer four spots determine."""
    rows, values = [], []
    for place in (0, 2, 6, 8):
        row, column = divmod(place, 3)
        x, y = spots[place]
        rows.append([column, row, 1, 0, 0, 0, -x * column, -x * row])
        rows.append([0, 0, 0, column, row, 1, -y * column, -y * row])
        values += [x, y]
    return np.append(np.linalg.solve(np.array(rows, float), values), 1.0).reshape(3, 3)


def map_point(grid: npt.NDArray[np.float64], column: float, row: float) -> tuple[float, float]:
    x, y, w = grid @ np.array([column, row, 1.0])
    return x / w, y / w


def cube_sides(size: int) -> list[npt.NDArray[np.float64]]:
    spots = project_stickers(CubeCorner(MIXED, size=size))
    return [fit_projection(list(spots[9 * side : 9 * side + 9])) for side in range(3)]


def test_the_view_is_a_true_perspective() -> None:
    spots = project_stickers(CubeCorner(MIXED, size=320))
    for side, grid in enumerate(cube_sides(320)):
        for place in range(9):
            row, column = divmod(place, 3)
            assert map_point(grid, column, row) == pytest.approx(spots[9 * side + place], abs=1e-6)
    # Edges that are parallel on the cube meet in one point, whichever face they are read from.
    up, front, right = (grid[:2] / grid[2] for grid in cube_sides(320))
    across, down = 0, 1
    assert up[:, across] == pytest.approx(front[:, across], rel=1e-6)
    assert front[:, down] == pytest.approx(right[:, down], rel=1e-6)
    assert up[:, down] == pytest.approx(right[:, across], rel=1e-6)


def test_faces_meet_as_on_a_cube() -> None:
    up, front, right = cube_sides(320)
    near = 0.55  # a side ends this far beyond the middles of its outer stickers
    for step in (-near, 0.0, 1.0, 2.0, 2 + near):
        assert map_point(up, step, 2 + near) == pytest.approx(
            map_point(front, step, -near), abs=1e-6
        )
        assert map_point(front, 2 + near, step) == pytest.approx(
            map_point(right, -near, step), abs=1e-6
        )
        turned = map_point(right, step, -near)
        assert map_point(up, 2 + near, 2 - step) == pytest.approx(turned, abs=1e-6)
    # The top is on top and the right face on the right.
    spots = project_stickers(CubeCorner(MIXED))
    middle_x, middle_y = zip(*(spots[9 * side + 4] for side in range(3)), strict=True)
    assert middle_y[0] < min(middle_y[1:]) and middle_x[1] < middle_x[0] < middle_x[2]


@pytest.mark.parametrize("size", [84, 320])
def test_patches_cover_what_their_outlines_enclose(size: int) -> None:
    grids = cube_sides(size)
    for place in range(27):
        # Green is in white alone, for the rest is blue or black; edges count by their share of it.
        stickers = "B" * place + "U" + "B" * (26 - place)
        green = render_pixels(CubeCorner(stickers, size=size, background=FRAME))[:, :, 1]
        expected = _outline_area(grids[place // 9], place % 9)
        assert green.sum() / 255 == pytest.approx(expected, rel=0.03)


def _outline_area(grid: npt.NDArray[np.float64], place: int) -> float:
    """The area of a sticker's outline: a square of 0.88 with corners rounded by 0.13, projected."""
    row, column = divmod(place, 3)
    half, radius = 0.44, 0.13
    points = []
    for turn in range(4):
        for step in np.linspace(0, np.pi / 2, 30):
            angle = turn * np.pi / 2 + step
            # The middle of the rounded corner of this quarter, then around it.
            x = np.sign(np.cos(turn * np.pi / 2 + np.pi / 4)) * (half - radius)
            y = np.sign(np.sin(turn * np.pi / 2 + np.pi / 4)) * (half - radius)
            points.append(
                map_point(
                    grid, column + x + radius * np.cos(angle), row + y + radius * np.sin(angle)
                )
            )
    edges = pairwise([*points, points[0]])
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in edges)) / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_24_pictures_of_a_state_tell_all_of_it(seed: int) -> None:
    state = apply_maneuver(SOLVED, tuple(random.Random(seed).choices(FACE_MOVES, k=25)))
    told: dict[int, set[str]] = {place: set() for place in range(54)}
    for here in VIEWPOINTS:
        corner = CubeCorner(corner_seen(state, here), CUBEBENCH, size=160, background=GREY)
        face = CubeFace(face_seen(state, here), CUBEBENCH, cell=24, background=GREY)
        for places, seen in (
            (CORNER_PLACES[here], read_corner(corner)),
            (FACE_PLACES[here], read_face(face)),
        ):
            for place, letter in zip(places, seen, strict=True):
                told[place].add(letter)
    assert [told[place] for place in range(54)] == [{letter} for letter in state]


def test_pictures_from_different_places_differ() -> None:
    state = apply_maneuver(SOLVED, "R U2 F' L D B2 R' U F D' L2 B U'")
    corners = {render_scene(CubeCorner(corner_seen(state, here))).tobytes() for here in VIEWPOINTS}
    faces = {render_scene(CubeFace(face_seen(state, here))).tobytes() for here in VIEWPOINTS}
    assert len(corners) == len(faces) == 24


def test_one_sticker_changes_the_picture_only_where_it_is() -> None:
    scene, size = CubeCorner(MIXED), 320
    before = render_pixels(scene)
    for place, (x, y) in enumerate(project_stickers(scene)):
        letter = next(letter for letter in FACES if letter != MIXED[place])
        after = render_pixels(CubeCorner(MIXED[:place] + letter + MIXED[place + 1 :]))
        down, across = np.nonzero((before != after).any(axis=2))
        assert np.hypot(across - x, down - y).max() < 0.13 * size


@pytest.mark.parametrize("background", [WHITE, FRAME, GREY])
@pytest.mark.parametrize("scene", [CubeFace, CubeCorner])
def test_the_rest_is_body_and_background(scene: Any, background: RGB) -> None:
    number = 9 if scene is CubeFace else 27
    picture = render_pixels(
        scene("U" * number, colours=CUBEBENCH, brightness=0.6, background=background)
    )
    far = (picture[0], picture[-1], picture[:, 0], picture[:, -1])
    assert all((strip == dim_colour(background, 0.6)).all() for strip in far)
    # What is neither background nor body is on the way from one of the paints to the body.
    for shade in np.unique(picture.reshape(-1, 3), axis=0):
        ways = [dim_colour(paint, 0.6) for paint in (CUBEBENCH[0], background)]
        assert any(
            all(
                abs(int(level) - full * part / 8) <= 1.1
                for level, full in zip(shade, way, strict=True)
            )
            for way in ways
            for part in range(9)
        )


def test_a_dimmed_corner_is_each_pixel_scaled() -> None:
    bright, dim = render_pixels(CubeCorner(MIXED)), render_pixels(CubeCorner(MIXED, brightness=0.6))
    assert np.array_equal(dim, np.floor(bright * 0.6 + 0.5).astype(np.uint8))


@pytest.mark.parametrize("size", SOME_SIZES)
def test_a_corner_fills_its_square(size: int) -> None:
    image = render_scene(CubeCorner(MIXED, size=size, background=(1, 2, 3)))
    assert image.size == (size, size)
    cube = ~find_colour(np.asarray(image), (1, 2, 3))
    rows, columns = (np.flatnonzero(cube.any(axis=axis)) for axis in (1, 0))
    for first, last in ((rows[0], rows[-1]), (columns[0], columns[-1])):
        assert abs(first - (size - 1 - last)) <= 1, "the cube is in the middle"
    assert 0.88 * size <= max(rows[-1] - rows[0], columns[-1] - columns[0]) <= 0.92 * size


@pytest.mark.parametrize("colours", [CUBE_BENCH, CUBEBENCH])
@pytest.mark.parametrize("brightness", [1.0, 0.55])
def test_the_palette_is_exactly_what_is_seen(colours: SixColours, brightness: float) -> None:
    for scene in (
        CubeFace(MIXED[:9], colours, brightness),
        CubeCorner(MIXED, colours, brightness, background=GREY),
    ):
        image = paint(scene)
        used = image.getcolors()
        palette = np.array(image.getpalette()).reshape(-1, 3)
        assert image.mode == "P" and used is not None
        assert sorted(index for _, index in used) == list(range(len(palette)))
        assert len(np.unique(palette, axis=0)) == len(palette) <= 57


def test_pictures_stay_under_the_size_budgets() -> None:
    rng = random.Random(0)
    for _ in range(20):
        stickers = "".join(rng.choices(FACES, k=27))
        assert len(render_png(CubeCorner(stickers))[0]) < 12_000
        assert len(render_png(CubeCorner(stickers, size=84))[0]) < 3_200
        assert len(render_png(CubeFace(stickers[:9]))[0]) < 1_000


REFUSED: list[tuple[type[Any], dict[str, Any], str]] = [
    (CubeFace, {"stickers": "U" * 8}, "stickers has 8 letters; give 9"),
    (CubeCorner, {"stickers": "U" * 9}, "stickers has 9 letters; give 27"),
    (CubeCorner, {"stickers": "U" * 26 + "W"}, "'W' at index 26"),
    (CubeFace, {"stickers": "u" * 9}, "one of URFDLB"),
    (CubeFace, {"cell": 15}, "allowed are whole pixels from 16 to 256"),
    (CubeFace, {"brightness": 0.0}, "brightness is 0.0"),
    (CubeFace, {"background": (1, 2)}, "background is (1, 2)"),
    (CubeFace, {"colours": CUBE_BENCH[:5]}, "give a tuple of six"),
    (CubeFace, {"brightness": 0.05}, "raise the brightness"),
    (CubeCorner, {"size": 83}, "size is 83; allowed are whole pixels from 84 to 1024"),
    (CubeCorner, {"size": 1025}, "size is 1025"),
    (CubeCorner, {"size": 320.0}, "size is 320.0"),
    (CubeCorner, {"size": True}, "size is True"),
    (CubeCorner, {"brightness": 1.5}, "brightness is 1.5"),
    (CubeCorner, {"background": (1, 2, 256)}, "background is (1, 2, 256)"),
    (CubeCorner, {"colours": (*CUBE_BENCH[:5], CUBE_BENCH[0])}, "U and B"),
]


@pytest.mark.parametrize(("kind", "fields", "reason"), REFUSED)
def test_refuses_what_cannot_be_drawn(kind: Any, fields: dict[str, Any], reason: str) -> None:
    good = {"stickers": "U" * (9 if kind is CubeFace else 27)}
    with pytest.raises(ValueError, match=re.escape(reason)):
        kind(**{**good, **fields})


def test_takes_the_ends_of_the_sizes() -> None:
    assert {CubeCorner(MIXED, size=size).size for size in SIZES} == set(SIZES)
