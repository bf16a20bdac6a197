"""Recorded pictures of the scenes of renderers/scenes: chamber."""

from __future__ import annotations

from facelet.renderers.scenes.chamber import (
    ChamberEye,
    ChamberItem,
    ChamberPlan,
    ChamberRay,
    ChamberRoom,
    ChamberSight,
    ChamberTable,
)
from facelet.renderers.scenes.records import Scene

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
RARE = (
    ChamberItem("turret", "U1", ((1, 1, 1), (1, 2, 1), (1, 3, 1)), 1),
    ChamberItem("runway", "Y1", ((2, 2, 1), (3, 2, 1)), 0),
    ChamberItem("spring", "Z1", ((2, 3, 1),)),
    ChamberItem("piston", "V1", ((2, 1, 1), (3, 1, 1)), height=3),
    ChamberItem("panel", "P1", ((3, 3, 4),), 1),
    ChamberItem("cover", "I1", ((3, 3, 4),), 1, height=1),
    ChamberItem("cover", "I2", ((1, 3, 3),), 1),
)
ROW = (ChamberRay("watch", ((1, 1, 1), (1, 2, 1), (1, 3, 1))),)

SCENES: dict[str, Scene] = {
    "chamber/plan": ChamberPlan(*CHAMBER, INSIDE, BEAM, ("D1 door: open while B1 is on",)),
    "chamber/hint": ChamberPlan(*CHAMBER, INSIDE, BEAM, link=("P1", "P2")),
    "chamber/table": ChamberTable(("D1 door: open while B1 is on", "E1 lift: 3 high")),
    "chamber/sight": ChamberSight(
        *CHAMBER,
        INSIDE,
        BEAM,
        (1, 1, 5, 4),
        "Room 1",
        (ChamberEye((1, 1, 1), 45, "From floor F1"), ChamberEye((1, 3, 1), 315, "Up", 26)),
    ),
    "chamber/room": ChamberRoom(*CHAMBER, INSIDE, BEAM, (1, 1, 5, 4), "Room 1"),
    "chamber/rare_plan": ChamberPlan(*CHAMBER, RARE, ROW),
    "chamber/rare_room": ChamberRoom(*CHAMBER, RARE, ROW, (1, 1, 5, 4), "Room 1"),
    "chamber/rare_sight": ChamberSight(
        *CHAMBER, RARE, ROW, (1, 1, 5, 4), "Room 1", (ChamberEye((3, 3, 1), 225, "From F1"),)
    ),
}
