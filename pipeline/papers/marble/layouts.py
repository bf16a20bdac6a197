"""Our row of MARBLE's table 2."""

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
        {"turns": 4, "budget": "unlimited"},
        _OTHERS,
    ),
    Part(
        "maze_easy",
        "labyrinth/plan",
        {"setting": "overlay_symbolic"},
        {"turns": 2, "budget": "unlimited"},
        _OTHERS,
    ),
)
_FIGURES = {"plan_correctness": "f1"}

LAYOUTS = (
    Layout(
        "2",
        (Line(tuple(Place(part.name, _FIGURES.get(part.name, "accuracy")) for part in _PARTS)),),
        _PARTS,
    ),
)
