"""Render a scene to pixels or PNG bytes, and hash its pixels.

Every module of `painters` that defines PAINTERS, a mapping from scene classes to functions that
draw them, is found automatically: a new kind of scene is a record and one module.

Painters draw in palette mode, since pictures are flat and have few colours. This module returns
RGB, so that every PNG reader gives arrays of colours. The hash of the decoded pixels identifies a
picture: PNG bytes may change with the version of zlib, pixels do not.
"""

from __future__ import annotations

import importlib
import pkgutil
import struct
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from facelet.renderers import painters as painters_folder
from facelet.renderers.pixel_hash import check_flat, pixel_hash
from facelet.renderers.scenes.records import Scene

Drawing = Image.Image
"""A drawn picture, for the signatures of callers that do not import Pillow."""

Painter = Callable[[Any], Drawing]

COMPRESS_LEVEL = 6
"""Of zlib. Level 9 takes five times the time and saves a tenth of the bytes."""
UP = 2
"""PNG filter that writes a line as its difference from the line above, mostly zeros here."""


@cache
def painters_by_scene() -> dict[type[Scene], Painter]:
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


def render_scene(scene: Scene) -> Image.Image:
    """Draw a scene.

    Equal scenes give equal pictures. Nothing is kept between calls: a caller that draws equal
    scenes often should keep the pictures.

    Returns:
        The picture, in mode RGB.

    Raises:
        ValueError: no module draws this class of scene; the message lists the classes drawn.
    """
    try:
        painter = painters_by_scene()[type(scene)]
    except KeyError:
        known = ", ".join(sorted(kind.__name__ for kind in painters_by_scene()))
        raise ValueError(
            f"no renderer draws {type(scene).__name__}; scenes that can be drawn: {known}"
        ) from None
    return painter(scene).convert("RGB")


def render_png(scene: Scene) -> tuple[bytes, str]:
    """Draw a scene; return its PNG bytes and the hash of its pixels."""
    image = render_scene(scene)
    return encode_png(image), pixel_hash(image)


def encode_png(image: Image.Image) -> bytes:
    """Return a picture as an RGB PNG of eight bits a channel, without metadata.

    Pillow tries five filters on each line of an RGB picture. One filter for all lines gives flat
    pictures the same size in half the time.

    Raises:
        ValueError: the picture has transparency or an unusual mode.
    """
    check_flat(image)
    pixels = np.asarray(image.convert("RGB")).reshape(image.height, -1)
    lines = np.empty((image.height, 1 + pixels.shape[1]), np.uint8)
    lines[:, 0] = UP
    lines[0, 1:] = pixels[0]
    np.subtract(pixels[1:], pixels[:-1], out=lines[1:, 1:])
    head = struct.pack(">IIBBBBB", *image.size, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.data, COMPRESS_LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
