"""Recorded pictures of the scenes of renderers/scenes: jigsaw."""

from __future__ import annotations

from facelet.renderers.scenes.jigsaw import JigsawPieces
from facelet.renderers.scenes.records import Scene

JIGSAW = (
    "11000/11110/11111/01110/01110",
    "01100/01110/11111/11110/00000",
    "11010/11111/01111/01110/00000",
    "11000/11111/01111/11110/11110",
    "00000/01110/11110/01111/01001",
    "11001/11111/11110/11111/00111",
)
VIEWS = ((-155, -150), (-155, -90), (-115, -150), (-115, -90), (-135, -120), (-144, -101))

SCENES: dict[str, Scene] = {
    "jigsaw/six-pieces": JigsawPieces(JIGSAW, VIEWS, "ABCDEF"),
    "jigsaw/one-piece": JigsawPieces(JIGSAW[:1], VIEWS[4:5], width=480),
}
