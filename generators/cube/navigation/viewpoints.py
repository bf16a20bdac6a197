"""The 24 viewpoints around a fixed cube, and the stickers that each sees.

A viewpoint is two letters: the face in front of the viewer and the face on top, "FU" at the START.
The viewer walks around the cube in quarter circles; no sticker moves, and moves keep their home
names wherever the viewer stands. Walking in a direction brings the face on that side to the front:
from the start "up" shows U (with B on top), "down" shows D (with F on top), "left" shows L and
"right" shows R (both with U still on top). To the viewer that looks like the whole-cube turn x', x,
y' or y.

What is seen: in face view the front face, in corner view the top, front and right faces, each row
by row as they appear. CubeBench, section 3.1.2 (tier 3) and section 3.1.3 (observation-altering
actions), names the two views and the four directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from facelet.generators.cube.engine import sticker_geometry
from facelet.generators.cube.engine.facelets import FACES

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
