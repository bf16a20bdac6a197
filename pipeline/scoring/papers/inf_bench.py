"""Our rows of Inf-Bench's tables 1 and 2: R by ladders, for pictures and for codes.

The paper climbs ladders. A report has the accuracy at every level, and the R that these lead one to
expect of ladders (an exact Markov chain, facelet.pipeline.ladder.expecting); `facelet ladder`
climbs.
"""

from __future__ import annotations

from typing import Any

from facelet.pipeline.scoring.papers.places import Ladder, Layout, Line

_REMARK = (
    "R is expected from the accuracies at the levels of the dataset (the level failed twice), not "
    "climbed; facelet ladder climbs"
)
_SHAPES: dict[str, Any] = {
    "replaced": 1,
    "types": "four",
    "coloring": "all",
    "filling": False,
    "floating": True,
    "steps": "any",
}
_CUBES: dict[str, Any] = {"replaced": 1, "start": "solved"}


def layouts() -> tuple[Layout, ...]:
    """Return the layouts of both tables."""
    return tuple(_layout(number, ending) for number, ending in (("1", ""), ("2", "_text")))


def _layout(number: str, ending: str) -> Layout:
    """Return the layout of a table.

    Args:
        number: its number.
        ending: how the names of its configs end.
    """
    shapes, cubes = (
        [f"{way}_{kind}{ending}" for kind in kinds for way in ("forward", "inverse")]
        for kinds in (("2d", "25d"), ("3d",))
    )
    conditions = dict.fromkeys(shapes, _SHAPES) | dict.fromkeys(cubes, _CUBES)
    line = Line(tuple(Ladder(config) for config in (*shapes, *cubes)))
    return Layout("inf_bench", number, (line,), conditions, {}, axis="levels", remark=_REMARK)
