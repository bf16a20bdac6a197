"""Recorded pictures of the scenes of renderers/scenes: labyrinth."""

from __future__ import annotations

from facelet.renderers.scenes.labyrinth import TREASURES, LabyrinthBoard
from facelet.renderers.scenes.records import Scene

LABYRINTH = (5, 10, 3, 6, 12, 9, 7, 14, 13, 11) * 5
LADEN = TREASURES + "-" * 26

SCENES: dict[str, Scene] = {
    "labyrinth/plain": LabyrinthBoard(LABYRINTH, "-" * 49 + "M", 3, "K", opacity=0),
    "labyrinth/overlay": LabyrinthBoard(LABYRINTH, LADEN, 12, "X", overlay=True),
    "labyrinth/textured": LabyrinthBoard(LABYRINTH, LADEN, 40, opacity=100),
}
