"""The four observations of CubeBench's cube, and their columns.

    symbolic   54 colour letters, the faces in the order F, B, L, R, U, D (tier 1)
    net        a picture of the unfolded cube, with B below D, as that text lists it (tier 2)
    face       a picture of the face in front of the viewer (tier 3)
    vertex     a picture of the three faces around a corner (tier 3)

CubeBench, section 3.1.2 and appendices I.1 and K.1. An observation depends on the state, and in
tier 3 on the viewpoint; it never changes the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from facelet.generators.core.task import Column
from facelet.generators.cube.engine import facelet_codecs
from facelet.generators.cube.engine.facelet_codecs import (
    CODECS,
    SCHEMES,
    FaceletCodec,
    scheme_letters,
)
from facelet.generators.cube.navigation import viewpoints
from facelet.generators.cube.navigation.viewpoints import Viewpoint
from facelet.renderers.scenes.cube import CubeCorner, CubeFace
from facelet.renderers.scenes.records import RGB, CubeNet, Scene

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
        seen = viewpoints.face_seen(facelets, viewpoint)
        cell = round(FACE_SCALE * display.cell)
        return CubeFace(seen, colours, cell=cell, background=around)
    seen = viewpoints.corner_seen(facelets, viewpoint)
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
    shown = (viewpoints.FACE_PLACES if display.observation == "face" else viewpoints.CORNER_PLACES)[
        viewpoint
    ]
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
