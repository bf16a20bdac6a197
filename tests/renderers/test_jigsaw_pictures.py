"""Jigsaw pictures: read back cell by cell with the known camera, whole, labelled and small.

The camera is written down here a second time, from matplotlib's definition of elevation and
azimuth, which the paper's angles refer to.
"""

from __future__ import annotations

import io
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from painting import paint
from PIL import Image
from scipy import ndimage

from facelet.renderers.api import render_png
from facelet.renderers.painters import jigsaw, shade_ramp
from facelet.renderers.scenes.jigsaw import AZIMUTHS, ELEVATIONS, JigsawPieces

RING = [(r, c) for r, c in product(range(5), range(5)) if r in (0, 4) or c in (0, 4)]
ANGLES = st.tuples(st.integers(*ELEVATIONS), st.integers(*AZIMUTHS))
EXTREMES = [*product(ELEVATIONS, AZIMUTHS), (-135, -120), (-155, -120), (-155, -135)]
FULL = "/".join(["11111"] * 5)
BARE = "00000/01110/01110/01110/00000"


def format_piece(border: int) -> str:
    cells = np.ones((5, 5), int)
    for k, place in enumerate(RING):
        cells[place] = border >> k & 1
    return "/".join("".join(map(str, row)) for row in cells)


PIECES = st.integers(0, 2**16 - 1).map(format_piece)


def project_point(view: tuple[int, int], point: np.ndarray) -> np.ndarray:
    """Where a point of the upright piece (right, up, out) appears (right, down), in cells.

    A piece lies in matplotlib's frame with right along x, up along -y and out along -z. Beyond 90
    degrees of elevation matplotlib lets -z point up in the picture.
    """
    elevation, azimuth = np.radians(view)
    to_eye = np.array(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ]
    )
    right = np.cross([0, 0, -1], to_eye)
    right /= np.linalg.norm(right)
    up = np.cross(to_eye, right)
    world = np.array(point) * (1, -1, -1)
    shrink = jigsaw.DISTANCE / (jigsaw.DISTANCE - world @ to_eye)
    return np.array([world @ right, -(world @ up)]) * shrink


def sample_pixels(scene: JigsawPieces, index: int, point) -> np.ndarray:
    scale, left, top = jigsaw.piece_placing(scene, index)
    return np.array([left, top]) + scale * project_point(scene.views[index], np.array(point, float))


def picture_levels(scene: JigsawPieces) -> np.ndarray:
    """The picture as levels, which are its palette indices."""
    return np.asarray(paint(scene))


def read_pieces(scene: JigsawPieces) -> tuple[str, ...]:
    """The pieces as their picture shows them: what stands around the middle of each upper side.

    A bump must be plain there; the few pixels of a gap that have its shade are edges smoothed.
    """
    seen = picture_levels(scene)
    found = []
    for index in range(len(scene.pieces)):
        letters = []
        for row, column in product(range(5), range(5)):
            x, y = sample_pixels(scene, index, (column - 2, 2 - row, 0)).round().astype(int)
            plain = int((seen[y - 1 : y + 2, x - 1 : x + 2] == jigsaw.TOP).sum())
            assert plain == 9 or plain <= 4, "an unclear cell"
            letters.append(str(int(plain == 9)))
        found.append("/".join("".join(letters[5 * row : 5 * row + 5]) for row in range(5)))
    return tuple(found)


def test_palette_indices_are_levels() -> None:
    image = paint(JigsawPieces((FULL,), ((-135, -120),), width=400))
    channels = image.getpalette()
    assert image.mode == "P" and channels is not None
    ramp = [tuple(channels[start : start + 3]) for start in range(0, len(channels), 3)]
    assert len(set(ramp)) == len(ramp) == shade_ramp.LEVELS
    assert all(ramp[level] == colour for level, colour in shade_ramp.STOPS.items())


@settings(max_examples=60)
@given(st.lists(st.tuples(PIECES, ANGLES), min_size=1, max_size=6))
def test_every_piece_can_be_read_back(drawn: list[tuple[str, tuple[int, int]]]) -> None:
    pieces, views = (tuple(column) for column in zip(*drawn, strict=True))
    scene = JigsawPieces(pieces, views, "ABCDEF"[: len(pieces)], width=300 * min(3, len(pieces)))
    assert read_pieces(scene) == pieces


@pytest.mark.parametrize("view", EXTREMES)
@pytest.mark.parametrize("width", [280, 333, 640])
def test_every_cell_can_be_read_at_the_ends_of_the_ranges(
    view: tuple[int, int], width: int
) -> None:
    shapes = [FULL, BARE, *(format_piece(1 << k) for k in range(16)), format_piece(0xFFFF ^ 0x0821)]
    for shape in shapes if width == 280 else shapes[::6]:
        assert read_pieces(JigsawPieces((shape,), (view,), width=width)) == (shape,)


def test_the_base_view_shows_the_edges_where_the_paper_does() -> None:
    """Edge 1 at the top left, 2 at the top right, 3 at the bottom right, 4 at the bottom left."""
    where = {
        edge: project_point((-135, -120), np.array(middle, float))
        for edge, middle in {1: (-2, 0, 0), 2: (0, 2, 0), 3: (2, 0, 0), 4: (0, -2, 0)}.items()
    }
    signs = {edge: tuple(np.sign(place).astype(int)) for edge, place in where.items()}
    assert signs == {1: (-1, -1), 2: (1, -1), 3: (1, 1), 4: (-1, 1)}


@pytest.mark.parametrize("view", EXTREMES)
@pytest.mark.parametrize("tile", [280, 333, 480])
def test_nothing_is_clipped_and_nothing_overlaps(view: tuple[int, int], tile: int) -> None:
    """Paper all around each part; letters and numbers neither on the mat nor on the piece."""
    scene = JigsawPieces((FULL,) * 3, (view,) * 3, "ABC", width=3 * tile)
    width, height = jigsaw.tile_size(scene)
    shown = picture_levels(scene)
    for index in range(3):
        left, top = jigsaw.tile_corner(scene, index)
        part = shown[top : top + height, left : left + width]
        for margin in (part[0], part[-1], part[:, 0], part[:, -1]):
            assert (margin == jigsaw.PAPER).all()
    bare = picture_levels(JigsawPieces((FULL,), (view,), width=tile))
    named = picture_levels(JigsawPieces((FULL,), (view,), "Q", width=tile))
    assert (bare[named != bare] == jigsaw.PAPER).all() and (named != bare).any()


@pytest.mark.parametrize("view", EXTREMES)
def test_numbers_stand_beside_their_edges(view: tuple[int, int]) -> None:
    """Ink outside of the slab comes in four clumps, each nearest to one edge's middle, in order."""
    scene = JigsawPieces((FULL,), (view,), width=400)
    shown = picture_levels(scene)
    corners = [
        sample_pixels(scene, 0, corner) for corner in product((-2.5, 2.5), (-2.5, 2.5), (0, -1))
    ]
    clumps = _connected_sets(shown == jigsaw.INK)
    slab = next(clump for clump in clumps if len(clump) == max(map(len, clumps)))
    reach = np.array(corners)
    assert np.abs(slab.min(0) - reach.min(0)[::-1]).max() < 4
    assert np.abs(slab.max(0) - reach.max(0)[::-1]).max() < 4
    labels = sorted((clump for clump in clumps if clump is not slab), key=len)[-4:]
    edges = {"1": (-2.5, 0, 0), "2": (0, 2.5, 0), "3": (2.5, 0, 0), "4": (0, -2.5, 0)}
    nearest = []
    for clump in labels:
        y, x = clump.mean(0)
        away = {
            name: np.hypot(*(sample_pixels(scene, 0, middle) - (x, y)))
            for name, middle in edges.items()
        }
        nearest.append(min(away, key=away.__getitem__))
    assert sorted(nearest) == ["1", "2", "3", "4"]


def _connected_sets(ink: np.ndarray) -> list[np.ndarray]:
    """Connected sets of pixels (8 neighbours), each as rows of (y, x)."""
    marked, count = ndimage.label(ink, np.ones((3, 3)))
    return [np.argwhere(marked == k) for k in range(1, count + 1)]


@settings(max_examples=20)
@given(st.lists(st.tuples(PIECES, ANGLES), min_size=6, max_size=6))
def test_six_pieces_take_less_than_75_kilobytes(drawn: list[tuple[str, tuple[int, int]]]) -> None:
    pieces, views = (tuple(column) for column in zip(*drawn, strict=True))
    data, _ = render_png(JigsawPieces(pieces, views, "ABCDEF", width=1000))
    assert len(data) < 75_000
    with Image.open(io.BytesIO(data)) as image:
        assert image.mode == "RGB" and image.width == 1000


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"pieces": ()}, "give 1 to 6"),
        ({"pieces": (FULL,) * 7, "views": ((-135, -120),) * 7}, "give 1 to 6"),
        ({"pieces": ("11111/10111/11111/11111/11111",)}, "is no piece"),
        ({"pieces": ("11111",)}, "is no piece"),
        ({"views": ()}, "0 views do not fit 1 pieces"),
        ({"views": ((-114, -120),)}, "view is"),
        ({"views": ((-135, -89),)}, "view is"),
        ({"views": ((-135.5, -120),)}, "view is"),
        ({"names": "AB"}, "names is 'AB'"),
        ({"names": "a"}, "names is 'a'"),
        ({"width": 279}, "from 280 to 640 for 1 in a row"),
        ({"width": 641}, "from 280 to 640 for 1 in a row"),
    ],
)
def test_a_scene_checks_itself(fields, reason: str) -> None:
    good = {"pieces": (FULL,), "views": ((-135, -120),), "width": 400}
    assert JigsawPieces(**good)
    with pytest.raises(ValueError, match=reason):
        JigsawPieces(**(good | fields))
