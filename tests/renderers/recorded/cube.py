"""Recorded pictures of the scenes of renderers/scenes: cube."""

from __future__ import annotations

import numpy as np

from facelet.renderers.scenes.cube import CubeCorner, CubeFace, CubePairs
from facelet.renderers.scenes.palettes import draw_palette
from facelet.renderers.scenes.records import CubeNet, Scene

SOLVED = "".join(face * 9 for face in "URFDLB")
SUPERFLIP = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB"
CORNER = SUPERFLIP[:9] + SUPERFLIP[18:27] + SUPERFLIP[9:18]
GREY = (50, 50, 50)
WESTERN = ("white", "red", "green", "yellow", "orange", "blue")

SCENES: dict[str, Scene] = {
    "net/solved": CubeNet(SOLVED),
    "net/superflip": CubeNet(SUPERFLIP),
    "net/recoloured": CubeNet(SUPERFLIP, colours=draw_palette(np.random.default_rng(1), WESTERN)),
    "net/occluded": CubeNet(SUPERFLIP, hidden=(0, 13, 22, 35, 53)),
    "net/dimmed": CubeNet(SUPERFLIP, brightness=0.6),
    "net/dimmed-occluded": CubeNet(SUPERFLIP, hidden=(20, 24), brightness=0.55),
    "net/unlabelled": CubeNet(SUPERFLIP, labels=False),
    "net/cell-16": CubeNet(SUPERFLIP, hidden=(20,), cell=16),
    "net/cell-128": CubeNet(SUPERFLIP, hidden=(20,), cell=128),
    "net/slate-background": CubeNet(SUPERFLIP, background=(112, 128, 144)),
    "net/tower": CubeNet(SUPERFLIP, hidden=(45,), layout="tower"),
    "net/tower-unlabelled": CubeNet(SUPERFLIP, labels=False, layout="tower", background=GREY),
    "face/default": CubeFace(SUPERFLIP[18:27]),
    "face/dimmed": CubeFace(SUPERFLIP[18:27], brightness=0.6, cell=24, background=GREY),
    "corner/default": CubeCorner(CORNER),
    "corner/dimmed": CubeCorner(CORNER, brightness=0.6, background=GREY),
    "corner/recoloured": CubeCorner(CORNER, draw_palette(np.random.default_rng(1), WESTERN)),
    "corner/84": CubeCorner(CORNER, size=84),
    "corner/512": CubeCorner(CORNER, size=512, background=(0, 0, 0)),
    "pairs/one": CubePairs((SOLVED,), ("",)),
    "pairs/four": CubePairs((SUPERFLIP, SOLVED, SUPERFLIP, SOLVED), tuple("ABCD")),
    "pairs/letters": CubePairs((SUPERFLIP,), ("R2",), letters="wrgyob", columns=1),
}
