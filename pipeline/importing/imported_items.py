"""Lines of item files that others wrote, and records of the items in them, whatever their format.

A line that is no object, or is too long, is returned with its fault. A reader drops nothing: each
line becomes an `ImportedItem`, or a `RejectedItem` with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Params, Reject
from facelet.pipeline.dataset.input_files import open_input_file
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.input_gate import parse_object
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
        return ItemLine(name, number, text, parse_object(text))
    except ValueError as error:
        return ItemLine(name, number, text, None, str(error))


Outcome = Literal["refuted", "not proven", "not read"]
"""Why a line becomes no row: it breaks a rule, with a witness; nothing here proves that it can be
solved; it cannot be read."""


class RuleError(ValueError):
    """An item breaks a rule of its game or makes a false claim; the message is the witness."""


class UnprovenError(ValueError):
    """An item was neither proven nor refuted; the message says how far the proof went."""


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An imported item with its rows.

    Attributes:
        line: its line.
        own_id: its own id, as its file spells it.
        task: the task that judges it.
        params: the params of its rows.
        instances: its rows, at least one.
        draw: the draw of our part of it, such as options.
    """

    line: ItemLine
    own_id: str
    task: AnyTask
    params: Params
    instances: Sequence[object]
    draw: Draw


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """A line that became no row.

    Attributes:
        line: the line.
        reason: why, in words; of a refuted item the witness.
        own_id: its own id; "" where none could be read.
        outcome: what kind of reason it is.
    """

    line: ItemLine
    reason: str
    own_id: str = ""
    outcome: Outcome = "not read"

    @classmethod
    def from_error(cls, line: ItemLine, error: Exception, own_id: str = "") -> Self:
        """Return the record of a line whose reader raised an error.

        Args:
            line: the line.
            error: the error.
            own_id: the line's own id, if it was read.
        """
        outcome: Outcome = "not read"
        if isinstance(error, RuleError):
            outcome = "refuted"
        elif isinstance(error, UnprovenError | Reject):
            outcome = "not proven"
        return cls(line, str(error), own_id, outcome)


@dataclass(frozen=True, slots=True)
class ImportedItems:
    """All lines of an import.

    Attributes:
        suite: the suite of the rows.
        items: the lines that became rows, in the order of the files.
        rejected: the other lines.
        tables: hashes of the tables that labels were proven with, by name.
    """

    suite: str
    items: Sequence[ImportedItem]
    rejected: Sequence[RejectedItem]
    tables: dict[str, str] = field(default_factory=dict)
