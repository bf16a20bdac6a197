"""Build everything that a page shows of one config, as plain records for the templates.

A view has a description, charts (`config_charts`), all figures, how replies were graded, and the
baselines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from facelet.pipeline.dataset import chance_record, floor_record
from facelet.pipeline.report import charts, config_charts
from facelet.pipeline.report.config_charts import PlayKey, TurnHistogram
from facelet.pipeline.report.page_elements import (
    PEOPLE,
    FigurePointer,
    ModelResults,
    PageFigure,
    PageTable,
    figure_to_point,
    find_people,
    format_figure,
)
from facelet.pipeline.scoring.aggregate.claims import Baselines
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.table_frames import accuracy_of, format_cell
from facelet.pipeline.scoring.render.text_tables import figure_title, printable_text


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
        "chance": chance_record.format_chance(split["chance"]),
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
