"""Define what pages consist of: tables, charts, the results of models, and numbers.

A number has its place in results.json, a JSON pointer (RFC 6901). The page contains the pointer
beside the number, so that a reader can compare the two, as a test does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from facelet.pipeline.report import charts
from facelet.pipeline.scoring.aggregate.claims import Baselines, Claim, Figure
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


def find_people(
    results: results_schema.Results, suite: str, split: str, config: str = ""
) -> list[tuple[int, results_schema.People]]:
    """Return the figures of people with their number in the results; none where nobody was asked.

    Args:
        results: the results.
        suite: the suite.
        split: the split.
        config: a config of it; "" for the whole suite.
    """
    return [
        (number, one)
        for number, one in enumerate(results["people"])
        if (one["suite"], one["split"], one["config"]) == (suite, split, config)
    ]


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


def figure_to_point(series: str, level: int | None, name: str, figure: Figure) -> charts.ChartRow:
    """Return a figure as a point of a chart; without an interval it is its own.

    Args:
        series: whose figure it is.
        level: where it stands; None where there are no levels.
        name: name of the figure, which says its unit.
        figure: the figure.
    """
    claim = Claim.read(name, figure)
    value, low, high = (claim.to_record()[key] for key in ("value", "low", "high"))
    return {
        "series": series,
        "level": level,
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
        "note": claim.render(lambda value, ends, notes: ", ".join(notes), None, claim.baselines),
    }


@dataclass(frozen=True, slots=True)
class FigurePointer:
    """The place of a figure.

    Attributes:
        run: number of the dataset in the report, from 0.
        pointer: where in its results; "" where they are of several runs, and no file has it.
    """

    run: int
    pointer: str = ""

    def extend_pointer(self, *names: str | int) -> FigurePointer:
        """Return the place of what these names lead to."""
        steps = [str(name).replace("~", "~0").replace("/", "~1") for name in names]
        return FigurePointer(self.run, "/".join((self.pointer, *steps)))


def format_figure(
    name: str,
    figure: Figure | None,
    place: FigurePointer | None = None,
    n: int | None = None,
    baselines: Baselines | None = None,
) -> Markup:
    """Return a figure for a page, with its interval and all notes on it.

    Args:
        name: name of the figure, which says its unit.
        figure: the figure; None where there is none.
        place: where it stands in the results; None where no one file has it.
        n: n as it stands elsewhere in the table.
        baselines: the baselines that stand elsewhere in the table.
    """
    if figure is None or figure["value"] is None:
        return Markup('<span class="none">-</span>')
    said = (
        ""
        if place is None
        else Markup(' data-run="{}" data-at="{}"').format(place.run, place.pointer)
    )

    def write(value: str, ends: str, notes: Sequence[str]) -> Markup:
        small = ", ".join(filter(None, (ends, *notes)))
        rest = Markup(" <small>{}</small>").format(small) if small else ""
        return Markup('<data value="{}"{}>{}</data>{}').format(figure["value"], said, value, rest)

    return Claim.read(name, figure).render(write, n, baselines)


def format_percent(value: float | None) -> str:
    """Return a share in percent; a dash where there is none."""
    if value is None:
        return "-"
    return f"{100 * value:.1f}%" if value >= 0.001 or value == 0 else f"{100 * value:.2g}%"


def format_p_value(value: float | None) -> str:
    """Return a p-value as people read it."""
    if value is None:
        return "no test"
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"
