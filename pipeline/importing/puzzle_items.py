"""Puzzles: anyone's own, as JSON Lines, made into rows of a task of ours.

A line is an object with the puzzle's `id` and what its family reads. The family's module `puzzles`
proves what can be proven and makes the rows, with options of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline import families
from facelet.pipeline.families import AnyTask
from facelet.pipeline.importing.items import Broken, Found, Item
from facelet.pipeline.importing.lines import Line
from facelet.pipeline.importing.lines import read as lines_of
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
from facelet.pipeline.json_values import JSON
from facelet.pipeline.words import shows_progress

Named = tuple[str, Line]
"""A puzzle's own id, and its line."""

Make = Callable[[Sequence[Named], AnyTask, ImportSettings], Found]
"""What a family's module `puzzles` exports as MAKE."""

Made = tuple[Any, object]
"""The params of a row, and its instance."""

ATTEMPTS = 200
"""Draws that an item may be rejected."""


def read(settings: ImportSettings) -> Found:
    """Return the rows of a file of puzzles.

    Raises:
        ValueError: there is no such task, or no puzzles of its family are read; or the file holds
            none.
        OSError: the file cannot be read.
    """
    task = families.task(settings.task)
    family = families.family(task.name)
    make: Make | None = families.find(f"{family}/puzzles", "MAKE")
    if make is None:
        raise ValueError(
            f"puzzles of {task.name} are not read; of these families they are: "
            f"{', '.join(supported())}"
        )
    named: list[Named] = []
    broken: list[Broken] = []
    seen: dict[str, int] = {}
    for line in lines_of(settings.source, settings.source.name):
        own = own_id(line.values, "id")
        if line.values is None:
            broken.append(Broken(line, line.wrong))
        elif not own:
            broken.append(Broken(line, "it has no id: a text or a whole number"))
        elif own in seen:
            broken.append(Broken(line, f"line {seen[own]} has the same id", own))
        else:
            seen[own] = line.number
            named.append((own, line))
    found = make(named, task, settings)
    return Found(PUZZLES, found.items, [*broken, *found.broken], found.tables)


def one_by_one(
    named: Sequence[Named],
    task: AnyTask,
    settings: ImportSettings,
    make: Callable[[Mapping[str, JSON], Draw], Made],
) -> Found:
    """Return a row of each puzzle, whose own part of it is drawn from the seed and its place.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: what is drawn from.
        make: makes a row of what a line holds; ValueError says why there is none, Reject that the
            draw was unlucky.
    """
    items: list[Item] = []
    broken: list[Broken] = []
    path = (settings.seed, task.name, task.version, PUZZLES)
    progress = tqdm(named, desc="prove", unit="puzzle", disable=not shows_progress(None))
    for index, (own, line) in enumerate(progress):
        reason = ""
        for attempt in range(ATTEMPTS):
            draw = Draw(path, index, attempt)
            try:
                params, instance = make(line.values or {}, draw)
                if wrong := task.check(instance):
                    raise ValueError("; ".join(wrong))
            except Reject as reject:
                reason = f"{ATTEMPTS} draws gave no row: {reject}"
                continue
            except ValueError as error:
                reason = str(error)
                break
            items.append(Item(line, own, task, params, [instance], draw))
            reason = ""
            break
        if reason:
            broken.append(Broken(line, reason, own))
    return Found(PUZZLES, items, broken)


def supported() -> Sequence[str]:
    """Return the families whose puzzles are read."""
    from facelet.generators.core import registry

    names = {families.family(name) for name in registry.names()}
    return [name for name in sorted(names) if families.find(f"{name}/puzzles", "MAKE")]


def own_id(values: object, *names: str) -> str:
    """Return an id that an object says under one of these names, as a text; "" if none.

    A whole number that was written as a float is that number.
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
