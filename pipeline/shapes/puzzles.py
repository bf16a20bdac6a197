"""Puzzles of shapes that others made: a start and operations, by the strictest rules that fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from facelet.generators.shapes.deformation_task import ShapeDeformation
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.deformation_items import import_deformations
from facelet.pipeline.importing.imported_items import ImportedItems
from facelet.pipeline.importing.puzzle_items import PuzzleLine
from facelet.pipeline.importing.settings import ImportSettings


def make(named: Sequence[PuzzleLine], task: AnyTask, settings: ImportSettings) -> ImportedItems:
    """Return the rows of puzzles.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: what wrong lists are drawn from.

    Raises:
        ValueError: the task is of no kind that is read.
    """
    if not isinstance(task, ShapeDeformation):
        raise ValueError(f"puzzles of {task.name} are not read; of shapes/forward_deformation, yes")
    return import_deformations(named, task, settings, _iterate_rule_params)


def _iterate_rule_params(start: str) -> Iterator[Mapping[str, object]]:
    """Yield params: of one layer before several; of steps that change something before any."""
    strict = ({"steps": "live"}, {"steps": "any"}, {"steps": "any", "floating": True})
    for space, filler in product(("2d", "2.5d"), ("piece", "shape")):
        for rules in strict:
            yield {"space": space, "filler": filler, **rules}


MAKE = make
