"""A scored model's row in the papers' tables: in the paper's layout, with what may be compared.

Of the configs that are a part of a table (facelet.pipeline.papers.matching) one gives its figures.
A row is comparable where the dataset was made as the paper says (params, number of items) and every
cell that the row fills was measured. Otherwise each difference is named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from facelet.pipeline.papers import rooms
from facelet.pipeline.papers.matching import SPLIT, Match, best
from facelet.pipeline.papers.places import Cell, Derived, Difference, Layout, Line, Mean
from facelet.pipeline.papers.tables import tables

if TYPE_CHECKING:
    from facelet.pipeline.dataset.manifest_form import ManifestRecord
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
            shown: list[Line] = []
            for line in layout.lines:
                figures = [
                    _figure(place, model["configs"], found, _SCALE.get(column.unit, 1))
                    for place, column in zip(line.places, table.columns, strict=True)
                ]
                if any(value is not None for value, _ in figures):
                    shown.append(line)
                    rows.append(
                        {
                            "setting": dict(line.setting),
                            "values": [value for value, _ in figures],
                            "intervals": [
                                None if ends is None else list(ends) for _, ends in figures
                            ],
                        }
                    )
            if not rows or _only_compared_with(layout, shown):
                continue
            reasons = list(_reasons(layout, shown, found))
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


Figure = tuple[float | None, tuple[float, float] | None]
"""A value and its interval; None where there is none."""


def _figure(
    cell: Cell | None, scored: Mapping[str, Config], found: Mapping[str, Match], scale: int
) -> Figure:
    """Return a figure in the unit of its column, with its interval.

    Args:
        cell: where it stands in a report, or how it follows from what does.
        scored: the model's configs.
        found: what was found for the parts.
        scale: how many of its unit are 1.
    """
    if isinstance(cell, Mean):
        return _mean([_figure(place, scored, found, scale) for place in cell.places])
    if isinstance(cell, Difference):
        (one, _), (other, _) = (_figure(each, scored, found, 1) for each in (cell.one, cell.other))
        return (None if one is None or other is None else scale * (one - other)), None
    if cell is None or cell.part not in found:
        return None, None
    cells = scored[found[cell.part].config]["splits"][SPLIT]["cells"]
    if isinstance(cell, Derived):
        return cell.follows(cells), None
    for part in cells:
        figure = part["figures"].get(cell.figure)
        if part["difficulty"] != cell.difficulty or part["by"] != dict(cell.by) or figure is None:
            continue
        value, low, high = figure["value"], figure["low"], figure["high"]
        if value is not None:
            ends = None if low is None or high is None else (scale * low, scale * high)
            return scale * value, ends
    return None, None


def _mean(figures: Sequence[Figure]) -> Figure:
    """Return the mean of the figures that are known; its interval where all of them have one.

    The parts have no item in common, so the distances to the ends are added as squares (Zou and
    Donner 2008, "Construction of confidence limits about effect measures").
    """
    known = [(value, ends) for value, ends in figures if value is not None]
    if not known:
        return None, None
    mean = sum(value for value, _ in known) / len(known)
    apart = [(value - ends[0], ends[1] - value) for value, ends in known if ends is not None]
    if len(apart) < len(known):
        return mean, None
    below, above = (math.hypot(*side) / len(known) for side in zip(*apart, strict=True))
    return mean, (mean - below, mean + above)
