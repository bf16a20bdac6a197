"""Our rows of Inf-Bench's tables 1 and 2: R by ladders, for pictures and for codes.

The paper climbs ladders. A report has the accuracy at every level, and the R that these lead one to
expect of ladders (an exact Markov chain, facelet.pipeline.ladder.expecting); `facelet ladder`
climbs.
"""

from __future__ import annotations

from facelet.pipeline.papers.places import Ladder, Layout, Line, Part

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
    line = Line(tuple(Ladder(part.name) for part in parts))
    return Layout(number, (line,), tuple(parts), axis="levels", remark=_REMARK)


LAYOUTS = (_layout("1", "picture", ""), _layout("2", "text", "_text"))
