"""Views of suites: standings, pairs and pooled figures, as plain records for the templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from facelet.pipeline.ladder.expecting import expected
from facelet.pipeline.report import charts
from facelet.pipeline.report.configs import ConfigView, config_view
from facelet.pipeline.report.drawing import svg
from facelet.pipeline.report.elements import (
    NEVER_ARRIVED,
    PEOPLE,
    Figure,
    Found,
    Table,
    names_of,
    parts,
    point,
)
from facelet.pipeline.report.figures import Place, p_value, percent, plain, shown
from facelet.pipeline.report.headlines import Headline, headline
from facelet.pipeline.report.plays import Of, Plays
from facelet.pipeline.scoring.counting import claims
from facelet.pipeline.scoring.counting.estimates import ALPHA
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.markdown import rank
from facelet.pipeline.scoring.telling.text_tables import titled


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


def suites_of(results: schema.Results) -> list[schema.Suite]:
    """Return all suites with a right answer, those that only people were asked among them."""
    known = {(one["suite"], one["split"]) for one in results["suites"]}
    only = {
        (one["suite"], one["split"]): one["accuracy"].get("baselines", {})
        for one in reversed(results["people"])  # a suite stands before its configs
        if (one["suite"], one["split"]) not in known
    }
    others: list[schema.Suite] = [
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
            figure = shown("accuracy", found["accuracy"])
            row.append(Markup("{} <small>rank {}</small>").format(figure, rank(found)))
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
    without = [
        f"without {plain(name.partition('.')[2])}, whose rows tell their answer"
        for name in suite.get("left_out", ())
    ]
    standing = None if place is None else place.at("suites", number)
    return SuiteView(
        plain(name),
        f"suite-{run}-{suite['suite']}-{suite['split']}.html",
        headline(suite, results),
        Figure(
            svg(
                board(results, suite), f"Accuracy of each model on {name}, with what guessing wins"
            ),
            "",
        ),
        _standings(results, suite, standing, place),
        _duels(suite),
        ", ".join([*won, *without]) or "not stated",
        _judged(own),
        list(_pooled_curves(results, suite, names)),
        list(_pooled(results, suite, place)) + list(_ladders(own)),
        [
            config_view(config, suite["split"], found, names, place, known, results)
            for config, found in own
        ],
    )


def board(results: schema.Results, suite: schema.Suite, width: int = charts.WIDE) -> Any:
    """Return the chart of a suite: a bar a model, one for people, and what guessing wins.

    Args:
        results: the results.
        suite: the suite.
        width: of the plot, in pixels.
    """
    found = [(plain(one["model"]), one["accuracy"]) for one in suite["models"]]
    found += [(PEOPLE, one["accuracy"]) for _, one in _people(results, suite, "")]
    marks = [{"what": name, "at": at} for name, at in suite["guess"].items() if at is not None]
    rows = [point(who, None, "accuracy", figure) for who, figure in found]
    return charts.bars(rows, names_of(results), marks, width)


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
            rank(one),
            plain(one["model"]),
            _mean(one["accuracy"], place and place.at("models", number, "accuracy"), one["items"]),
            *_won(one["accuracy"]),
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
                _mean(one["accuracy"], at, one["answers"]),
                *_won(one["accuracy"]),
                str(configs - 1),
                f"{one['answers']:,}",
            ]
        )
    return Table(
        "Standings. Models whose ranks overlap are not told apart.",
        ("rank", "model", "accuracy, %", *charts.GUESSES, "configs", "answers"),
        rows,
    )


def _mean(figure: claims.Figure, place: Place | None, n: int) -> Markup:
    """Return an accuracy whose baselines stand in columns of their own."""
    return shown("accuracy", figure, place, n, figure.get("baselines"))


def _won(figure: claims.Figure) -> list[str]:
    """Return the baselines of an accuracy, a cell each."""
    columns = claims.Claim.read("accuracy", figure).columns()
    return [columns.get(name, "-") for name in charts.GUESSES]


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


def _judged(own: Sequence[tuple[str, Found]]) -> Figure:
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
        {"model": plain(model), "status": status, "count": counts.get(status, 0)}
        for model, counts in totals.items()
        for status in order
    ]
    label = "; ".join(
        f"{plain(model, 40)}: "
        + ", ".join(f"{counts.get(status, 0):,} {status}" for status in [*order, *NEVER_ARRIVED])
        for model, counts in totals.items()
    )
    return Figure(svg(charts.stacked(rows, order), label), f"Shares of replies. {label}.")


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
                            shown(
                                name,
                                one["figures"].get(name),
                                at and at.at("figures", name),
                                one["items"],
                            )
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
    own = [
        (plain(model["model"]), part)
        for model in results["models"]
        for part in model["pooled"]
        if (part["suite"], part["split"]) == (suite["suite"], suite["split"])
    ]
    for name in _POOLED:
        rows = [
            point(model, one["difficulty"], name, figure)
            for model, part in own
            for one in part["cells"]
            if not one["by"] and one["difficulty"] is not None
            if (figure := one["figures"].get(name)) is not None and figure["value"] is not None
        ]
        if rows:
            axis = titled(own[-1][1]["difficulty_axis"])
            what = f"{titled(name).capitalize()} over all tasks, by {axis}"
            share = name.endswith(("accuracy", "rate"))
            chart = charts.curves(
                rows, [plain(one) for one in names], axis, title=titled(name), share=share
            )
            yield Figure(svg(chart, what), what)


def _ladders(own: Sequence[tuple[str, Found]]) -> Iterator[Table]:
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
