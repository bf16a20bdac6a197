"""Making a dataset: from a plan to a dataset folder, stage by stage, resumable at any instant.

The folder belongs to one plan. What a killed run finished is kept, what it left half-done is swept
away, and the manifest, written last, is the sign that the dataset is whole.
"""

from __future__ import annotations

from facelet.pipeline.build.build_stages import BuildState
from facelet.pipeline.build.compose_stage import COMPOSE
from facelet.pipeline.build.emit_stage import EMIT
from facelet.pipeline.build.finish_stage import audit_published, write_card_and_manifest
from facelet.pipeline.build.folder_ownership import own_folder
from facelet.pipeline.build.job_runner import open_workers, run_stage
from facelet.pipeline.build.pool_stages import CERTIFY, MERGE
from facelet.pipeline.build.redraw_stage import REDRAW
from facelet.pipeline.dataset.manifest_file import Manifest

STAGES = (CERTIFY, MERGE, COMPOSE, REDRAW, EMIT)
"""From nothing to published shards; each stage reads those before it."""


def build_dataset(build: BuildState) -> Manifest:
    """Make the dataset of a plan, or what of it is not there yet; return its manifest.

    Raises:
        AuditError: the dataset is not fair; it stays without a manifest.
        ValueError: the folder holds something else or is in use, or a task breaks its contract.
    """
    with own_folder(build):
        with open_workers(build.settings.runner):
            for stage in STAGES:
                run_stage(build, stage)
            audited = audit_published(build)
        return write_card_and_manifest(build, audited)
