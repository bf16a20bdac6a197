"""Render a picture in a terminal: two pixels per character, as coloured half blocks.

Each character is U+2580 with the upper pixel's colour in front and the lower one's behind, in
24-bit colours (ISO 8613-6: SGR 38;2;r;g;b and 48;2;r;g;b). Characters of a terminal are about twice
as high as wide, so pixels are square.
"""

from __future__ import annotations

from PIL import Image

_BLOCK = "\u2580"
_RESET = "\x1b[0m"


def image_to_blocks(image: Image.Image, columns: int) -> str:
    """Return a picture as lines of half blocks, each line ended by a reset of the colours.

    Args:
        image: any picture without transparency.
        columns: the most characters in a line; a wider picture is shrunk, with colours averaged,
            and a narrower one is left at its size.

    Raises:
        ValueError: there is not a single column.
    """
    if columns < 1:
        raise ValueError(f"columns={columns} is out of range; use a whole number of at least 1")
    width = min(columns, image.width)
    lines = max(1, round(image.height * width / image.width / 2))
    small = image.convert("RGB").resize((width, 2 * lines), Image.Resampling.BOX)
    data = small.tobytes()
    row = 3 * width
    return "\n".join(
        _block_line(data[top : top + row], data[top + row : top + 2 * row])
        for top in range(0, len(data), 2 * row)
    )


def _block_line(upper: bytes, lower: bytes) -> str:
    """Return one line of characters from two rows of RGB bytes; equal colours are set once."""
    parts: list[str] = []
    before: tuple[bytes, bytes] | None = None
    for place in range(0, len(upper), 3):
        pair = upper[place : place + 3], lower[place : place + 3]
        if pair != before:
            front, behind = (";".join(map(str, colour)) for colour in pair)
            parts.append(f"\x1b[38;2;{front};48;2;{behind}m")
            before = pair
        parts.append(_BLOCK)
    return "".join(parts) + _RESET
