"""Render paired differences as tables: between models, and between looks of the same puzzles."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import (
    TextTable,
    escape_cell,
    figure_title,
    format_unverified_mark,
    split_label,
)


def comparison_table(found: Sequence[results_schema.Comparison]) -> TextTable:
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
    return TextTable.from_rows(rows)


def looks_table(found: Sequence[results_schema.Looks]) -> TextTable:
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
    return TextTable.from_rows(rows)


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
