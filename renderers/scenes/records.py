"""The base class of scenes, the net of a cube, and checks that scenes share.

A scene is a record of what a picture shows. It is immutable, hashable and free of Pillow, so that
generators can put one into a prompt and the pipeline can draw equal scenes once. Colours are RGB
triples of 0 to 255; the facelets of a cube are in URFDLB order, each face row by row as seen from
outside (U with B on top, D with F on top, the sides with U on top). A scene checks itself when it
is made: every record that exists can be drawn, and all of its stickers are distinguishable in the
picture.

Variants are fields of the scene: clean (the defaults), recoloured (`colours`, drawn by
renderers.scenes.palettes), occluded (`hidden`) and dimmed (`brightness`, safe within
SAFE_BRIGHTNESS).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

RGB = tuple[int, int, int]
SixColours = tuple[RGB, RGB, RGB, RGB, RGB, RGB]

FACES = "URFDLB"
CUBE_BENCH: SixColours = (
    (255, 255, 255),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (255, 128, 0),
    (0, 0, 255),
)
"""U white, R red, F green, D yellow, L orange, B blue; shades of Cube Bench, appendix B.1."""

WHITE: RGB = (255, 255, 255)
FRAME: RGB = (0, 0, 0)
"""Colour of the gaps between stickers."""
HATCH: tuple[RGB, RGB] = ((176, 176, 176), (88, 88, 88))
"""The two greys of the stripes that cover a hidden sticker; no sticker is ever striped."""

SAFE_BRIGHTNESS = (0.55, 1.0)
"""Range in which each of the six Cube Bench colours, dimmed, is still nearer (CIE Lab) to its own
daylight shade than to that of any other; below it, dark white begins to pass for dark green."""
Layout = Literal["cross", "tower"]
LAYOUTS: tuple[Layout, ...] = ("cross", "tower")
"""Where a net has B: see CubeNet."""
CELLS = (16, 128)
"""Smallest and largest sticker edge in pixels; below 16 the names of faces do not fit."""
MOST = 24
"""Most parts of a sheet."""
LEAST_EDGE = 224
"""Least width and height in pixels of a picture as it is drawn by default: many vision encoders
take 224 x 224, and enlarge what is smaller with a blur."""
CONTRAST = 24
"""Any two colours inside a cube must differ by this many levels in at least one channel."""


Region = tuple[float, float, float, float]
"""A part of a picture: left, top, width and height, as shares of the picture's width and height."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Base of all scenes; a painter draws each subclass."""

    def label_regions(self) -> dict[str, Region]:
        """Return the regions of the labelled parts of the picture; {} if there are none."""
        return {}


def equal_regions(labels: Sequence[str], columns: int) -> dict[str, Region]:
    """Return the regions of a picture whose parts are equally large and arranged in rows.

    Args:
        labels: of the parts, row by row; "" for none.
        columns: most parts of a row.
    """
    columns = min(columns, len(labels))
    width, height = 1 / columns, 1 / -(-len(labels) // columns)
    return {
        label: (number % columns * width, number // columns * height, width, height)
        for number, label in enumerate(labels)
        if label
    }


@dataclass(frozen=True, slots=True)
class CubeNet(Scene):
    """An unfolded cube: U above F, L and R beside it, D below it; `layout` says where B is.

    Attributes:
        facelets: 54 letters out of URFDLB; each names the face whose colour the sticker has.
            Any colouring can be shown, reachable by turns or not.
        colours: sticker colours of the faces U, R, F, D, L, B, in this order.
        hidden: indices 0 to 53 of stickers covered by an opaque hatched patch, ascending.
        brightness: 1.0 as lit by day; below it every pixel is scaled towards black.
        labels: whether the six faces carry their names (Up, Left, Front, Right, Back, Down).
        cell: edge length of a sticker in pixels, gap included; 16 to 128.
        background: colour around the faces.
        layout: "cross" with B to the right of R, read with U on top; or "tower" with B below D, as
            it unfolds from there, its row next to D on top (CubeBench, appendix K.1).

    Raises:
        ValueError: a field is out of its range, or the stickers are not distinguishable.
    """

    facelets: str
    colours: SixColours = CUBE_BENCH
    hidden: tuple[int, ...] = ()
    brightness: float = 1.0
    labels: bool = True
    cell: int = 40
    background: RGB = WHITE
    layout: Layout = "cross"

    def __post_init__(self) -> None:
        check_letters("facelets", self.facelets, 54)
        check_layout(self.layout)
        check_hidden(self.hidden, len(self.facelets))
        check_pixels("cell", self.cell, CELLS)
        check_lighting(self)


def dim_colour(colour: RGB, brightness: float) -> RGB:
    """Return a colour scaled towards black, rounded to the nearest level."""
    red, green, blue = (int(level * brightness + 0.5) for level in colour)
    return red, green, blue


def check_letters(name: str, letters: str, number: int) -> None:
    """Raise ValueError unless this is a number of letters out of URFDLB.

    Args:
        name: the field.
        letters: its value.
        number: how many letters it needs.
    """
    if len(letters) != number:
        raise ValueError(f"{name} has {len(letters)} letters; give {number}, nine a face")
    if foreign := sorted(set(letters) - set(FACES)):
        raise ValueError(
            f"{name} holds {foreign[0]!r} at index {letters.index(foreign[0])}; each letter names "
            f"the home face of a colour, one of {FACES}"
        )


def check_layout(layout: str) -> None:
    """Raise ValueError unless this is one of LAYOUTS."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout is {layout!r}; allowed are {', '.join(LAYOUTS)}")


def check_hidden(hidden: tuple[int, ...], stickers: int) -> None:
    """Raise ValueError unless these are ascending indices below `stickers`."""
    for index in hidden:
        if not 0 <= index < stickers:
            raise ValueError(f"hidden holds {index}; allowed are 0 to {stickers - 1}")
    if not isinstance(hidden, tuple) or list(hidden) != sorted(set(hidden)):
        raise ValueError(
            f"hidden is {hidden!r}; give a tuple in ascending order without repeats, "
            "tuple(sorted(set(indices))), so that equal pictures are equal scenes"
        )


def check_pixels(name: str, value: Any, bounds: tuple[int, int]) -> None:
    """Raise ValueError unless this is a whole number of pixels within bounds.

    Args:
        name: the field.
        value: its value.
        bounds: the smallest and the largest number.
    """
    low, high = bounds
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}; allowed are whole pixels from {low} to {high}")


def check_sheet(noun: str, parts: Sequence[str], labels: Sequence[str], columns: Any) -> None:
    """Raise ValueError unless a sheet has 1 to MOST parts, a short label for each, and columns.

    Args:
        noun: what the parts are, in the plural.
        parts: the parts.
        labels: their labels.
        columns: the number of columns.
    """
    if not 1 <= len(parts) <= MOST or len(labels) != len(parts):
        raise ValueError(
            f"{len(parts)} {noun} with {len(labels)} labels; give 1 to {MOST} {noun} and a label "
            "for each"
        )
    for label in labels:
        if len(label) > 24 or not (label.isascii() and label.isprintable()):
            raise ValueError(f"label {label!r} is not at most 24 printable ASCII characters")
    if type(columns) is not int or not 1 <= columns <= MOST:
        raise ValueError(f"columns is {columns!r}; allowed are 1 to {MOST}")


def check_lighting(scene: Any) -> None:
    """Raise ValueError unless brightness, background and colours of a cube's scene are valid."""
    brightness = scene.brightness
    if not 0 < brightness <= 1:
        raise ValueError(
            f"brightness is {brightness!r}; allowed is above 0 up to 1.0, and "
            f"{SAFE_BRIGHTNESS[0]} to {SAFE_BRIGHTNESS[1]} keeps the colours nameable"
        )
    check_colour("background", scene.background)
    check_colours(scene.colours, brightness)


def check_colour(name: str, colour: Any) -> None:
    """Raise ValueError unless this is a tuple of three whole levels of 0 to 255."""
    if not (
        isinstance(colour, tuple)
        and len(colour) == 3
        and all(isinstance(level, int) and 0 <= level <= 255 for level in colour)
    ):
        raise ValueError(f"{name} is {colour!r}; give a tuple of three whole numbers of 0 to 255")


def check_colours(colours: Any, brightness: float) -> None:
    """Raise ValueError unless these are six colours that are distinguishable when dimmed.

    They must differ from each other, from the black gaps and from the hatch of hidden stickers.
    """
    if not isinstance(colours, tuple) or len(colours) != len(FACES):
        raise ValueError(f"colours is {colours!r}; give a tuple of six, in the order {FACES}")
    for face, colour in zip(FACES, colours, strict=True):
        check_colour(f"the colour of {face}", colour)
    _check_contrast(colours, brightness)


@lru_cache(maxsize=4096)
def _check_contrast(colours: tuple[RGB, ...], brightness: float) -> None:
    """Raise ValueError unless each sticker colour differs enough from all else inside a cube."""
    shades = [
        (face, dim_colour(shade, brightness)) for face, shade in zip(FACES, colours, strict=True)
    ]
    others = [("the gaps", FRAME), *(("the hatch of hidden stickers", grey) for grey in HATCH)]
    rest = [(name, dim_colour(grey, brightness)) for name, grey in others]
    for place, (face, shade) in enumerate(shades):
        for name, other in shades[place + 1 :] + rest:
            apart = max(abs(one - two) for one, two in zip(shade, other, strict=True))
            if apart < CONTRAST:
                raise ValueError(
                    f"the colours of {face} and {name} are {shade} and {other} at brightness "
                    f"{brightness}, {apart} levels apart; at least {CONTRAST} are needed: choose "
                    "colours further apart or raise the brightness"
                )
