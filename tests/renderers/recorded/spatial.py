"""Recorded pictures of spatial tests."""

from facelet.renderers.scenes.diagrams import PALE, DiagramSheet, Mark
from facelet.renderers.scenes.voxels import VoxelSheet

SOLIDS = ("000 010 020 021 121", "000 001 002 012 112")

MARKS = (
    Mark("fill", (4, 8, 20, 8, 20, 24), PALE),
    Mark("line", (4, 8, 20, 8, 20, 24, 4, 8)),
    Mark("dash", (4, 8, 4, 24, 20, 24)),
    Mark("arrow", (6, 20, 14, 12)),
    Mark("disc", (18, 10, 2)),
    Mark("text", (8, 22), text="A"),
)

SCENES = {
    "spatial/turned": VoxelSheet(SOLIDS, ("Before", "After"), columns=2, scale=4, axes=True),
    "spatial/five_solids": VoxelSheet((*SOLIDS, "000", *SOLIDS), ("Solid", *"ABCD")),
    "spatial/panels": DiagramSheet((MARKS, MARKS[:3]), ("Fold 1", "Punch"), (24, 28), step=12),
}
