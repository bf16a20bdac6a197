"""Build the charts of a config: accuracy by level, splits, turns, costs, errors and confusion.

After how many turns plays ended, and whether they were solved, is counted from the items of the
runs. Each function yields its figures, or none if nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow.compute as pc

from facelet.pipeline.report import charts
from facelet.pipeline.report.charts import render_svg
from facelet.pipeline.report.page_elements import (
    NEVER_ARRIVED,
    ModelResults,
    PageFigure,
    figure_to_point,
)
from facelet.pipeline.report.score_runs import ScoredDataset, read_items_table, read_replies_table
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import figure_title, printable_text

PlayKey = tuple[str, str, str]
"""Names of a config, a split and a model."""


@dataclass(slots=True)
class TurnHistogram:
    """The plays of one model on one config.

    Attributes:
        turns: number of turns of each.
        solved: whether each ended well.
    """

    turns: list[int] = field(default_factory=list)
    solved: list[bool] = field(default_factory=list)

    def compute_solved_shares(self) -> list[tuple[int, float]]:
        """Return, for each number of turns, the share of plays solved within so many."""
        total = len(self.turns)
        pairs = list(zip(self.turns, self.solved, strict=True))
        most = max(self.turns, default=0)
        return [
            (turn, sum(good and turns <= turn for turns, good in pairs) / total)
            for turn in _turn_ticks(most)
        ]

    def list_unfinished_after_turns(self) -> list[tuple[int, float]]:
        """Return, for each number of turns, the share of plays that went on after so many."""
        total, most = len(self.turns), max(self.turns, default=0)
        return [(turn, sum(one > turn for one in self.turns) / total) for turn in _turn_ticks(most)]


def _turn_ticks(most: int) -> Sequence[int]:
    """Return at most about 60 numbers of turns from 0 to the most."""
    return range(0, most + 1, max(1, most // 60))


def collect_plays(scored: ScoredDataset) -> Mapping[PlayKey, TurnHistogram]:
    """Return the plays of more than one turn, of configs that have such.

    Raises:
        ValueError: a table of a run cannot be read.
    """
    found: dict[PlayKey, TurnHistogram] = {}
    for run in scored.runs:
        if (said := read_replies_table(run)) is None:
            continue
        turns: dict[tuple[str, str, int], int] = {}
        keys = (said["id"].to_pylist(), said["model"].to_pylist(), said["sample_idx"].to_pylist())
        lengths = pc.list_value_length(said["replies"]).to_pylist()
        for *key, length in zip(*keys, lengths, strict=True):
            turns.setdefault((key[0], key[1], key[2]), length)
        items = read_items_table(run)
        columns = ("config", "split", "model", "id", "sample_idx", "status")
        values = (items[name].to_pylist() for name in columns)
        for config, split, model, identifier, sample, status in zip(*values, strict=True):
            length = turns.get((identifier, model, sample or 0))
            if length is None or status == "duplicate":
                continue
            one = found.setdefault((config, split, model), TurnHistogram())
            one.turns.append(length)
            one.solved.append(status == "correct")
    several = {of[:2] for of, one in found.items() if max(one.turns) > 1}
    return {of: one for of, one in found.items() if of[:2] in several}


HEATS = 4
"""Most models whose confusion is drawn; more would say no more."""

LINES = 8
"""Most series of a chart that rows are split by."""

_NUMBERED_METRIC = re.compile(r"([a-z_]+)_([0-9]{1,3})_([a-z_]+)")
_FIRST = "first_error_"


def _level_rows(
    series: str, split: results_schema.Split, by: Mapping[str, object]
) -> list[charts.ChartRow]:
    """Return the accuracies of a model at all levels, for a chart."""
    return [
        figure_to_point(series, part["difficulty"], "accuracy", figure)
        for part in split["cells"]
        if part["difficulty"] is not None and dict(part["by"]) == by
        if (figure := part["figures"].get("accuracy")) is not None and figure["value"] is not None
    ]


def _guess_rows(split: results_schema.Split) -> list[charts.ChartRow]:
    """Return what is won without the skill at each level, for a chart."""
    return [
        {"level": part["difficulty"], "what": what, "at": at}
        for part in split["cells"]
        if part["difficulty"] is not None and not part["by"]
        for what, at in part["figures"]["accuracy"].get("baselines", {}).items()
    ]


def build_level_chart(
    config: str,
    found: ModelResults,
    names: Sequence[str],
    people: Sequence[charts.ChartRow] = (),
    /,
    **more: Any,
) -> Any:
    """Return the chart of accuracy against the level: bars where there is one; None without any.

    Args:
        config: the config.
        found: the models' figures.
        names: all models of the page as they are printed, so that colours stay.
        people: the figures of all people together at each level.
        more: what else `charts.curves` is told.
    """
    rows = [
        row for _, model, split in found for row in _level_rows(printable_text(model), split, {})
    ]
    rows += people
    if not rows:
        return None
    first = found[0][2]
    if len({row["level"] for row in rows}) == 1:
        return charts.bar_chart(rows, names, _guess_rows(first))
    return charts.curve_chart(
        rows, names, figure_title(first["difficulty_axis"]), _guess_rows(first), **more
    )


def iterate_level_charts(
    config: str, found: ModelResults, names: Sequence[str], people: Sequence[charts.ChartRow]
) -> Iterator[PageFigure]:
    """Yield accuracy against the level.

    Args:
        config: the config.
        found: the models' figures.
        names: all models of the page as they are printed.
        people: the figures of all people together at each level.
    """
    if (chart := build_level_chart(config, found, names, people)) is not None:
        axis = figure_title(found[0][2]["difficulty_axis"])
        yield PageFigure(
            render_svg(chart, f"Accuracy on {config} against {axis}"), f"Accuracy by {axis}"
        )


def iterate_turn_charts(
    config: str,
    split: str,
    found: ModelResults,
    names: Sequence[str],
    known: Mapping[PlayKey, TurnHistogram],
) -> Iterator[PageFigure]:
    """Yield, for plays of several turns, what is solved within so many, and which go on.

    Args:
        config: the config.
        split: the split.
        found: the models' figures.
        names: all models of the page as they are printed.
        known: plays of several turns.
    """
    own = {
        model: known[config, split, model]
        for _, model, _ in found
        if (config, split, model) in known
    }
    for what, title, counted in (
        ("Solved within a number of turns", "share solved", TurnHistogram.compute_solved_shares),
        (
            "Unfinished plays by number of turns",
            "share of plays",
            TurnHistogram.list_unfinished_after_turns,
        ),
    ):
        rows = [
            {"series": printable_text(model), "at": turn, "share": share}
            for model, one in own.items()
            for turn, share in counted(one)
        ]
        if rows:
            yield PageFigure(render_svg(charts.step_chart(rows, names, "turns", title), what), what)


def iterate_cost_charts(found: ModelResults, names: Sequence[str]) -> Iterator[PageFigure]:
    """Yield seconds and written tokens by level, where predictions say them."""
    for name in ("seconds", "completion_tokens"):
        rows = [
            figure_to_point(printable_text(model), part["difficulty"], name, figure)
            for _, model, split in found
            for part in split["cells"]
            if not part["by"] and part["difficulty"] is not None
            if (figure := part["figures"].get(name)) is not None and figure["value"] is not None
        ]
        if len({row["level"] for row in rows}) > 1:
            axis = figure_title(found[0][2]["difficulty_axis"])
            what = f"{figure_title(name).capitalize()} for an answer by {axis}"
            chart = charts.curve_chart(rows, names, axis, title=figure_title(name), share=False)
            yield PageFigure(render_svg(chart, what), what)


def iterate_numbered_charts(found: ModelResults, names: Sequence[str]) -> Iterator[PageFigure]:
    """Yield a chart for figures that differ in a number only, such as step_1_coverage."""
    kinds: dict[tuple[str, str], list[charts.ChartRow]] = {}
    for _, model, split in found:
        for name, figure in split["cells"][0]["figures"].items():
            if (match := _NUMBERED_METRIC.fullmatch(name)) and figure["value"] is not None:
                row = figure_to_point(printable_text(model), int(match[2]), name, figure)
                kinds.setdefault((match[1], match[3]), []).append(row)
    for (counted, what), rows in kinds.items():
        if len({row["level"] for row in rows}) > 2:
            label = f"{figure_title(what).capitalize()} by {figure_title(counted)}"
            chart = charts.curve_chart(
                rows,
                names,
                figure_title(counted),
                title=figure_title(what),
            )
            yield PageFigure(render_svg(chart, label), label)


def iterate_first_error_charts(found: ModelResults) -> Iterator[PageFigure]:
    """Yield which kind of error came first, a bar a model."""
    rows = [
        {
            "model": printable_text(model),
            "status": figure_title(name.removeprefix(_FIRST)),
            "count": figure["value"] or 0.0,
        }
        for _, model, split in found
        for name, figure in split["cells"][0]["figures"].items()
        if name.startswith(_FIRST) and figure["value"] is not None
    ]
    if any(row["count"] for row in rows):
        order = list(dict.fromkeys(str(row["status"]) for row in rows))
        yield PageFigure(
            render_svg(charts.status_chart(rows, order), "First errors"), "Kind of the first error"
        )


def iterate_split_charts(found: ModelResults) -> Iterator[PageFigure]:
    """Yield a chart a model for each set of columns that its rows are split by."""
    columns: dict[tuple[str, ...], None] = {
        tuple(part["by"]): None
        for _, _, split in found
        for part in split["cells"]
        if part["by"] and "accuracy" in part["figures"]
    }
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
                for row in _level_rows(printable_text(said), split, value)
            ]
            if rows:
                axis = split["difficulty_axis"]
                keys = [printable_text(said) for said in series]
                chart = charts.curve_chart(rows, keys, axis)
                what = f"{printable_text(model, 60)}: accuracy by {' and '.join(map(figure_title, names))}"  # noqa: E501
                yield PageFigure(render_svg(chart, what), what)


def iterate_survival_charts(found: ModelResults, names: Sequence[str]) -> Iterator[PageFigure]:
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
            rows.append({"series": printable_text(model), "at": 0, "share": 1.0})
            for value, count in zip(one["values"], one["counts"], strict=True):
                left -= count
                rows.append({"series": printable_text(model), "at": value, "share": left / total})
        if rows:
            what = f"Unsolved plays by number of {figure_title(metric)}"
            chart = charts.step_chart(
                rows,
                names,
                figure_title(metric),
                "share of plays",
            )
            yield PageFigure(render_svg(chart, what), what)


def iterate_confusion_charts(found: ModelResults) -> Iterator[PageFigure]:
    """Yield the confusion of the first models."""
    for _, model, split in found[:HEATS]:
        if (matrix := split["cells"][0].get("confusion")) is not None and len(matrix["gold"]) <= 12:
            what = f"{printable_text(model, 60)}: gold classes (rows) and answers"
            yield PageFigure(render_svg(charts.confusion_chart(matrix), what), what)
