"""Render Markdown tables and notes, and escape texts from other people's files.

Notes are sentences about what a reader must know of a dataset and of prediction files.
"""

from __future__ import annotations

import json
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


MISSING = {
    "wrong": "Missing predictions and API errors count as wrong.",
    "ignore": "Rows without any prediction are left out (missing=ignore); API errors, and missing "
    "samples of rows with some, count as wrong.",
}
"""What becomes of rows without a prediction, in words."""

_VERIFIED = {
    "no": "UNVERIFIED: its files were not compared with this hash",
    "files": "files match manifest.json; the content hash was not recomputed",
    "content": "verified: recomputed from the rows of all splits scored; pictures were not decoded",
    "rows": "verified: recomputed from the rows of all splits scored, and their pictures have the "
    "pixels that the rows name",
}
_EXPECTED = "verified: manifest.json is the expected one, and the files match it"
_BASELINES = (
    "not verified here: chance, floors and shortcuts, which manifest.json states and "
    "`facelet verify all=true` recomputes"
)


def verification_note(dataset: results_schema.Dataset) -> str:
    """Return what of the dataset was checked, and against what, in words."""
    if dataset["verified"] == "no":
        return _VERIFIED["no"]
    sha256 = f"(manifest.json has SHA-256 `{dataset['manifest_sha256']}`)"
    said = _EXPECTED if dataset.get("expected") else _VERIFIED[dataset["verified"]]
    return f"{said} {sha256}; {_BASELINES}"


def file_notes(account: results_schema.Input, dataset: results_schema.Dataset) -> list[str]:
    """Return what a reader must know of a prediction file, in sentences."""
    lines = [account["stopped"]] if account["stopped"] else []
    seen = account["evidence"]
    if dataset["verified"] != "no" and seen["nothing"]:
        lines.append(
            f"{seen['nothing']:,} of {account['predictions']:,} predictions contain no content "
            "hash, prompt or target that shows that they answer this build"
        )
    if others := account["other_questions"]:
        lines.append(
            f"refused, because they contain another question than their row's: {others:,} records "
            "(questions=any scores them)"
        )
    if other := seen["other_words"]:
        lines.append(f"{other:,} questions with other words than their row's were accepted")
    if dataset["verified"] == "no":
        lines.append("not compared with the questions of this build (verify=false)")
    return lines


def settings_notes(model: results_schema.Model) -> list[str]:
    """Return how a model was asked, as its transcripts say, a line for each way."""
    return [
        f"{escape_cell(_format_settings(part), REASON)} ({part['predictions']:,} predictions)"
        for part in model["settings"]
    ]


def _format_settings(part: results_schema.Asked) -> str:
    """Return how a model was asked in words, such as "api=chat, temperature=0.0"."""
    if part["settings"] is None:
        return "more settings than are listed"
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in part["settings"].items()
    )
