"""Charts of papers: exact widths, letters of at least 7 points, nothing outside of the picture."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image

from facelet.pipeline.report import charts

LEVELS = range(1, 8)
NAMES = ("alpha-large-instruct-2026-09", "beta", "gamma-7b", *(f"model {n}" for n in range(5)))
GUESSES = [
    {"level": level, "what": what, "at": at}
    for level in LEVELS
    for what, at in (("chance", 0.25), ("floor", 0.3), ("shortcut", 0.6 - 0.02 * level))
]
MARGIN = 300
"""Pixels around a picture in which nothing may be drawn."""


def model_rows(count: int, levels: range = LEVELS) -> list[charts.ChartRow]:
    """Return close figures of models, so that names and intervals would overlap."""
    return [
        {"series": name, "level": level, "value": value, "low": value - 0.05, "high": value + 0.05}
        | {"note": "n = 40; above the floor (Holm-corrected); 100.0% arrived, 100.0% readable"}
        for place, name in enumerate(NAMES[:count])
        for level in levels
        for value in [0.9 - 0.1 * level + 0.01 * place]
    ]


def draw_curves(count: int, width: int) -> object:
    rows = model_rows(count)
    return charts.curve_chart(rows, NAMES, "optimal depth", GUESSES, width=width, height=110)


def draw_bars(count: int, width: int) -> object:
    rows = [row | {"level": None} for row in model_rows(count, range(1, 2))]
    return charts.bar_chart(rows, NAMES, GUESSES[:3], width)


@pytest.mark.parametrize("draw", [draw_curves, draw_bars])
@pytest.mark.parametrize("width", [charts.COLUMN, charts.PAGE])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_figure_fits_a_column_or_a_page(draw, width, count, tmp_path):
    import vl_convert

    charts.write_chart(draw(count, width), tmp_path / "chart")
    text = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    wide, high = (int(re.search(rf'{side}="(\d+)"', text)[1]) for side in ("width", "height"))
    assert wide == width in (240, 504) and high < 400
    (box,) = re.findall(rb"/MediaBox \[([\d ]+)\]", (tmp_path / "chart.pdf").read_bytes())
    assert box == b"0 0 %d %d" % (wide, high)
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', text)}
    assert sizes and min(sizes) >= 7
    assert "role-legend" not in text
    w, h = wide + 2 * MARGIN, high + 2 * MARGIN
    framed = text.replace(
        f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"',
        f'width="{w}" height="{h}" viewBox="-{MARGIN} -{MARGIN} {w} {h}"',
    )
    assert framed != text
    drawn = np.asarray(Image.open(io.BytesIO(vl_convert.svg_to_png(framed))).convert("RGBA"))
    drawn = drawn[..., 3] > 0
    inside = drawn[MARGIN : MARGIN + high, MARGIN : MARGIN + wide]
    assert inside.any() and drawn.sum() == inside.sum()
    assert all(name[:9] in text for name in NAMES[:count])


def test_names_and_intervals_do_not_overlap():
    chart = draw_curves(8, 240).to_dict(validate=False)
    points, labels = (
        next(one["data"]["values"] for one in chart["layer"] if one["mark"]["type"] == kind)
        for kind in ("rule", "text")
    )
    at_once = sorted(row["at"] for row in points if row["level"] == 3)
    apart = np.diff(at_once) * 240 / 14
    assert len(at_once) == 8 and apart.min() > 0.5 and at_once[-1] - at_once[0] < 1
    heights = sorted(row["value"] * 110 for row in labels)
    assert len(heights) == 8 and np.diff(heights).min() >= charts.LABEL


def test_what_guessing_wins_is_a_band():
    chart = draw_curves(3, 240).to_dict(validate=False)
    (band,) = [one for one in chart["layer"] if one["mark"]["type"] == "area"]
    assert band["data"]["values"][1] == {"at": 1, "low": 0.25, "high": 0.58}
    assert chart["title"]["text"][0] == "shaded: chance to shortcut"
