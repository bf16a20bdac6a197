"""The door to all pictures: a scene in, pixels or PNG bytes and their hash out.

Every module of `painters` that defines PAINTERS, a mapping from scene classes to functions that
draw them, is found by itself: a new kind of scene is a record and one module.

Pictures are flat and have few colours, so they are drawn in palette mode and encoded with as few
bits a pixel as their colours need. What identifies a picture is the hash of its decoded pixels:
PNG bytes may change with the version of an encoder, pixels do not.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from facelet.renderers import painters as painters_folder
from facelet.renderers.scenes.records import Scene

Drawing = Image.Image
"""A drawn picture, for the signatures of callers that do not import Pillow."""

Painter = Callable[[Any], Drawing]

COMPRESS_LEVEL = 3
"""Of zlib. On flat pictures level 6 takes nearly twice the time and saves a tenth of the bytes."""
LETTERS_LEVEL = 6
"""Of zlib, for pictures with a letter on each piece, which have twice the bytes."""
OFTEN_LEVEL = 9
"""Of zlib, for pictures that many rows show: with dots, half of the bytes in ten times the time."""
STRIP = 128
"""Rows hashed at a time: few enough to stay in the processor's cache."""
FLAT_MODES = ("1", "L", "P", "RGB")
"""Pillow's modes without transparency, which a picture may have."""


@cache
def painters() -> dict[type[Scene], Painter]:
    """Return the functions that draw, by scene class.

    Raises:
        ValueError: two modules claim the same scene class.
    """
    found: dict[type[Scene], Painter] = {}
    for info in pkgutil.iter_modules(painters_folder.__path__, f"{painters_folder.__name__}."):
        module = importlib.import_module(info.name)
        for kind, painter in getattr(module, "PAINTERS", {}).items():
            if kind in found:
                raise ValueError(f"{info.name} draws {kind.__name__}, which has a painter already")
            found[kind] = painter
    return found


def render(scene: Scene) -> Image.Image:
    """Draw a scene.

    Equal scenes give equal pictures. Nothing is kept between calls: a caller that draws equal
    scenes often should keep the pictures.

    Returns:
        The picture, in mode P (flat colours) or RGB.

    Raises:
        ValueError: no module draws this class of scene; the message lists the classes drawn.
    """
    try:
        painter = painters()[type(scene)]
    except KeyError:
        known = ", ".join(sorted(kind.__name__ for kind in painters()))
        raise ValueError(
            f"no renderer draws {type(scene).__name__}; scenes that can be drawn: {known}"
        ) from None
    return painter(scene)


def render_png(scene: Scene) -> tuple[bytes, str]:
    """Draw a scene; return its PNG bytes and the hash of its pixels."""
    image = render(scene)
    level = LETTERS_LEVEL if getattr(scene, "letters", "") else COMPRESS_LEVEL
    level = OFTEN_LEVEL if scene.often else level
    return encode_png(image, level), pixel_hash(image)


def encode_png(image: Image.Image, level: int = COMPRESS_LEVEL) -> bytes:
    """Return a picture as PNG: no metadata, and in palette mode as few bits a pixel as will do.

    Args:
        image: the picture.
        level: of zlib, 0 to 9; the pixels are the same at each.

    Raises:
        ValueError: the picture has transparency or an unusual mode.
    """
    _demand_flat(image)
    if image.info:  # or Pillow would write it as metadata
        image = image.copy()
        image.info.clear()
    options: dict[str, Any] = {"compress_level": level}
    if image.mode == "P":
        last = np.asarray(image).max()  # a third of the time that Pillow takes to find it
        options["bits"] = next(bits for bits in (1, 2, 4, 8) if last < 1 << bits)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", **options)
    return buffer.getvalue()


def pixel_hash(image: Image.Image) -> str:
    """Return what identifies a picture: 64 hexadecimal digits over its size and its RGB pixels.

    It is SHA-256 of the ASCII text "rgb8 <width>x<height>" and a newline, then three bytes a
    pixel, row by row from the top left: the same for every mode, palette and encoder that decodes
    to these pixels.

    Raises:
        ValueError: the picture has transparency or an unusual mode.
    """
    _demand_flat(image)
    state = hashlib.sha256(f"rgb8 {image.width}x{image.height}\n".encode())
    for top in range(0, image.height, STRIP):
        strip = image.crop((0, top, image.width, min(top + STRIP, image.height)))
        state.update(strip.convert("RGB").tobytes())
    return state.hexdigest()


def pixel_hash_png(data: bytes) -> str:
    """Return pixel_hash of the picture that PNG bytes hold.

    Raises:
        ValueError: the bytes are no readable PNG, or it has transparency.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
            image.load()
    # Pillow reports broken chunks as SyntaxError, what is unreadable otherwise as OSError.
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"these {len(data)} bytes are no readable PNG: {error}") from error
    return pixel_hash(image)


def _demand_flat(image: Image.Image) -> None:
    """Raise ValueError if a picture has transparency, which has no single decoded colour."""
    if image.mode not in FLAT_MODES or "transparency" in image.info:
        raise ValueError(
            f"a picture of mode {image.mode} with {sorted(image.info)} is not flat; draw it in one "
            f"of the modes {', '.join(FLAT_MODES)}, without transparency"
        )
