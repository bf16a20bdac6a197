"""Build a dataset folder from a plan, stage by stage; an interrupted build resumes.

The folder belongs to one plan. Shards that an interrupted run finished are reused, temporary files
are removed, and the manifest, written last, marks the dataset as complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from functools import partial
from typing import Any

from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.audit.baseline_players import load_family_players
from facelet.pipeline.build.build_plan import BuildPlan, fill_cells
from facelet.pipeline.build.compose_stage import compose_cells
from facelet.pipeline.build.emit_stage import PublishedSplit, emit_shards
from facelet.pipeline.build.folder_ownership import own_folder
from facelet.pipeline.build.job_runner import StageRunner, open_workers, run_jobs
from facelet.pipeline.build.manifest_writer import (
    CellResult,
    FinishedBuild,
    build_manifest,
    collect_declarations,
    measure_cells,
)
from facelet.pipeline.build.pool_stages import make_pools
from facelet.pipeline.build.redraw_stage import redraw_repeats
from facelet.pipeline.card import card_pictures, dataset_card
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.manifest_file import MANIFEST, Citation, Manifest
from facelet.pipeline.dataset.row_hashes import hash_value, open_record, seal_record
from facelet.pipeline.dataset.source_fingerprint import (
    fingerprint_sources,
    import_closure,
    task_sources,
)
from facelet.pipeline.family_modules import AnyTask, load_task


def audit_shards(
    stages: StageRunner,
    cells: Sequence[CellResult],
    shards: Sequence[PublishedSplit],
    *,
    refuse: bool,
) -> dict[str, Any]:
    """Return the audit of the published rows; an audit of the same rows and code is reused.

    Args:
        stages: the runner of the build.
        cells: the result of each cell.
        shards: the published splits.
        refuse: whether a figure beyond its limit is an error.

    Raises:
        AuditError: a figure is beyond its limit.
    """
    with stages.timer.time_part("audit"):
        folder = stages.folder
        folder.remove_strays(record.path for one in shards for record in one.shards)
        tasks = {name: load_task(name) for name in dict.fromkeys(one.cell.task for one in cells)}
        declared = collect_declarations(cells)
        inputs = hash_value(
            [
                [
                    [one.config, one.split, part.content_hash]
                    for one in shards
                    for part in one.shards
                ],
                fingerprint_sources(_audit_sources(tasks.values())),
                [[name, astuple(declared[name])] for name in sorted(declared)],
            ]
        )
        with suppress(ValueError):
            stored = open_record(folder.load_json("audit"))
            if stored["inputs"] == inputs and not (stored["record"]["violations"] and refuse):
                return dict(stored["record"])
        record = dataset_audit.audit_dataset(
            folder.out,
            # The tasks themselves: workers of a cluster may not find them by name.
            tasks.__getitem__,
            declared=declared,
            each=partial(run_jobs, stages.runner),
            near=stages.runner.backend == "loky",
            refuse=refuse,
            progress=stages.progress,
        )
        folder.save_json("audit", seal_record({"inputs": inputs, "record": record}))
    return record


def _audit_sources(tasks: Iterable[AnyTask]) -> tuple[str, ...]:
    """Return the modules that decide the audit of some tasks."""
    own: set[str] = set()
    players: set[str] = set()
    for task in tasks:
        own.update(task_sources(task))
        players.update(load_family_players(task).modules())
    own.update(import_closure(("facelet.pipeline.audit", *sorted(players))))
    return tuple(sorted(own))


def write_products(stages: StageRunner, finished: FinishedBuild) -> Manifest:
    """Write card, pictures and, last, the manifest; return the manifest."""
    with stages.timer.time_part("card"):
        out, manifest = stages.folder.out, build_manifest(finished)
        texts = dataset_card.render_texts(out, manifest)
        stages.folder.check_leader()
        card_pictures.write_pictures(out)
        for name, text in (*texts.items(), (MANIFEST, manifest.to_text())):
            write_text(out / name, text)
    return manifest


@dataclass(frozen=True, slots=True)
class DatasetBuild:
    """One build: what is made, where, and what is allowed.

    Attributes:
        plan: the plan.
        stages: runs the stages in the folder.
        replace: whether a dataset of another plan may be replaced.
        refuse: whether an unfair dataset is an error.
        citation: how the dataset is to be cited.
    """

    plan: BuildPlan
    stages: StageRunner
    replace: bool = False
    refuse: bool = True
    citation: Citation = field(default_factory=Citation)


def build_dataset(build: DatasetBuild) -> Manifest:
    """Build what the folder of a plan still lacks; return the manifest.

    Raises:
        AuditError: the dataset is unfair; it has no manifest.
        ValueError: the folder contains something else or is in use, or a task breaks its contract.
    """
    plan, stages = build.plan, build.stages
    with own_folder(stages.folder, plan.to_mark(), stages.runner, replace=build.replace):
        with open_workers(stages.runner):
            cells, shards = build_rows(plan, stages)
            audit = audit_shards(stages, cells, shards, refuse=build.refuse)
        return write_products(stages, FinishedBuild(plan, cells, shards, audit, build.citation))


def build_rows(
    plan: BuildPlan, stages: StageRunner
) -> tuple[list[CellResult], list[PublishedSplit]]:
    """Run the stages from an empty folder to published shards, inside `own_folder`.

    Returns:
        The result of each cell, in the order of the plan, and the published splits.
    """
    pools = make_pools(stages, plan.pools)
    filled = fill_cells(plan.cells, pools)
    composed = redraw_repeats(stages, compose_cells(stages, plan, pools, filled))
    shards = emit_shards(stages, composed, plan.emit_rows, plan.emit_group)
    return measure_cells(filled, composed), shards
