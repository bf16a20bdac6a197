"""Render Markdown tables, and escape texts from other people's files for tables and terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from facelet.pipeline.scoring.aggregate.claims import UNDEFINED
from facelet.pipeline.scoring.render import results_schema

NAME, REASON = 100, 400
"""Most characters of a name, and of a reason, that are shown."""

Cell = str | int | float | None
"""A cell of a table; None where there is nothing."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table: its columns by name, each a cell a row."""

    columns: Mapping[str, Sequence[Cell]]

    @staticmethod
    def from_rows(rows: Sequence[Mapping[str, Cell]], missing: Cell = None) -> TextTable:
        """Return rows as a table.

        Args:
            rows: the cells of each row by column; columns stand in the order in which they come.
            missing: what stands where a row has no such column.
        """
        names = dict.fromkeys(name for row in rows for name in row)
        return TextTable({name: [row.get(name, missing) for row in rows] for name in names})

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def first_rows(self, most: int) -> TextTable:
        """Return the first rows, at most so many."""
        return TextTable({name: cells[:most] for name, cells in self.columns.items()})

    def without_columns(self, names: Iterable[str]) -> TextTable:
        """Return the table without some columns."""
        out = set(names)
        return TextTable({name: cells for name, cells in self.columns.items() if name not in out})


def render_table(frame: TextTable) -> list[str]:
    """Return a table in Markdown, with columns of equal width; what is missing is n/a."""
    columns = [[name, *map(_format_value, cells)] for name, cells in frame.columns.items()]
    padded = [[text.ljust(max(map(len, column))) for text in column] for column in columns]
    lines = [f"| {' | '.join(row)} |" for row in zip(*padded, strict=True)]
    lines.insert(1, "|" + "|".join("-" * (len(column[0]) + 2) for column in padded) + "|")
    return lines


def _format_value(value: Cell) -> str:
    """Return a value as a cell of a table."""
    return UNDEFINED if value is None else str(value)


def escape_cell(text: str, most: int = NAME) -> str:
    """Return a text from a stranger's file as one harmless cell of a Markdown table."""
    shown = printable_text(text, most)
    for sign in "\\`|<>[]":
        shown = shown.replace(sign, f"\\{sign}")
    return shown


def printable_text(text: str, most: int = NAME) -> str:
    """Return the text without control characters, at most so many of it."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(sign if sign.isprintable() else "�" for sign in short)


def split_label(config: str, split: str) -> str:
    """Return the name of a split as a cell of a table."""
    return escape_cell(config if split == "test" else f"{config}/{split}")


def format_unverified_mark(figure: results_schema.Difference) -> str:
    """Return what stands beside a figure of files that nobody checked."""
    return " unverified" if figure.get("unverified") else ""


def figure_title(name: str, called: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the head of a figure's column, with what papers call it where that differs."""
    return name.replace("_", " ") + (f" ({called[name]})" if name in called else "")


def iterate_splits(model: results_schema.Model) -> Iterator[tuple[str, str, results_schema.Split]]:
    """Yield config, split and report of a model."""
    for config, content in model["configs"].items():
        for split, report in content["splits"].items():
            yield config, split, report
