"""Read items that others wrote, and make rows of one task from them.

A line that is no object, or is too long, is returned with its fault. A reader drops nothing: each
line becomes an `ImportedItem`, or a `RejectedItem` with the reason.

Puzzles in our own format are JSON Lines: an object with the puzzle's `id` and the keys of its
family. The family's module `puzzles` proves what it can and makes the rows, with our options.

A puzzle of deformations contains the code of the `start` and its `operations`, as a list or as one
text, which are applied first; it may claim the code of the `result`. The list is the right option;
wrong options have one operation replaced, because no other design can contain a given list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from tqdm import tqdm

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Params, Reject
from facelet.generators.options.deformation.deformation_task import Deformation, Instance
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.dataset.input_files import open_input_file
from facelet.pipeline.family_modules import AnyTask, family_name, find_export, load_task
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
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


PuzzleLine = tuple[str, ItemLine]
"""A puzzle's own id, and its line."""

PuzzleImporter = Callable[[Sequence[PuzzleLine], AnyTask, ImportSettings], ImportedItems]
"""The export MAKE of a family's module `puzzles`."""

PuzzleRow = tuple[Any, object]
"""The params of a row, and its instance."""

MAX_ATTEMPTS = 200
"""Draws of an item before it counts as not proven."""


def read_puzzle_file(settings: ImportSettings) -> ImportedItems:
    """Return the rows of a file of puzzles.

    Raises:
        ValueError: there is no such task, or its family reads no puzzles.
        OSError: the file cannot be read.
    """
    task = load_task(settings.task)
    family = family_name(task.name)
    make: PuzzleImporter | None = find_export(f"{family}/puzzles", "MAKE")
    if make is None:
        raise ValueError(
            f"puzzles of {task.name} cannot be read; use a task of "
            f"{', '.join(list_puzzle_families())}"
        )
    named: list[PuzzleLine] = []
    broken: list[RejectedItem] = []
    seen: dict[str, int] = {}
    for line in read_lines(settings.source_path, settings.source_path.name):
        own = find_own_id(line.values, "id")
        if line.values is None:
            broken.append(RejectedItem(line, line.fault))
        elif not own:
            broken.append(RejectedItem(line, "it has no id: a text or a whole number"))
        elif own in seen:
            broken.append(RejectedItem(line, f"line {seen[own]} has the same id", own))
        else:
            seen[own] = line.number
            named.append((own, line))
    found = make(named, task, settings)
    return ImportedItems(PUZZLES, found.items, [*broken, *found.rejected], found.tables)


def import_each_puzzle(
    named: Sequence[PuzzleLine],
    task: AnyTask,
    settings: ImportSettings,
    make: Callable[[Mapping[str, JSON], Draw], PuzzleRow],
) -> ImportedItems:
    """Return a row of each puzzle; our part of it follows from the seed and its position.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: the seed.
        make: makes a row from the values of a line; raises RuleError or ValueError if there is
            none, Reject if the draw was unlucky.
    """
    items: list[ImportedItem] = []
    broken: list[RejectedItem] = []
    path = (settings.seed, task.name, task.version, PUZZLES)
    progress = tqdm(named, desc="prove", unit="puzzle", disable=not can_show_progress(None))
    for index, (own, line) in enumerate(progress):
        failure: Exception | None = None
        for attempt in range(MAX_ATTEMPTS):
            draw = Draw(path, index, attempt)
            try:
                params, instance = make(line.values or {}, draw)
                if wrong := task.find_faults(instance):
                    raise ValueError("; ".join(wrong))
            except Reject as reject:
                failure = UnprovenError(f"{MAX_ATTEMPTS} draws gave no row: {reject}")
                continue
            except ValueError as error:
                failure = error
                break
            items.append(ImportedItem(line, own, task, params, [instance], draw))
            failure = None
            break
        if failure:
            broken.append(RejectedItem.from_error(line, failure, own))
    return ImportedItems(PUZZLES, items, broken)


def list_puzzle_families() -> Sequence[str]:
    """Return the families that read puzzles."""
    from facelet.generators.core import task_registry

    names = {family_name(name) for name in task_registry.task_names()}
    return [name for name in sorted(names) if find_export(f"{name}/puzzles", "MAKE")]


def find_own_id(values: object, *names: str) -> str:
    """Return the first id under one of these keys, as a text; "" if there is none.

    A whole number written as a float counts as that number.
    """
    for name in names:
        said: JSON = values.get(name) if isinstance(values, dict) else None
        if isinstance(said, float) and said.is_integer():
            said = int(said)
        if isinstance(said, int) and not isinstance(said, bool):
            return str(said)
        if isinstance(said, str) and said.strip():
            return said.strip()
    return ""


REPLACED_OPERATIONS = 1
"""Operations that are replaced in each wrong list."""

MAX_OPERATIONS = 10_000
"""Most operations of a list."""

AnyDeformation = Deformation[Any, Any]

Choices = Callable[[str], Iterable[Mapping[str, object]]]
"""Params under which a task can ask about a start, the strictest first."""


def import_deformations(
    named: Sequence[PuzzleLine],
    task: AnyDeformation,
    settings: ImportSettings,
    choices: Choices,
) -> ImportedItems:
    """Return the rows of puzzles.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: the seed of the wrong lists.
        choices: the params under which a task can ask about a start.
    """

    def make_row(values: Mapping[str, JSON], draw: Draw) -> PuzzleRow:
        start, words = _read_start(values), _read_operations(values)
        reason = "there are no params for it"
        for chosen in choices(start):
            params = task.params(level=len(words), replaced=REPLACED_OPERATIONS, **chosen)
            try:
                params.validate()
                instance = task.instance_about(params, start, words, draw)
            except ValueError as error:
                reason = str(error)
                continue
            _check_result(values, task, instance)
            return params, instance
        raise ValueError(reason)

    return import_each_puzzle(named, task, settings, make_row)


def _read_start(values: Mapping[str, JSON]) -> str:
    start = values.get("start")
    if not isinstance(start, str) or not start.strip():
        raise ValueError("it needs a start, as its code")
    return start.strip()


def _read_operations(values: Mapping[str, JSON]) -> list[str]:
    said = values.get("operations")
    words = re.split(r"[\s,;]+", said.strip()) if isinstance(said, str) else said
    texts = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    if (
        not isinstance(words, list)
        or not texts
        or len(texts) < len(words)
        or len(texts) > MAX_OPERATIONS
    ):
        raise ValueError(f"it needs operations: a list of 1 to {MAX_OPERATIONS} texts, or one text")
    return [text.strip() for text in texts]


def _check_result(values: Mapping[str, JSON], task: AnyDeformation, instance: Instance) -> None:
    """Raise RuleError if the operations do not lead to the claimed result."""
    if (said := values.get("result")) is None:
        return
    question = instance.question
    right = question.results[LETTERS.index(question.answer)]
    world = instance.world
    if not isinstance(said, str) or world.write_state(world.read(said.strip())) != right:
        raise RuleError(f"it claims the result {str(said)[:80]!r}; its operations lead to {right}")
