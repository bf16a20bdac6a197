"""Define the charts of results as specifications of Vega-Altair, and draw them.

Charts are drawn as SVG for pages, and as PDF and SVG for papers. On a page a chart takes the page's
colours, dark or light: variables of the page's style replace the placeholders below. Series have
colours that colour-blind readers can distinguish on both backgrounds (after Okabe and Ito, of
similar lightness), and also shapes and dashes. Nothing is loaded from the network: vl-convert
contains Vega.

Axes of shares run from 0 to 1, in percent. Models keep their colour, shape and dash in every chart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from types import ModuleType
from typing import Any

from markupsafe import Markup, escape

from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.scoring.render import results_schema

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


alt: Any = import_altair()
"""Its own types refuse much that its schema allows, such as data given as plain lists."""

GUESSES = ("chance", "floor", "shortcut")
_PERCENT = alt.Axis(format=".0%", tickCount=5, grid=True)
_WIDTH, _HEIGHT, WIDE = 310, 150, 340
_AXIS = 48
"""Pixels beside a plot, about."""
_LETTER = 0.6
"""Width of a letter as a share of its size."""
_FIT = alt.AutoSizeParams(type="fit-x", contains="padding")
"""The width of a chart includes its axes and labels."""

ChartRow = dict[str, Any]
"""A line of a chart's data."""


def shorten_name(name: str, most: int = 28) -> str:
    """Return a name as a legend has it, its end left out where it is long."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _series_channel(
    kind: type[Any], field: str, names: Sequence[str], channel: str, **more: Any
) -> Any:
    scale = alt.Scale(**series_scales(names)[channel])
    return kind(f"{field}:N", scale=scale, title=None, **more)


def bar_chart(
    rows: Sequence[ChartRow],
    models: Sequence[str],
    marks: Sequence[ChartRow] = (),
    width: int = WIDE,
) -> Any:
    """Return a bar a series with its interval, its notes, and what is won by guessing.

    Args:
        rows: `series`, `level`, `value`, `low`, `high`, `note`.
        models: all series of the page, so that colours stay.
        marks: `what` and `at`.
        width: of the plot, in pixels.
    """
    named_rows = [{**row, "model": shorten_name(row["series"])} for row in rows]
    order = [row["model"] for row in named_rows]
    data = alt.Data(values=named_rows)
    y = alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labelLimit=110))
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), axis=_PERCENT, title=None)
    names = [shorten_name(name) for name in models]
    bars = (
        alt.Chart(data)
        .mark_bar(height={"band": 0.7}, opacity=0.85)
        .encode(x=x, y=y, color=_series_channel(alt.Color, "model", names, "color", legend=None))
    )
    ends = (
        alt.Chart(data)
        .mark_rule(strokeWidth=2, color=INK)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y)
    )
    layers = [bars, ends]
    won = ", ".join(f"{one['what']} {one['at']:.1%}" for one in marks)
    if marks:
        band = {"low": min(one["at"] for one in marks), "high": max(one["at"] for one in marks)}
        shade = alt.Chart(alt.Data(values=[band]))
        shade = shade.mark_rect(color=SOFT, opacity=0.25, stroke=SOFT, strokeWidth=0.8)
        layers.insert(0, shade.encode(x="low:Q", x2="high:Q"))
        won = f"shaded: {won}"
    return alt.layer(*layers).properties(
        width=width,
        height=max(40, 24 * len(rows)),
        autosize=_FIT,
        title=_notes(rows, width, won),
    )


def _notes(rows: Sequence[ChartRow], width: int, won: str = "") -> Any:
    """Return the notes on some points as text below a chart, those that points share once.

    Args:
        rows: `series`, `level`, `note`.
        width: of the plot, in pixels.
        won: the baselines in words, where they do not differ by level.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        levels = found.setdefault(row["note"], {}).setdefault(shorten_name(row["series"]), [])
        levels += [] if row["level"] is None else [str(row["level"])]
    several = len(found) > 1
    lines = [won] if won else []
    for note, own in found.items():
        who = "; ".join(f"{name} {', '.join(levels)}".strip() for name, levels in own.items())
        lines.append(f"{note} ({who})" if several else note)
    text = [part for line in lines for part in wrap(line, int(width / (_LETTER * NOTE)))]
    return alt.TitleParams(
        text=text,
        anchor="start",
        orient="bottom",
        color=SOFT,
        fontSize=NOTE,
        fontWeight="normal",
        offset=6,
    )


def amount_chart(rows: Sequence[ChartRow], models: Sequence[str], width: int = WIDE) -> Any:
    """Return a bar a series from 0 on, of anything that is no share.

    Args:
        rows: `series` and `value`.
        models: all series of the page, so that colours stay.
        width: of the plot, in pixels.
    """
    named_rows = [{**row, "model": shorten_name(row["series"])} for row in rows]
    names = [shorten_name(name) for name in models]
    order = [row["model"] for row in named_rows]
    bar = alt.Chart(alt.Data(values=named_rows)).mark_bar(height={"band": 0.7}, opacity=0.85)
    return bar.encode(
        x=alt.X("value:Q", axis=alt.Axis(tickCount=4, format=",~r", grid=True), title=None),
        y=alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labelLimit=110)),
        color=_series_channel(alt.Color, "model", names, "color", legend=None),
    ).properties(width=width, height=max(40, 24 * len(rows)), autosize=_FIT)


def curve_chart(
    rows: Sequence[ChartRow],
    names: Sequence[str],
    axis: str,
    guesses: Sequence[ChartRow] = (),
    *,
    title: str = "accuracy",
    width: int = _WIDTH,
    height: int = _HEIGHT,
    share: bool = True,
) -> Any:
    """Return figures against levels: a line a series, named at its end, with its intervals.

    Series stand beside each other at a level, so that their intervals do not overlap. What is won
    by guessing is a band.

    Args:
        rows: `series`, `level`, `value`, `low`, `high`, `note`.
        names: all series of the page, so that colours stay.
        axis: what levels are called.
        guesses: `level`, `what` and `at`.
        title: what is measured.
        width: of the chart, in pixels.
        height: of the plot.
        share: whether values are shares.
    """
    shown = [shorten_name(name) for name in names]
    levels = sorted({row["level"] for row in rows})
    step = min((b - a for a, b in pairwise(levels)), default=1)
    own = list(dict.fromkeys(row["series"] for row in rows))
    # How far each stands from its level, as a share of the distance of two levels.
    apart = min(0.12, 0.6 / len(own))
    aside = {name: (k - (len(own) - 1) / 2) * apart * step for k, name in enumerate(own)}
    top = 1.0 if share else max(max(row["value"], row["high"] or 0) for row in rows) or 1.0
    places = [
        row | {"series": shorten_name(row["series"]), "at": row["level"] + aside[row["series"]]}
        for row in rows
    ]
    ends = _place_labels(places, top, height)
    room = _LETTER * LABEL * max(len(one["label"]) for one in ends) + 8
    first, last = levels[0] - step / 3, levels[-1] + step / 3
    plot = max(width - _AXIS - room, 60)
    x = alt.X(
        "at:Q",
        title=axis or None,
        axis=alt.Axis(values=_choose_ticks(levels), format="d", grid=False, titleAnchor="start"),
        scale=alt.Scale(domain=[first, last + (last - first) * room / plot], nice=False),
    )
    ticks = _PERCENT if share else alt.Axis(tickCount=4)
    y = alt.Y("value:Q", scale=alt.Scale(domain=[0, top]), axis=ticks, title=title)
    colour = _series_channel(alt.Color, "series", shown, "color", legend=None)
    base = alt.Chart(alt.Data(values=places))
    low = alt.Y("low:Q", title=title)
    layers = [
        *([_guess_band(guesses, first)] if guesses else ()),
        base.mark_rule(strokeWidth=1.2).encode(x=x, y=low, y2="high:Q", color=colour),
        base.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, size=30, opacity=1).encode(
            x=x,
            y=y,
            color=colour,
            shape=_series_channel(alt.Shape, "series", shown, "shape", legend=None),
        ),
        alt.Chart(alt.Data(values=ends))
        .mark_text(align="left", dx=5, fontSize=LABEL)
        .encode(x=x, y=y, text="label:N", color=colour),
    ]
    stated = [name for name in GUESSES if name in {one["what"] for one in guesses}]
    won = f"shaded: {' to '.join(dict.fromkeys((stated[0], stated[-1])))}" if stated else ""
    return alt.layer(*layers).properties(
        width=width, height=height, autosize=_FIT, title=_notes(rows, width, won)
    )


def _place_labels(places: Sequence[ChartRow], top: float, height: int) -> list[ChartRow]:
    """Return a label for the last point of each series, moved apart where two would overlap.

    Args:
        places: the points.
        top: where the axis of values ends.
        height: of the plot, in pixels.
    """
    ends = {row["series"]: row for row in sorted(places, key=lambda row: row["level"])}
    found = sorted(ends.values(), key=lambda row: row["value"])
    gap = min(1.15 * LABEL / height, 1 / len(found)) * top
    heights: list[float] = []
    for row in found:
        heights.append(max(row["value"], heights[-1] + gap if heights else 0))
    for place in reversed(range(len(found))):
        above = heights[place + 1] - gap if place + 1 < len(found) else top
        heights[place] = min(heights[place], above)
    right = max(row["at"] for row in found)
    return [
        {"series": row["series"], "label": shorten_name(row["series"], 18), "at": right, "value": v}
        for row, v in zip(found, heights, strict=True)
    ]


def _guess_band(guesses: Sequence[ChartRow], first: float) -> Any:
    """Return a band from the lowest to the highest baseline of each level."""
    levels: dict[int, list[float]] = {}
    for one in guesses:
        levels.setdefault(one["level"], []).append(one["at"])
    band = [
        {"at": level, "low": min(own), "high": max(own)} for level, own in sorted(levels.items())
    ]
    data = alt.Chart(alt.Data(values=[{**band[0], "at": first}, *band]))
    edge = {"color": SOFT, "strokeWidth": 0.8}
    area = data.mark_area(color=SOFT, opacity=0.22, line=edge)
    return area.encode(x="at:Q", y="low:Q", y2="high:Q")


def _choose_ticks(levels: Sequence[int]) -> list[int]:
    """Return at most eight of the levels, the first and the last among them."""
    step = max(1, -(-len(levels) // 8))
    return sorted({*levels[::step], levels[-1]}) if levels else []


def status_chart(rows: Sequence[ChartRow], order: Sequence[str], width: int = WIDE) -> Any:
    """Return shares of what became of predictions: a bar a model.

    Args:
        rows: `model`, `status`, `count`.
        order: the statuses.
        width: of the plot.
    """
    data = alt.Data(values=[row | {"model": shorten_name(row["model"])} for row in rows])
    places = [row | {"place": order.index(row["status"])} for row in data.values]
    shades = [STATUS.get(name, COLOURS[k % len(COLOURS)]) for k, name in enumerate(order)]
    colour = alt.Color(
        "status:N",
        scale=alt.Scale(domain=list(order), range=shades),
        legend=alt.Legend(title=None, columns=3),
    )
    models = list(dict.fromkeys(row["model"] for row in places))
    bar = alt.Chart(alt.Data(values=places)).mark_bar(
        height={"band": 0.7}, stroke=LINE, strokeWidth=0.5
    )
    return bar.encode(
        x=alt.X("count:Q", stack="normalize", axis=_PERCENT, title=None),
        y=alt.Y("model:N", sort=models, title=None, axis=alt.Axis(labelLimit=110)),
        color=colour,
        order=alt.Order("place:Q"),
    ).properties(width=width, height=max(40, 24 * len(models)), autosize=_FIT)


STATUS = {
    "correct": "#0a8f6c",
    "wrong": "#d55e00",
    "illegal": "#b3589a",
    "unparsed": "#8f7300",
    "ungraded": "#6a6fd0",
    "missing": "#9a9a9a",
    "api_error": "#5e5e5e",
    "duplicate": "#bdbdbd",
}
"""Colours of what became of predictions."""


def confusion_chart(matrix: results_schema.Confusion) -> Any:
    """Return a confusion matrix: rows are gold classes, and their shares are shades."""
    rows = []
    for gold, counts in zip(matrix["gold"], matrix["counts"], strict=True):
        total = sum(counts) or 1
        rows += [
            {
                "gold": shorten_name(gold, 14),
                "answer": shorten_name(answer, 14),
                "count": n,
                "share": n / total,
            }
            for answer, n in zip(matrix["answer"], counts, strict=True)
        ]
    data = alt.Data(values=rows)
    x = alt.X(
        "answer:N",
        sort=[shorten_name(name, 14) for name in matrix["answer"]],
        axis=alt.Axis(labelAngle=-30),
    )
    y = alt.Y("gold:N", sort=[shorten_name(name, 14) for name in matrix["gold"]])
    base = alt.Chart(data)
    shade = alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.75]), legend=None)
    cells = base.mark_rect(color="#2f7fd1").encode(x=x, y=y, opacity=shade)
    side = 46 if len(matrix["gold"]) <= 4 else 32
    text = base.mark_text(color=INK, fontSize=11).encode(x=x, y=y, text="count:Q")
    return alt.layer(cells, text).properties(
        width=side * len(matrix["answer"]), height=28 * len(matrix["gold"])
    )


def step_chart(rows: Sequence[ChartRow], names: Sequence[str], metric: str, title: str) -> Any:
    """Return a share of plays against a count, a step line a model.

    Args:
        rows: `series`, `at`, `share`.
        names: all series of the page.
        metric: what is counted.
        title: what the share is of.
    """
    data = alt.Data(values=[row | {"series": shorten_name(row["series"])} for row in rows])
    shown = [shorten_name(name) for name in names]
    line = alt.Chart(data).mark_line(interpolate="step-after", strokeWidth=1.8)
    return line.encode(
        x=alt.X("at:Q", title=metric, axis=alt.Axis(tickCount=6, format="d", grid=False)),
        y=alt.Y("share:Q", scale=alt.Scale(domain=[0, 1]), axis=_PERCENT, title=title),
        color=_series_channel(alt.Color, "series", shown, "color", legend=None),
    ).properties(width=_WIDTH, height=_HEIGHT, autosize=_FIT)


def iterate_legend(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield name, colour and shape of each series, for the key of a page."""
    known = series_scales(names)
    yield from zip(names, known["color"]["range"], known["shape"]["range"], strict=True)
