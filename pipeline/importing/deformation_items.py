"""Read puzzles of deformations: a start and a list of operations, which are applied first.

A line contains the code of the `start` and its `operations`, as a list or as one text, and may
claim the code of the `result`. The list is the right option; wrong options have one operation
replaced, because no other design can contain a given list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from facelet.generators.core.seeding import Draw
from facelet.generators.options.deformation.deformation_task import Deformation, Instance
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.importing.imported_items import ImportedItems, RuleError
from facelet.pipeline.importing.puzzle_items import PuzzleLine, PuzzleRow, import_each_puzzle
from facelet.pipeline.importing.settings import ImportSettings
from facelet.pipeline.json_types import JSON

REPLACED_OPERATIONS = 1
"""Operations that are replaced in each wrong list."""

LONGEST = 10_000
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
    if not isinstance(words, list) or not texts or len(texts) < len(words) or len(texts) > LONGEST:
        raise ValueError(f"it needs operations: a list of 1 to {LONGEST} texts, or one text")
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
