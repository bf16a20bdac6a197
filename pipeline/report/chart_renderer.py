"""Draw charts of Vega-Altair as SVG for pages, and as PDF and SVG for papers.

On a page a chart takes the page's colours, dark or light: the placeholders below are replaced by
variables of the page's style. Series have colours that colour-blind readers can distinguish on both
backgrounds (after Okabe and Ito, of similar lightness), and also shapes and dashes. Nothing is
loaded from the network: vl-convert contains Vega.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from markupsafe import Markup, escape

from facelet.pipeline.optional_packages import import_optional

INK, LINE, SOFT = "#010203", "#040506", "#070809"
"""Stand-ins of text, of grids, and of marks beside the models' own."""

_ON_PAGES = {INK: "currentColor", LINE: "var(--line)", SOFT: "var(--soft)"}
_ON_PAPER = {INK: "#222222", LINE: "#dddddd", SOFT: "#555555"}

COLOURS = (
    *("#2f7fd1", "#d55e00", "#0a8f6c", "#b3589a", "#8f7300", "#3d94b8", "#6a6fd0", "#7d7d7d"),
)
"""Colours of series: at least 3 to 1 against white and against the dark ground."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

COLUMN, PAGE = 240, 504
"""Widths of a column and of a page of a paper, in points."""

LABEL, NOTE = 8, 8
"""Sizes of the letters of names and notes, in points: papers ask for at least 7."""

FONT = "DejaVu Sans, Verdana, sans-serif"

_CONFIG: dict[str, object] = {
    "background": "transparent",
    "font": FONT,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "tickColor": LINE,
        "domainColor": LINE,
        "gridColor": LINE,
        "labelFontSize": 9,
        "titleFontSize": 9,
        "titleFontWeight": "normal",
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "orient": "bottom",
        "columns": 3,
        "labelLimit": 180,
        "symbolStrokeWidth": 2,
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 11},
    "text": {"color": INK},
}


def import_altair() -> ModuleType:
    """Return the package that describes charts.

    Raises:
        ValueError: charts cannot be drawn here; the message names what to install.
    """
    import_optional("vl_convert", "report", "facelet report")
    return import_optional("altair", "report", "facelet report")


def series_scales(names: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """Return the scales of series by channel: colour and shape of each name."""
    place = range(len(names))
    return {
        "color": {"domain": list(names), "range": [COLOURS[k % len(COLOURS)] for k in place]},
        "shape": {"domain": list(names), "range": [SHAPES[k % len(SHAPES)] for k in place]},
    }


def _chart_spec(chart: Any) -> dict[str, object]:
    """Return the specification of a chart, with the settings that all have."""
    spec: dict[str, object] = chart.to_dict(validate=False)
    spec["config"] = _CONFIG
    return spec


def _chart_to_svg(chart: Any) -> str:
    """Return a chart as SVG with placeholders for colours."""
    import vl_convert

    text: str = vl_convert.vegalite_to_svg(_chart_spec(chart))
    return text


def _fill_colours(text: str, colours: Mapping[str, str]) -> str:
    for stand_in, colour in colours.items():
        text = text.replace(stand_in, colour)
    return text


_MARKS = re.compile(r' (?:role="graphics-\w+"|aria-roledescription="[^"]*"|aria-label="[^"]*")')
"""What Vega says of single marks; a chart on a page is one picture with one label."""


def render_svg(chart: Any, label: str) -> Markup:
    """Return a chart as SVG for a page.

    Args:
        chart: a chart of Vega-Altair.
        label: what it shows, for who does not see it.
    """
    text = _MARKS.sub("", _fill_colours(_chart_to_svg(chart), _ON_PAGES))
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1))


def write_chart(chart: Any, path: Path) -> None:
    """Write a chart as PDF and as SVG, dark on white.

    Args:
        chart: a chart of Vega-Altair.
        path: the path without its ending.
    """
    import vl_convert

    text = _fill_colours(_chart_to_svg(chart), _ON_PAPER)
    path.with_name(f"{path.name}.svg").write_text(text, encoding="utf-8")
    path.with_name(f"{path.name}.pdf").write_bytes(vl_convert.svg_to_pdf(text))
