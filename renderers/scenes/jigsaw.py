"""Scenes of jigsaw pieces: flat pieces with thickness, each seen by a camera of its own."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from facelet.renderers.scenes.records import Scene

View = tuple[int, int]
"""A camera: elevation and azimuth in whole degrees, as MARBLE gives them (section 2.2)."""
ELEVATIONS = (-155, -115)
AZIMUTHS = (-150, -90)
TILES = (280, 640)
"""Smallest and largest width of one jigsaw piece's part of a picture, in pixels."""


@dataclass(frozen=True, slots=True)
class JigsawPieces(Scene):
    """Flat jigsaw pieces with thickness, each seen in perspective; three to a row.

    Attributes:
        pieces: one to six pieces, each five rows of 0 (gap) and 1 (bump) from its upright view,
            joined by slashes, with a full inner 3 x 3. Edges are numbered 1 left, 2 top, 3 right,
            4 bottom, and the picture shows these numbers.
        views: the camera of each piece, within ELEVATIONS and AZIMUTHS, in which every cell of a
            piece can be told from a gap.
        names: a letter for each piece, or "" for pieces without names.
        width: width of the picture in pixels; TILES times the number of pieces in a row.

    Raises:
        ValueError: a field is out of its range.
    """

    pieces: tuple[str, ...]
    views: tuple[View, ...]
    names: str = ""
    width: int = 1000

    def __post_init__(self) -> None:
        if not 1 <= len(self.pieces) <= 6:
            raise ValueError(f"there are {len(self.pieces)} pieces; give 1 to 6")
        for piece in self.pieces:
            check_piece(piece)
        if len(self.views) != len(self.pieces):
            raise ValueError(f"{len(self.views)} views do not fit {len(self.pieces)} pieces")
        for view in self.views:
            check_view(view)
        if self.names and (
            len(self.names) != len(self.pieces) or not set(self.names) <= set(ascii_uppercase)
        ):
            raise ValueError(f"names is {self.names!r}; give one of A to Z for each piece, or none")
        columns = min(3, len(self.pieces))
        low, high = (columns * tile for tile in TILES)
        if type(self.width) is not int or not low <= self.width <= high:
            raise ValueError(
                f"width is {self.width!r}; allowed are whole pixels from {low} to {high} for "
                f"{columns} in a row"
            )


def check_piece(piece: str) -> None:
    """Raise ValueError unless this is a 5 x 5 jigsaw piece in text."""
    rows = piece.split("/")
    if (
        [len(row) for row in rows] != [5] * 5
        or set(piece) - set("01/")
        or any(row[1:4] != "111" for row in rows[1:4])
    ):
        raise ValueError(
            f"{piece!r} is no piece; give five rows of five 0 or 1, joined by slashes, "
            "with 1 in all of the inner 3 x 3"
        )


def check_view(view: Any) -> None:
    """Raise ValueError unless this is a view within ELEVATIONS and AZIMUTHS."""
    bounds = (ELEVATIONS, AZIMUTHS)
    if (
        not isinstance(view, tuple)
        or len(view) != 2
        or not all(
            type(angle) is int and low <= angle <= high
            for angle, (low, high) in zip(view, bounds, strict=True)
        )
    ):
        raise ValueError(
            f"view is {view!r}; give (elevation, azimuth) in whole degrees, from "
            f"{ELEVATIONS[0]} to {ELEVATIONS[1]} and from {AZIMUTHS[0]} to {AZIMUTHS[1]}"
        )
