"""Define the charts of results as specifications of Vega-Altair.

Axes of shares run from 0 to 1, in percent. Models keep their colour, shape and dash in every chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from facelet.pipeline.report.chart_renderer import (
    COLOURS,
    INK,
    LINE,
    SOFT,
    import_altair,
    series_scales,
)
from facelet.pipeline.scoring.render import results_schema

alt: Any = import_altair()
"""Its own types refuse much that its schema allows, such as data given as plain lists."""

BANDS = 4
"""Most series that have a band for their interval; of more the bands would hide the lines."""

GUESSES = ("chance", "floor", "shortcut")
_GUESS_DASH = [[1, 3], [5, 3], [9, 3, 2, 3]]
_PERCENT = alt.Axis(format=".0%", tickCount=5, grid=True)
_WIDTH, _HEIGHT, WIDE = 250, 150, 240

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
    told = [{**row, "model": shorten_name(row["series"])} for row in rows]
    order = [row["model"] for row in told]
    data = alt.Data(values=told)
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
    if marks:
        layers.append(_guess_rules(marks, "x"))
    won = ", ".join(f"{one['what']} {one['at']:.1%}" for one in marks)
    return alt.layer(*layers).properties(
        width=width, height=max(40, 24 * len(rows)), title=_notes(rows, width, won)
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
    text = [part for line in lines for part in wrap(line, max(30, width // 5))]
    return alt.TitleParams(
        text=text,
        anchor="start",
        orient="bottom",
        color=SOFT,
        fontSize=9,
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
    told = [{**row, "model": shorten_name(row["series"])} for row in rows]
    names = [shorten_name(name) for name in models]
    order = [row["model"] for row in told]
    bar = alt.Chart(alt.Data(values=told)).mark_bar(height={"band": 0.7}, opacity=0.85)
    return bar.encode(
        x=alt.X("value:Q", axis=alt.Axis(tickCount=4, format=",~r", grid=True), title=None),
        y=alt.Y("model:N", sort=order, title=None, axis=alt.Axis(labelLimit=110)),
        color=_series_channel(alt.Color, "model", names, "color", legend=None),
    ).properties(width=width, height=max(40, 24 * len(rows)))


def _guess_rules(marks: Sequence[ChartRow], axis: str) -> Any:
    """Return rules at what is won by guessing, with a legend that says which is which."""
    places = {axis: (alt.X if axis == "x" else alt.Y)("at:Q")}
    dash = alt.StrokeDash(
        "what:N",
        scale=_dashes(marks),
        legend=alt.Legend(title=None, symbolStrokeColor=SOFT),
        title=None,
    )
    rule = alt.Chart(alt.Data(values=list(marks))).mark_rule(strokeWidth=1.6, color=SOFT)
    return rule.encode(strokeDash=dash, **places)


def _dashes(marks: Sequence[ChartRow]) -> Any:
    """Return the dashes of the baselines that are stated."""
    stated = {mark["what"] for mark in marks}
    own = [(name, dash) for name, dash in zip(GUESSES, _GUESS_DASH, strict=True) if name in stated]
    return alt.Scale(domain=[name for name, _ in own], range=[dash for _, dash in own])


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
    legend: bool = False,
) -> Any:
    """Return figures against levels: a line a series, bands, and what is won by guessing.

    Args:
        rows: `series`, `level`, `value`, `low`, `high`, `note`.
        names: all series of the page, so that colours stay.
        axis: what levels are called.
        guesses: `level`, `what` and `at`.
        title: what is measured.
        width: of the plot, in pixels.
        height: of the plot.
        share: whether values are shares.
        legend: whether the series are named below.
    """
    data = alt.Data(values=[row | {"series": shorten_name(row["series"])} for row in rows])
    shown = [shorten_name(name) for name in names]
    levels = sorted({row["level"] for row in rows})
    x = alt.X(
        "level:Q",
        title=axis or None,
        axis=alt.Axis(values=_choose_ticks(levels), format="d", grid=False),
        scale=alt.Scale(domain=_axis_domain(levels), nice=False),
    )
    low = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True)
    ticks = _PERCENT if share else alt.Axis(tickCount=4)
    y = alt.Y("value:Q", scale=low, axis=ticks, title=title)
    keys = alt.Legend(title=None) if legend else None
    colour = _series_channel(alt.Color, "series", shown, "color", legend=keys)
    base = alt.Chart(data)
    layers: list[Any] = []
    series = {row["series"] for row in rows}
    if len(series) <= BANDS:
        band = alt.Y("low:Q", scale=low, title=title)
        if len(levels) > 1:
            area = base.mark_area(opacity=0.15)
            layers.append(area.encode(x=x, y=band, y2="high:Q", color=colour))
        else:
            layers.append(base.mark_rule().encode(x=x, y=band, y2="high:Q", color=colour))
    if guesses:
        data = alt.Data(values=list(guesses))
        dash = alt.StrokeDash(
            "what:N",
            scale=_dashes(guesses),
            legend=alt.Legend(title=None, symbolStrokeColor=SOFT) if legend else None,
        )
        line = alt.Chart(data).mark_line(color=SOFT, strokeWidth=1.4)
        layers.append(line.encode(x=x, y=alt.Y("at:Q", scale=low, title=title), strokeDash=dash))
    many = len(names) > len(series_scales(["x"])["color"]["range"]) * 8
    dashes = (
        _series_channel(alt.StrokeDash, "series", shown, "strokeDash", legend=None)
        if many
        else None
    )
    drawn = base.mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour)
    layers.append(drawn.encode(strokeDash=dashes) if dashes is not None else drawn)
    layers.append(
        base.mark_point(filled=True, size=36, opacity=1).encode(
            x=x,
            y=y,
            color=colour,
            shape=_series_channel(alt.Shape, "series", shown, "shape", legend=keys),
        )
    )
    layered = alt.layer(*layers).resolve_scale(strokeDash="independent")
    return layered.properties(width=width, height=height, title=_notes(rows, width))


def _choose_ticks(levels: Sequence[int]) -> list[int]:
    """Return at most eight of the levels, the first and the last among them."""
    step = max(1, -(-len(levels) // 8))
    return sorted({*levels[::step], levels[-1]}) if levels else []


def _axis_domain(levels: Sequence[int]) -> list[float]:
    """Return where the axis of levels begins and ends; around a single one there is room."""
    if len(levels) < 2:
        middle = levels[0] if levels else 0
        return [middle - 1, middle + 1]
    return [levels[0], levels[-1]]


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
    ).properties(width=width, height=max(40, 24 * len(models)))


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
    ).properties(width=_WIDTH, height=_HEIGHT)


def iterate_legend(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield name, colour and shape of each series, for the key of a page."""
    known = series_scales(names)
    yield from zip(names, known["color"]["range"], known["shape"]["range"], strict=True)
