"""Reply widgets of shape tasks on the page for people: choose one of four results."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.pipeline.report.people.people_page_widgets import Widget

_LETTER: Widget = {"kind": "choice", "form": "{}", "options": tuple((x, x) for x in "ABCD")}

WIDGETS: Mapping[str, Widget] = {
    "shapes/forward_deformation": _LETTER,
    "shapes/inverse_deformation": _LETTER,
}
"""Widgets by task."""
