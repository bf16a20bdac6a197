"""Format Markdown tables and code fences for any text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence


def render_table(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return rows as a Markdown table; all have the columns of the first."""
    if not rows:
        return []
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", "|" + " --- |" * len(names)]
    return lines + [
        "| " + " | ".join(_escape_cell(str(row.get(name, ""))) for name in names) + " |"
        for row in rows
    ]


def render_code_block(text: str, language: str = "text") -> list[str]:
    """Return a text as a block that shows it as it is."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", text, fence]


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
