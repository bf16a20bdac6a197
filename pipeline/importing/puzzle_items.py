"""Read puzzles in our own format, JSON Lines, and make rows of one task from them.

A line is an object with the puzzle's `id` and the keys of its family. The family's module `puzzles`
proves what it can and makes the rows, with our options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline import family_modules
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.imported_items import (
    ImportedItem,
    ImportedItems,
    ItemLine,
    RejectedItem,
    UnprovenError,
    read_lines,
)
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
from facelet.pipeline.json_types import JSON

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
    task = family_modules.load_task(settings.task)
    family = family_modules.family_name(task.name)
    make: PuzzleImporter | None = family_modules.find_export(f"{family}/puzzles", "MAKE")
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

    names = {family_modules.family_name(name) for name in task_registry.task_names()}
    return [name for name in sorted(names) if family_modules.find_export(f"{name}/puzzles", "MAKE")]


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
