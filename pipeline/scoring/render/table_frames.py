"""Convert results to tables: figures, standings, paired differences, finish reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from facelet.generators.core.task import Status
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.floor_record import NOT_STATED, format_chance
from facelet.pipeline.scoring.aggregate.claims import UNDEFINED, Baselines, Claim, Figure
from facelet.pipeline.scoring.grade.dispositions import WORDS
from facelet.pipeline.scoring.grade.graded_columns import KINDS
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import (
    Cell,
    escape_cell,
    figure_title,
    format_unverified_mark,
    iterate_splits,
    make_table,
    split_label,
)

Column = Sequence[str | int]
"""The cells of a column of a frame."""

STATUSES = frozenset(status.value for status in Status)
_ALWAYS = ("correct", "wrong", "unparsed", "missing")
"""Statuses that the overview shows even where there are none."""

_LEADING = ("accuracy", "answered_accuracy", "strict_accuracy", "parse_rate")


def input_table(results: results_schema.Results) -> pd.DataFrame:
    """Return the input files, one a row."""
    rows: list[dict[str, Cell]] = [
        {
            "file": escape_cell(account["file"]),
            "format (records)": ", ".join(
                f"{name} ({count})" for name, count in account["formats"].items()
            )
            or "none",
            "records": account["ledger"]["read"],
            **{WORDS[name]: n for name, n in account["ledger"]["dispositions"].items()},
            **{WORDS[name]: n for name, n in account["ledger"]["flags"].items()},
        }
        for account in results["inputs"]
    ]
    frame = make_table(rows)
    return frame.drop(columns=[name for name, column in frame.items() if not any(column)])


def overview_table(model: results_schema.Model) -> pd.DataFrame:
    """Return the configs and splits of a model, one a row, with their leading figures and counts.

    Of the statuses, those that nobody has are left out, and so are chance and floor where none is
    stated.
    """
    if not model["configs"]:
        return pd.DataFrame({"config": ["none"]})
    rows: list[dict[str, Cell]] = [
        {
            "config": split_label(config, split),
            "rows": report["items_counted"],
            "effective": f"{report['items_effective']:.0f}",
            **{
                figure_title(name): format_cell(
                    name, report["cells"][0]["figures"][name], report["items_counted"]
                )
                for name in _LEADING
            },
            "chance": escape_cell(format_chance(report["chance"])),
            "floor": escape_cell(floor_record.format_floor(report["floor"])),
            "shortcut": escape_cell(floor_record.best_shortcut(report["floor"])),
            **report["counts"],
        }
        for config, split, report in iterate_splits(model)
    ]
    frame = make_table(rows)
    empty = [name for name in frame if name in STATUSES and not any(frame[name])]
    unsaid = {"chance": NOT_STATED, "floor": floor_record.NOT_MEASURED, "shortcut": "-"}
    unstated = [name for name, word in unsaid.items() if set(frame[name]) == {word}]
    return frame.drop(columns=[*unstated, *(name for name in empty if name not in _ALWAYS)])


def render_pooled_table(part: results_schema.Pooled) -> pd.DataFrame:
    """Return the figures over all tasks of a suite, a class or a level of one a row."""
    cells, column = part["cells"], part["classed_by"]
    names = [name for name, figure in cells[0]["figures"].items() if figure["units"]]
    levels = [cell["difficulty"] for cell in cells]
    columns: dict[str, Column] = {
        figure_title(column): [escape_cell(str(one["by"].get(column, "all"))) for one in cells],
        escape_cell(part["difficulty_axis"]): ["all" if n is None else str(n) for n in levels],
        "rows": [one["items"] for one in cells],
    }
    return pd.DataFrame(columns | figure_columns(names, cells), dtype=object)


def efficiency_rows(found: Sequence[results_schema.Efficiency]) -> list[dict[str, str | int]]:
    """Return which of two models needed less, a row a suite, class or config with common rows."""
    return [
        {
            "rows of": escape_cell(
                ", ".join(part["by"].values()) or split_label(part["suite"], part["split"])
            ),
            "metric": figure_title(part["metric"]),
            "first": escape_cell(part["models"][0]),
            "second": escape_cell(part["models"][1]),
            "both solved": part["items"],
            **{
                figure_title(name): format_cell(
                    f"{name}_rate" if "mean" not in name else name, figure, part["items"]
                )
                for name, figure in part["figures"].items()
            },
        }
        for part in found
        if part["items"]
    ]


def place_columns(axis: str, cells: Sequence[results_schema.Cell]) -> dict[str, Column]:
    """Return columns of what cells are about: the values they are split by, and the difficulty."""
    by: dict[str, Column] = {
        name: [escape_cell(str(part["by"][name])) for part in cells] for name in cells[0]["by"]
    }
    levels = [part["difficulty"] for part in cells]
    return by | {axis: ["all" if level is None else str(level) for level in levels]}


def histogram_table(metric: str, axis: str, cells: Sequence[results_schema.Cell]) -> pd.DataFrame:
    """Return the counts of a metric's values, a row a cell.

    Args:
        metric: the metric.
        axis: name of the difficulty's axis.
        cells: the cells of a report; those without the metric are left out.
    """
    shown = [part for part in cells if metric in part.get("histograms", ())]
    counted = [part["histograms"][metric] for part in shown]
    counts: dict[str, Column] = {
        f"{figure_title(metric)} {value:g}": [part["counts"][place] for part in counted]
        for place, value in enumerate(counted[0]["values"])
    }
    others: dict[str, Column] = {"others": [part["others"] for part in counted]}
    return pd.DataFrame(place_columns(axis, shown) | counts | others, dtype=object)


def confusion_table(part: results_schema.Cell) -> pd.DataFrame:
    """Return the confusion matrix of a cell, a gold class a row."""
    matrix = part["confusion"]
    where = ", ".join(f"{name} {escape_cell(str(value))}" for name, value in part["by"].items())
    golds: Column = [*map(escape_cell, matrix["gold"])]
    answers = {
        escape_cell(name): [row[place] for row in matrix["counts"]]
        for place, name in enumerate(matrix["answer"])
    }
    first = f"gold \\ answer{' of ' + where if where else ''}"
    return pd.DataFrame({first: golds, **answers}, dtype=object)


def format_cell(
    name: str,
    figure: Figure | None,
    n: int | None = None,
    baselines: Baselines | None = None,
) -> str:
    """Return a figure with all that is shown beside it: "61.9 [52.1, 70.8], above baselines".

    Args:
        name: name of the figure, which says its unit.
        figure: the figure; None where there is none.
        n: n as it stands elsewhere in the table.
        baselines: the baselines that stand elsewhere in the table.
    """
    return UNDEFINED if figure is None else Claim.read(name, figure).render(_text, n, baselines)


def _text(value: str, ends: str, notes: Sequence[str]) -> str:
    return ", ".join([f"{value} {ends}".strip(), *notes])


def accuracy_of(part: results_schema.PooledCell) -> Claim:
    """Return the accuracy of a cell."""
    return Claim.read("accuracy", part["figures"]["accuracy"])


def figure_columns(
    names: Iterable[str],
    cells: Sequence[results_schema.PooledCell],
    called: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Column]:
    """Return columns of figures, a row a cell, and those of baselines where accuracy is among them.

    Args:
        names: the figures.
        cells: the cells, whose rows stand in a column of their own.
        called: what papers call figures.
    """
    names = list(names)
    accuracies = [accuracy_of(one) for one in cells] if "accuracy" in names else []
    stated = [one.baselines for one in accuracies] or [{}] * len(cells)
    found: dict[str, Column] = {
        figure_title(name, called): [
            format_cell(name, one["figures"].get(name), one["items"], won)
            for one, won in zip(cells, stated, strict=True)
        ]
        for name in names
    }
    shown = [one.columns() for one in accuracies]
    return found | {
        name: [one.get(name, "-") for one in shown]
        for name in dict.fromkeys(name for one in shown for name in one)
    }


def comparison_table(found: Sequence[results_schema.Comparison]) -> pd.DataFrame:
    """Return paired comparisons, one a row."""
    rows = []
    for pair in found:
        first, second = map(escape_cell, pair["models"])
        rows.append(
            {
                "config": split_label(pair["config"], pair["split"]),
                "first": first,
                "second": second,
                "difference": format_difference(pair),
                "only first": pair["only_first"],
                "only second": pair["only_second"],
                "p": _format_p(pair["p_value"]),
                "p (Holm)": _format_p(pair["p_holm"]),
                "test": pair["test"],
            }
        )
    return make_table(rows)


def looks_table(found: Sequence[results_schema.Looks]) -> pd.DataFrame:
    """Return the differences to clean looks over all difficulties, one a row."""
    rows = [
        {
            "config": split_label(pair["config"], pair["split"]),
            "clean": split_label(pair["clean"], pair["split"]),
            "figure": figure_title(pair["figure"]),
            "items": pair["items"],
            "clean value": _format_percent(pair["clean_value"]),
            "value": _format_percent(pair["value"]),
            "difference": format_difference(pair),
            "lost": pair["lost"],
            "won": pair["won"],
            "p": _format_p(pair["p_value"]),
            "p (Holm)": _format_p(pair["p_holm"]),
        }
        for pair in found
        if pair["difficulty"] is None
    ]
    return make_table(rows)


def _format_p(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _format_percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}"


def format_difference(pair: results_schema.Difference) -> str | None:
    """Return a paired difference of shares with its interval, in points."""
    if pair["difference"] is None:
        return None
    low, high = pair["low"], pair["high"]
    interval = "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{100 * pair['difference']:+.1f}{interval}" + format_unverified_mark(pair)


ENDED = (
    "How replies ended: cut by a token limit, withheld by a filter, null, or empty. A reply may be "
    "in several groups. Each is graded as it is: a cut reply by its text, a null or empty one as "
    "wrong. A reply is known to be cut or filtered only if its record gives the reason."
)
"""What stands over the table."""


def finish_reason_table(model: results_schema.Model) -> pd.DataFrame:
    """Return how the replies of a model ended, a split a row, and all together."""
    counts = [
        (split_label(config, split), report["replies"])
        for config, split, report in iterate_splits(model)
    ]
    counts.append(("all", model["replies"]))
    return make_table(
        [
            {"config": name, **{figure_title(key): n for key, n in said.items()}}
            for name, said in counts
        ]
    )


def short_endings(model: results_schema.Model) -> list[str]:
    """Return a line about how the replies of a model ended."""
    said = model["replies"]
    told, every = said["reason_told"], said["replies"]
    if unusual := [f"{said[kind]:,} {kind}" for kind in KINDS if said[kind]]:
        return [f"  of {every:,} replies {', '.join(unusual)} ({told:,} say why they ended)"]
    known = "none is cut or filtered" if told else "none says whether it was cut or filtered"
    if 0 < told < every:
        known = f"of the {told:,} that say why they ended, {known}"
    return [f"  of {every:,} replies none is null or empty; {known}"]
