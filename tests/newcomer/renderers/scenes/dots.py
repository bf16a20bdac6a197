"""Scenes of sheets of squares, some of them filled."""

from __future__ import annotations

from dataclasses import dataclass

from facelet.renderers.scenes.records import Scene


@dataclass(frozen=True, slots=True)
class DotSheet(Scene):
    """A sheet of squares.

    Attributes:
        squares: a 1 for each filled square and a 0 for each empty one, row by row.
        width: squares in a row.

    Raises:
        ValueError: the squares do not fill whole rows.
    """

    squares: str
    width: int = 4

    def __post_init__(self) -> None:
        if self.width < 1 or not self.squares or len(self.squares) % self.width:
            raise ValueError(
                f"{len(self.squares)} squares in rows of {self.width}; give whole rows, and one "
                "row at least"
            )
