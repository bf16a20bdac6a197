"""Recorded pictures of the scenes of renderers/scenes: shapes."""

from __future__ import annotations

from facelet.renderers.scenes.records import Scene
from facelet.renderers.scenes.shapes import ShapeSheet

FLAT = ("CrRgWbFy", "Sp--CcRu", "--WwFr--", "SgSgSgSg")
STACKED = (
    "CrRgWbFy",
    "Sp--CcRu:Fw------",
    "Su--Ry--:Wp------:Cb------",
    "RrRrRrRr:CgCgCgCg:SbSbSbSb:FyFyFyFy",
)

SCENES: dict[str, Scene] = {
    "shapes/flat": ShapeSheet(FLAT, tuple("ABCD")),
    "shapes/stacked": ShapeSheet(STACKED, tuple("ABCD"), cell=184),
    "shapes/letters": ShapeSheet(STACKED, tuple("ABCD"), letters=True, cell=184),
    "shapes/small": ShapeSheet(FLAT, ("cut", "", "fill(Cu)", ""), columns=4, cell=120),
}
