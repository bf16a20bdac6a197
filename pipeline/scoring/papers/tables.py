"""The papers' result tables as they are printed: numbers only, from data/papers.

A value stands in the unit of its column: "%" up to 100, "1" up to 1; None where the paper leaves it
open. Names of models are the paper's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "data" / "papers"
"""Where the tables are."""

Setting = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        metric: what is measured.
        unit: "%", "points", "1" (a share up to 1), or what is counted.
        setting: under which conditions, by name.
    """

    metric: str
    unit: str
    setting: Setting


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        model: who played.
        setting: conditions of this row, by name; often none.
        values: one a column, in the column's unit; None where the paper leaves it open.
    """

    model: str
    setting: Setting
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a paper.

    Attributes:
        paper: title of the paper's benchmark.
        number: number of the table in the paper.
        averaged: what a value is the mean or the share of.
        note: what a reader should know about the printed numbers; "" if nothing.
        columns: its columns.
        rows: its rows, in the paper's order.
    """

    paper: str
    number: str
    averaged: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def names() -> tuple[str, ...]:
    """Return the names of the papers, such as "cube_bench"."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def tables(paper: str) -> Mapping[str, Table]:
    """Return the tables of a paper, by number.

    Raises:
        ValueError: the paper has no tables here.
    """
    path = FOLDER / f"{paper}.json"
    if paper not in names():
        raise ValueError(f"no tables of the paper {paper!r}; there are {', '.join(names())}")
    content = json.loads(path.read_text(encoding="utf-8"))
    return {
        part["table"]: Table(
            content["paper"],
            part["table"],
            part["averaged"],
            part.get("note", ""),
            tuple(Column(**column) for column in part["columns"]),
            tuple(
                Row(row["model"], row.get("setting", {}), tuple(row["values"]))
                for row in part["rows"]
            ),
        )
        for part in content["tables"]
    }
