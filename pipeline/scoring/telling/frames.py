"""Frames: the parts of the results as tables of the report."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.generators.core.task import Status
from facelet.pipeline.dataset import floors
from facelet.pipeline.dataset.chances import NOT_STATED, words
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.text_tables import (
    UNDEFINED,
    Cell,
    Frame,
    escape,
    named,
    splits,
    titled,
    unverified,
)

Column = Sequence[str | int]
"""The cells of a column of a frame."""

_SHARES = (
    *("accuracy", "rate", "correct", "gain", "bias", "tpr", "tnr"),
    *("adherence", "coverage", "apa", "terminated", "unknown"),
)
"""How the names of shares end; shares are written in percent, other figures as they are."""

STATUSES = frozenset(status.value for status in Status)
_ALWAYS = ("correct", "wrong", "unparsed", "missing")
"""Statuses that the overview shows even where there are none."""

_LEADING = ("accuracy", "answered_accuracy", "strict_accuracy", "parse_rate")


def inputs(results: schema.Results) -> Frame:
    """Return the input files, one a row."""
    rows: list[dict[str, Cell]] = [
        {
            "file": escape(account["file"]),
            "format (records)": ", ".join(
                f"{name} ({count})" for name, count in account["formats"].items()
            )
            or "none",
            "predictions": account["predictions"],
            "broken": account["broken"],
            "unknown ids": account["unknown_ids"],
        }
        for account in results["inputs"]
    ]
    return Frame.of(rows)


def overview(model: schema.Model) -> Frame:
    """Return the configs and splits of a model, one a row, with their leading figures and counts.

    Of the statuses, those that nobody has are left out, and so are chance and floor where none is
    stated.
    """
    if not model["configs"]:
        return Frame({"config": ["none"]})
    rows: list[dict[str, Cell]] = [
        {
            "config": named(config, split),
            "rows": report["items_counted"],
            "effective": f"{report['items_effective']:.0f}",
            **{titled(name): cell(name, report["cells"][0]["figures"][name]) for name in _LEADING},
            "chance": escape(words(report["chance"])),
            "floor": escape(floors.words(report["floor"])),
            "shortcut": escape(floors.best_shortcut(report["floor"])),
            **report["counts"],
        }
        for config, split, report in splits(model)
    ]
    frame = Frame.of(rows)
    empty = [name for name in STATUSES if not any(frame.columns.get(name, ()))]
    unsaid = {"chance": NOT_STATED, "floor": floors.NOT_MEASURED, "shortcut": "-"}
    unstated = [name for name, word in unsaid.items() if set(frame.columns[name]) == {word}]
    return frame.without([*unstated, *(name for name in empty if name not in _ALWAYS)])


def pooled(part: schema.Pooled) -> Frame:
    """Return the figures over all tasks of a suite, a class or a level of one a row."""
    cells, column = part["cells"], part["classed_by"]
    names = [name for name, figure in cells[0]["figures"].items() if figure["units"]]
    levels = [cell["difficulty"] for cell in cells]
    columns: dict[str, Column] = {
        titled(column): [escape(str(one["by"].get(column, "all"))) for one in cells],
        escape(part["difficulty_axis"]): ["all" if n is None else str(n) for n in levels],
        "rows": [one["items"] for one in cells],
    }
    for name in names:
        columns[titled(name)] = [cell(name, one["figures"].get(name)) for one in cells]
    return Frame(columns)


def efficiencies(found: Sequence[schema.Efficiency]) -> list[dict[str, str | int]]:
    """Return which of two models needed less, a row a suite, class or config with common rows."""
    rows: list[dict[str, str | int]] = []
    for part in found:
        if not part["items"]:
            continue
        where = ", ".join(part["by"].values()) or named(part["suite"], part["split"])
        first, second = map(escape, part["models"])
        figures = part["figures"]
        rows.append(
            {
                "rows of": escape(where),
                "metric": titled(part["metric"]),
                "first": first,
                "second": second,
                "both solved": part["items"],
                **{
                    titled(name): cell(f"{name}_rate" if "mean" not in name else name, figure)
                    for name, figure in figures.items()
                },
            }
        )
    return rows


def places(axis: str, cells: Sequence[schema.Cell]) -> dict[str, Column]:
    """Return columns of what cells are about: the values they are split by, and the difficulty."""
    by: dict[str, Column] = {
        name: [escape(str(part["by"][name])) for part in cells] for name in cells[0]["by"]
    }
    levels = [part["difficulty"] for part in cells]
    return by | {axis: ["all" if level is None else str(level) for level in levels]}


def histogram(metric: str, axis: str, cells: Sequence[schema.Cell]) -> Frame:
    """Return the counts of a metric's values, a row a cell.

    Args:
        metric: the metric.
        axis: name of the difficulty's axis.
        cells: the cells of a report; those without the metric are left out.
    """
    shown = [part for part in cells if metric in part.get("histograms", ())]
    counted = [part["histograms"][metric] for part in shown]
    counts: dict[str, Column] = {
        f"{titled(metric)} {value:g}": [part["counts"][place] for part in counted]
        for place, value in enumerate(counted[0]["values"])
    }
    others: dict[str, Column] = {"others": [part["others"] for part in counted]}
    return Frame(places(axis, shown) | counts | others)


def confusion(part: schema.Cell) -> Frame:
    """Return the confusion matrix of a cell, a gold class a row."""
    matrix = part["confusion"]
    where = ", ".join(f"{name} {escape(str(value))}" for name, value in part["by"].items())
    golds: Column = [*map(escape, matrix["gold"])]
    answers = {
        escape(name): [row[place] for row in matrix["counts"]]
        for place, name in enumerate(matrix["answer"])
    }
    return Frame({f"gold \\ answer{' of ' + where if where else ''}": golds, **answers})


def cell(name: str, figure: schema.Figure | None) -> str:
    """Return a figure and its interval, such as "61.9 [52.1, 70.8]"."""
    if figure is None or figure["value"] is None:
        return UNDEFINED
    scale, digits = (100, 1) if name.endswith(_SHARES) else (1, 3)
    text = f"{scale * figure['value']:.{digits}f}"
    low, high = figure["low"], figure["high"]
    if low is not None and high is not None:
        text += f" [{scale * low:.{digits}f}, {scale * high:.{digits}f}]"
    return text + unverified(figure)
