"""Words about solids that the tasks share, and their list of cells."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.generators.spatial import polycubes, voxel_view

_SOLID = "A solid is made of {cubes} equal cubes, joined face to face. "
_PICTURE = (
    "All solids are seen from the same direction; every one of their cubes is at least partly "
    "visible, and nothing else is there. The Z axis points up, the X axis to the lower left and "
    "the Y axis to the lower right, both towards you."
)
_TEXT = (
    "Each cube is given by its place on the axes X, Y, Z. The axes are right-handed: seen from the "
    "tip of Z, a counterclockwise quarter turn carries X to Y."
)


def describe_solids(modality: str, solid: str) -> str:
    """Return what a solid is and how it is shown.

    Args:
        modality: "picture" or "text".
        solid: one of the solids, as text.
    """
    shown = _PICTURE if modality == "picture" else _TEXT
    return _SOLID.format(cubes=len(solid.split())) + shown


def list_cells(solids: Mapping[str, str]) -> str:
    """Return a line for each solid: its name and the places of its cubes."""
    return "\n".join(
        f"{name}: {' '.join(','.join(cell) for cell in solid.split())}"
        for name, solid in solids.items()
    )


def list_hidden_faults(solids: Mapping[str, str]) -> list[str]:
    """Return which solids have a cube that their picture does not show."""
    return [
        f"the picture of {name} hides a cube, so that several solids fit it"
        for name, solid in solids.items()
        if not voxel_view.shows_every_cube(polycubes.parse_solid(solid))
    ]
