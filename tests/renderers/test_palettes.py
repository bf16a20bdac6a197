"""Every shade that a picture can show is nearest, in CIE Lab, to the colour it is named after."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from facelet.renderers.scenes.palettes import SHADES, draw_palette
from facelet.renderers.scenes.records import CUBE_BENCH, SAFE_BRIGHTNESS, CubeNet, dim_colour

NAMED = {
    "white": (255, 255, 255),
    "yellow": (255, 255, 0),
    "red": (255, 0, 0),
    "orange": (255, 128, 0),
    "blue": (0, 0, 255),
    "green": (0, 255, 0),
}
"""The shades of Cube Bench, appendix B.1."""
ORDER = list(NAMED)
WESTERN = ("White", "Red", "Green", "Yellow", "Orange", "Blue")


def rgb_to_lab(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """sRGB levels (..., 3) to CIE Lab under D65."""
    level = np.asarray(rgb, float) / 255
    linear = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = linear @ to_xyz.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


REFERENCE = rgb_to_lab(list(NAMED.values()))


def shade_distances(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Distance of each shade (n, 3) to each of the six named shades: (n, 6)."""
    apart = rgb_to_lab(rgb)[:, None] - REFERENCE
    return np.asarray(np.linalg.norm(apart, axis=-1))


def list_shades(name: str) -> npt.NDArray[np.int64]:
    """All RGB triples of a name's box, (n, 3)."""
    axes = [np.arange(low, high + 1) for low, high in SHADES[name]]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def test_lab_agrees_with_published_values() -> None:
    published = {
        "white": (100.0, 0.0, 0.0),
        "yellow": (97.14, -21.55, 94.48),
        "red": (53.24, 80.09, 67.20),
        "blue": (32.30, 79.19, -107.86),
        "green": (87.73, -86.18, 83.18),
    }
    for name, values in published.items():
        assert rgb_to_lab(NAMED[name]) == pytest.approx(values, abs=0.05)


@pytest.mark.parametrize("name", ORDER)
def test_every_shade_is_nearest_to_its_own_name(name: str) -> None:
    apart = shade_distances(list_shades(name))
    own = apart[:, ORDER.index(name)]
    other = np.delete(apart, ORDER.index(name), axis=1).min(axis=1)
    assert (own * 1.25 < other).all(), f"worst ratio {(own / other).max():.2f}"


def test_shades_of_different_names_are_far_apart() -> None:
    clouds = {name: rgb_to_lab(list_shades(name)) for name in ORDER}
    trees = {name: cKDTree(cloud) for name, cloud in clouds.items()}
    for one, other in combinations(ORDER, 2):
        small, large = sorted((one, other), key=lambda name: len(clouds[name]))
        found, _ = trees[large].query(clouds[small], distance_upper_bound=25)
        assert np.isinf(found).all(), f"{one} and {other} come within {found.min():.1f}"


def test_boxes_hold_no_shade_but_their_own() -> None:
    for one, other in combinations(ORDER, 2):
        overlap = all(
            low <= top and bottom <= high
            for (low, high), (bottom, top) in zip(SHADES[one], SHADES[other], strict=True)
        )
        assert not overlap


@given(st.integers(0, 2**32), st.permutations(WESTERN))
def test_drawn_palettes_keep_their_names_and_can_be_drawn(seed: int, names: list[str]) -> None:
    palette = draw_palette(np.random.default_rng(seed), names)
    nearest = shade_distances(palette).argmin(axis=1)
    assert [ORDER[index] for index in nearest] == [name.lower() for name in names]
    assert all(type(level) is int for colour in palette for level in colour)
    assert CubeNet("URFDLB" * 9, colours=palette).colours == palette


def test_the_shade_of_a_name_does_not_depend_on_the_scheme() -> None:
    drawn = {
        frozenset(zip(names, draw_palette(np.random.default_rng(7), names), strict=True))
        for names in list(permutations(WESTERN))[::97]
    }
    assert len(drawn) == 1


def test_palettes_vary() -> None:
    rng = np.random.default_rng(0)
    palettes = np.array([draw_palette(rng, WESTERN) for _ in range(2000)])
    for face, name in enumerate(WESTERN):
        low, high = np.array(SHADES[name.lower()]).T
        assert (palettes[:, face].min(axis=0) == low).all()
        assert (palettes[:, face].max(axis=0) == high).all()


@pytest.mark.parametrize("names", [WESTERN[:5], (*WESTERN[:5], "White"), (*WESTERN[:5], "Pink")])
def test_refuses_other_names(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="give each of"):
        draw_palette(np.random.default_rng(0), names)


def test_the_default_palette_is_the_western_scheme_of_the_named_shades() -> None:
    assert tuple(NAMED[name.lower()] for name in WESTERN) == CUBE_BENCH


def test_safe_brightness_keeps_names_and_just_below_does_not_much_longer() -> None:
    low, high = SAFE_BRIGHTNESS
    assert high == 1.0
    for step in np.linspace(low, high, 91):
        shades = [dim_colour(colour, float(step)) for colour in NAMED.values()]
        assert (shade_distances(shades).argmin(axis=1) == np.arange(6)).all(), step
    dark = [dim_colour(colour, low - 0.1) for colour in NAMED.values()]
    assert (shade_distances(dark).argmin(axis=1) != np.arange(6)).any()
