"""Build a scored model's rows of the papers' tables, and state whether they are comparable.

A config matches a part of a table by its task and its params, whatever its name and suite are. Of
several, the one with the fewest differences from the paper counts; of equals the one that fills
more cells, then one of the paper's own suites. Its name decides only if no manifest records how a
config was made. A param that the paper does not name is compared with the task's default, and with
the paper's value if a deviation of the task states one: a config that sets it to something else is
not comparable.

The figures of a row come from the config that matches. A row is comparable if the dataset was made
as the paper describes (params, number of items) and every cell that the row fills was measured.
Otherwise each difference is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.paper import (
    SUITE_ENDINGS,
    FigureDifference,
    IntervalFigure,
    LadderFigure,
    LayoutCell,
    LayoutRow,
    MeanFigure,
    Paper,
    PaperPart,
    TableLayout,
    iterate_plain_figures,
)
from facelet.pipeline.papers.printed_tables import TableColumn, load_tables
from facelet.pipeline.scoring.aggregate.claims import NUMBER, Claim, mean_claim
from facelet.pipeline.scoring.aggregate.estimates import Estimate
from facelet.pipeline.scoring.grade.arrival_shares import LEAST_ARRIVED

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_file import Record
    from facelet.pipeline.scoring.render.results_schema import (
        Cell,
        Config,
        PaperRow,
        PaperTable,
        Scored,
    )


SPLIT = "test"


@dataclass(frozen=True, slots=True)
class ConfigMatch:
    """A scored config that is a part of a table.

    Attributes:
        config: full name of the config.
        reasons: what of it is otherwise than in the paper, in words.
    """

    config: str
    reasons: tuple[str, ...]


def find_best_match(
    paper: Paper,
    layout: TableLayout,
    part: PaperPart,
    scored: Mapping[str, Config],
    manifest: Record | None,
) -> ConfigMatch | None:
    """Return the config that gives a part's figures, or None.

    Args:
        paper: the paper.
        layout: the table's layout.
        part: the part.
        scored: the model's configs.
        manifest: the dataset's manifest; None where there is none.
    """
    made = manifest["configs"] if manifest else {}
    found: list[tuple[tuple[int, ...], ConfigMatch]] = []
    for order, (name, report) in enumerate(scored.items()):
        if (split := report["splits"].get(SPLIT)) is None:
            continue
        ending = paper.suite_ending(name.partition(".")[0])
        own = ending in SUITE_ENDINGS and name.partition(".")[2] == part.name
        if (about := made.get(name)) is None:
            if not own:
                continue
            reasons: tuple[str, ...] = (f"no manifest records how {name} was made",)
        elif split.get("task") == part.task and _is_part(part, about["params"]):
            reasons = tuple(_iterate_differences(layout, part, about, part.name if own else name))
        else:
            continue
        suite = len(SUITE_ENDINGS) if ending not in SUITE_ENDINGS else SUITE_ENDINGS.index(ending)
        rank = (
            len(reasons),
            _count_missing_cells(layout, part, split["cells"]),
            suite,
            not own,
            order,
        )
        found.append((rank, ConfigMatch(name, reasons)))
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _is_part(part: PaperPart, params: Mapping[str, object]) -> bool:
    """Return whether params are those that make a part."""
    return all(params.get(name) == wanted for name, wanted in part.defining_params.items())


def _count_missing_cells(layout: TableLayout, part: PaperPart, cells: Sequence[Cell]) -> int:
    """Return how many places of a part have no cell in a report."""
    there = [(cell["difficulty"], cell["by"]) for cell in cells]
    places = iterate_plain_figures(place for line in layout.lines for place in line.figures)
    return sum(
        place.part == part.name and (place.difficulty, dict(place.split_values)) not in there
        for place in places
    )


def _iterate_differences(
    layout: TableLayout, part: PaperPart, about: Record, label: str
) -> Iterator[str]:
    """Yield what of a config is otherwise than in the paper.

    Args:
        layout: the table's layout.
        part: the part that the config is.
        about: what the manifest says about the config.
        label: what the config is called.
    """
    params = about["params"]
    for name, wanted in part.conditions.items():
        if (value := params.get(name)) != wanted:
            yield f"{label}: {name} is {_format_value(value)}, {_format_value(wanted)} in the paper"
    usual = _default_values(part.task)
    for name, value in params.items():
        named = name in part.conditions or name in part.defining_params
        # A deviation has its way as it is typed: "true", where a param's value is True.
        if (
            not named
            and name in usual
            and _format_value(value).lower() not in map(str.lower, usual[name])
        ):
            yield f"{label}: {name} is {_format_value(value)}, usually {usual[name][0]}"
    yield from _iterate_count_differences(layout, part, about, label)


@cache
def _default_values(task: str) -> Mapping[str, tuple[str, ...]]:
    """Return what a task's params are usually, its difficulty aside: default, and paper's way."""
    found = task_registry.load_task(task)
    defaults = found.params()
    published = [each.paper_params for each in found.deviations]
    return {
        name: (
            _format_value(getattr(defaults, name)),
            *(way[name] for way in published if name in way),
        )
        for name, about, _ in list_params(found.params)
        if not about.axis and about.unit != "rows"  # how many rows there are changes none
    }


def _iterate_count_differences(
    layout: TableLayout, part: PaperPart, about: Record, label: str
) -> Iterator[str]:
    """Yield the difficulties that are missing, and those with another number of items.

    Args:
        layout: the table's layout.
        part: the part.
        about: what the manifest says about the config.
        label: what the config is called.
    """
    wanted, every = part.items, part.difficulties
    places = (place for line in layout.lines for place in line.figures)
    used = {place.difficulty for place in iterate_plain_figures(places) if place.part == part.name}
    split = about["splits"].get(SPLIT)
    cells = {cell["difficulty"]: cell for cell in (split["cells"] if split else ())}
    if missing := [str(level) for level in every if level not in cells]:
        yield f"{label}: {layout.axis} {', '.join(missing)} of the paper are missing"
    # What lies above the highest of them belongs to another horizon, another figure.
    more = [str(level) for level in cells if every and level < max(every) and level not in every]
    if None in used and more:
        yield f"{label}: {layout.axis} {', '.join(more)} are not in the paper"
    other = [
        cell for level, cell in cells.items() if (None in used or level in used or level in every)
    ]
    other = [cell for cell in other if wanted is not None and cell["items"] != wanted]
    for name, total in part.totals.items() if split else ():
        if (count := split.get(name, total)) != total:
            yield f"{label}: {count} {name} in all; {total} in the paper"
    if other:
        counts = ", ".join(f"{cell['items']} at {cell['label']}" for cell in other)
        yield f"{label}: the items are {counts}; {wanted} each in the paper"


def _format_value(value: object) -> str:
    """Return a param's value in words."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "not set" if value is None else str(value)


_SCALE = {"%": 100, "points": 100, "thousands": 0.001}

_NOT_CLIMBED = (
    "R is expected from the accuracies at the levels, not climbed; ten climbs take 150 questions a "
    "level"
)
"""The reason of an R without climbs."""

COMPARABLE = "may be compared with the other rows"
"""What is said of the values of a row that is made as the paper says."""


@dataclass(frozen=True, slots=True)
class Climbed:
    """The mean R of a model's climbs through a config.

    Attributes:
        mean: the mean.
        reason: why it is not comparable with the papers' R, in words; "" if it is.
    """

    mean: Estimate
    reason: str


Climber = Callable[[str, int], Climbed | None]
"""Climb a config: from its name, and the samples of a question of which the majority decides (1:
the first counts), to R; None if no climb is possible or one is open."""


def build_paper_tables(
    model: Scored, manifest: Record | None, climb: Climber = lambda config, samples: None
) -> Iterator[PaperTable]:
    """Yield the tables in which a model has a row, as plain JSON values.

    Args:
        model: the model's part of the results of scoring.
        manifest: the dataset's manifest; None where there is none.
        climb: climbs a config of the model.

    Yields:
        {"paper", "table", "columns", "rows", "comparable", "reasons"}: `rows` are the model's, in
        the units of `columns`; the paper's own stand in facelet.pipeline.papers.printed_tables.
    """
    for paper in paper_registry.load_papers().values():
        for layout in paper.layouts:
            found = {
                part.name: match
                for part in layout.parts
                if (match := find_best_match(paper, layout, part, model["configs"], manifest))
            }
            if not found:
                continue
            table = load_tables(paper.name)[layout.number]
            shown: list[tuple[LayoutRow, list[Claim | None]]] = []
            for line in layout.lines:
                claims = [
                    _claim(place, model["configs"], found, climb) if place is not None else None
                    for place in line.figures
                ]
                if any(claims):
                    shown.append((line, claims))
            lines = [line for line, _ in shown]
            # A table of differences shows no model of which only the reference row is known.
            if not shown or (_has_differences(layout.lines) and not _has_differences(lines)):
                continue
            reasons = list(_iterate_reasons(layout, lines, found))
            reasons += _iterate_climb_reasons(lines, found, climb)
            arrived = [one.arrived for _, claims in shown for one in claims if one and one.arrived]
            if arrived and min(arrived) < LEAST_ARRIVED:
                reasons.append(f"{min(arrived):.1%} of the replies of a config arrived")
            caveats = [f"cannot be compared: {'; '.join(reasons)}"] if reasons else [COMPARABLE]
            rows = [_row(line, claims, table.columns, caveats) for line, claims in shown]
            yield {
                "paper": paper.name,
                "table": table.number,
                "columns": [
                    {"metric": column.metric, "unit": column.unit, "setting": dict(column.setting)}
                    for column in table.columns
                ],
                "rows": rows,
                "comparable": not reasons,
                "reasons": reasons,
            }


def _has_differences(lines: Sequence[LayoutRow]) -> bool:
    return any(isinstance(cell, FigureDifference) for line in lines for cell in line.figures)


def _iterate_reasons(
    layout: TableLayout, shown: Sequence[LayoutRow], found: Mapping[str, ConfigMatch]
) -> Iterator[str]:
    """Yield in words what of a dataset is otherwise than in the paper.

    Args:
        layout: the table's layout.
        shown: its lines that are filled, if only in part.
        found: what was found for its parts.
    """
    needed = {
        name
        for line in shown
        for cell in line.figures
        if cell is not None
        for name in cell.part_names
    }
    for part in layout.parts:
        if part.name not in needed:
            continue
        if part.name in found:
            yield from found[part.name].reasons
        else:
            yield f"{part.name} was not scored"
    if layout.remark:
        yield layout.remark


def _row(
    line: LayoutRow,
    claims: Sequence[Claim | None],
    columns: Sequence[TableColumn],
    caveats: Sequence[str],
) -> PaperRow:
    """Return a row as plain JSON values.

    Args:
        line: its line of the layout.
        claims: its values, shares from 0 to 1; None where there is none.
        columns: the columns of the table, which say the units.
        caveats: what a reader must know of all values.
    """
    told = [
        None
        if one is None
        else one.to_unit(_SCALE.get(column.unit, 1), column.unit, caveats).to_record()
        for one, column in zip(claims, columns, strict=True)
    ]
    return {
        "setting": dict(line.setting),
        "values": [None if one is None else one["value"] for one in told],
        "intervals": [
            None
            if one is None or one["low"] is None or one["high"] is None
            else [one["low"], one["high"]]
            for one in told
        ],
        "claims": told,
    }


def _iterate_climb_reasons(
    shown: Sequence[LayoutRow], found: Mapping[str, ConfigMatch], climb: Climber
) -> Iterator[str]:
    """Yield why the R of lines that are filled are not comparable."""
    cells = [cell for line in shown for cell in line.figures]
    figures = [one.one if isinstance(one, FigureDifference) else one for one in cells]
    parts: dict[str, list[str]] = {}  # by reason
    for figure in dict.fromkeys(one for one in figures if isinstance(one, LadderFigure)):
        if figure.part in found:
            climbed = climb(found[figure.part].config, figure.samples)
            reason = _NOT_CLIMBED if climbed is None else climbed.reason
            parts.setdefault(reason, []).append(figure.part)
    for reason in filter(None, parts):
        names = list(dict.fromkeys(parts[reason]))
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{names[0]}{more}: {reason}"


def _claim(
    cell: LayoutCell,
    scored: Mapping[str, Config],
    found: Mapping[str, ConfigMatch],
    climb: Climber,
) -> Claim | None:
    """Return what stands in a cell, shares from 0 to 1; None where it is not known.

    Args:
        cell: where it stands in a report, or how it follows from what does.
        scored: the model's configs.
        found: what was found for the parts.
        climb: climbs a config of the model.
    """
    if isinstance(cell, MeanFigure):
        claims = (_claim(place, scored, found, climb) for place in cell.figures)
        known = [one for one in claims if one is not None]
        return mean_claim(known) if known else None
    if isinstance(cell, IntervalFigure):
        whole = _claim(cell.figure, scored, found, climb)
        return None if whole is None else whole.measure_interval(cell.measure)
    if isinstance(cell, FigureDifference):
        one, other = (_claim(each, scored, found, climb) for each in (cell.one, cell.other))
        return None if one is None or other is None else one.minus(other)
    if cell.part not in found:
        return None
    config = found[cell.part].config
    cells = scored[config]["splits"][SPLIT]["cells"]
    if isinstance(cell, LadderFigure):
        expected, climbed = _estimate_r(cells), climb(config, cell.samples)
        if climbed is not None:
            return Claim(climbed.mean, NUMBER, expected.baselines if expected else {})
        return expected if cell.samples == 1 else None
    for part in cells:
        figure = part["figures"].get(cell.figure)
        if (
            part["difficulty"] != cell.difficulty
            or part["by"] != dict(cell.split_values)
            or figure is None
        ):
            continue
        if figure["value"] is not None:
            return Claim.read(cell.figure, figure)
    return None


def _estimate_r(cells: Sequence[Cell]) -> Claim | None:
    """Return R expected from the accuracies, and that of each baseline that every level states."""
    figures = {
        one["difficulty"]: figure
        for one in cells
        if not one["by"]
        and one["difficulty"] is not None
        and (figure := one["figures"].get("accuracy"))
        and figure["value"] is not None
    }
    if not figures:
        return None
    stated = {level: figure.get("baselines", {}) for level, figure in figures.items()}
    names = set[str].intersection(*map(set, stated.values()))
    levels = sorted(figures)
    won = {
        name: estimate_reach([stated[level][name] for level in levels], levels).failed
        for name in sorted(names)
    }
    reached = estimate_reach([figures[level]["value"] or 0.0 for level in levels], levels)
    return Claim(Estimate(reached.failed, units=cells[0].get("items", 0)), NUMBER, won)
