"""Build a scored model's rows of the papers' tables, and state whether they are comparable.

One of the configs that match a part of a table (facelet.pipeline.papers.config_match) gives its
figures. A row is comparable if the dataset was made as the paper describes (params, number of
items) and every cell that the row fills was measured. Otherwise each difference is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.config_match import SPLIT, ConfigMatch, find_best_match
from facelet.pipeline.papers.paper import (
    FigureDifference,
    IntervalFigure,
    LadderFigure,
    LayoutCell,
    LayoutRow,
    MeanFigure,
    TableLayout,
)
from facelet.pipeline.papers.printed_tables import TableColumn, load_tables
from facelet.pipeline.scoring.aggregate.claims import NUMBER, Claim, mean_claim
from facelet.pipeline.scoring.aggregate.estimates import Estimate
from facelet.pipeline.scoring.grade.arrival_shares import LEAST_ARRIVED

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_entries import Record
    from facelet.pipeline.scoring.render.results_schema import (
        Cell,
        Config,
        PaperRow,
        PaperTable,
        Scored,
    )

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
