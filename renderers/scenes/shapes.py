"""Scenes of shapes: pieces in four quadrants and up to four layers, one shape or several."""

from __future__ import annotations

from dataclasses import dataclass

from facelet.renderers.scenes.records import (
    Region,
    Scene,
    check_pixels,
    check_sheet,
    equal_regions,
)

PIECES = "CRWFS"
"""Circle, rectangle, windmill, fan, star."""
SHADES = "rgbypcuw"
"""Red, green, blue, yellow, purple, cyan, uncolored (grey), white."""
LAYERS = 4
CELLS = (64, 256)


@dataclass(frozen=True, slots=True)
class ShapeSheet(Scene):
    """Some shapes, each seen from above, in rows.

    Attributes:
        codes: codes of the shapes: layers from the lowest, joined by colons, each of four quadrants
            clockwise from the top right, a quadrant a type and a colour or "--".
        labels: what stands in the upper left corner of each cell: printable ASCII, at most 24
            characters; "" for nothing.
        letters: whether each piece carries the letter of its colour.
        columns: number of shapes in a row.
        cell: edge length of a shape's cell in pixels; 64 to 256.

    Raises:
        ValueError: a field is out of its range.
    """

    codes: tuple[str, ...]
    labels: tuple[str, ...]
    letters: bool = False
    columns: int = 2
    cell: int = 168

    def __post_init__(self) -> None:
        check_sheet("shapes", self.codes, self.labels, self.columns)
        for code in self.codes:
            check_code(code)
        check_pixels("cell", self.cell, CELLS)

    def label_regions(self) -> dict[str, Region]:
        """Return the region of each labelled shape, its label included."""
        return equal_regions(self.labels, self.columns)


def check_code(code: str) -> None:
    """Raise ValueError unless this is the code of a shape."""
    layers = code.split(":")
    for layer in layers:
        pairs = [layer[place : place + 2] for place in range(0, len(layer), 2)]
        if len(pairs) != 4 or not all(
            pair == "--" or (len(pair) == 2 and pair[0] in PIECES and pair[1] in SHADES)
            for pair in pairs
        ):
            raise ValueError(
                f"{layer!r} of {code!r:.80} is no layer; give four quadrants, each a type of "
                f"{PIECES} and a colour of {SHADES}, or --"
            )
    if len(layers) > LAYERS:
        raise ValueError(f"{code!r:.80} has {len(layers)} layers; give 1 to {LAYERS}")
