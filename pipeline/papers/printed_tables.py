"""Load the papers' printed result tables from `tables.json` of their packages.

A value is in the unit of its column: "%" up to 100, "1" up to 1; None if the paper leaves it open.
Names of models are the paper's own. The file has the paper's name and a record for each table: its
number, what a value is the mean or share of (`averaged`), an optional `note`, and columns and rows
as below.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from facelet.pipeline import papers
from facelet.pipeline.papers import paper_registry

FILE = "tables.json"
"""What the tables of a room stand in."""

Setting = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Attributes:
        metric: what is measured.
        unit: "%", "points", "1" (a share up to 1), or what is counted.
        setting: under which conditions, by name.
    """

    metric: str
    unit: str
    setting: Setting

    @property
    def head(self) -> str:
        """The head of the column, in words."""
        where = ", ".join(f"{key} {value}" for key, value in self.setting.items())
        return f"{self.metric} ({self.unit}){f' {where}' if where else ''}"


@dataclass(frozen=True, slots=True)
class TableRow:
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
class ReferenceTable:
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
    mean_columns: str
    note: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]


def list_papers() -> tuple[str, ...]:
    """Return the names of the papers that have tables here."""
    return tuple(
        sorted(name for name in paper_registry.load_papers() if tables_path(name).is_file())
    )


def tables_path(paper: str) -> Path:
    """Return the path of the tables of a room."""
    return Path(import_module(f"{papers.__name__}.{paper}").__file__ or "").parent / FILE


@cache
def load_tables(paper: str) -> Mapping[str, ReferenceTable]:
    """Return the tables of a paper, by number.

    Raises:
        ValueError: the paper has no tables here.
    """
    if paper not in list_papers():
        raise ValueError(f"no tables of the paper {paper!r}; there are {', '.join(list_papers())}")
    content = json.loads(tables_path(paper).read_text(encoding="utf-8"))
    return {
        part["table"]: ReferenceTable(
            content["paper"],
            part["table"],
            part["averaged"],
            part.get("note", ""),
            tuple(TableColumn(**column) for column in part["columns"]),
            tuple(
                TableRow(row["model"], row.get("setting", {}), tuple(row["values"]))
                for row in part["rows"]
            ),
        )
        for part in content["tables"]
    }
