"""Scenes: plain records that say what a picture shows, before any pixel exists.

A scene is immutable, hashable and free of Pillow, so that generators can put one into a prompt
and the pipeline can draw equal scenes once. Colours are RGB triples of 0 to 255; the facelets of a
cube stand in URFDLB order, each face row by row as seen from outside (U with B on top, D with F
on top, the sides with U on top).
"""

from __future__ import annotations

from dataclasses import dataclass

RGB = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Scene:
    """Base of all scenes; a renderer is registered for each subclass."""


@dataclass(frozen=True, slots=True)
class CubeNet(Scene):
    """An unfolded cube: U above F, the row L F R B, D below F.

    Attributes:
        facelets: 54 letters out of URFDLB; each names the face whose colour the sticker has.
        colours: sticker colours of the faces U, R, F, D, L, B, in this order.
        hidden: indices 0 to 53 of stickers covered by an opaque grey patch.
        brightness: 1.0 as lit by day; below it every pixel is scaled towards black.
        labels: whether the six faces carry their names (Up, Left, Front, Right, Back, Down).
        cell: edge length of a sticker in pixels, gap included.
    """

    facelets: str
    colours: tuple[RGB, RGB, RGB, RGB, RGB, RGB]
    hidden: tuple[int, ...] = ()
    brightness: float = 1.0
    labels: bool = True
    cell: int = 40
