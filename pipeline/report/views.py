"""Views: what the pages of a report show, as plain records for the templates.

A page of a suite has, config by config: accuracy against the level, lines for what rows are split
by (modalities, variants), all figures, how replies were judged, confusion, and how long plays last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from facelet.pipeline.dataset import chances, floors
from facelet.pipeline.ladder.expecting import expected
from facelet.pipeline.report import charts
from facelet.pipeline.report.drawing import svg
from facelet.pipeline.report.figures import Place, p_value, percent, plain, shown
from facelet.pipeline.report.headlines import Headline, headline
from facelet.pipeline.report.plays import Of, Plays
from facelet.pipeline.scoring.counting.estimates import ALPHA
from facelet.pipeline.scoring.taking.intake import is_person
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.against import beaten
from facelet.pipeline.scoring.telling.frames import cell
from facelet.pipeline.scoring.telling.text_tables import titled

HEATS = 4
"""Most models whose confusion is drawn; more would say no more."""

LINES = 8
"""Most series of a chart that rows are split by."""


@dataclass(frozen=True, slots=True)
class Table:
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
class Figure:
    """A chart of a page.

    Attributes:
        picture: the chart.
        caption: what it shows.
    """

    picture: Markup
    caption: str


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
    charts: Sequence[Figure]
    tables: Sequence[Table]
    floor: Mapping[str, str]


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
    headline: Headline
    board: Figure
    standings: Table
    duels: Table | None
    guess: str
    judged: Figure
    charts: Sequence[Figure] = ()
    more: Sequence[Table] = ()
    configs: Sequence[ConfigView] = field(default_factory=tuple)


PEOPLE = "people"
"""What all people together are called among models."""


def names_of(results: schema.Results) -> list[str]:
    """Return the models that are drawn; people are one of them, or all there are."""
    names = [one["model"] for one in results["models"]]
    models = [name for name in names if not is_person(name)]
    return [*models, PEOPLE] if models and results["people"] else models or names


def suites_of(results: schema.Results) -> list[schema.Suite]:
    """Return all suites with a right answer, those that only people were asked among them."""
    known = {(one["suite"], one["split"]) for one in results["suites"]}
    only = dict.fromkeys(
        (one["suite"], one["split"])
        for one in results["people"]
        if (one["suite"], one["split"]) not in known
    )
    nothing: schema.Guess = {"chance": None, "floor": None, "shortcut": None}
    others: list[schema.Suite] = [
        {"suite": suite, "split": split, "guess": nothing, "models": [], "duels": []}
        for suite, split in only
    ]
    return [*results["suites"], *others]


def overview(results: schema.Results) -> Table | None:
    """Return the standings of all suites side by side; None where there are less than two."""
    suites = results["suites"]
    if len(suites) < 2:
        return None
    rows: list[list[Markup | str]] = []
    for name in dict.fromkeys(one["model"] for suite in suites for one in suite["models"]):
        row: list[Markup | str] = [plain(name)]
        for suite in suites:
            found = next((one for one in suite["models"] if one["model"] == name), None)
            if found is None:
                row.append("-")
                continue
            first, last = found["first"], found["last"]
            rank = str(first) if first == last else f"{first}-{last}"
            figure = shown("accuracy", found["accuracy"])
            row.append(Markup("{} <small>rank {}</small>").format(figure, rank))
        rows.append(row)
    heads = [
        suite["suite"] if suite["split"] == "test" else f"{suite['suite']}/{suite['split']}"
        for suite in suites
    ]
    return Table(
        "Accuracy in percent, and rank, in each suite", ("model", *map(plain, heads)), rows
    )


def suite_view(
    results: schema.Results, number: int, run: int, known: Mapping[Of, Plays], *, whole: bool
) -> SuiteView:
    """Return the view of a suite.

    Args:
        results: the results.
        number: number of the suite among `suites_of` them.
        run: number of the dataset in the report.
        known: plays of several turns.
        whole: whether the results are those of one file, whose places can be named.
    """
    suite = suites_of(results)[number]
    names = names_of(results)
    name = suite["suite"] if suite["split"] == "test" else f"{suite['suite']}/{suite['split']}"
    place = Place(run) if whole else None
    own = list(parts(results, suite["suite"], suite["split"]))
    guess = suite["guess"]
    won = [
        f"{what} {percent(value)}"
        for what, value in (
            ("chance", guess["chance"]),
            ("floor (never looks)", guess["floor"]),
            ("shortcut (looks at a part)", guess["shortcut"]),
        )
        if value is not None
    ]
    standing = None if place is None else place.at("suites", number)
    board = charts.bars([*_bars(suite), *_people_bars(results, suite)], names, _marks(suite))
    return SuiteView(
        plain(name),
        f"suite-{run}-{suite['suite']}-{suite['split']}.html",
        headline(suite, results),
        Figure(svg(board, f"Accuracy of each model on {name}, with what guessing wins"), ""),
        _standings(results, suite, standing, place),
        _duels(suite),
        ", ".join(won) or "stated config by config, as not all are judged by whole answers",
        _judged(own),
        list(_pooled_curves(results, suite, names)),
        list(_pooled(results, suite, place)) + list(_ladders(own)),
        [
            _config(config, suite["split"], found, names, place, known, results)
            for config, found in own
        ],
    )


_Found = list[tuple[int, str, schema.Split]]
"""Number and name of each model that was asked a config, and its figures."""


def parts(results: schema.Results, suite: str, split: str) -> Iterator[tuple[str, _Found]]:
    """Yield each config of a suite with the models that were asked.

    Args:
        results: the results.
        suite: the suite.
        split: the split.
    """
    found: dict[str, _Found] = {}
    drawn = set(names_of(results))
    for number, model in enumerate(results["models"]):
        if model["model"] not in drawn:
            continue
        for config, content in model["configs"].items():
            if config.partition(".")[0] == suite and split in content["splits"]:
                told = (number, model["model"], content["splits"][split])
                found.setdefault(config, []).append(told)
    yield from found.items()


def _bars(suite: schema.Suite) -> list[charts.Row]:
    return [_bar(plain(one["model"]), one["accuracy"]) for one in suite["models"]]


def _bar(series: str, figure: schema.Figure) -> charts.Row:
    return {
        "series": series,
        "value": figure["value"],
        "low": figure["low"],
        "high": figure["high"],
    }


def _people_bars(results: schema.Results, suite: schema.Suite) -> list[charts.Row]:
    return [_bar(PEOPLE, one["accuracy"]) for _, one in _people(results, suite, "")]


def _marks(suite: schema.Suite) -> list[charts.Row]:
    """Return what is won by guessing over a suite, for a chart."""
    guess = suite["guess"]
    told = {"chance": guess["chance"], "floor": guess["floor"], "shortcut": guess["shortcut"]}
    return [{"what": name, "at": value} for name, value in told.items() if value is not None]


def _people(
    results: schema.Results, suite: schema.Suite, config: str
) -> list[tuple[int, schema.People]]:
    """Return the figures of people on a config, or on the suite, with their number in the results.

    Args:
        results: the results.
        suite: the suite.
        config: the config; "" for the whole suite.
    """
    return [
        (number, one)
        for number, one in enumerate(results["people"])
        if (one["suite"], one["split"], one["config"]) == (suite["suite"], suite["split"], config)
    ]


def _standings(
    results: schema.Results, suite: schema.Suite, place: Place | None, whole: Place | None
) -> Table:
    """Return the standings of models, and people below them.

    Args:
        results: the results.
        suite: the suite.
        place: where the suite stands in the results.
        whole: where the results stand.
    """
    rows = [
        [
            str(one["first"]) if one["first"] == one["last"] else f"{one['first']}-{one['last']}",
            plain(one["model"]),
            shown("accuracy", one["accuracy"], place and place.at("models", number, "accuracy")),
            str(one["configs"]),
            f"{one['items']:,}",
        ]
        for number, one in enumerate(suite["models"])
    ]
    for number, one in _people(results, suite, ""):
        at = whole and whole.at("people", number, "accuracy")
        configs = sum(
            (part["suite"], part["split"]) == (suite["suite"], suite["split"])
            for part in results["people"]
        )
        count = f"{one['people']} people (interval over people)"
        rows.append(
            [
                "-",
                count,
                shown("accuracy", one["accuracy"], at),
                str(configs - 1),
                f"{one['answers']:,}",
            ]
        )
    return Table(
        "Standings. Models whose ranks overlap are not told apart.",
        ("rank", "model", "accuracy, %", "configs", "answers"),
        rows,
    )


def _duels(suite: schema.Suite) -> Table | None:
    if not suite["duels"]:
        return None
    order = sorted(suite["duels"], key=lambda one: 1.0 if one["p_holm"] is None else one["p_holm"])
    rows = []
    for one in order:
        told = "-" if one["difference"] is None else f"{100 * one['difference']:+.1f}"
        if one["low"] is not None and one["high"] is not None:
            told += f" [{100 * one['low']:.1f}, {100 * one['high']:.1f}]"
        apart = one["p_holm"] is not None and one["p_holm"] < ALPHA
        rows.append(
            [
                plain(one["models"][0]),
                plain(one["models"][1]),
                told,
                p_value(one["p_holm"]),
                "yes" if apart else "no",
            ]
        )
    head = ("first", "second", "difference, points", "Holm-corrected", "told apart")
    return Table("Pairs of models, on the rows that both were asked", head, rows)


def _judged(own: Sequence[tuple[str, _Found]]) -> Figure:
    """Return how predictions were judged over a suite."""
    totals: dict[str, dict[str, int]] = {}
    for _, found in own:
        for _, model, split in found:
            counts = totals.setdefault(model, {})
            for status, count in split["counts"].items():
                counts[status] = counts.get(status, 0) + count
    order = [name for name in charts.STATUS if any(counts.get(name) for counts in totals.values())]
    rows = [
        {"model": plain(model), "status": status, "count": counts.get(status, 0)}
        for model, counts in totals.items()
        for status in order
    ]
    label = "; ".join(
        f"{plain(model, 40)}: "
        + ", ".join(f"{counts.get(status, 0):,} {status}" for status in order)
        for model, counts in totals.items()
    )
    return Figure(svg(charts.stacked(rows, order), label), "")


def _pooled(results: schema.Results, suite: schema.Suite, place: Place | None) -> Iterator[Table]:
    """Yield the figures over all tasks of a suite whose tasks are classed."""
    for number, model in enumerate(results["models"]):
        for index, part in enumerate(model["pooled"]):
            if (part["suite"], part["split"]) != (suite["suite"], suite["split"]):
                continue
            names = [name for name, f in part["cells"][0]["figures"].items() if f["units"]]
            rows = []
            for position, one in enumerate(part["cells"]):
                at = place and place.at("models", number, "pooled", index, "cells", position)
                level = "all" if one["difficulty"] is None else str(one["difficulty"])
                rows.append(
                    [
                        plain(str(one["by"].get(part["classed_by"], "all"))),
                        level,
                        f"{one['items']:,}",
                        *(
                            shown(name, one["figures"].get(name), at and at.at("figures", name))
                            for name in names
                        ),
                    ]
                )
            head = (titled(part["classed_by"]), part["difficulty_axis"], "rows")
            yield Table(
                f"{plain(model['model'])} over all {part['tasks']} tasks, by class and level",
                (*head, *(titled(name) for name in names)),
                rows,
            )


_POOLED = (
    "accuracy",
    "turns_when_solved",
    "invalid_rate",
    "format_error_rate",
    "illegal_move_rate",
)
"""Figures over all tasks of a suite that are drawn by level, where there are such."""


def _pooled_curves(
    results: schema.Results, suite: schema.Suite, names: Sequence[str]
) -> Iterator[Figure]:
    """Yield figures over all tasks of a suite against the level."""
    for name in _POOLED:
        rows = []
        axis = ""
        for model in results["models"]:
            for part in model["pooled"]:
                if (part["suite"], part["split"]) != (suite["suite"], suite["split"]):
                    continue
                axis = titled(part["difficulty_axis"])
                for one in part["cells"]:
                    figure = one["figures"].get(name)
                    if one["by"] or one["difficulty"] is None or figure is None:
                        continue
                    if figure["value"] is not None:
                        rows.append(_row(plain(model["model"]), one["difficulty"], figure))
        if rows:
            what = f"{titled(name).capitalize()} over all tasks, by {axis}"
            share = name.endswith(("accuracy", "rate"))
            chart = charts.curves(
                rows, [plain(one) for one in names], axis, title=titled(name), share=share
            )
            yield Figure(svg(chart, what), what)


def _ladders(own: Sequence[tuple[str, _Found]]) -> Iterator[Table]:
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
            reached[model] = f"{expected(accuracies, levels).failed:.1f} of {levels[-1]}"
            models[model] = None
        if reached:
            rows.append((config, reached))
    if rows:
        yield Table(
            "Level that a climb is expected to end at, by the accuracies at all levels",
            ("config", *map(plain, models)),
            [
                [config.partition(".")[2], *(reached.get(model, "-") for model in models)]
                for config, reached in rows
            ],
        )


def _config(
    config: str,
    split: str,
    found: _Found,
    names: Sequence[str],
    place: Place | None,
    known: Mapping[Of, Plays],
    results: schema.Results,
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
    below: dict[str, list[str]] = {}
    for _, model, report in found:
        if low := beaten(report):
            below.setdefault(low, []).append(plain(model, 60))
    about += [f"Not above {low}, luck aside: {', '.join(who)}." for low, who in below.items()]
    about += [
        f"{one['people']} people: {cell('accuracy', one['accuracy'])}, {one['answers']:,} answers."
        for one in results["people"]
        if (one["config"], one["split"]) == (config, split)
    ]
    if said := floors.planning(first["floor"]):
        about.append(said)
    at = {
        model: place and place.at("models", number, "configs", config, "splits", split, "cells")
        for number, model, _ in found
    }
    return ConfigView(
        plain(label),
        f"c-{config}",
        config,
        about,
        [
            *_curve(config, found, names, _people_levels(results, config, split, names)),
            *_turns(config, split, found, names, known),
            *_lasting(found, names),
            *_spent(found, names),
            *_numbered(found, names),
            *_first_errors(found),
            *_by(found),
            *_heats(found),
        ],
        [*_tables(found, at), *_people_table(results, config, split, place)],
        _won(first),
    )


def _won(split: schema.Split) -> dict[str, str]:
    """Return what is won by guessing, in words."""
    told = {"chance": chances.words(split["chance"]), "floor": floors.words(split["floor"])}
    floor = split["floor"]
    if floor is not None:
        for name, one in floor.get("shortcuts", {}).items():
            told[f"shortcut: {name}"] = f"{floors.short(one)}, looks at {one['looks_at']}"
        if why := floor.get("no_shortcut"):
            told["no shortcut"] = why
    return told


def _level_rows(series: str, split: schema.Split, by: Mapping[str, object]) -> list[charts.Row]:
    """Return the accuracies of a model at all levels, for a chart."""
    rows = []
    for part in split["cells"]:
        figure = part["figures"].get("accuracy")
        if dict(part["by"]) != by or part["difficulty"] is None or figure is None:
            continue
        if figure["value"] is None:
            continue
        rows.append(_row(series, part["difficulty"], figure))
    return rows


def _row(series: str, level: int, figure: schema.Figure) -> charts.Row:
    """Return a figure as a point of a chart; without an interval it is its own."""
    value, low, high = figure["value"], figure["low"], figure["high"]
    return {
        "series": series,
        "level": level,
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
    }


def guesses(split: schema.Split) -> list[charts.Row]:
    """Return what is won by guessing at each level, for a chart."""
    levels = sorted(
        {part["difficulty"] for part in split["cells"] if part["difficulty"] is not None}
    )
    chance, floor = split["chance"], split["floor"]
    whole = chance["value"] if chance and chance["of"] == "answers" else None
    if floor is not None and floor["of"] != "answers":
        floor = None
    known = (
        {}
        if floor is None
        else {one["difficulty"]: (one, looked) for _, one, looked in floors.by_level(floor)}
    )
    rows = []
    for level in levels:
        one, looked = known.get(level, (None, {}))
        won = {
            "chance": one["chance"] if one and one["chance"] is not None else whole,
            "floor": one["value"] if one else (floor["value"] if floor else None),
            "shortcut": max((share["value"] for share in looked.values()), default=None),
        }
        rows += [
            {"level": level, "what": what, "at": value}
            for what, value in won.items()
            if value is not None
        ]
    return rows


def curve(
    config: str,
    found: _Found,
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
        return charts.bars(rows, shown_names, guesses(first))
    return charts.curves(
        rows, shown_names, titled(first["difficulty_axis"]), guesses(first), **more
    )


def _people_of(
    results: schema.Results, config: str, split: str
) -> tuple[int, schema.People] | None:
    """Return the figures of people on a config, and their number; None where nobody was asked."""
    places = ((n, one) for n, one in enumerate(results["people"]))
    return next((p for p in places if (p[1]["config"], p[1]["split"]) == (config, split)), None)


def _people_levels(
    results: schema.Results, config: str, split: str, names: Sequence[str]
) -> list[charts.Row]:
    """Return the accuracy of people at each level, for a chart that has them as one series."""
    if PEOPLE not in names or (found := _people_of(results, config, split)) is None:
        return []
    return [_row(PEOPLE, one["difficulty"], one["accuracy"]) for one in found[1]["levels"]]


def _people_table(
    results: schema.Results, config: str, split: str, place: Place | None
) -> Iterator[Table]:
    """Yield the accuracy of people at each level."""
    if (found := _people_of(results, config, split)) is None:
        return
    number, people = found
    at = place and place.at("people", number, "levels")
    rows = [
        [
            str(one["difficulty"]),
            str(one["people"]),
            f"{one['answers']:,}",
            shown("accuracy", one["accuracy"], at and at.at(position, "accuracy")),
        ]
        for position, one in enumerate(people["levels"])
    ]
    head = ("level", "people", "answers", "accuracy, %")
    yield Table("People by level (intervals over people)", head, rows)


def _curve(
    config: str, found: _Found, names: Sequence[str], people: Sequence[charts.Row]
) -> Iterator[Figure]:
    chart = curve(config, found, names, people)
    if chart is not None:
        axis = titled(found[0][2]["difficulty_axis"])
        yield Figure(svg(chart, f"Accuracy on {config} against {axis}"), f"Accuracy by {axis}")


def _turns(
    config: str, split: str, found: _Found, names: Sequence[str], known: Mapping[Of, Plays]
) -> Iterator[Figure]:
    """Yield, for plays of several turns, what is solved within so many, and which go on."""
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


def _spent(found: _Found, names: Sequence[str]) -> Iterator[Figure]:
    """Yield seconds and written tokens by level, where predictions say them."""
    for name in ("seconds", "completion_tokens"):
        rows = [
            _row(plain(model), part["difficulty"], figure)
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


_NUMBERED = re.compile(r"([a-z_]+)_([0-9]{1,3})_([a-z_]+)")


def _numbered(found: _Found, names: Sequence[str]) -> Iterator[Figure]:
    """Yield a chart for figures that differ in a number only, such as step_1_coverage."""
    kinds: dict[tuple[str, str], list[charts.Row]] = {}
    for _, model, split in found:
        for name, figure in split["cells"][0]["figures"].items():
            match = _NUMBERED.fullmatch(name)
            if match and figure["value"] is not None:
                row = _row(plain(model), int(match[2]), figure)
                kinds.setdefault((match[1], match[3]), []).append(row)
    for (counted, what), rows in kinds.items():
        if len({row["level"] for row in rows}) > 2:
            label = f"{titled(what).capitalize()} by {titled(counted)}"
            chart = charts.curves(
                rows, [plain(name) for name in names], titled(counted), title=titled(what)
            )
            yield Figure(svg(chart, label), label)


_FIRST = "first_error_"


def _first_errors(found: _Found) -> Iterator[Figure]:
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


def _by(found: _Found) -> Iterator[Figure]:
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


def _lasting(found: _Found, names: Sequence[str]) -> Iterator[Figure]:
    """Yield, for each count that has a histogram, the share of plays that exceed it."""
    metrics = dict.fromkeys(
        metric for _, _, split in found for metric in split["cells"][0].get("histograms", {})
    )
    for metric in metrics:
        rows = []
        for _, model, split in found:
            one = split["cells"][0].get("histograms", {}).get(metric)
            if one is None or not (total := sum(one["counts"]) + one["others"]):
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


def _heats(found: _Found) -> Iterator[Figure]:
    """Yield the confusion of the first models."""
    for _, model, split in found[:HEATS]:
        matrix = split["cells"][0].get("confusion")
        if matrix is not None and len(matrix["gold"]) <= 12:
            what = f"{plain(model, 60)}: gold classes (rows) and answers"
            yield Figure(svg(charts.heat(matrix), what), what)


def _tables(found: _Found, at: Mapping[str, Place | None]) -> Iterator[Table]:
    """Yield the tables of a config: its figures, its levels, and what replies are split by."""
    head = [plain(model) for _, model, _ in found]
    names = dict.fromkeys(
        name
        for _, _, split in found
        for name, figure in split["cells"][0]["figures"].items()
        if figure["units"]
    )
    called = found[0][2]["called"]

    def cells(name: str, number: Mapping[str, int]) -> list[Markup | str]:
        row: list[Markup | str] = []
        for _, model, split in found:
            if model not in number:
                row.append("-")
                continue
            place, position = at[model], number[model]
            figure = split["cells"][position]["figures"].get(name)
            row.append(shown(name, figure, place and place.at(position, "figures", name)))
        return row

    whole = {model: 0 for _, model, _ in found}
    yield Table(
        "All figures over all rows",
        ("figure", *head),
        [[titled(name, called), *cells(name, whole)] for name in names],
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
        said = ", ".join(f"{titled(name)} {value}" for name, value in by) or "all"
        where = "all" if level is None else str(level)
        rows.append([plain(said), where, *cells("accuracy", number)])
    if rows:
        yield Table("Accuracy by level and part", ("rows of", axis, *head), rows)
    counts = dict.fromkeys(
        status for _, _, split in found for status, n in split["counts"].items() if n
    )
    yield Table(
        "How replies were judged, and how they ended",
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
