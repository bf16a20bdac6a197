"""Define the elements of a report's pages: tables, charts, and the models that are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from facelet.pipeline.report import charts
from facelet.pipeline.scoring.aggregate import claims
from facelet.pipeline.scoring.ingest.prediction_reader import is_person
from facelet.pipeline.scoring.render import results_schema


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page.

    Attributes:
        caption: what it shows.
        head: heads of its columns.
        rows: cells, a row each.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Markup | str]]


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A chart of a page.

    Attributes:
        picture: the chart.
        caption: what it shows.
    """

    picture: Markup
    caption: str


PEOPLE = "people"
"""What all people together are called among models."""

NEVER_ARRIVED = ("missing", "api_error")
"""Statuses of predictions that are no replies."""

ModelResults = list[tuple[int, str, results_schema.Split]]
"""Number and name of each model that was asked a config, and its figures."""


def list_series_names(results: results_schema.Results) -> list[str]:
    """Return the models that are drawn; people are one of them, or all there are."""
    names = [one["model"] for one in results["models"]]
    models = [name for name in names if not is_person(name)]
    return [*models, PEOPLE] if models and results["people"] else models or names


def iterate_configs(
    results: results_schema.Results, suite: str, split: str
) -> Iterator[tuple[str, ModelResults]]:
    """Yield each config of a suite with the models that were asked.

    Args:
        results: the results.
        suite: the suite.
        split: the split.
    """
    found: dict[str, ModelResults] = {}
    drawn = set(list_series_names(results))
    for number, model in enumerate(results["models"]):
        if model["model"] not in drawn:
            continue
        for config, content in model["configs"].items():
            if config.partition(".")[0] == suite and split in content["splits"]:
                entry = (number, model["model"], content["splits"][split])
                found.setdefault(config, []).append(entry)
    yield from found.items()


def figure_to_point(
    series: str, level: int | None, name: str, figure: claims.Figure
) -> charts.ChartRow:
    """Return a figure as a point of a chart; without an interval it is its own.

    Args:
        series: whose figure it is.
        level: where it stands; None where there are no levels.
        name: name of the figure, which says its unit.
        figure: the figure.
    """
    claim = claims.Claim.read(name, figure)
    value, low, high = (claim.to_record()[key] for key in ("value", "low", "high"))
    return {
        "series": series,
        "level": level,
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
        "note": claim.render(lambda value, ends, notes: ", ".join(notes), None, claim.baselines),
    }
