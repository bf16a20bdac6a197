"""Finish a build: audit its published rows, then write its card and its manifest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple
from functools import partial
from typing import Any

from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.audit.baseline_players import load_family_players
from facelet.pipeline.build.cell_results import CellResult, collect_declarations
from facelet.pipeline.build.emit_stage import PublishedSplit
from facelet.pipeline.build.job_runner import run_jobs
from facelet.pipeline.build.manifest_writer import FinishedBuild, build_manifest
from facelet.pipeline.build.stage_runner import StageRunner
from facelet.pipeline.card import card_pictures, dataset_card
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.content_hash import hash_value, open_record, seal_record
from facelet.pipeline.dataset.manifest_file import MANIFEST, Manifest
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
