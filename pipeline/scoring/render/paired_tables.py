"""Paired differences as tables: between models, and between looks of the same puzzles."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.text_tables import Frame, escape, named, titled, unverified


def comparisons(found: Sequence[schema.Comparison]) -> Frame:
    """Return paired comparisons, one a row."""
    rows = []
    for pair in found:
        first, second = map(escape, pair["models"])
        rows.append(
            {
                "config": named(pair["config"], pair["split"]),
                "first": first,
                "second": second,
                "difference": difference(pair),
                "only first": pair["only_first"],
                "only second": pair["only_second"],
                "p": _p(pair["p_value"]),
                "p (Holm)": _p(pair["p_holm"]),
                "test": pair["test"],
            }
        )
    return Frame.of(rows)


def looks(found: Sequence[schema.Looks]) -> Frame:
    """Return the differences to clean looks over all difficulties, one a row."""
    rows = [
        {
            "config": named(pair["config"], pair["split"]),
            "clean": named(pair["clean"], pair["split"]),
            "figure": titled(pair["figure"]),
            "items": pair["items"],
            "clean value": _percent(pair["clean_value"]),
            "value": _percent(pair["value"]),
            "difference": difference(pair),
            "lost": pair["lost"],
            "won": pair["won"],
            "p": _p(pair["p_value"]),
            "p (Holm)": _p(pair["p_holm"]),
        }
        for pair in found
        if pair["difficulty"] is None
    ]
    return Frame.of(rows)


def _p(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}"


def difference(pair: schema.Difference) -> str | None:
    """Return a paired difference of shares with its interval, in points."""
    if pair["difference"] is None:
        return None
    low, high = pair["low"], pair["high"]
    interval = "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{100 * pair['difference']:+.1f}{interval}" + unverified(pair)
