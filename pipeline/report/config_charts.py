"""Charts of a config: accuracy against the level, and all else that is drawn of it.

What rows are split by (modalities, variants), how long plays last, what answers cost, first errors
and confusion. Each function yields its figures, or none where nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from facelet.pipeline.report import charts
from facelet.pipeline.report.drawing import svg
from facelet.pipeline.report.elements import NEVER_ARRIVED, Figure, Found, point
from facelet.pipeline.report.figures import plain
from facelet.pipeline.report.plays import Of, Plays
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.text_tables import titled

HEATS = 4
"""Most models whose confusion is drawn; more would say no more."""

LINES = 8
"""Most series of a chart that rows are split by."""

_NUMBERED = re.compile(r"([a-z_]+)_([0-9]{1,3})_([a-z_]+)")
_FIRST = "first_error_"


def _level_rows(series: str, split: schema.Split, by: Mapping[str, object]) -> list[charts.Row]:
    """Return the accuracies of a model at all levels, for a chart."""
    return [
        point(series, part["difficulty"], "accuracy", figure)
        for part in split["cells"]
        if part["difficulty"] is not None and dict(part["by"]) == by
        if (figure := part["figures"].get("accuracy")) is not None and figure["value"] is not None
    ]


def _guesses(split: schema.Split) -> list[charts.Row]:
    """Return what is won without the skill at each level, for a chart."""
    return [
        {"level": part["difficulty"], "what": what, "at": at}
        for part in split["cells"]
        if part["difficulty"] is not None and not part["by"]
        for what, at in part["figures"]["accuracy"].get("baselines", {}).items()
    ]


def curve(
    config: str,
    found: Found,
    names: Sequence[str],
    people: Sequence[charts.Row] = (),
    /,
    **more: Any,
) -> Any:
    """Return the chart of accuracy against the level: bars where there is one; None without any.

    Args:
        config: the config.
        found: the models' figures.
        names: all models of the page, so that colours stay.
        people: the figures of all people together at each level.
        more: what else `charts.curves` is told.
    """
    rows = [row for _, model, split in found for row in _level_rows(plain(model), split, {})]
    rows += people
    if not rows:
        return None
    first = found[0][2]
    shown_names = [plain(name) for name in names]
    if len({row["level"] for row in rows}) == 1:
        return charts.bars(rows, shown_names, _guesses(first))
    return charts.curves(
        rows, shown_names, titled(first["difficulty_axis"]), _guesses(first), **more
    )


def curves(
    config: str, found: Found, names: Sequence[str], people: Sequence[charts.Row]
) -> Iterator[Figure]:
    """Yield accuracy against the level.

    Args:
        config: the config.
        found: the models' figures.
        names: all models of the page.
        people: the figures of all people together at each level.
    """
    chart = curve(config, found, names, people)
    if chart is not None:
        axis = titled(found[0][2]["difficulty_axis"])
        yield Figure(svg(chart, f"Accuracy on {config} against {axis}"), f"Accuracy by {axis}")


def turns(
    config: str, split: str, found: Found, names: Sequence[str], known: Mapping[Of, Plays]
) -> Iterator[Figure]:
    """Yield, for plays of several turns, what is solved within so many, and which go on.

    Args:
        config: the config.
        split: the split.
        found: the models' figures.
        names: all models of the page.
        known: plays of several turns.
    """
    own = {
        model: known[config, split, model]
        for _, model, _ in found
        if (config, split, model) in known
    }
    shown_names = [plain(name) for name in names]
    for what, title, counted in (
        ("Solved within so many turns", "share solved", Plays.within),
        ("Plays that go on after so many turns", "share of plays", Plays.going),
    ):
        rows = [
            {"series": plain(model), "at": turn, "share": share}
            for model, one in own.items()
            for turn, share in counted(one)
        ]
        if rows:
            yield Figure(svg(charts.steps(rows, shown_names, "turns", title), what), what)


def spent(found: Found, names: Sequence[str]) -> Iterator[Figure]:
    """Yield seconds and written tokens by level, where predictions say them."""
    for name in ("seconds", "completion_tokens"):
        rows = [
            point(plain(model), part["difficulty"], name, figure)
            for _, model, split in found
            for part in split["cells"]
            if not part["by"] and part["difficulty"] is not None
            if (figure := part["figures"].get(name)) is not None and figure["value"] is not None
        ]
        if len({row["level"] for row in rows}) > 1:
            axis = titled(found[0][2]["difficulty_axis"])
            what = f"{titled(name).capitalize()} an answer by {axis}"
            every = [plain(one) for one in names]
            chart = charts.curves(rows, every, axis, title=titled(name), share=False)
            yield Figure(svg(chart, what), what)


def numbered(found: Found, names: Sequence[str]) -> Iterator[Figure]:
    """Yield a chart for figures that differ in a number only, such as step_1_coverage."""
    kinds: dict[tuple[str, str], list[charts.Row]] = {}
    for _, model, split in found:
        for name, figure in split["cells"][0]["figures"].items():
            match = _NUMBERED.fullmatch(name)
            if match and figure["value"] is not None:
                row = point(plain(model), int(match[2]), name, figure)
                kinds.setdefault((match[1], match[3]), []).append(row)
    for (counted, what), rows in kinds.items():
        if len({row["level"] for row in rows}) > 2:
            label = f"{titled(what).capitalize()} by {titled(counted)}"
            chart = charts.curves(
                rows, [plain(name) for name in names], titled(counted), title=titled(what)
            )
            yield Figure(svg(chart, label), label)


def first_errors(found: Found) -> Iterator[Figure]:
    """Yield which kind of error came first, a bar a model."""
    rows = [
        {
            "model": plain(model),
            "status": titled(name.removeprefix(_FIRST)),
            "count": figure["value"] or 0.0,
        }
        for _, model, split in found
        for name, figure in split["cells"][0]["figures"].items()
        if name.startswith(_FIRST) and figure["value"] is not None
    ]
    if any(row["count"] for row in rows):
        order = list(dict.fromkeys(str(row["status"]) for row in rows))
        yield Figure(svg(charts.stacked(rows, order), "First errors"), "Kind of the first error")


def split_by(found: Found) -> Iterator[Figure]:
    """Yield a chart a model for each set of columns that its rows are split by."""
    columns: dict[tuple[str, ...], None] = {}
    for _, _, split in found:
        for part in split["cells"]:
            if part["by"] and "accuracy" in part["figures"]:
                columns[tuple(part["by"])] = None
    for names in columns:
        for _, model, split in found[:HEATS]:
            values = [
                dict(part["by"])
                for part in split["cells"]
                if tuple(part["by"]) == names and part["difficulty"] is None
            ]
            if not 2 <= len(values) <= LINES:
                continue
            series = [", ".join(map(str, value.values())) for value in values]
            rows = [
                row
                for said, value in zip(series, values, strict=True)
                for row in _level_rows(plain(said), split, value)
            ]
            if rows:
                axis = split["difficulty_axis"]
                keys = [plain(said) for said in series]
                chart = charts.curves(rows, keys, axis, legend=True)
                what = f"{plain(model, 60)}: accuracy by {' and '.join(map(titled, names))}"
                yield Figure(svg(chart, what), what)


def lasting(found: Found, names: Sequence[str]) -> Iterator[Figure]:
    """Yield, for each count that has a histogram, the share of plays that exceed it."""
    metrics = dict.fromkeys(
        metric for _, _, split in found for metric in split["cells"][0].get("histograms", {})
    )
    for metric in metrics:
        rows = []
        for _, model, split in found:
            one = split["cells"][0].get("histograms", {}).get(metric)
            absent = sum(split["counts"].get(status, 0) for status in NEVER_ARRIVED)
            if one is None or (total := sum(one["counts"]) + one["others"] - absent) <= 0:
                continue
            left = total
            rows.append({"series": plain(model), "at": 0, "share": 1.0})
            for value, count in zip(one["values"], one["counts"], strict=True):
                left -= count
                rows.append({"series": plain(model), "at": value, "share": left / total})
        if rows:
            what = f"Plays that had not ended well after so many {titled(metric)}"
            chart = charts.steps(
                rows, [plain(name) for name in names], titled(metric), "share of plays"
            )
            yield Figure(svg(chart, what), what)


def heats(found: Found) -> Iterator[Figure]:
    """Yield the confusion of the first models."""
    for _, model, split in found[:HEATS]:
        matrix = split["cells"][0].get("confusion")
        if matrix is not None and len(matrix["gold"]) <= 12:
            what = f"{plain(model, 60)}: gold classes (rows) and answers"
            yield Figure(svg(charts.heat(matrix), what), what)
