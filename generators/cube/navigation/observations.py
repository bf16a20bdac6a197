"""The 24 viewpoints around CubeBench's cube, its four observations, and their columns.

CubeBench, section 3.1.2 and appendices I.1 and K.1. A viewpoint is two letters: the face in front
of the viewer and the face on top, "FU" at the START. The viewer walks around the cube in quarter
circles (section 3.1.3, observation-altering actions); no sticker moves, and moves keep their home
names wherever the viewer stands. Walking in a direction brings the face on that side to the front:
from the start "up" shows U (with B on top), "down" shows D (with F on top), "left" shows L and
"right" shows R (both with U still on top). To the viewer that looks like the whole-cube turn x', x,
y' or y.

In face view the viewer sees the front face, in corner view the top, front and right faces, each row
by row as they appear. The observations:

    symbolic   54 colour letters, the faces in the order F, B, L, R, U, D (tier 1)
    net        a picture of the unfolded cube, with B below D, as that text lists it (tier 2)
    face       a picture of the face in front of the viewer (tier 3)
    vertex     a picture of the three faces around a corner (tier 3)

An observation depends on the state, and in tier 3 on the viewpoint; it never changes the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from facelet.generators.core.task import Column
from facelet.generators.cube.engine import facelet_codecs, sticker_geometry
from facelet.generators.cube.engine.facelet_codecs import (
    CODECS,
    SCHEMES,
    FaceletCodec,
    scheme_letters,
)
from facelet.generators.cube.engine.notation import FACES
from facelet.renderers.scenes.cube import CubeCorner, CubeFace
from facelet.renderers.scenes.records import RGB, CubeNet, Scene

Viewpoint = str
"""The face in front, then the face on top."""

START: Viewpoint = "FU"
DIRECTIONS = ("up", "down", "left", "right")

_AT = {normal: face for face, normal in sticker_geometry.NORMALS.items()}
_OPPOSITE = {
    face: _AT[(-normal[0], -normal[1], -normal[2])]
    for face, normal in sticker_geometry.NORMALS.items()
}

VIEWPOINTS: tuple[Viewpoint, ...] = tuple(
    front + top for front in FACES for top in FACES if top not in (front, _OPPOSITE[front])
)
"""All 24."""


def _right_face(viewpoint: Viewpoint) -> str:
    front, top = (sticker_geometry.NORMALS[face] for face in viewpoint)
    return _AT[sticker_geometry.cross_product(top, front)]


_RIGHT = {viewpoint: _right_face(viewpoint) for viewpoint in VIEWPOINTS}


def _neighbour_viewpoints(viewpoint: Viewpoint) -> dict[str, Viewpoint]:
    front, top, right = viewpoint[0], viewpoint[1], _RIGHT[viewpoint]
    return {
        "up": top + _OPPOSITE[front],
        "down": _OPPOSITE[top] + front,
        "left": _OPPOSITE[right] + top,
        "right": right + top,
    }


_TURNS = {viewpoint: _neighbour_viewpoints(viewpoint) for viewpoint in VIEWPOINTS}


def _view_permutation(viewpoint: Viewpoint) -> tuple[int, ...]:
    """Return the facelet permutation that brings a viewpoint's faces to F in front, U on top."""
    front, top = (sticker_geometry.NORMALS[face] for face in viewpoint)
    # The rows of a rotation are what it carries to the axes, which point to the right, up, front.
    return sticker_geometry.facelet_permutation(
        (sticker_geometry.cross_product(top, front), top, front)
    )


_TURNED = {viewpoint: _view_permutation(viewpoint) for viewpoint in VIEWPOINTS}
_UP, _SIDE, _FRONT = (slice(9 * FACES.index(face), 9 * FACES.index(face) + 9) for face in "URF")

FACE_PLACES: Mapping[Viewpoint, tuple[int, ...]] = MappingProxyType(
    {viewpoint: turned[_FRONT] for viewpoint, turned in _TURNED.items()}
)
"""Facelet indices of the 9 stickers that the face view shows, in the order of `face_seen`."""

CORNER_PLACES: Mapping[Viewpoint, tuple[int, ...]] = MappingProxyType(
    {
        viewpoint: turned[_UP] + turned[_FRONT] + turned[_SIDE]
        for viewpoint, turned in _TURNED.items()
    }
)
"""Facelet indices of the 27 stickers that the corner view shows, in the order of `corner_seen`."""


def walk_quarter(viewpoint: Viewpoint, direction: str) -> Viewpoint:
    """Return where the viewer is after walking a quarter circle in a direction.

    Raises:
        ValueError: there is no such viewpoint or direction.
    """
    turns = _TURNS[_check_viewpoint(viewpoint)]
    if direction not in turns:
        raise ValueError(f"{direction!r} is no direction; go one of {', '.join(DIRECTIONS)}")
    return turns[direction]


def face_seen(facelets: str, viewpoint: Viewpoint) -> str:
    """Return the 9 letters of the front face, row by row as the viewer sees it.

    Args:
        facelets: a facelet string; its letters are carried along as they are.
        viewpoint: where the viewer is.

    Raises:
        ValueError: there is no such viewpoint, or the string has not 54 letters.
    """
    return _visible_facelets(facelets, FACE_PLACES[_check_viewpoint(viewpoint)])


def corner_seen(facelets: str, viewpoint: Viewpoint) -> str:
    """Return the 27 letters of the top, the front and the right face, as the viewer sees them.

    Nine letters a face, row by row. The last row of the top touches the first row of the front; the
    right side of the front touches the left side of the right face.

    Args:
        facelets: a facelet string; its letters are carried along as they are.
        viewpoint: where the viewer is.

    Raises:
        ValueError: there is no such viewpoint, or the string has not 54 letters.
    """
    return _visible_facelets(facelets, CORNER_PLACES[_check_viewpoint(viewpoint)])


def _visible_facelets(facelets: str, places: tuple[int, ...]) -> str:
    if len(facelets) != 54:
        raise ValueError(f"a facelet string has 54 letters, this one has {len(facelets)}")
    return "".join([facelets[place] for place in places])


def _check_viewpoint(viewpoint: Viewpoint) -> Viewpoint:
    if viewpoint not in _TURNS:
        raise ValueError(
            f"{viewpoint!r} is no viewpoint; give the face in front and the face on top, two "
            f"neighbours out of {FACES}, such as {START!r}"
        )
    return viewpoint


Observation = Literal["symbolic", "net", "face", "vertex"]
OBSERVATIONS: tuple[Observation, ...] = ("symbolic", "net", "face", "vertex")
TIER: Mapping[str, int] = {"symbolic": 1, "net": 2, "face": 3, "vertex": 3}
"""The paper's three tiers."""

SchemeName = Literal["cubebench", "western"]
Background = Literal["white", "grey", "black"]
BACKGROUNDS: dict[Background, RGB] = {
    "white": (255, 255, 255),
    "grey": (128, 128, 128),
    "black": (0, 0, 0),
}

CORNER_CELLS = 7
"""Width of a vertex view in sticker edges: the nearest stickers then have about the edge `cell`."""
FACE_SCALE = 1.6
"""How much larger stickers of a face are than `cell`, so that its picture is not small either."""


@dataclass(frozen=True, slots=True)
class Display:
    """How a state is displayed to the player.

    Attributes:
        observation: which of the four.
        scheme: key in facelet.generators.cube.engine.facelet_codecs.SCHEMES: colours, and their
            letters.
        cell: edge of a sticker of a net in pixels; other pictures are drawn to match.
        background: colour around the cube, a key in BACKGROUNDS.
    """

    observation: Observation
    scheme: SchemeName
    cell: int
    background: Background

    @property
    def is_partial(self) -> bool:
        """Whether it depends on the viewpoint, and never shows all of the cube (tier 3)."""
        return TIER[self.observation] == 3

    @property
    def facelet_codec(self) -> FaceletCodec:
        """How a state is written as text."""
        usual = CODECS["fblrud"]
        letters = scheme_letters(SCHEMES[self.scheme])
        return FaceletCodec(usual.name, usual.face_order, letters, usual.upside_down)


def observe_state(facelets: str, viewpoint: Viewpoint, display: Display) -> str | Scene:
    """Return the observation of a state: the text of 54 letters, or the scene of a picture.

    Args:
        facelets: facelet string.
        viewpoint: where the viewer is; it matters in tier 3 only.
        display: how the state is displayed.
    """
    colours, around = SCHEMES[display.scheme].rgb, BACKGROUNDS[display.background]
    if display.observation == "symbolic":
        return facelet_codecs.encode_facelets(facelets, display.facelet_codec)
    if display.observation == "net":
        return CubeNet(facelets, colours, cell=display.cell, background=around, layout="tower")
    if display.observation == "face":
        seen = face_seen(facelets, viewpoint)
        cell = round(FACE_SCALE * display.cell)
        return CubeFace(seen, colours, cell=cell, background=around)
    seen = corner_seen(facelets, viewpoint)
    return CubeCorner(seen, colours, size=CORNER_CELLS * display.cell, background=around)


def hide_visible(facelets: str, viewpoint: Viewpoint, display: Display) -> str:
    """Return the facelet string with "." for the stickers in sight; "" if all are.

    Args:
        facelets: facelet string.
        viewpoint: where the viewer is.
        display: how the state is displayed.
    """
    if not display.is_partial:
        return ""
    shown = (FACE_PLACES if display.observation == "face" else CORNER_PLACES)[viewpoint]
    return "".join("." if place in shown else letter for place, letter in enumerate(facelets))


COLUMNS: tuple[Column, ...] = (
    Column("observation", "string", "what the player sees: symbolic, net, face or vertex"),
    Column("tier", "int8", "tier of the observation: 1 text, 2 whole picture, 3 part of it"),
    Column("scheme", "string", "colours of the solved cube: cubebench or western"),
    Column("cell", "int16", "edge of a sticker in a net, in pixels"),
    Column("background", "string", "colour around the cube in the pictures"),
)


def encode_display(display: Display) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        "observation": display.observation,
        "tier": TIER[display.observation],
        "scheme": display.scheme,
        "cell": display.cell,
        "background": display.background,
    }


def decode_display(row: Mapping[str, Any]) -> Display:
    """Return the display that a row holds."""
    return Display(row["observation"], row["scheme"], row["cell"], row["background"])
