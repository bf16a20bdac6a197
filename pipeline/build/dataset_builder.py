"""Build a dataset folder from a plan, stage by stage; an interrupted build resumes.

The folder belongs to one plan. Shards that an interrupted run finished are reused, temporary files
are removed, and the manifest, written last, marks the dataset as complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from facelet.pipeline.build.build_plan import BuildPlan
from facelet.pipeline.build.cell_fill import fill_cells
from facelet.pipeline.build.cell_results import CellResult, measure_cells
from facelet.pipeline.build.compose_stage import compose_cells
from facelet.pipeline.build.emit_stage import PublishedSplit, emit_shards
from facelet.pipeline.build.finish_stage import audit_shards, write_products
from facelet.pipeline.build.folder_ownership import own_folder
from facelet.pipeline.build.job_runner import open_workers
from facelet.pipeline.build.manifest_writer import FinishedBuild
from facelet.pipeline.build.pool_stages import make_pools
from facelet.pipeline.build.redraw_stage import redraw_repeats
from facelet.pipeline.build.stage_runner import StageRunner
from facelet.pipeline.dataset.manifest_entries import Citation
from facelet.pipeline.dataset.manifest_file import Manifest


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
