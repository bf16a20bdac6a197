"""Making a dataset: from a plan to a dataset folder, stage by stage, resumable at any instant.

The folder belongs to one plan. What a killed run finished is kept, what it left half-done is swept
away, and the manifest, written last, is the sign that the dataset is whole.
"""

from __future__ import annotations

from facelet.pipeline.build.compose import COMPOSE
from facelet.pipeline.build.emit import EMIT
from facelet.pipeline.build.finish import audit, publish
from facelet.pipeline.build.mend import MEND
from facelet.pipeline.build.ownership import owned
from facelet.pipeline.build.pools import CERTIFY, MERGE
from facelet.pipeline.build.runner import run, workers
from facelet.pipeline.build.stages import Build
from facelet.pipeline.dataset.manifests import Manifest

STAGES = (CERTIFY, MERGE, COMPOSE, MEND, EMIT)
"""From nothing to published shards; each stage reads those before it."""


def make(build: Build) -> Manifest:
    """Make the dataset of a plan, or what of it is not there yet; return its manifest.

    Raises:
        AuditError: the dataset is not fair; it stays without a manifest.
        ValueError: the folder holds something else or is in use, or a task breaks its contract.
    """
    with owned(build):
        with workers(build.settings.runner):
            for stage in STAGES:
                run(build, stage)
            audited = audit(build)
        return publish(build, audited)
