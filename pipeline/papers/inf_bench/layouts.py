"""Our rows of Inf-Bench's tables 1 and 2: R by ladders, for pictures and for codes.

The paper climbs ladders. A report has the accuracy at every level, and the R that these lead one to
expect of ladders (an exact Markov chain, facelet.pipeline.ladder.expecting); `facelet ladder`
climbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facelet.pipeline.ladder.expecting import expected
from facelet.pipeline.papers.places import Derived, Layout, Line, Part

if TYPE_CHECKING:
    from facelet.pipeline.scoring.telling.schema import Cell as ScoredCell

_REMARK = (
    "R is expected from the accuracies at the levels of the dataset (the level failed twice), not "
    "climbed; facelet ladder climbs"
)
_SHAPES: dict[str, object] = {
    "replaced": 1,
    "types": "four",
    "filling": False,
    "steps": "any",
}
_CUBES: dict[str, object] = {"replaced": 1, "start": "solved"}


def _expected(cells: Sequence[ScoredCell]) -> float | None:
    """Return the R that the accuracies at all levels lead one to expect; None without levels."""
    by_level = {
        cell["difficulty"]: cell["figures"]["accuracy"]["value"]
        for cell in cells
        if cell["difficulty"] is not None and not cell["by"] and "accuracy" in cell["figures"]
    }
    known = {level: value for level, value in by_level.items() if value is not None}
    levels = sorted(known)
    return expected([known[level] for level in levels], levels).failed if levels else None


def _layout(number: str, given: str, ending: str) -> Layout:
    """Return the layout of a table.

    Args:
        number: its number.
        given: the input that its questions have.
        ending: how the names of its parts end.
    """
    ways = ("forward", "inverse")
    parts = [
        Part(
            f"{way}_{kind}{ending}",
            f"shapes/{way}_deformation",
            {"space": space, "input": given},
            _SHAPES,
        )
        for kind, space in (("2d", "2d"), ("25d", "2.5d"))
        for way in ways
    ]
    parts += [
        Part(f"{way}_3d{ending}", f"cube/{way}_deformation", {"input": given}, _CUBES)
        for way in ways
    ]
    line = Line(tuple(Derived(part.name, _expected) for part in parts))
    return Layout(number, (line,), tuple(parts), axis="levels", remark=_REMARK)


LAYOUTS = (_layout("1", "picture", ""), _layout("2", "text", "_text"))
