"""Our rows of MARBLE's tables 2 and 8 to 10."""

from __future__ import annotations

from facelet.pipeline.papers.places import Layout, Line, Part, Place

_PORTAL, _OTHERS = 512, 1000
_PARTS = (
    Part("plan_correctness", "chamber/plan_correctness", items=_PORTAL),
    Part("fill_blanks", "chamber/fill_blanks", items=_PORTAL),
    Part(
        "assemble",
        "jigsaw/assemble",
        {},
        {"missing": 6, "modality": "images", "feedback": "none"},
        _OTHERS,
    ),
    Part("assemble_easy", "jigsaw/assemble_easy", items=_OTHERS),
    Part(
        "maze",
        "labyrinth/plan",
        {"setting": "visual"},
        {"turns": 4, "budget": "unlimited", "shifted": "any"},
        _OTHERS,
    ),
    Part(
        "maze_easy",
        "labyrinth/plan",
        {"setting": "overlay_symbolic"},
        {"turns": 2, "budget": "unlimited", "shifted": "any"},
        _OTHERS,
    ),
)
_FIGURES = {"plan_correctness": "f1"}

_ASSEMBLE, _MAZE, _MAZE_EASY = (_PARTS[place] for place in (2, 4, 5))


def _closer(number: str, part: Part, figures: tuple[str, ...], unmeasured: int) -> Layout:
    """Return the layout of a table of finer figures of one part.

    Args:
        number: number of the table.
        part: the part.
        figures: names of its figures, one a column.
        unmeasured: how many columns follow that nothing here measures (standard deviations).
    """
    places = (*(Place(part.name, figure) for figure in figures), *[None] * unmeasured)
    return Layout(number, (Line(places),), (part,))


_ASSEMBLING = ("edit_distance", "correct_faces", "connectivity_violations")
_PLANNING = ("turn_closeness", "plan_length", "turn_distance")

LAYOUTS = (
    Layout(
        "2",
        (Line(tuple(Place(part.name, _FIGURES.get(part.name, "accuracy")) for part in _PARTS)),),
        _PARTS,
    ),
    _closer("8", _ASSEMBLE, _ASSEMBLING, 0),
    _closer("9", _MAZE_EASY, _PLANNING, 3),
    _closer("10", _MAZE, _PLANNING, 3),
)
