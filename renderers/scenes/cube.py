"""Scenes of a cube that is partly visible: one face, three faces, or all 54 stickers.

Stickers are given in the order of the picture, whichever faces of the cube the viewer sees: each
letter names the home face of the sticker's colour (see generators.cube.navigation.observations).
Colours, brightness and background mean the same as in renderers.scenes.records.CubeNet, and every
valid record can be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

from facelet.renderers.scenes.records import (
    CUBE_BENCH,
    RGB,
    WHITE,
    Region,
    Scene,
    SixColours,
    check_colours,
    check_letters,
    check_lighting,
    check_pixels,
    check_sheet,
    equal_regions,
)

FACE_CELLS = (16, 256)
"""Smallest and largest edge of a sticker of a single face in pixels."""
SIZES = (84, 1024)
"""Smallest and largest width of a corner view in pixels; 84 is what CubeBench shows (L.5)."""


@dataclass(frozen=True, slots=True)
class CubeFace(Scene):
    """One face of a cube, seen straight on.

    Attributes:
        stickers: 9 letters out of URFDLB, row by row as seen.
        colours: sticker colours of the faces U, R, F, D, L, B, in this order.
        brightness: 1.0 as lit by day; below it every pixel is scaled towards black.
        cell: edge length of a sticker in pixels, gap included; 16 to 256.
        background: colour around the face.

    Raises:
        ValueError: a field is out of its range, or the stickers are not distinguishable.
    """

    stickers: str
    colours: SixColours = CUBE_BENCH
    brightness: float = 1.0
    cell: int = 64
    background: RGB = WHITE

    def __post_init__(self) -> None:
        check_letters("stickers", self.stickers, 9)
        check_pixels("cell", self.cell, FACE_CELLS)
        check_lighting(self)


@dataclass(frozen=True, slots=True)
class CubeCorner(Scene):
    """Three faces of a cube in perspective: one on top, one in front, one on the right.

    Attributes:
        stickers: 27 letters out of URFDLB: the top face, the front face, the right face, each row
            by row. The last row of the top touches the first row of the front, and the front's
            right column the right face's left column.
        colours: sticker colours of the faces U, R, F, D, L, B, in this order.
        brightness: 1.0 as lit by day; below it every pixel is scaled towards black.
        size: width and height of the picture in pixels; 84 to 1024.
        background: colour around the cube.

    Raises:
        ValueError: a field is out of its range, or the stickers are not distinguishable.
    """

    stickers: str
    colours: SixColours = CUBE_BENCH
    brightness: float = 1.0
    size: int = 320
    background: RGB = WHITE

    def __post_init__(self) -> None:
        check_letters("stickers", self.stickers, 27)
        check_pixels("size", self.size, SIZES)
        check_lighting(self)


STICKERS = (16, 128)
"""Smallest and largest edge of a sticker in pixels."""


@dataclass(frozen=True, slots=True)
class CubePairs(Scene):
    """Some cubes in rows, each seen from two opposite corners, side by side: all 54 stickers.

    The left view has U on top, F in front, R on the right. The right view is the same cube turned
    over (x2 y'), with D on top, L in front, B on the right.

    Attributes:
        states: facelet strings; each letter names the home face of the sticker's colour.
        labels: the label above each cube: printable ASCII, at most 24 characters; "" for none.
        colours: sticker colours of the faces U, R, F, D, L, B, in this order.
        columns: number of cubes in a row.
        cell: edge length of a sticker of the front face in pixels, gap included; even, 16 to 128.
            Those of the other two faces are half as deep.
        letters: the letters of the colours of U, R, F, D, L, B, shown on the stickers; "" for none.

    Raises:
        ValueError: a field is out of its range, or the stickers are not distinguishable.
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    colours: SixColours = CUBE_BENCH
    columns: int = 2
    cell: int = 52
    letters: str = ""

    def __post_init__(self) -> None:
        check_sheet("cubes", self.states, self.labels, self.columns)
        for state in self.states:
            check_letters("stickers", state, 54)
        check_colours(self.colours, 1.0)
        check_pixels("cell", self.cell, STICKERS)
        if self.cell % 2:
            raise ValueError(f"cell is {self.cell!r}; allowed are even numbers of pixels")
        if len(self.letters) not in (0, 6) or len(set(self.letters)) != len(self.letters):
            raise ValueError(f"letters is {self.letters!r}; give six different letters, or none")
        if self.letters and not (self.letters.isascii() and self.letters.isprintable()):
            raise ValueError(f"letters is {self.letters!r}; give printable ASCII")

    def label_regions(self) -> dict[str, Region]:
        """Return the region of each labelled cube, its label and captions included."""
        return equal_regions(self.labels, self.columns)
