"""Build views of suites, as plain records for the templates: standings, pairs, pooled figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.report import charts
from facelet.pipeline.report.chart_renderer import render_svg
from facelet.pipeline.report.config_charts import PlayKey, TurnHistogram
from facelet.pipeline.report.config_views import ConfigView, build_config_view
from facelet.pipeline.report.headline_sentences import SuiteHeadline, build_headline
from facelet.pipeline.report.page_elements import (
    NEVER_ARRIVED,
    PEOPLE,
    FigurePointer,
    ModelResults,
    PageFigure,
    PageTable,
    figure_to_point,
    find_people,
    format_figure,
    format_p_value,
    format_percent,
    iterate_configs,
    list_series_names,
)
from facelet.pipeline.scoring.aggregate import claims
from facelet.pipeline.scoring.aggregate.estimates import ALPHA
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.markdown import format_rank
from facelet.pipeline.scoring.render.text_tables import figure_title, printable_text


@dataclass(frozen=True, slots=True)
class SuiteView:
    """What pages show of a suite.

    Attributes:
        name: the suite, and its split where that is not test.
        page: the file of its page.
        headline: what a person should know first.
        board: the chart of the standings.
        standings: the table of the standings.
        duels: the table of the pairs; None where there is no pair.
        guess: what is won by guessing, in words.
        judged: the chart of what became of predictions.
        charts: charts over the whole suite.
        more: tables over the whole suite.
        configs: its configs.
    """

    name: str
    page: str
    headline: SuiteHeadline
    board: PageFigure
    standings: PageTable
    duels: PageTable | None
    guess: str
    judged: PageFigure
    charts: Sequence[PageFigure] = ()
    more: Sequence[PageTable] = ()
    configs: Sequence[ConfigView] = field(default_factory=tuple)


def list_suites(results: results_schema.Results) -> list[results_schema.Suite]:
    """Return all suites with a right answer, those that only people were asked among them."""
    known = {(one["suite"], one["split"]) for one in results["suites"]}
    only = {
        (one["suite"], one["split"]): one["accuracy"].get("baselines", {})
        for one in reversed(results["people"])  # a suite stands before its configs
        if (one["suite"], one["split"]) not in known
    }
    others: list[results_schema.Suite] = [
        {
            "suite": suite,
            "split": split,
            "guess": {
                "chance": won.get("chance"),
                "floor": won.get("floor"),
                "shortcut": won.get("shortcut"),
            },
            "models": [],
            "duels": [],
        }
        for (suite, split), won in reversed(only.items())
    ]
    return [*results["suites"], *others]


def build_overview(results: results_schema.Results) -> PageTable | None:
    """Return the standings of all suites side by side; None where there are less than two."""
    suites = results["suites"]
    if len(suites) < 2:
        return None
    rows: list[list[Markup | str]] = []
    for name in dict.fromkeys(one["model"] for suite in suites for one in suite["models"]):
        row: list[Markup | str] = [printable_text(name)]
        for suite in suites:
            found = next((one for one in suite["models"] if one["model"] == name), None)
            if found is None:
                row.append("-")
                continue
            figure = format_figure("accuracy", found["accuracy"])
            row.append(Markup("{} <small>rank {}</small>").format(figure, format_rank(found)))
        rows.append(row)
    heads = [
        suite["suite"] if suite["split"] == "test" else f"{suite['suite']}/{suite['split']}"
        for suite in suites
    ]
    return PageTable(
        "Accuracy in percent, and rank, in each suite", ("model", *map(printable_text, heads)), rows
    )


def build_suite_view(
    results: results_schema.Results,
    number: int,
    run: int,
    known: Mapping[PlayKey, TurnHistogram],
    *,
    whole: bool,
) -> SuiteView:
    """Return the view of a suite.

    Args:
        results: the results.
        number: number of the suite among `list_suites` them.
        run: number of the dataset in the report.
        known: plays of several turns.
        whole: whether the results are those of one file, whose places can be named.
    """
    suite = list_suites(results)[number]
    names = [printable_text(name) for name in list_series_names(results)]
    name = suite["suite"] if suite["split"] == "test" else f"{suite['suite']}/{suite['split']}"
    place = FigurePointer(run) if whole else None
    own = list(iterate_configs(results, suite["suite"], suite["split"]))
    guess = suite["guess"]
    won = [
        f"{what} {format_percent(value)}"
        for what, value in (
            ("chance", guess["chance"]),
            ("floor (never looks)", guess["floor"]),
            ("shortcut (sees a part)", guess["shortcut"]),
        )
        if value is not None
    ]
    without = [
        f"without {printable_text(name.partition('.')[2])}, whose rows reveal their answer"
        for name in suite.get("left_out", ())
    ]
    standing = None if place is None else place.extend_pointer("suites", number)
    return SuiteView(
        printable_text(name),
        f"suite-{run}-{suite['suite']}-{suite['split']}.html",
        build_headline(suite, results),
        PageFigure(
            render_svg(
                board(results, suite), f"Accuracy of each model on {name}, with what guessing wins"
            ),
            "",
        ),
        _standings_table(results, suite, standing, place),
        _duel_table(suite),
        ", ".join([*won, *without]) or "not stated",
        _status_figure(own),
        list(_iterate_pooled_charts(results, suite, names)),
        list(_iterate_pooled_tables(results, suite, place)) + list(_iterate_ladder_tables(own)),
        [
            build_config_view(config, suite["split"], found, names, place, known, results)
            for config, found in own
        ],
    )


def board(
    results: results_schema.Results, suite: results_schema.Suite, width: int = charts.WIDE
) -> Any:
    """Return the chart of a suite: a bar a model, one for people, and what guessing wins.

    Args:
        results: the results.
        suite: the suite.
        width: of the plot, in pixels.
    """
    found = [(printable_text(one["model"]), one["accuracy"]) for one in suite["models"]]
    found += [
        (PEOPLE, one["accuracy"]) for _, one in find_people(results, suite["suite"], suite["split"])
    ]
    marks = [{"what": name, "at": at} for name, at in suite["guess"].items() if at is not None]
    rows = [figure_to_point(who, None, "accuracy", figure) for who, figure in found]
    return charts.bar_chart(rows, list_series_names(results), marks, width)


def _standings_table(
    results: results_schema.Results,
    suite: results_schema.Suite,
    place: FigurePointer | None,
    whole: FigurePointer | None,
) -> PageTable:
    """Return the standings of models, and people below them.

    Args:
        results: the results.
        suite: the suite.
        place: where the suite stands in the results.
        whole: where the results stand.
    """
    rows = [
        [
            format_rank(one),
            printable_text(one["model"]),
            _mean(
                one["accuracy"],
                place and place.extend_pointer("models", number, "accuracy"),
                one["items"],
            ),
            *_list_baseline_cells(one["accuracy"]),
            str(one["configs"]),
            f"{one['items']:,}",
        ]
        for number, one in enumerate(suite["models"])
    ]
    for number, one in find_people(results, suite["suite"], suite["split"]):
        at = whole and whole.extend_pointer("people", number, "accuracy")
        configs = sum(
            (part["suite"], part["split"]) == (suite["suite"], suite["split"])
            for part in results["people"]
        )
        count = f"{one['people']} people (interval over people)"
        rows.append(
            [
                "-",
                count,
                _mean(one["accuracy"], at, one["answers"]),
                *_list_baseline_cells(one["accuracy"]),
                str(configs - 1),
                f"{one['answers']:,}",
            ]
        )
    return PageTable(
        "Standings. Models whose ranks overlap do not differ significantly.",
        ("rank", "model", "accuracy, %", *charts.GUESSES, "configs", "answers"),
        rows,
    )


def _mean(figure: claims.Figure, place: FigurePointer | None, n: int) -> Markup:
    """Return an accuracy whose baselines have columns of their own."""
    return format_figure("accuracy", figure, place, n, figure.get("baselines"))


def _list_baseline_cells(figure: claims.Figure) -> list[str]:
    """Return the baselines of an accuracy, a cell each."""
    columns = claims.Claim.read("accuracy", figure).columns()
    return [columns.get(name, "-") for name in charts.GUESSES]


def _duel_table(suite: results_schema.Suite) -> PageTable | None:
    if not suite["duels"]:
        return None
    order = sorted(suite["duels"], key=lambda one: 1.0 if one["p_holm"] is None else one["p_holm"])
    rows = []
    for one in order:
        difference = "-" if one["difference"] is None else f"{100 * one['difference']:+.1f}"
        if one["low"] is not None and one["high"] is not None:
            difference += f" [{100 * one['low']:.1f}, {100 * one['high']:.1f}]"
        apart = one["p_holm"] is not None and one["p_holm"] < ALPHA
        rows.append(
            [
                printable_text(one["models"][0]),
                printable_text(one["models"][1]),
                difference,
                format_p_value(one["p_holm"]),
                "yes" if apart else "no",
            ]
        )
    head = ("first", "second", "difference, points", "Holm-corrected", "significant")
    return PageTable("Pairs of models, on the rows that both were asked", head, rows)


def _status_figure(own: Sequence[tuple[str, ModelResults]]) -> PageFigure:
    """Return how predictions were judged over a suite."""
    totals: dict[str, dict[str, int]] = {}
    for _, found in own:
        for _, model, split in found:
            counts = totals.setdefault(model, {})
            for status, count in split["counts"].items():
                counts[status] = counts.get(status, 0) + count
    order = [
        name
        for name in charts.STATUS
        if name not in NEVER_ARRIVED and any(counts.get(name) for counts in totals.values())
    ]
    rows = [
        {"model": printable_text(model), "status": status, "count": counts.get(status, 0)}
        for model, counts in totals.items()
        for status in order
    ]
    label = "; ".join(
        f"{printable_text(model, 40)}: "
        + ", ".join(f"{counts.get(status, 0):,} {status}" for status in [*order, *NEVER_ARRIVED])
        for model, counts in totals.items()
    )
    return PageFigure(
        render_svg(charts.status_chart(rows, order), label), f"Shares of replies. {label}."
    )


def _iterate_pooled_tables(
    results: results_schema.Results, suite: results_schema.Suite, place: FigurePointer | None
) -> Iterator[PageTable]:
    """Yield the figures over all tasks of a suite whose tasks are classed."""
    for number, model in enumerate(results["models"]):
        for index, part in enumerate(model["pooled"]):
            if (part["suite"], part["split"]) != (suite["suite"], suite["split"]):
                continue
            names = [name for name, f in part["cells"][0]["figures"].items() if f["units"]]
            rows = []
            for position, one in enumerate(part["cells"]):
                at = place and place.extend_pointer(
                    "models", number, "pooled", index, "cells", position
                )
                level = "all" if one["difficulty"] is None else str(one["difficulty"])
                rows.append(
                    [
                        printable_text(str(one["by"].get(part["classed_by"], "all"))),
                        level,
                        f"{one['items']:,}",
                        *(
                            format_figure(
                                name,
                                one["figures"].get(name),
                                at and at.extend_pointer("figures", name),
                                one["items"],
                            )
                            for name in names
                        ),
                    ]
                )
            head = (figure_title(part["classed_by"]), part["difficulty_axis"], "rows")
            yield PageTable(
                f"{printable_text(model['model'])} over all {part['tasks']} tasks, "
                "by class and level",
                (*head, *(figure_title(name) for name in names)),
                rows,
            )


_POOLED_METRICS = (
    "accuracy",
    "turns_when_solved",
    "invalid_rate",
    "format_error_rate",
    "illegal_move_rate",
)
"""Figures over all tasks of a suite that are drawn by level, where there are such."""


def _iterate_pooled_charts(
    results: results_schema.Results, suite: results_schema.Suite, names: Sequence[str]
) -> Iterator[PageFigure]:
    """Yield figures over all tasks of a suite against the level."""
    own = [
        (printable_text(model["model"]), part)
        for model in results["models"]
        for part in model["pooled"]
        if (part["suite"], part["split"]) == (suite["suite"], suite["split"])
    ]
    for name in _POOLED_METRICS:
        rows = [
            figure_to_point(model, one["difficulty"], name, figure)
            for model, part in own
            for one in part["cells"]
            if not one["by"] and one["difficulty"] is not None
            if (figure := one["figures"].get(name)) is not None and figure["value"] is not None
        ]
        if rows:
            axis = figure_title(own[-1][1]["difficulty_axis"])
            what = f"{figure_title(name).capitalize()} over all tasks, by {axis}"
            share = name.endswith(("accuracy", "rate"))
            chart = charts.curve_chart(
                rows,
                names,
                axis,
                title=figure_title(name),
                share=share,
            )
            yield PageFigure(render_svg(chart, what), what)


def _iterate_ladder_tables(own: Sequence[tuple[str, ModelResults]]) -> Iterator[PageTable]:
    """Yield the level that each model is expected to reach on ladders of levels."""
    rows = []
    models: dict[str, None] = {}
    for config, found in own:
        reached: dict[str, str] = {}
        for _, model, split in found:
            if split["difficulty_axis"] != "level":
                continue
            known = {
                one["difficulty"]: one["figures"]["accuracy"]["value"]
                for one in split["cells"]
                if one["difficulty"] is not None and not one["by"] and "accuracy" in one["figures"]
            }
            levels = sorted(
                level for level, v in known.items() if v is not None and level is not None
            )
            if len(levels) < 2:
                continue
            accuracies = [known[level] or 0.0 for level in levels]
            reached[model] = f"{estimate_reach(accuracies, levels).failed:.1f} of {levels[-1]}"
            models[model] = None
        if reached:
            rows.append((config, reached))
    if rows:
        yield PageTable(
            "Expected final level of a climb, from the accuracies at all levels",
            ("config", *map(printable_text, models)),
            [
                [config.partition(".")[2], *(reached.get(model, "-") for model in models)]
                for config, reached in rows
            ],
        )
