"""Build views of suites and configs, as plain records for the templates.

The view of a config contains everything that a page shows of it: a description, charts
(`config_charts`), all figures, how replies were graded, and the baselines.

A headline summarizes a suite in sentences: the best model, whether its lead is significant, and
where it breaks. A model breaks in the configs in which it falls, at some level, to the win rate of
players that never look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.report import charts, config_charts
from facelet.pipeline.report.charts import render_svg
from facelet.pipeline.report.config_charts import PlayKey, TurnHistogram
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
from facelet.pipeline.scoring.aggregate.claims import ABOVE, Baselines, Claim
from facelet.pipeline.scoring.aggregate.estimates import ALPHA
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.markdown import format_rank
from facelet.pipeline.scoring.render.table_frames import accuracy_of, format_cell
from facelet.pipeline.scoring.render.text_tables import figure_title, iterate_splits, printable_text


@dataclass(frozen=True, slots=True)
class ConfigView:
    """What a page shows of a config.

    Attributes:
        name: the config, and its split where that is not test.
        anchor: its place on the page.
        config: the config alone.
        about: lines about it.
        charts: its charts.
        tables: its tables.
        floor: what is won by guessing, in words, by what it is.
    """

    name: str
    anchor: str
    config: str
    about: Sequence[str]
    charts: Sequence[PageFigure]
    tables: Sequence[PageTable]
    floor: Mapping[str, str]


def build_config_view(
    config: str,
    split: str,
    found: ModelResults,
    names: Sequence[str],
    place: FigurePointer | None,
    known: Mapping[PlayKey, TurnHistogram],
    results: results_schema.Results,
) -> ConfigView:
    """Return the view of a config.

    Args:
        config: the config.
        split: the split.
        found: the models' figures.
        names: all models, so that colours stay.
        place: where the results stand.
        known: plays of several turns.
        results: the results.
    """
    first = found[0][2]
    label = config if split == "test" else f"{config}/{split}"
    about = [f"{first['task']}, version {first['task_version']}; {first['items']:,} rows"]
    about += [
        f"{printable_text(model, 60)}: "
        f"{format_cell('accuracy', report['cells'][0]['figures']['accuracy'])}."
        for _, model, report in found
    ]
    about += [
        f"{one['people']} people: {format_cell('accuracy', one['accuracy'])}."
        for one in results["people"]
        if (one["config"], one["split"]) == (config, split)
    ]
    if said := floor_record.floor_notes(first["floor"]):
        about.append(said)
    at = {
        model: place
        and place.extend_pointer("models", number, "configs", config, "splits", split, "cells")
        for number, model, _ in found
    }
    return ConfigView(
        printable_text(label),
        f"c-{config}",
        config,
        about,
        [
            *config_charts.iterate_level_charts(
                config, found, names, _people_levels(results, config, split, names)
            ),
            *config_charts.iterate_turn_charts(config, split, found, names, known),
            *config_charts.iterate_survival_charts(found, names),
            *config_charts.iterate_cost_charts(found, names),
            *config_charts.iterate_numbered_charts(found, names),
            *config_charts.iterate_first_error_charts(found),
            *config_charts.iterate_split_charts(found),
            *config_charts.iterate_confusion_charts(found),
        ],
        [*_iterate_tables(found, at), *_iterate_people_tables(results, config, split, place)],
        _describe_guess_rates(first),
    )


def _describe_guess_rates(split: results_schema.Split) -> dict[str, str]:
    """Return what is won by guessing, in words."""
    values = {
        "chance": floor_record.format_chance(split["chance"]),
        "floor": floor_record.format_floor(split["floor"]),
    }
    floor = split["floor"]
    if floor is not None:
        for name, one in floor.get("shortcuts", {}).items():
            values[f"shortcut: {name}"] = (
                f"{floor_record.format_share_interval(one)}, looks at {one['looks_at']}"
            )
        if why := floor.get("no_shortcut"):
            values["no shortcut"] = why
    return values


def _people_levels(
    results: results_schema.Results, config: str, split: str, names: Sequence[str]
) -> list[charts.ChartRow]:
    """Return the accuracy of people at each level, for a chart that has them as one series."""
    return [
        figure_to_point(PEOPLE, one["difficulty"], "accuracy", one["accuracy"])
        for _, people in find_people(results, config.partition(".")[0], split, config)[:1]
        if PEOPLE in names
        for one in people["levels"]
    ]


def _iterate_people_tables(
    results: results_schema.Results, config: str, split: str, place: FigurePointer | None
) -> Iterator[PageTable]:
    """Yield the accuracy of people at each level."""
    for number, people in find_people(results, config.partition(".")[0], split, config)[:1]:
        at = place and place.extend_pointer("people", number, "levels")
        rows = [
            [
                str(one["difficulty"]),
                str(one["people"]),
                f"{one['answers']:,}",
                format_figure(
                    "accuracy",
                    one["accuracy"],
                    at and at.extend_pointer(position, "accuracy"),
                    one["answers"],
                ),
            ]
            for position, one in enumerate(people["levels"])
        ]
        head = ("level", "people", "answers", "accuracy, %")
        yield PageTable("People by level (intervals over people)", head, rows)


def _iterate_tables(
    found: ModelResults, at: Mapping[str, FigurePointer | None]
) -> Iterator[PageTable]:
    """Yield the tables of a config: its figures, its levels, and what replies are split by."""
    head = [printable_text(model) for _, model, _ in found]
    names = dict.fromkeys(
        name
        for _, _, split in found
        for name, figure in split["cells"][0]["figures"].items()
        if figure["units"]
    )
    called = found[0][2]["called"]

    by_model = {model: split["cells"] for _, model, split in found}

    def format_cells(
        name: str, number: Mapping[str, int], n: int, won: Baselines | None = None
    ) -> list[Markup | str]:
        row: list[Markup | str] = []
        for _, model, split in found:
            if model not in number:
                row.append("-")
                continue
            place, position = at[model], number[model]
            figure = split["cells"][position]["figures"].get(name)
            where = place and place.extend_pointer(position, "figures", name)
            row.append(format_figure(name, figure, where, n, won))
        return row

    whole, asked = dict.fromkeys(by_model, 0), found[0][2]["items_counted"]
    yield PageTable(
        f"All figures over all rows; n = {asked:,} unless stated",
        ("figure", *head),
        [[figure_title(name, called), *format_cells(name, whole, asked)] for name in names],
    )
    keys: dict[tuple[tuple[tuple[str, object], ...], int | None], dict[str, int]] = {}
    for _, model, split in found:
        for position, part in enumerate(split["cells"]):
            if position and "accuracy" in part["figures"]:
                key = (tuple(part["by"].items()), part["difficulty"])
                keys.setdefault(key, {})[model] = position
    axis = found[0][2]["difficulty_axis"]
    rows = []
    for (by, level), number in keys.items():
        said = ", ".join(f"{figure_title(name)} {value}" for name, value in by) or "all"
        where = "all" if level is None else str(level)
        model, position = next(iter(number.items()))
        part = by_model[model][position]
        won = accuracy_of(part)
        stated = [won.columns().get(name, "-") for name in charts.GUESSES]
        own = format_cells("accuracy", number, part["items"], won.baselines)
        rows.append([printable_text(said), where, f"{part['items']:,}", *stated, *own])
    if rows:
        heads = ("rows of", axis, "n", *charts.GUESSES, *head)
        yield PageTable("Accuracy by level and part", heads, rows)
    counts = dict.fromkeys(
        status for _, _, split in found for status, n in split["counts"].items() if n
    )
    yield PageTable(
        "How predictions were graded, and how replies ended",
        ("", *head),
        [
            [status, *(f"{split['counts'].get(status, 0):,}" for _, _, split in found)]
            for status in counts
        ]
        + [
            [f"replies, {kind}" if kind != "replies" else kind]
            + [f"{split['replies'].get(kind, 0):,}" for _, _, split in found]
            for kind in dict.fromkeys(kind for _, _, split in found for kind in split["replies"])
        ],
    )


MOST = 3
"""Most places that are named."""


@dataclass(frozen=True, slots=True)
class SuiteHeadline:
    """What is to be known of a suite.

    Attributes:
        best: who is best.
        real: whether the difference is more than luck.
        breaks: where the best model breaks.
    """

    best: str
    real: str
    breaks: str


def build_headline(suite: results_schema.Suite, results: results_schema.Results) -> SuiteHeadline:
    """Return the headline of a suite."""
    if not (models := suite["models"]):
        return SuiteHeadline("Only people were asked.", "", "")
    first = models[0]
    scored = Claim.read("accuracy", first["accuracy"]).render(_sentence)
    tied = [one for one in models if one["first"] == 1]
    name = printable_text(first["model"], 60)
    if len(models) == 1 or not tied:
        best = f"{name} gets {scored}."
    elif len(tied) == 1:
        best = f"{name} is best with {scored}."
    else:
        best = f"{len(tied)} models share the first place; {name} leads with {scored}."
    return SuiteHeadline(best, _describe_lead(suite), _describe_breakdown(suite, results))


def _sentence(value: str, ends: str, notes: Sequence[str]) -> str:
    """Return a claim as a part of a sentence."""
    return f"{value}% ({'; '.join(filter(None, (ends, *notes)))})"


def _describe_lead(suite: results_schema.Suite) -> str:
    """Return whether the lead of the first model is more than luck."""
    models = suite["models"]
    if len(models) == 1:
        return "There is no second model to compare with."
    first = models[0]
    second = models[1]
    pair = {first["model"], second["model"]}
    duel = next((one for one in suite["duels"] if set(one["models"]) == pair), None)
    if second["first"] is None:
        return f"Too few replies of {printable_text(second['model'], 60)} arrived for a comparison."
    if duel is None or duel["difference"] is None:
        return (
            f"It was not compared with {printable_text(second['model'], 60)}: they share no rows."
        )
    points = f"{abs(100 * duel['difference']):.1f} points"
    significance = f"{format_p_value(duel['p_holm'])}, corrected for {len(suite['duels'])} tests"
    if len(suite["duels"]) == 1:
        significance = format_p_value(duel["p_holm"])
    other = printable_text(second["model"], 60)
    if duel["p_holm"] is not None and duel["p_holm"] < ALPHA:
        return f"The lead over {other}, {points}, is significant ({significance})."
    return f"The lead over {other}, {points}, is not significant ({significance})."


def _describe_breakdown(suite: results_schema.Suite, results: results_schema.Results) -> str:
    """Return the levels at which the best model is not significantly above what guessing wins."""
    name = suite["models"][0]["model"]
    model = next(one for one in results["models"] if one["model"] == name)
    falls: list[str] = []
    guessed: list[str] = []
    scored: list[tuple[float, str]] = []
    for config, split_name, split in iterate_splits(model):
        suite_name, _, short = config.partition(".")
        if (suite_name, split_name) != (suite["suite"], suite["split"]):
            continue
        figure = split["cells"][0]["figures"]["accuracy"]
        if figure["value"] is None:
            continue
        scored.append(
            (figure["value"], f"{short} with {accuracy_of(split['cells'][0]).render(_sentence)}")
        )
        levels = _list_levels(split)
        down = next((level for level, above in levels if not above), None)
        if down is not None and down == levels[0][0]:
            guessed.append(short)
        elif down is not None:
            falls.append(f"{short} ({split['difficulty_axis'] or 'level'} {down})")
    parts = []
    if falls:
        parts.append(f"Not significantly above guessing from a level on: {_some(falls)}")
    if guessed:
        parts.append(f"Not significantly above guessing at the first level: {_some(guessed)}")
    if not parts and scored:
        parts.append(f"Above guessing at every level; weakest in {min(scored)[1]}")
    return ". ".join(parts) + "." if parts else "The levels do not differ."


def _some(found: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = [f"{len(found) - MOST} more"] if len(found) > MOST else []
    return ", ".join([*found[:MOST], *more])


def _list_levels(split: results_schema.Split) -> list[tuple[int, bool]]:
    """Return each level, in order, and whether the accuracy there is above guessing."""
    return sorted(
        (part["difficulty"], accuracy_of(part).verdict in (ABOVE, "not above a shortcut"))
        for part in split["cells"]
        if part["difficulty"] is not None and not part["by"]
        if "accuracy" in part["figures"] and part["figures"]["accuracy"]["low"] is not None
    )


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
