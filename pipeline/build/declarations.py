"""What the tasks of a build declare: chance, what blind players may score, why items repeat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from facelet.pipeline.build.build_stages import BuildState
from facelet.pipeline.build.compose_stage import ComposeJob, chance_levels
from facelet.pipeline.dataset import chance_record, floor_studies
from facelet.pipeline.dataset.floor_record import UNSTATED, DeclaredFloor


def collect_declarations(build: BuildState) -> dict[str, DeclaredFloor]:
    """Return what the tasks of each config declare, over all its rows and of each level.

    Where a task says for some difficulties what blind players may score, the others count chance.
    """
    cells = {
        job.cell.key: job
        for job, _ in build.records_by_stage["compose"]
        if isinstance(job, ComposeJob)
    }
    chance = chance_levels(build)
    found: dict[str, DeclaredFloor] = {}
    for config, own in build.plan.cells_by_config().items():
        kept = [(cells[cell.key], *chance[cell.key]) for cell in own if cell.key in cells]
        if not kept:
            continue
        labels = dict.fromkeys(job.cell.difficulty.label for job, *_ in kept)
        levels = {
            label: _declare_level([part for part in kept if part[0].cell.difficulty.label == label])
            for label in labels
        }
        found[config] = replace(_combine_declarations(kept), levels=levels)
    return found


def _declare_level(
    kept: Sequence[tuple[ComposeJob, chance_record.ChanceRecord | None, int]],
) -> DeclaredFloor:
    """Return what is declared of a level, with what a study found there."""
    said = _combine_declarations(kept)
    cell = kept[0][0].cell
    study = floor_studies.find_study(cell.task, cell.task_version, dict(cell.params))
    if study is None or study.of != said.of:
        return said
    return replace(said, studied=study.to_studied_floor())


def _combine_declarations(
    kept: Sequence[tuple[ComposeJob, chance_record.ChanceRecord | None, int]],
) -> DeclaredFloor:
    """Return what is declared of some cells with their chance and the number of their rows."""
    whole = chance_record.combine_records([(level, rows) for _, level, rows in kept])
    limits = [
        job.load_installed_task.blind_limit(job.cell.make_params(job.load_installed_task))
        for job, _, _ in kept
    ]
    chance = None if whole is None else whole["value"]
    of = "answers" if whole is None else whole["of"]
    reason = next((limit.reason for limit in limits if limit is not None), "")
    said = [
        job.load_installed_task.repeat_reason(job.cell.make_params(job.load_installed_task))
        for job, _, _ in kept
    ]
    repeats = said[0] if all(said) else ""
    if not reason:
        return DeclaredFloor(chance, of, repeats=repeats)
    shares = [
        limit.value if limit is not None else UNSTATED if level is None else level["value"]
        for limit, (_, level, _) in zip(limits, kept, strict=True)
    ]
    total = sum(rows for *_, rows in kept)
    mean = math.fsum(share * rows for share, (*_, rows) in zip(shares, kept, strict=True))
    return DeclaredFloor(chance, of, mean / total, reason, repeats)
