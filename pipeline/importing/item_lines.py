"""Read the lines of JSON Lines files that others wrote, each with its file and number.

A line that is no object, or is too long, is returned with its fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.dataset.input_files import open_input_file
from facelet.pipeline.json_types import JSON

LONGEST = 16 << 20
"""Most bytes of a line that is read."""


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A line of a file.

    Attributes:
        file: the file, as messages name it.
        number: the line's number, from 1.
        text: the line, without its end.
        values: its object; None where it has none.
        fault: why it has none; "" if it has one.
    """

    file: str
    number: int
    text: str
    values: Mapping[str, JSON] | None
    fault: str = ""

    @property
    def location(self) -> str:
        """File and number, in words."""
        return f"{self.file}, line {self.number}"


def read_lines(path: Path, name: str) -> Iterator[ItemLine]:
    """Yield the lines of a file that are not blank.

    Args:
        path: the file.
        name: its name in messages.

    Raises:
        OSError: it cannot be read.
    """
    with open_input_file(path) as file:
        number = 0
        while data := file.readline(LONGEST + 1):
            number += 1
            cut = len(data) > LONGEST and not data.endswith(b"\n")
            while cut and (more := file.readline(LONGEST)) and not more.endswith(b"\n"):
                pass
            text = data.decode("utf-8", errors="replace").lstrip("\ufeff").strip()
            if cut:
                yield ItemLine(name, number, text[:200], None, f"longer than {LONGEST} bytes")
            elif text:
                yield _parse_line(name, number, text)


def _parse_line(name: str, number: int, text: str) -> ItemLine:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        return ItemLine(name, number, text, None, f"no JSON: {error}")
    if not isinstance(values, dict):
        return ItemLine(name, number, text, None, "no JSON object")
    return ItemLine(name, number, text, values)
