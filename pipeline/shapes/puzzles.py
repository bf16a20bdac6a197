"""Read puzzles of shapes: a start and operations, under the strictest rules that fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from facelet.generators.shapes.deformation_task import ShapeDeformation
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.imported_items import ImportedItems, PuzzleLine, import_deformations
from facelet.pipeline.importing.settings import ImportSettings


def make(named: Sequence[PuzzleLine], task: AnyTask, settings: ImportSettings) -> ImportedItems:
    """Return the rows of puzzles.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: the seed of the wrong lists.

    Raises:
        ValueError: the task reads no puzzles.
    """
    if not isinstance(task, ShapeDeformation):
        raise ValueError(
            f"puzzles of {task.name} cannot be read; use a task such as shapes/forward_deformation"
        )
    return import_deformations(named, task, settings, _iterate_rule_params)


def _iterate_rule_params(start: str) -> Iterator[Mapping[str, object]]:
    """Yield params: one layer before several; steps that change something before any steps."""
    strict = ({"steps": "live"}, {"steps": "any"}, {"steps": "any", "floating": True})
    for space, filler in product(("2d", "2.5d"), ("piece", "shape")):
        yield from ({"space": space, "filler": filler, **rules} for rules in strict)


MAKE = make
