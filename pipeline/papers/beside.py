"""A scored model's row in the papers' tables: in the paper's layout, with what may be compared.

Of the configs that are a part of a table (facelet.pipeline.papers.matching) one gives its figures.
A row is comparable where the dataset was made as the paper says (params, number of items) and every
cell that the row fills was measured. Otherwise each difference is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from facelet.pipeline.ladder.expecting import expected
from facelet.pipeline.papers import rooms
from facelet.pipeline.papers.matching import SPLIT, Match, best
from facelet.pipeline.papers.places import Cell, Ladder, Layout, Mean, Place
from facelet.pipeline.papers.tables import tables

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_form import ManifestRecord
    from facelet.pipeline.scoring.telling.schema import Cell as ScoredCell
    from facelet.pipeline.scoring.telling.schema import Config, PaperRow, PaperTable, Scored

_SCALE = {"%": 100, "points": 100}


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
            rows: list[PaperRow] = []
            for line in layout.lines:
                places = zip(line.places, table.columns, strict=True)
                values = [
                    _value(place, model["configs"], found, _SCALE.get(column.unit, 1))
                    for place, column in places
                ]
                if any(value is not None for value in values):
                    pairs = zip(line.places, table.columns, strict=True)
                    intervals = [
                        _interval(place, model["configs"], found, _SCALE.get(column.unit, 1))
                        for place, column in pairs
                    ]
                    rows.append(
                        {"setting": dict(line.setting), "values": values, "intervals": intervals}
                    )
            if not rows:
                continue
            reasons = list(_reasons(layout, found))
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


def _reasons(layout: Layout, found: Mapping[str, Match]) -> Iterator[str]:
    """Yield in words what of a dataset is otherwise than in the paper.

    Args:
        layout: the table's layout.
        found: what was found for its parts.
    """
    for part in layout.parts:
        if part.name in found:
            yield from found[part.name].reasons
        else:
            yield f"{part.name} was not scored"
    if layout.remark:
        yield layout.remark


def _value(
    cell: Cell | None, scored: Mapping[str, Config], found: Mapping[str, Match], scale: int
) -> float | None:
    """Return a figure in the unit of its column; None where it was not measured.

    Args:
        cell: where it stands in a report, or how it follows from what does.
        scored: the model's configs.
        found: what was found for the parts.
        scale: how many of its unit are 1.
    """
    if isinstance(cell, Mean):
        values = [_value(place, scored, found, scale) for place in cell.places]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None
    if cell is None or cell.part not in found:
        return None
    cells = scored[found[cell.part].config]["splits"][SPLIT]["cells"]
    if isinstance(cell, Ladder):
        return _expected(cells)
    for part in cells:
        if part["difficulty"] != cell.difficulty or part["by"] != dict(cell.by):
            continue
        figure = part["figures"].get(cell.figure)
        if figure is not None and figure["value"] is not None:
            return float(scale * figure["value"])
    return None


def _interval(
    cell: Cell | None, scored: Mapping[str, Config], found: Mapping[str, Match], scale: int
) -> list[float] | None:
    """Return the interval of a figure that stands in a report; None for one that follows from some.

    Args:
        cell: where it stands.
        scored: the model's configs.
        found: what was found for the parts.
        scale: how many of its unit are 1.
    """
    if not isinstance(cell, Place) or cell.part not in found:
        return None
    for part in scored[found[cell.part].config]["splits"][SPLIT]["cells"]:
        figure = part["figures"].get(cell.figure)
        if part["difficulty"] != cell.difficulty or part["by"] != dict(cell.by) or figure is None:
            continue
        if figure["low"] is not None and figure["high"] is not None:
            return [float(scale * figure["low"]), float(scale * figure["high"])]
    return None


def _expected(cells: Sequence[ScoredCell]) -> float | None:
    """Return the R that the accuracies at all levels lead one to expect; None without levels."""
    by_level = {
        cell["difficulty"]: cell["figures"]["accuracy"]["value"]
        for cell in cells
        if cell["difficulty"] is not None and not cell["by"] and "accuracy" in cell["figures"]
    }
    known = {level: value for level, value in by_level.items() if value is not None}
    levels = sorted(known)
    return expected([known[level] for level in levels], levels).failed if levels else None
