"""The door to pictures: dispatch, PNG bytes without surplus, and hashes of pixels alone."""

from __future__ import annotations

import hashlib
import importlib
import io
import os
import pkgutil
import struct
import subprocess
import sys
import zlib
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from painting import paint
from PIL import Image, PngImagePlugin

from facelet.renderers import scenes
from facelet.renderers.api import encode_png, painters_by_scene, render_png, render_scene
from facelet.renderers.pixel_hash import pixel_hash, pixel_hash_png
from facelet.renderers.scenes.records import CubeNet, Scene

NET = CubeNet("URFDLB" * 9, hidden=(0, 7), brightness=0.8)


def png_chunks(data: bytes) -> dict[str, bytes]:
    """The chunks of a PNG by type, merged."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found: dict[str, bytes] = {}
    start = 8
    while start < len(data):
        length, kind = struct.unpack(">I4s", data[start : start + 8])
        body = data[start + 8 : start + 8 + length]
        found[kind.decode()] = found.get(kind.decode(), b"") + body
        start += 12 + length
    return found


def make_paletted(colours: int, size: tuple[int, int] = (9, 30)) -> Image.Image:
    """A picture in mode P that shows each of its colours."""
    indices = (np.arange(size[0] * size[1]) % colours).astype(np.uint8)
    image = Image.frombytes("P", size, indices.tobytes())
    image.putpalette([level for c in range(colours) for level in (c, 255 - c, c * 7 % 256)])
    return image


def test_every_scene_has_a_painter() -> None:
    kinds = {
        kind
        for module in pkgutil.iter_modules(scenes.__path__, f"{scenes.__name__}.")
        for kind in vars(importlib.import_module(module.name)).values()
        if isinstance(kind, type) and issubclass(kind, Scene) and kind is not Scene
    }
    assert kinds == set(painters_by_scene())


def test_an_unknown_scene_is_named_with_those_that_can_be_drawn() -> None:
    @dataclass(frozen=True, slots=True)
    class Sunset(Scene):
        pass

    with pytest.raises(ValueError, match=r"no renderer draws Sunset.*CubeNet"):
        render_scene(Sunset())


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
@pytest.mark.parametrize("size", [(1, 1), (9, 30), (300, 2)])
def test_pictures_of_any_flat_mode_are_encoded_in_rgb(mode: str, size: tuple[int, int]) -> None:
    image = make_paletted(17, size) if mode == "P" else make_paletted(17, size).convert(mode)
    with Image.open(io.BytesIO(encode_png(image))) as decoded:
        assert (decoded.mode, decoded.size) == ("RGB", size)
        assert decoded.tobytes() == image.convert("RGB").tobytes()


def test_a_drawn_picture_is_an_array_of_colours() -> None:
    assert np.asarray(render_scene(NET)).shape == (*render_scene(NET).size[::-1], 3)


def test_png_holds_pixels_and_nothing_else() -> None:
    image = render_scene(NET)
    image.info.update(dpi=(300, 300), icc_profile=b"profile")
    for picture in (image, paint(NET), image.convert("L")):
        assert set(png_chunks(encode_png(picture))) == {"IHDR", "IDAT", "IEND"}
    assert "dpi" in image.info, "the caller's picture is left as it was"


def test_render_png_gives_the_bytes_and_the_hash_of_the_same_picture() -> None:
    data, digest = render_png(NET)
    assert data == encode_png(render_scene(NET))
    assert digest == pixel_hash(render_scene(NET)) == pixel_hash_png(data)


def test_the_hash_is_sha256_of_size_and_rgb_bytes() -> None:
    image = Image.new("RGB", (3, 2), (1, 2, 3))
    assert pixel_hash(image) == hashlib.sha256(b"rgb8 3x2\n" + bytes([1, 2, 3] * 6)).hexdigest()


def test_the_hash_knows_no_mode_palette_encoder_or_metadata() -> None:
    image = paint(NET)
    entries = len(image.getpalette() or ()) // 3
    reordered = image.remap_palette(list(reversed(range(entries))))
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "elsewhere")
    other = io.BytesIO()
    image.convert("RGB").save(other, "PNG", compress_level=1, pnginfo=text)
    digests = {
        pixel_hash(image),
        pixel_hash(image.convert("RGB")),
        pixel_hash(reordered),
        pixel_hash_png(other.getvalue()),
    }
    assert reordered.tobytes() != image.tobytes() and len(digests) == 1
    black = Image.new("1", (4, 4))
    assert pixel_hash(black) == pixel_hash(black.convert("L")) == pixel_hash(black.convert("RGB"))


@given(st.integers(0, 543), st.integers(0, 400))
def test_the_hash_sees_one_level_of_one_pixel(x: int, y: int) -> None:
    image = render_scene(NET)
    before = pixel_hash(image)
    colour = image.getpixel((x, y))
    assert isinstance(colour, tuple)
    image.putpixel((x, y), (*colour[:2], colour[2] ^ 1))
    assert pixel_hash(image) != before


def test_the_hash_sees_the_shape() -> None:
    assert pixel_hash(Image.new("RGB", (2, 3))) != pixel_hash(Image.new("RGB", (3, 2)))


def test_refuses_transparency() -> None:
    see_through = make_paletted(4)
    see_through.info["transparency"] = 0
    for image in (Image.new("RGBA", (2, 2)), Image.new("I;16", (2, 2)), see_through):
        with pytest.raises(ValueError, match="not flat"):
            encode_png(image)
        with pytest.raises(ValueError, match="not flat"):
            pixel_hash(image)


@pytest.mark.parametrize("cut", [0, 7, 40, -30])
def test_refuses_broken_bytes(cut: int) -> None:
    data, _ = render_png(NET)
    with pytest.raises(ValueError, match="no readable PNG"):
        pixel_hash_png(data[:cut])


def test_refuses_bytes_with_a_flipped_bit() -> None:
    data = bytearray(render_png(NET)[0])
    data[data.index(b"IDAT") + 5] ^= 1
    with pytest.raises(ValueError, match="no readable PNG"):
        pixel_hash_png(bytes(data))


def test_pictures_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from facelet.renderers.api import render_png\n"
        "from facelet.renderers.scenes.records import CubeNet\n"
        "data, digest = render_png(CubeNet('URFDLB' * 9, hidden=(0, 7), brightness=0.8))\n"
        "print(digest, data.hex())"
    )
    data, digest = render_png(NET)
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.split() == [digest, data.hex()]


def test_a_picture_that_would_take_gigabytes_is_unreadable() -> None:
    def png_chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    parts = (
        png_chunk(b"IHDR", header),
        png_chunk(b"IDAT", zlib.compress(b"")),
        png_chunk(b"IEND", b""),
    )
    with pytest.raises(ValueError, match="no readable PNG"):
        pixel_hash_png(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
