"""Pixels do not drift: hashes of a handful of pictures, committed in tests/golden/renders.txt.

To record them again after a deliberate change, look at the pictures and then run

    FACELET_RECORD_GOLDENS=renders python -m pytest tests/renderers/test_golden_renders.py

(`make golden` does so as well) and read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from facelet.renderers.api import painters, pixel_hash, render
from facelet.renderers.scenes.chamber import ChamberItem, ChamberPlan, ChamberRay, ChamberRoom
from facelet.renderers.scenes.cube import CubeCorner, CubeFace, CubePairs
from facelet.renderers.scenes.jigsaw import JigsawPieces
from facelet.renderers.scenes.labyrinth import TREASURES, LabyrinthBoard
from facelet.renderers.scenes.palettes import recoloured
from facelet.renderers.scenes.records import CubeNet, Scene
from facelet.renderers.scenes.shapes import ShapeSheet

GOLDEN = Path(__file__).parents[1] / "golden" / "renders.txt"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS") in {"renders", "all", "1"}

SOLVED = "".join(face * 9 for face in "URFDLB")
SUPERFLIP = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB"
CORNER = SUPERFLIP[:9] + SUPERFLIP[18:27] + SUPERFLIP[9:18]
GREY = (50, 50, 50)
WESTERN = ("white", "red", "green", "yellow", "orange", "blue")
JIGSAW = (
    "11000/11110/11111/01110/01110",
    "01100/01110/11111/11110/00000",
    "11010/11111/01111/01110/00000",
    "11000/11111/01111/11110/11110",
    "00000/01110/11110/01111/01001",
    "11001/11111/11110/11111/00111",
)
VIEWS = ((-155, -150), (-155, -90), (-115, -150), (-115, -90), (-135, -120), (-144, -101))
LABYRINTH = (5, 10, 3, 6, 12, 9, 7, 14, 13, 11) * 5
FLAT = ("CrRgWbFy", "Sp--CcRu", "--WwFr--", "SgSgSgSg")
STACKED = (
    "CrRgWbFy",
    "Sp--CcRu:Fw------",
    "Su--Ry--:Wp------:Cb------",
    "RrRrRrRr:CgCgCgCg:SbSbSbSb:FyFyFyFy",
)
LADEN = TREASURES + "-" * 26

CHAMBER = ("888888/811148/811148/811118/888888", "888888/888888/888888/888838/888888")
INSIDE = (
    ChamberItem("panel", "P1", ((1, 1, 1),), 3),
    ChamberItem("panel", "P2", ((2, 2, 1),), 5),
    ChamberItem("panel", "P3", ((2, 1, 7),), 4),
    ChamberItem("lift", "E1", ((3, 2, 1),), height=3),
    ChamberItem("mirror", "M1", ((1, 3, 1),), 0),
    ChamberItem("door", "D1", ((4, 3, 1), (4, 3, 2))),
    ChamberItem("floor", "F1", ((3, 3, 1),)),
    ChamberItem("laser", "L1", ((1, 2, 2),), 0),
)
BEAM = (ChamberRay("laser", ((1, 2, 2), (2, 2, 2), (3, 2, 2))),)

SCENES: dict[str, Scene] = {
    "chamber/plan": ChamberPlan(*CHAMBER, INSIDE, BEAM, ("D1 door: open while B1 is on",)),
    "chamber/hint": ChamberPlan(*CHAMBER, INSIDE, BEAM, link=("P1", "P2")),
    "chamber/room": ChamberRoom(*CHAMBER, INSIDE, BEAM, (1, 1, 5, 4), "Room 1"),
    "net/solved": CubeNet(SOLVED),
    "net/superflip": CubeNet(SUPERFLIP),
    "net/recoloured": CubeNet(SUPERFLIP, colours=recoloured(np.random.default_rng(1), WESTERN)),
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
    "corner/recoloured": CubeCorner(CORNER, recoloured(np.random.default_rng(1), WESTERN)),
    "corner/84": CubeCorner(CORNER, size=84),
    "corner/512": CubeCorner(CORNER, size=512, background=(0, 0, 0)),
    "pairs/one": CubePairs((SOLVED,), ("",)),
    "pairs/four": CubePairs((SUPERFLIP, SOLVED, SUPERFLIP, SOLVED), tuple("ABCD")),
    "pairs/letters": CubePairs((SUPERFLIP,), ("R2",), letters="wrgyob", columns=1),
    "shapes/flat": ShapeSheet(FLAT, tuple("ABCD")),
    "shapes/stacked": ShapeSheet(STACKED, tuple("ABCD"), cell=184),
    "shapes/letters": ShapeSheet(STACKED, tuple("ABCD"), letters=True, cell=184),
    "shapes/small": ShapeSheet(FLAT, ("cut", "", "fill(Cu)", ""), columns=4, cell=120),
    "jigsaw/six-pieces": JigsawPieces(JIGSAW, VIEWS, "ABCDEF"),
    "jigsaw/one-piece": JigsawPieces(JIGSAW[:1], VIEWS[4:5], width=480),
    "labyrinth/plain": LabyrinthBoard(LABYRINTH, "-" * 49 + "M", 3, "K", opacity=0),
    "labyrinth/overlay": LabyrinthBoard(LABYRINTH, LADEN, 12, "X", overlay=True),
    "labyrinth/textured": LabyrinthBoard(LABYRINTH, LADEN, 40, opacity=100),
}


def test_every_kind_of_scene_has_a_recorded_picture() -> None:
    assert {type(scene) for scene in SCENES.values()} == set(painters())


def test_pictures_are_the_recorded_ones() -> None:
    lines = []
    for name, scene in SCENES.items():
        image = render(scene)
        lines.append(f"{name:<22} {image.width:>4} x {image.height:<4} {pixel_hash(image)}")
    text = "\n".join(lines) + "\n"
    if RECORD:
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
