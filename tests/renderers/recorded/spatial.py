"""Recorded pictures of spatial tests."""

from facelet.renderers.scenes.voxels import VoxelSheet

SOLIDS = ("000 010 020 021 121", "000 001 002 012 112")

SCENES = {
    "spatial/turned": VoxelSheet(SOLIDS, ("Before", "After"), columns=2, scale=4, axes=True),
    "spatial/five_solids": VoxelSheet((*SOLIDS, "000", *SOLIDS), ("Solid", *"ABCD")),
}
