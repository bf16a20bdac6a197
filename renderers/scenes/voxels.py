"""Scenes of solids made of unit cubes, drawn in one generic axonometric view."""

from __future__ import annotations

from dataclasses import dataclass

from facelet.renderers.scenes.records import Region, Scene, check_sheet, equal_regions

VIEW = ((-23, 7), (12, 13), (0, -22))
"""Where one unit along x, y and z leads in the picture: right and down, in steps of the scale.

The projection is generic: no two cells within 7 unit steps appear within 0.4 units of each other,
so the place of a cube in the picture shows its cell. Faces up, to +x and to +y are seen.
"""
TOWARDS_EYE = (264, 506, 383)
"""The line of sight in cells; the only vectors that VIEW maps to 0 are its multiples."""
SPAN = 9
"""Most cells of a solid along an axis."""
SCALES = (2, 6)
"""Smallest and largest size of the steps of VIEW, in half pixels."""


@dataclass(frozen=True, slots=True)
class VoxelSheet(Scene):
    """Solids side by side, each with its label.

    Attributes:
        solids: cells as digits x, y, z below SPAN, parted by blanks, such as "000 100".
        labels: a label for each.
        columns: most solids of a row.
        scale: half pixels a step of VIEW.
        axes: whether the arrows of the axes are drawn below the first solid.

    Raises:
        ValueError: a field is out of its range.
    """

    solids: tuple[str, ...]
    labels: tuple[str, ...]
    columns: int = 3
    scale: int = 3
    axes: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        check_sheet("solids", self.solids, self.labels, self.columns)
        for solid in self.solids:
            cells = solid.split()
            digits = set("".join(cells))
            if not cells or {len(cell) for cell in cells} != {3} or not digits <= set("012345678"):
                raise ValueError(
                    f"{solid!r} is no solid; give cells of three digits below {SPAN}, such as "
                    "'000 100'"
                )
        low, high = SCALES
        if type(self.scale) is not int or not low <= self.scale <= high:
            raise ValueError(f"scale is {self.scale!r}; allowed are {low} to {high}")

    def label_regions(self) -> dict[str, Region]:
        """Return the regions of the solids."""
        return equal_regions(self.labels, self.columns)
