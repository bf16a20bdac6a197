"""The end of a build: its published rows are audited, then card and manifest are written."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial
from typing import Any

from facelet.pipeline import family_modules
from facelet.pipeline.audit import dataset_audit as fairness
from facelet.pipeline.audit.baseline_players import load_family_players
from facelet.pipeline.build.build_stages import BuildState
from facelet.pipeline.build.declarations import collect_declarations
from facelet.pipeline.build.emit_stage import group_published_records
from facelet.pipeline.build.job_runner import run_jobs
from facelet.pipeline.build.manifest_writer import build_manifest
from facelet.pipeline.card import card_pictures, dataset_card
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.content_hash import hash_value
from facelet.pipeline.dataset.manifest_file import MANIFEST, Manifest
from facelet.pipeline.dataset.source_fingerprint import (
    fingerprint_sources,
    import_closure,
    task_sources,
)


def audit_published(build: BuildState) -> dict[str, Any]:
    """Return the audit of the published rows; one of equal rows by equal code is kept.

    Raises:
        AuditError: a figure is beyond its limit, and such a dataset is not to be written.
    """
    with build.timer.time_part("audit"):
        tasks = {family_modules.load_task(cell.task) for cell in build.plan.cells}
        own = {name for task in tasks for name in task_sources(task)}
        players = sorted({name for task in tasks for name in load_family_players(task).modules()})
        code = fingerprint_sources(
            tuple(sorted(own.union(import_closure(("facelet.pipeline.audit", *players)))))
        )
        shards = group_published_records(build)
        build.folder.remove_strays(record.path for part in shards.values() for record in part)
        hashes = [[*key, record.content_hash] for key, part in shards.items() for record in part]
        told = collect_declarations(build)
        inputs = hash_value([hashes, code, [[name, astuple(told[name])] for name in sorted(told)]])
        kept = build.folder.load_json("audit") or {}
        refuse = build.settings.unfair == "refuse"
        if kept.get("inputs") == inputs and isinstance(kept.get("record"), dict):
            known = dict(kept["record"])
            if not (known.get("violations") and refuse):
                return known
        record = fairness.audit_dataset(
            build.folder.out,
            # The tasks themselves, as other workers may know no more than what they are handed.
            {task.name: task for task in tasks}.__getitem__,
            declared=told,
            each=partial(run_jobs, build.settings.runner),
            near=build.settings.runner.backend == "loky",
            refuse=refuse,
            progress=build.settings.progress,
        )
        build.folder.save_json("audit", {"inputs": inputs, "record": record})
    return record


def write_card_and_manifest(build: BuildState, audited: dict[str, Any]) -> Manifest:
    """Write card and pictures, then the manifest, the sign that the dataset is whole; return it."""
    with build.timer.time_part("card"):
        manifest = build_manifest(build, audited)
        texts = dataset_card.render_texts(build.folder.out, manifest)
        build.folder.check_leader()
        card_pictures.write_pictures(build.folder.out)
        for name, text in (*texts.items(), (MANIFEST, manifest.to_text())):
            write_text(build.folder.out / name, text)
    return manifest
