"""Half blocks: every colour stands where its pixel stood, and nothing is wider than asked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from facelet.renderers.api import render_scene
from facelet.renderers.scenes.records import CubeNet
from facelet.renderers.terminal_pictures import image_to_blocks

CELL = re.compile(r"(?:\x1b\[38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+)m)?(\u2580+)")


def terminal_picture(text: str) -> Image.Image:
    """Return the picture that a terminal would show."""
    rows = []
    for line in text.split("\n"):
        body = line.removesuffix("\x1b[0m")
        assert body != line, "colours end with the line"
        upper, lower = [], []
        end = 0
        for cell in CELL.finditer(body):
            assert cell.start() == end
            end = cell.end()
            numbers = [int(number) for number in cell.groups()[:6]]
            upper += [tuple(numbers[:3])] * len(cell[7])
            lower += [tuple(numbers[3:])] * len(cell[7])
        assert end == len(body)
        rows += [upper, lower]
    assert len({len(row) for row in rows}) == 1
    image = Image.new("RGB", (len(rows[0]), len(rows)))
    image.putdata([pixel for row in rows for pixel in row])
    return image


@given(
    width=st.integers(1, 9),
    half=st.integers(1, 5),
    seed=st.binary(min_size=270, max_size=270),
)
def test_a_picture_that_fits_is_shown_pixel_by_pixel(width: int, half: int, seed: bytes) -> None:
    image = Image.frombytes("RGB", (width, 2 * half), seed[: 6 * width * half])
    assert terminal_picture(image_to_blocks(image, 9)).tobytes() == image.tobytes()


@given(width=st.integers(1, 300), height=st.integers(1, 300), columns=st.integers(1, 120))
def test_size_is_bounded_and_keeps_its_shape(width: int, height: int, columns: int) -> None:
    shown = terminal_picture(image_to_blocks(Image.new("L", (width, height), 200), columns))
    assert shown.width == min(width, columns)
    assert abs(shown.height - height * shown.width / width) <= 2
    assert shown.getcolors() == [(shown.width * shown.height, (200, 200, 200))]


def test_flat_colours_survive_shrinking() -> None:
    image = render_scene(CubeNet("".join(face * 9 for face in "URFDLB")))
    shown = terminal_picture(image_to_blocks(image, 60))
    most = {colour for count, colour in shown.getcolors(10_000) if count > 20}
    assert {colour for _, colour in image.getcolors() if _ > 4000} <= most


def test_a_column_is_needed() -> None:
    with pytest.raises(ValueError, match="columns=0 is out of range"):
        image_to_blocks(Image.new("L", (1, 1)), 0)
