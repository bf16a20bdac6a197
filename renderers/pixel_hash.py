"""Hash the decoded pixels of a picture, and read them from PNG bytes.

The hash identifies a picture: PNG bytes may change with the version of zlib, pixels do not.
Nothing here draws, so code that only checks pictures loads no painter.
"""

from __future__ import annotations

import hashlib
import io

from PIL import Image

STRIP = 128
"""Rows hashed at a time: few enough to stay in the processor's cache."""
FLAT_MODES = ("1", "L", "P", "RGB")
"""Pillow's modes without transparency, which a picture may have."""


def pixel_hash(image: Image.Image) -> str:
    """Return what identifies a picture: 64 hexadecimal digits over its size and its RGB pixels.

    It is SHA-256 of the ASCII text "rgb8 <width>x<height>" and a newline, then three bytes a
    pixel, row by row from the top left: the same for every mode, palette and encoder that decodes
    to these pixels.

    Raises:
        ValueError: the picture has transparency or an unusual mode.
    """
    check_flat(image)
    state = hashlib.sha256(f"rgb8 {image.width}x{image.height}\n".encode())
    for top in range(0, image.height, STRIP):
        strip = image.crop((0, top, image.width, min(top + STRIP, image.height)))
        state.update(strip.convert("RGB").tobytes())
    return state.hexdigest()


def pixel_hash_png(data: bytes) -> str:
    """Return the pixel_hash of a PNG file.

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


def check_flat(image: Image.Image) -> None:
    """Raise ValueError if a picture has transparency, which has no single decoded colour."""
    if image.mode not in FLAT_MODES or "transparency" in image.info:
        raise ValueError(
            f"a picture of mode {image.mode} with {sorted(image.info)} is not flat; draw it in one "
            f"of the modes {', '.join(FLAT_MODES)}, without transparency"
        )
