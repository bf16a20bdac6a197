"""The labelled net: all 54 stickers, hidden ones and names are read back from the PNG's pixels."""

from __future__ import annotations

import io
import random

import magiccube
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from painting import paint
from PIL import Image

from facelet.generators.cube.engine.facelet_codecs import CODECS, SCHEMES, encode_facelets
from facelet.generators.cube.engine.moves import apply_maneuver
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.engine.sticker_geometry import STICKERS
from facelet.renderers.api import render_png, render_scene
from facelet.renderers.painters import glyphs
from facelet.renderers.painters.cube_net import Box, net_pattern
from facelet.renderers.scenes.palettes import draw_palette
from facelet.renderers.scenes.records import (
    CUBE_BENCH,
    FACES,
    FRAME,
    HATCH,
    LAYOUTS,
    WHITE,
    CubeNet,
    Layout,
    dim_colour,
)

Pixels = npt.NDArray[np.uint8]
NAMES = {"U": "Up", "L": "Left", "F": "Front", "R": "Right", "B": "Back", "D": "Down"}
WESTERN = ("white", "red", "green", "yellow", "orange", "blue")
MIXED = "UFRLDBFRULBURFDLBDRUFLDBRFUDLBFRUDRFBLUDFRBLUDFRLBUDFR"
assert len(MIXED) == 54


def render_pixels(scene: CubeNet) -> Pixels:
    """Encode, decode, and return (height, width, 3)."""
    data, _ = render_png(scene)
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)


def sticker_boxes(scene: CubeNet) -> tuple[Box, ...]:
    return net_pattern(scene.labels, scene.cell, scene.layout).boxes


def label_boxes(scene: CubeNet) -> dict[str, Box]:
    return dict(net_pattern(scene.labels, scene.cell, scene.layout).bars)


def read_stickers(picture: Pixels, scene: CubeNet) -> tuple[str, tuple[int, ...]]:
    """Read all stickers: the letters, with "?" for a striped one, and the indices of those."""
    letters = {
        dim_colour(colour, scene.brightness): face
        for face, colour in zip(FACES, scene.colours, strict=True)
    }
    stripes = {dim_colour(grey, scene.brightness) for grey in HATCH}
    found = ""
    for left, top, right, bottom in sticker_boxes(scene):
        shades = {tuple(shade) for shade in picture[top:bottom, left:right].reshape(-1, 3).tolist()}
        if shades == stripes:
            found += "?"
            continue
        assert len(shades) == 1, "a sticker is one flat colour"
        centre = picture[(top + bottom) // 2, (left + right) // 2]
        found += letters[tuple(centre.tolist())]
    return found, tuple(index for index, letter in enumerate(found) if letter == "?")


scenes = st.builds(
    lambda facelets, hidden, brightness, seed, labels, cell, layout: CubeNet(
        facelets,
        colours=draw_palette(np.random.default_rng(seed), WESTERN) if seed else CUBE_BENCH,
        hidden=tuple(sorted(hidden)),
        brightness=brightness,
        labels=labels,
        cell=cell,
        layout=layout,
    ),
    st.text(FACES, min_size=54, max_size=54),
    st.frozensets(st.integers(0, 53), max_size=54),
    st.floats(0.55, 1.0),
    st.integers(0, 1000),
    st.booleans(),
    st.integers(16, 64),
    st.sampled_from(LAYOUTS),
)


@given(scenes)
@settings(max_examples=60, deadline=None)
def test_every_sticker_is_read_back(scene: CubeNet) -> None:
    found, hidden = read_stickers(render_pixels(scene), scene)
    covered = "".join("?" if i in scene.hidden else s for i, s in enumerate(scene.facelets))
    assert (found, hidden) == (covered, scene.hidden)


@pytest.mark.parametrize("seed", range(5))
def test_the_net_unfolds_as_an_independent_package_prints_it(seed: int) -> None:
    moves = [f + t for f in FACES for t in ("", "2", "'")]
    cube = magiccube.Cube(3)
    cube.rotate(" ".join(random.Random(seed).choices(moves, k=25)))
    printed = [" ".join(line[start : start + 3].strip() or "." for start in range(0, 36, 3))
               for line in str(cube).splitlines()[:9]]  # fmt: skip

    scene = CubeNet(cube.get_kociemba_facelet_positions())
    picture = render_pixels(scene)
    initials = dict(zip(scene.colours, "WRGYOB", strict=True))
    boxes = sticker_boxes(scene)
    columns = sorted({left for left, _, _, _ in boxes})
    rows = sorted({top for _, top, _, _ in boxes})
    assert (len(rows), len(columns)) == (9, 12)
    seen = [["."] * 12 for _ in rows]
    for left, top, right, bottom in boxes:
        shade = tuple(picture[(top + bottom) // 2, (left + right) // 2].tolist())
        seen[rows.index(top)][columns.index(left)] = initials[shade]
    assert [" ".join(row) for row in seen] == printed


@pytest.mark.parametrize(
    ("layout", "seams"),
    [("cross", {"UF", "LF", "FR", "RB", "FD"}), ("tower", {"UF", "LF", "FR", "FD", "DB"})],
)
def test_stickers_that_meet_in_the_net_are_on_one_cubie(layout: Layout, seams: set[str]) -> None:
    scene = CubeNet(MIXED, labels=False, cell=20, layout=layout)
    boxes = sticker_boxes(scene)
    columns = sorted({left for left, _, _, _ in boxes})
    rows = sorted({top for _, top, _, _ in boxes})
    at = {(rows.index(top), columns.index(left)): i for i, (left, top, _, _) in enumerate(boxes)}
    assert len(at) == 54
    met: list[str] = []
    for (row, column), here in at.items():
        for beside in ((row + 1, column), (row, column + 1)):
            there = at.get(beside, here)
            if here // 9 != there // 9:
                met.append(FACES[here // 9] + FACES[there // 9])
                assert STICKERS[here].position == STICKERS[there].position
    assert sorted(met) == sorted(3 * list(seams))


def test_the_tower_reads_as_the_cubebench_text() -> None:
    # Panel by panel, row by row, the picture says what the symbolic observation says.
    codec = CODECS["fblrud"]
    state = apply_maneuver(SOLVED, "R U2 F' L D B2 R' U F D' L2 B U'")
    scene = CubeNet(state, SCHEMES["cubebench"].rgb, layout="tower", background=(50, 50, 50))
    picture = render_pixels(scene)
    letters = dict(zip(scene.colours, codec.letters, strict=True))
    boxes = sticker_boxes(scene)
    said = ""
    for face in codec.face_order:
        start = 9 * FACES.index(face)
        panel = sorted(boxes[start : start + 9], key=lambda box: (box[1], box[0]))
        said += "".join(letters[tuple(picture[top, left].tolist())] for left, top, _, _ in panel)
    assert said == encode_facelets(state, codec)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cell", [16, 17, 24, 33, 40, 64, 128])
def test_each_face_carries_its_own_name_and_nothing_else(cell: int, layout: Layout) -> None:
    scene = CubeNet(MIXED, cell=cell, layout=layout)
    picture = render_pixels(scene)
    boxes, bars = sticker_boxes(scene), label_boxes(scene)
    assert set(bars) == set(FACES)
    for place, face in enumerate(FACES):
        left, top, right, bottom = bars[face]
        own = boxes[9 * place : 9 * place + 9]
        # The bar sits on its own face, as wide as it and flush with its stickers,
        assert bottom == min(box[1] for box in own)
        assert left < own[0][0] and own[2][2] < right
        # background lies between it and whatever is above, left and right of it,
        around = picture[top - 1, left - 1 : right + 1], picture[top:bottom, [left - 1, right]]
        assert all((strip == WHITE).all() for strip in around)
        # and it reads the face's name, white on black, in whole glyphs.
        ink = picture[top:bottom, left:right, 0].astype(int) * glyphs.LEVELS // 255
        ink = ink[np.ix_(ink.any(axis=1), ink.any(axis=0))]
        names = {
            name
            for name in NAMES.values()
            for size in glyphs.SIZES
            if np.array_equal(ink, _crop_ink(glyphs.render_line(name, size)))
        }
        assert names == {NAMES[face]}


def _crop_ink(coverage: Pixels) -> Pixels:
    """Drop the rows and columns without ink at the edges, and those between, as above."""
    return coverage[np.ix_(coverage.any(axis=1), coverage.any(axis=0))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_labels_cover_no_sticker_and_no_two_boxes_touch(layout: Layout) -> None:
    scene = CubeNet(MIXED, layout=layout)
    width, height = render_scene(scene).size
    taken = np.zeros((height, width), int)
    for left, top, right, bottom in (*sticker_boxes(scene), *label_boxes(scene).values()):
        assert right > left and bottom > top
        taken[top:bottom, left:right] += 1
    assert taken.max() == 1
    assert not taken[[0, -1]].any() and not taken[:, [0, -1]].any()


def test_without_labels_there_is_no_text() -> None:
    scene = CubeNet("U" * 54, labels=False, colours=((9, 99, 199), *CUBE_BENCH[1:]))
    assert label_boxes(scene) == {}
    shades = {tuple(shade) for shade in render_pixels(scene).reshape(-1, 3).tolist()}
    assert shades == {FRAME, WHITE, (9, 99, 199)}


def test_hidden_stickers_look_alike_whatever_they_hide() -> None:
    picture = render_pixels(CubeNet(MIXED, hidden=tuple(range(54))))
    assert np.array_equal(picture, render_pixels(CubeNet(MIXED[::-1], hidden=tuple(range(54)))))
    patches = {
        picture[top:bottom, left:right].tobytes()
        for left, top, right, bottom in sticker_boxes(CubeNet(MIXED))
    }
    assert len(patches) == 1


def test_dimming_scales_every_pixel_and_moves_none() -> None:
    bright, dim = render_pixels(CubeNet(MIXED)), render_pixels(CubeNet(MIXED, brightness=0.6))
    assert np.array_equal(dim, np.floor(bright * 0.6 + 0.5).astype(np.uint8))


def test_the_background_is_the_scenes() -> None:
    picture = render_pixels(CubeNet(MIXED, background=(40, 60, 80), brightness=0.5))
    assert picture[0, 0].tolist() == picture[-1, -1].tolist() == [20, 30, 40]


@given(scenes)
@settings(max_examples=30, deadline=None)
def test_the_palette_is_exactly_what_is_seen_and_fits_four_bits(scene: CubeNet) -> None:
    image = paint(scene)
    used = image.getcolors()
    palette = np.array(image.getpalette()).reshape(-1, 3)
    assert image.mode == "P" and used is not None
    assert sorted(index for _, index in used) == list(range(len(palette)))
    assert len(np.unique(palette, axis=0)) == len(palette) <= 16


def test_a_default_net_stays_under_the_size_budget() -> None:
    shuffled = random.Random(0)
    for hidden in ((), (0, 13, 22, 31, 53), tuple(range(0, 54, 2))):
        for _ in range(20):
            facelets = "".join(shuffled.sample(FACES * 9, 54))
            data, _ = render_png(CubeNet(facelets, hidden=hidden))
            assert len(data) < 7_500
