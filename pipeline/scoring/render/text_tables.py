"""Render Markdown tables, and escape texts from other people's files for tables and terminals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from facelet.pipeline.scoring.aggregate.claims import UNDEFINED
from facelet.pipeline.scoring.render import results_schema

NAME, REASON = 100, 400
"""Most characters of a name, and of a reason, that are shown."""

Cell = str | int | float | None
"""A cell of a table; None where there is nothing."""


def make_table(rows: Sequence[Mapping[str, Cell]], missing: Cell = None) -> pd.DataFrame:
    """Return a table whose columns are in the order in which rows first name them.

    Args:
        rows: the cells of each row by column.
        missing: the cell of a row without a column.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return pd.DataFrame(
        {name: [row.get(name, missing) for row in rows] for name in names}, dtype=object
    )


def render_table(frame: pd.DataFrame) -> list[str]:
    """Return a table in Markdown, with columns of equal width; a missing value is n/a."""
    columns = [[str(name), *map(_format_value, cells)] for name, cells in frame.items()]
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


class Footnotes(dict[str, int]):
    """The notes of a table with their numbers, in the order in which cells name them."""

    def mark(self, notes: Sequence[str]) -> str:
        """Return the numbers of some notes, such as "1,3"; new ones are added."""
        return ",".join(str(self.setdefault(text, len(self) + 1)) for text in notes)
