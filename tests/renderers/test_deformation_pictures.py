"""Pictures of shapes and pairs of cube views: what is seen, told apart, and refused."""

from itertools import product

import numpy as np
import pytest

from facelet.generators.cube.engine.moves import apply_maneuver
from facelet.renderers.api import render_png, render_scene
from facelet.renderers.painters import cube_pairs, shapes
from facelet.renderers.scenes.cube import CubePairs
from facelet.renderers.scenes.shapes import PIECES, SHADES, ShapeSheet

SOLVED = "".join(face * 9 for face in "URFDLB")
LABELS = "".join(chr(33 + place) for place in range(54))
MIXED = apply_maneuver(SOLVED, ("R", "U", "F2", "l", "S", "x"))


def test_the_two_views_show_all_54_stickers_as_the_cube_is_held() -> None:
    assert sorted(cube_pairs.FRONT + cube_pairs.BACK) == list(range(54))
    turned = apply_maneuver(LABELS, ("x2", "y'"))
    for facelets, seen in ((cube_pairs.FRONT, LABELS), (cube_pairs.BACK, turned)):
        faces = seen[:9] + seen[18:27] + seen[9:18]
        assert "".join(LABELS[place] for place in facelets) == faces


@pytest.mark.parametrize("cell", [16, 26, 40])
def test_every_sticker_has_its_colour_in_the_picture(cell: int) -> None:
    scene = CubePairs((MIXED, SOLVED), ("A", "B"), cell=cell)
    image = np.asarray(render_scene(scene))
    size = cube_pairs.view_edge(cell)
    width = 2 * (size + 2 * cube_pairs.EDGE)
    for number, state in enumerate(scene.states):
        for side, facelets in enumerate((cube_pairs.FRONT, cube_pairs.BACK)):
            left = number * width + side * width // 2 + cube_pairs.EDGE
            for (row, column), facelet in zip(
                cube_pairs.sticker_middles(cell), facelets, strict=True
            ):
                seen = tuple(image[cube_pairs.STRIP + row, left + column].tolist())
                assert seen == scene.colours["URFDLB".index(state[facelet])]


def test_stickers_of_the_usual_size_are_24_pixels_wide_and_deep_and_edges_are_smooth() -> None:
    cell = CubePairs((SOLVED,), ("",)).cell
    size = cube_pairs.view_edge(cell)
    codes = np.frombuffer(cube_pairs.view_pattern(cell), np.uint8).reshape(size, size)
    for sticker in range(27):
        rows, columns = np.nonzero(codes == cube_pairs.FIRST + cube_pairs.SHADES * sticker)
        assert np.ptp(rows) + 1 >= 24 and np.ptp(columns) + 1 >= 24 and len(rows) >= 24 * 24
    shades = (codes % cube_pairs.SHADES > 0) & (codes >= cube_pairs.SHADES)
    assert 0.02 < shades.mean() < 0.2


def test_cubes_that_differ_in_one_sticker_differ_in_the_picture() -> None:
    seen = {np.asarray(render_scene(CubePairs((SOLVED,), ("",)))).tobytes()}
    for place in range(54):
        other = "R" if SOLVED[place] == "U" else "U"
        changed = SOLVED[:place] + other + SOLVED[place + 1 :]
        seen.add(np.asarray(render_scene(CubePairs((changed,), ("",)))).tobytes())
    assert len(seen) == 55


@pytest.mark.parametrize(("lower", "upper"), list(product(PIECES, PIECES)))
def test_of_every_piece_a_part_stays_in_sight(lower: str, upper: str) -> None:
    for layer in range(3):
        above = (upper,) * (3 - layer)
        assert shapes.visible_mask(lower, layer, above, 92).sum() >= 20, (layer, above)


def test_pieces_colours_and_quadrants_are_told_apart() -> None:
    codes = ["--" * place + kind + shade + "--" * (3 - place)
             for place in range(4) for kind in PIECES for shade in SHADES]  # fmt: skip
    for letters in (False, True):
        seen = {
            np.asarray(render_scene(ShapeSheet((c,), ("",), letters=letters))).tobytes()
            for c in codes
        }
        assert len(seen) == len(codes) == 160


def test_a_turned_code_draws_as_the_turned_picture() -> None:
    one = np.asarray(render_scene(ShapeSheet(("CrRgWbSy:--FuWp--",), ("",))))
    other = np.asarray(render_scene(ShapeSheet(("SyCrRgWb:----FuWp",), ("",))))
    assert (np.rot90(one, -1) != other).mean() < 0.002


def test_layers_are_countable() -> None:
    seen = {np.asarray(render_scene(ShapeSheet((":".join(["CrCrCrCr"] * n),), ("",)))).tobytes()
            for n in range(1, 5)}  # fmt: skip
    assert len(seen) == 4


def test_pictures_are_small() -> None:
    rng = np.random.default_rng(0)

    def random_layer() -> str:
        return "".join(
            PIECES[rng.integers(5)] + SHADES[rng.integers(8)] if rng.integers(4) else "--"
            for _ in range(4)
        )

    flat, tall = [], []
    for _ in range(20):
        flat.append(sum(len(render_png(ShapeSheet(tuple(random_layer() for _ in range(n)), ("A",) * n))[0])  # noqa: E501
                        for n in (1, 4)))  # fmt: skip
        codes = tuple(":".join(random_layer() for _ in range(1 + k % 3)) for k in range(4))
        tall.append(sum(len(render_png(ShapeSheet(codes[:n], ("A",) * n, cell=184))[0])
                        for n in (1, 4)))  # fmt: skip
    pairs = sum(len(render_png(CubePairs((MIXED,) * n, ("A",) * n))[0]) for n in (1, 4))
    assert max(np.mean(flat), np.mean(tall)) < 13_500 and pairs < 22_000


@pytest.mark.parametrize(
    ("codes", "labels", "more"),
    [
        ((), (), {}),
        (("Cr------",), ("A", "B"), {}),
        (("Cr-----",), ("",), {}),
        (("Xr------",), ("",), {}),
        (("Cr------:" * 4 + "Cr------",), ("",), {}),
        (("Cr------",), ("\n",), {}),
        (("Cr------",), ("",), {"columns": 0}),
        (("Cr------",), ("",), {"cell": 20}),
    ],
)
def test_shapes_that_cannot_be_drawn_are_refused(
    codes: tuple[str, ...], labels: tuple[str, ...], more: dict[str, int]
) -> None:
    with pytest.raises(ValueError, match=r"give|allowed|printable"):
        ShapeSheet(codes, labels, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "more",
    [{"states": ()}, {"labels": ("", "")}, {"states": ("U" * 53,)}, {"cell": 17}, {"cell": 12},
     {"cell": 130}, {"columns": 0}, {"letters": "abc"}, {"letters": "aabbcc"},
     {"labels": ("x" * 25,)}],
)  # fmt: skip
def test_cubes_that_cannot_be_drawn_are_refused(more: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"give|allowed|printable"):
        CubePairs(**({"states": (SOLVED,), "labels": ("",)} | more))  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_regions_are_where_the_labelled_parts_are_drawn(columns: int) -> None:
    codes = ["CrCrCrCr", "RgRgRgRg", "WbWbWbWb", "FyFyFyFy"]
    states = [SOLVED, MIXED, SOLVED, MIXED]
    for make, parts, other in (
        (lambda p: ShapeSheet(tuple(p), tuple("ABCD"), columns=columns), codes, "SpSpSpSp"),
        (
            lambda p: CubePairs(tuple(p), tuple("ABCD"), columns=columns, cell=16),
            states,
            apply_maneuver(MIXED, ("F", "R")),
        ),
    ):
        whole = make(parts)
        before = np.asarray(render_scene(whole))
        height, width = before.shape[:2]
        for number, (label, region) in enumerate(whole.label_regions().items()):
            assert label == "ABCD"[number]
            changed = [*parts[:number], other, *parts[number + 1 :]]
            after = np.asarray(render_scene(make(changed)))
            rows, places = np.nonzero((before != after).any(axis=2))
            left, top, wide, high = region
            assert len(rows)
            assert top * height <= rows.min() and rows.max() < (top + high) * height
            assert left * width <= places.min() and places.max() < (left + wide) * width
    assert ShapeSheet(("CrCrCrCr",), ("",)).label_regions() == {}
