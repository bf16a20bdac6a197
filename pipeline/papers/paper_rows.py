"""A scored model's row in the papers' tables: in the paper's layout, with what may be compared.

Of the configs that are a part of a table (facelet.pipeline.papers.matching) one gives its figures.
A row is comparable where the dataset was made as the paper says (params, number of items) and every
cell that the row fills was measured. Otherwise each difference is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from facelet.pipeline.papers import rooms
from facelet.pipeline.papers.matching import SPLIT, Match, best
from facelet.pipeline.papers.places import Cell, Derived, Difference, Layout, Line, Mean
from facelet.pipeline.papers.tables import Column, tables
from facelet.pipeline.scoring.counting.claims import NUMBER, Claim, mean_claim
from facelet.pipeline.scoring.counting.estimates import Estimate
from facelet.pipeline.scoring.judging.population import LEAST_ARRIVED

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_form import ManifestRecord
    from facelet.pipeline.scoring.telling.schema import Config, PaperRow, PaperTable, Scored

_SCALE = {"%": 100, "points": 100}

COMPARABLE = "may be compared with the other rows"
"""What is said of the values of a row that is made as the paper says."""


def beside(model: Scored, manifest: ManifestRecord | None) -> Iterator[PaperTable]:
    """Yield the tables in which a model has a row, as plain JSON values.

    Args:
        model: the model's part of the results of scoring.
        manifest: the dataset's manifest; None where there is none.

    Yields:
        {"paper", "table", "columns", "rows", "comparable", "reasons"}: `rows` are the model's, in
        the units of `columns`; the paper's own stand in facelet.pipeline.papers.tables.
    """
    for paper in rooms.papers().values():
        for layout in paper.layouts:
            found = {
                part.name: match
                for part in layout.parts
                if (match := best(paper, layout, part, model["configs"], manifest))
            }
            if not found:
                continue
            table = tables(paper.name)[layout.number]
            shown: list[tuple[Line, list[Claim | None]]] = []
            for line in layout.lines:
                claims = [
                    _claim(place, model["configs"], found) if place is not None else None
                    for place in line.places
                ]
                if any(claims):
                    shown.append((line, claims))
            lines = [line for line, _ in shown]
            if not shown or _only_compared_with(layout, lines):
                continue
            reasons = list(_reasons(layout, lines, found))
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


def _only_compared_with(layout: Layout, shown: Sequence[Line]) -> bool:
    """Return whether a table of differences has no row but the one that others differ from."""
    return _differs(layout.lines) and not _differs(shown)


def _differs(lines: Sequence[Line]) -> bool:
    return any(isinstance(cell, Difference) for line in lines for cell in line.places)


def _reasons(layout: Layout, shown: Sequence[Line], found: Mapping[str, Match]) -> Iterator[str]:
    """Yield in words what of a dataset is otherwise than in the paper.

    Args:
        layout: the table's layout.
        shown: its lines that are filled, if only in part.
        found: what was found for its parts.
    """
    needed = {
        name for line in shown for cell in line.places if cell is not None for name in cell.parts
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
    line: Line,
    claims: Sequence[Claim | None],
    columns: Sequence[Column],
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
        else one.scaled(_SCALE.get(column.unit, 1), column.unit, caveats).to_record()
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


def _claim(cell: Cell, scored: Mapping[str, Config], found: Mapping[str, Match]) -> Claim | None:
    """Return what stands in a cell, shares from 0 to 1; None where it is not known.

    Args:
        cell: where it stands in a report, or how it follows from what does.
        scored: the model's configs.
        found: what was found for the parts.
    """
    if isinstance(cell, Mean):
        known = [one for place in cell.places if (one := _claim(place, scored, found)) is not None]
        return mean_claim(known) if known else None
    if isinstance(cell, Difference):
        one, other = (_claim(each, scored, found) for each in (cell.one, cell.other))
        return None if one is None or other is None else one.minus(other)
    if cell.part not in found:
        return None
    cells = scored[found[cell.part].config]["splits"][SPLIT]["cells"]
    if isinstance(cell, Derived):
        value = cell.follows(cells)
        rows = cells[0].get("items", 0)
        return None if value is None else Claim(Estimate(value, units=rows), NUMBER)
    for part in cells:
        figure = part["figures"].get(cell.figure)
        if part["difficulty"] != cell.difficulty or part["by"] != dict(cell.by) or figure is None:
            continue
        if figure["value"] is not None:
            return Claim.read(cell.figure, figure)
    return None
