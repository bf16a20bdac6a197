"""Reply widgets of cube tasks on the page for people: paint stickers, click moves."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.generators.cube.engine.facelet_codecs import COLOUR_RGB
from facelet.pipeline.report.people.people_page_widgets import Widget

_PALETTE = (
    *((name, f"#{r:02x}{g:02x}{b:02x}") for name, (r, g, b) in COLOUR_RGB.items()),
    ("Unknown", "#8a8a8a"),
)
_TURNS = tuple((turn, turn) for face in "FBLRUD" for turn in (face, f"{face}'"))
_LETTER: Widget = {"kind": "choice", "form": "{}", "options": tuple((x, x) for x in "ABCD")}

WIDGETS: Mapping[str, Widget] = {
    "cube/face_recognition": {
        "kind": "paint",
        "form": "ANSWER:\nRow 1: [{}, {}, {}]\nRow 2: [{}, {}, {}]\nRow 3: [{}, {}, {}]\n"
        "Answer verified for correctness.",
        "options": _PALETTE,
        "size": (3, 3),
    },
    "cube/navigate": {
        "kind": "moves",
        "form": '{"actions": ["{}"]}',
        "between": '", "',
        "options": (
            *_TURNS,
            ("get_observation", "look"),
            ("final_answer", "finish"),
        ),
    },
    "cube/forward_deformation": _LETTER,
    "cube/inverse_deformation": _LETTER,
}
"""Widgets by task."""
