"""Measure the rows and the chance of each cell, and collect what the tasks of a build declare."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from facelet.pipeline.build.build_plan import PlanCell
from facelet.pipeline.build.cell_fill import CellFill
from facelet.pipeline.build.compose_stage import ComposedSplit
from facelet.pipeline.dataset import chance_record, floor_studies
from facelet.pipeline.dataset.chance_record import ChanceRecord
from facelet.pipeline.dataset.floor_record import UNSTATED, DeclaredFloor


@dataclass(frozen=True, slots=True)
class CellResult:
    """What a build made of one cell.

    Attributes:
        fill: the cell with its items.
        rows: its composed rows.
        chance: the chance of its rows; None where the task states none, or there are no rows.
    """

    fill: CellFill
    rows: int = 0
    chance: ChanceRecord | None = None

    @property
    def cell(self) -> PlanCell:
        """The cell of the plan."""
        return self.fill.cell

    @property
    def params(self) -> Any:
        """The params of the cell."""
        return self.cell.make_params(self.fill.task)


def measure_cells(filled: Sequence[CellFill], splits: Sequence[ComposedSplit]) -> list[CellResult]:
    """Return the result of each cell, in the order of the plan.

    Args:
        filled: how many items each cell gets.
        splits: the composed rows.

    Raises:
        ValueError: a task has a column for the chance of its rows, and leaves it empty.
    """
    rows: dict[str, int] = defaultdict(int)
    own: dict[str, list[float | None]] = defaultdict(list)
    for split in splits:
        for job, record in split.parts:
            rows[job.cell.key] += record.rows
            own[job.cell.key].append(record.about["chance"])
        if split.redrawn is not None:
            for key, change in split.redrawn.about["chances"].items():
                own[key].append(change)
    results = []
    for fill in filled:
        count, known = rows[fill.cell.key], own[fill.cell.key]
        if not known:
            results.append(CellResult(fill))
            continue
        stated = [one for one in known if one is not None]
        mean = math.fsum(stated) / count if len(stated) == len(known) else None
        declared = fill.task.chance_level(fill.cell.make_params(fill.task))
        results.append(CellResult(fill, count, chance_record.build_record(declared, mean)))
    return results


def collect_declarations(results: Sequence[CellResult]) -> dict[str, DeclaredFloor]:
    """Return what the tasks of each config declare, over all its rows and for each level.

    Where a task limits blind players at some difficulties only, the others count with their chance.
    """
    by_config: dict[str, list[CellResult]] = {}
    for one in results:
        if one.fill.items:
            by_config.setdefault(one.cell.config, []).append(one)
    found: dict[str, DeclaredFloor] = {}
    for config, own in by_config.items():
        levels: dict[str, list[CellResult]] = {}
        for one in own:
            levels.setdefault(one.cell.difficulty.label, []).append(one)
        declared = {label: _declare_level(level) for label, level in levels.items()}
        found[config] = replace(_combine_declarations(own), levels=declared)
    return found


def _declare_level(level: Sequence[CellResult]) -> DeclaredFloor:
    """Return what is declared of a level, with what a study found there."""
    declared = _combine_declarations(level)
    cell = level[0].cell
    study = floor_studies.find_study(cell.task, cell.task_version, dict(cell.params))
    if study is None or study.of != declared.of:
        return declared
    rule = floor_studies.find_known_rule(
        cell.task, cell.task_version, dict(cell.params), cell.difficulty.axis
    )
    return replace(declared, studied=study.to_studied_floor(), known_rule=rule)


def _combine_declarations(results: Sequence[CellResult]) -> DeclaredFloor:
    """Return what is declared of some cells, weighted by their rows."""
    whole = chance_record.combine_records([(one.chance, one.rows) for one in results])
    limits = [one.fill.task.blind_limit(one.params) for one in results]
    chance = None if whole is None else whole["value"]
    of = "answers" if whole is None else whole["of"]
    reason = next((limit.reason for limit in limits if limit is not None), "")
    repeats = [one.fill.task.repeat_reason(one.params) for one in results]
    repeated = repeats[0] if all(repeats) else ""
    if not reason:
        return DeclaredFloor(chance, of, repeats=repeated)
    shares = [
        limit.value
        if limit is not None
        else UNSTATED
        if one.chance is None
        else one.chance["value"]
        for limit, one in zip(limits, results, strict=True)
    ]
    total = sum(one.rows for one in results)
    mean = math.fsum(share * one.rows for share, one in zip(shares, results, strict=True))
    return DeclaredFloor(chance, of, mean / total, reason, repeated)
