"""Scenes of flat diagrams: panels of filled shapes, lines, arrows, discs and letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from facelet.renderers.scenes.records import Region, Scene, check_pixels, check_sheet, equal_regions

Kind = Literal["fill", "line", "dash", "arrow", "disc", "text"]
INK, DARK, MIDDLE, PALE, FAINT, WASH, PAPER = 0, 4, 7, 10, 12, 14, 15
"""Levels of the ramp of blues, from ink to paper."""
STEPS = (3, 24)
"""Smallest and largest length of a step in pixels."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of a panel; later marks cover earlier ones.

    Attributes:
        kind: "fill" a polygon, "line" or "dash" between points, "arrow" whose tip is the last
            point, "disc" of a radius, "text" around a point.
        points: right and down in steps, one after the other; for a disc its middle and radius.
        level: the shade, INK to PAPER.
        text: what is written.
    """

    kind: Kind
    points: tuple[int, ...]
    level: int = INK
    text: str = ""


@dataclass(frozen=True, slots=True)
class DiagramSheet(Scene):
    """Panels of one size, each with its label.

    Attributes:
        panels: the marks of each panel.
        labels: a label for each.
        size: width and height of a panel in steps, its margins and label included.
        step: pixels a step.
        columns: most panels of a row.

    Raises:
        ValueError: a field is out of its range.
    """

    panels: tuple[tuple[Mark, ...], ...]
    labels: tuple[str, ...]
    size: tuple[int, int]
    step: int = 6
    columns: int = 3

    def __post_init__(self) -> None:
        """Check the fields."""
        check_sheet("panels", ["panel"] * len(self.panels), self.labels, self.columns)
        check_pixels("step", self.step, STEPS)
        for mark in (mark for panel in self.panels for mark in panel):
            if mark.kind not in get_args(Kind) or not INK <= mark.level <= PAPER:
                raise ValueError(f"{mark!r} is no mark; its level is from {INK} to {PAPER}")

    def label_regions(self) -> dict[str, Region]:
        """Return the regions of the panels."""
        return equal_regions(self.labels, self.columns)
