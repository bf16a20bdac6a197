"""A scored model's row in the papers' tables: in the paper's layout, with what may be compared.

A row is comparable where the dataset was made as the paper says (params, number of items) and every
cell that the row fills was measured. Otherwise each difference is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from facelet.pipeline.ladder.expecting import expected
from facelet.pipeline.scoring.papers.layouts import LAYOUTS
from facelet.pipeline.scoring.papers.places import SUITES, Cell, Ladder, Layout, Mean, plain
from facelet.pipeline.scoring.papers.tables import tables

SPLIT = "test"
_SCALE = {"%": 100, "points": 100}


def beside(model: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the tables in which a model has a row, as plain JSON values.

    Args:
        model: the model's part of the results of scoring.
        manifest: the dataset's manifest; {} where there is none.

    Yields:
        {"paper", "table", "columns", "rows", "comparable", "reasons"}: `rows` are the model's, in
        the units of `columns`; the paper's own stand in facelet.pipeline.scoring.papers.tables.
    """
    for layout in LAYOUTS:
        found = {
            config: name
            for config in _configs(layout)
            if (name := _named(layout.paper, config, model["configs"]))
        }
        if not found:
            continue
        table = tables(layout.paper)[layout.number]
        rows = []
        for line in layout.lines:
            places = zip(line.places, table.columns, strict=True)
            values = [
                _value(place, model["configs"], found, _SCALE.get(column.unit, 1))
                for place, column in places
            ]
            if any(value is not None for value in values):
                rows.append({"setting": dict(line.setting), "values": values})
        if not rows:
            continue
        reasons = list(_differences(layout, found, manifest))
        yield {
            "paper": layout.paper,
            "table": table.number,
            "columns": [
                {"metric": column.metric, "unit": column.unit, "setting": dict(column.setting)}
                for column in table.columns
            ],
            "rows": rows,
            "comparable": not reasons,
            "reasons": reasons,
        }


def _configs(layout: Layout) -> tuple[str, ...]:
    """Return the configs that a layout takes figures from."""
    places = (place for line in layout.lines for place in line.places if place is not None)
    return tuple(dict.fromkeys(config for place in places for config in place.configs))


def _named(paper: str, config: str, scored: Mapping[str, Any]) -> str | None:
    """Return the full name of a config among those that were scored, or None."""
    names = (f"{suite.format(paper=paper)}.{config}" for suite in SUITES)
    return next((name for name in names if SPLIT in scored.get(name, {}).get("splits", {})), None)


def _value(
    cell: Cell | None, scored: Mapping[str, Any], found: Mapping[str, str], scale: int
) -> float | None:
    """Return a figure in the unit of its column; None where it was not measured.

    Args:
        cell: where it stands in a report, or how it follows from what does.
        scored: the model's configs.
        found: full names of the configs.
        scale: how many of its unit are 1.
    """
    if isinstance(cell, Mean):
        values = [_value(place, scored, found, scale) for place in cell.places]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None
    if cell is None or cell.configs[0] not in found:
        return None
    cells = scored[found[cell.configs[0]]]["splits"][SPLIT]["cells"]
    if isinstance(cell, Ladder):
        return _expected(cells)
    for part in cells:
        if part["difficulty"] != cell.difficulty or part["by"] != dict(cell.by):
            continue
        figure = part["figures"].get(cell.figure)
        if figure is not None and figure["value"] is not None:
            return float(scale * figure["value"])
    return None


def _expected(cells: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the R that the accuracies at all levels lead one to expect; None without levels."""
    by_level = {
        cell["difficulty"]: cell["figures"]["accuracy"]["value"]
        for cell in cells
        if cell["difficulty"] is not None and not cell["by"] and "accuracy" in cell["figures"]
    }
    levels = sorted(level for level, value in by_level.items() if value is not None)
    return expected([by_level[level] for level in levels], levels).failed if levels else None


def _differences(
    layout: Layout, found: Mapping[str, str], manifest: Mapping[str, Any]
) -> Iterator[str]:
    """Yield in words what of a dataset is otherwise than in the paper.

    Args:
        layout: the table's layout.
        found: full names of the configs.
        manifest: the dataset's manifest.
    """
    for config in _configs(layout):
        if config not in found:
            yield f"{config} was not scored"
            continue
        about = manifest.get("configs", {}).get(found[config])
        if about is None:
            yield f"no manifest says how {found[config]} was made"
            continue
        for name, wanted in layout.conditions.get(config, {}).items():
            value = about["params"].get(name)
            if value != wanted:
                yield f"{config}: {name} is {_said(value)}, {_said(wanted)} in the paper"
        yield from _counts(layout, config, about)
    if layout.remark:
        yield layout.remark


def _counts(layout: Layout, config: str, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield the difficulties that are missing, and those with another number of items.

    Args:
        layout: the table's layout.
        config: the config.
        about: what the manifest says about it.
    """
    wanted = layout.items.get(config)
    places = (place for line in layout.lines for place in line.places)
    used = {place.difficulty for place in plain(places) if place.config == config}
    every = layout.difficulties.get(config, ())
    cells = {cell["difficulty"]: cell for cell in about["splits"].get(SPLIT, {}).get("cells", ())}
    if missing := [str(level) for level in every if level not in cells]:
        yield f"{config}: {layout.axis} {', '.join(missing)} of the paper are not there"
    # What lies above the highest of them belongs to another horizon, another figure.
    more = [str(level) for level in cells if every and level < max(every) and level not in every]
    if None in used and more:
        yield f"{config}: {layout.axis} {', '.join(more)} are not in the paper"
    other = [
        cell for level, cell in cells.items() if (None in used or level in used or level in every)
    ]
    other = [cell for cell in other if wanted is not None and cell["items"] != wanted]
    if other:
        counts = ", ".join(f"{cell['items']} at {cell['label']}" for cell in other)
        yield f"{config}: the items are {counts}; {wanted} each in the paper"


def _said(value: Any) -> str:
    """Return a param's value in words."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "not set" if value is None else str(value)
