"""Define our rows of MARBLE's tables 2, 5 and 7 to 10."""

from __future__ import annotations

from dataclasses import replace

from facelet.pipeline.papers.paper import (
    LayoutRow,
    MeanFigure,
    PaperPart,
    TableFigure,
    TableLayout,
)

_PORTAL, _OTHERS = {"items": 16, "rows": 512}, 1000  # 16 maps, 512 questions of each kind
_PARTS = (
    PaperPart("plan_correctness", "chamber/plan_correctness", totals=_PORTAL),
    PaperPart("fill_blanks", "chamber/fill_blanks", totals=_PORTAL),
    PaperPart(
        "assemble",
        "jigsaw/assemble",
        {},
        {"missing": 6, "modality": "images", "feedback": "none"},
        _OTHERS,
    ),
    PaperPart("assemble_easy", "jigsaw/assemble_easy", items=_OTHERS),
    PaperPart(
        "maze",
        "labyrinth/plan",
        {"setting": "visual"},
        {"turns": 4, "budget": "unlimited", "shifted": "any", "targets": "any"},
        _OTHERS,
    ),
    PaperPart(
        "maze_easy",
        "labyrinth/plan",
        {"setting": "overlay_symbolic"},
        {"turns": 2, "budget": "unlimited", "shifted": "any", "targets": "any"},
        _OTHERS,
    ),
)
_FIGURES = {"plan_correctness": "f1"}

_OPACITIES = tuple(
    PaperPart(
        f"maze_opacity_{opacity}",
        "labyrinth/plan",
        {"setting": "overlay_symbolic", "turns": 0, "opacity": opacity},
    )
    for opacity in (0, 20, 50, 80, 100)
)
_ASSEMBLE, _MAZE, _MAZE_EASY = (_PARTS[place] for place in (2, 4, 5))


def _detail_layout(
    number: str, part: PaperPart, figures: tuple[str, ...], unmeasured: int
) -> TableLayout:
    """Return the layout of a table of finer figures of one part.

    Args:
        number: number of the table.
        part: the part.
        figures: names of its figures, one a column.
        unmeasured: how many columns follow that nothing here measures (standard deviations).
    """
    places = (*(TableFigure(part.name, figure) for figure in figures), *[None] * unmeasured)
    return TableLayout(number, (LayoutRow(places),), (part,))


_TOKENS = tuple(
    MeanFigure(tuple(TableFigure(part.name, figure) for part in family))
    for family in (_PARTS[:2], _PARTS[2:4], _PARTS[4:])
    for figure in ("prompt_tokens", "completion_tokens")
)
_ANY_NUMBER = tuple(replace(part, items=None, totals={}) for part in _PARTS)

_ASSEMBLING = ("edit_distance", "correct_faces", "connectivity_violations")
_PLANNING = ("turn_closeness", "plan_length", "turn_distance")

LAYOUTS = (
    TableLayout(
        "2",
        (
            LayoutRow(
                tuple(
                    TableFigure(part.name, _FIGURES.get(part.name, "accuracy")) for part in _PARTS
                )
            ),
        ),
        _PARTS,
    ),
    TableLayout("5", (LayoutRow(_TOKENS),), _ANY_NUMBER),
    TableLayout(
        "7",
        (LayoutRow(tuple(TableFigure(part.name, "accuracy") for part in _OPACITIES)),),
        _OPACITIES,
    ),
    _detail_layout("8", _ASSEMBLE, _ASSEMBLING, 0),
    _detail_layout("9", _MAZE_EASY, _PLANNING, 3),
    _detail_layout("10", _MAZE, _PLANNING, 3),
)
