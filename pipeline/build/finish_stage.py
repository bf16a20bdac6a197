"""The end of a build: its published rows are audited, then card and manifest are written."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial
from typing import Any

from facelet.pipeline import families
from facelet.pipeline.audit import audit as fairness
from facelet.pipeline.build.declared import declared
from facelet.pipeline.build.emit import published
from facelet.pipeline.build.manifest import make_manifest
from facelet.pipeline.build.runner import each
from facelet.pipeline.build.stages import Build
from facelet.pipeline.card import card, pictures
from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.dataset.hashing import hash_value
from facelet.pipeline.dataset.manifests import MANIFEST, Manifest
from facelet.pipeline.dataset.sources import closure, fingerprint, of_task


def audit(build: Build) -> dict[str, Any]:
    """Return the audit of the published rows; one of equal rows by equal code is kept.

    Raises:
        AuditError: a figure is beyond its limit, and such a dataset is not to be written.
    """
    with build.timer.part("audit"):
        tasks = {families.task(cell.task) for cell in build.plan.cells}
        own = {name for task in tasks for name in of_task(task)}
        own_players = {
            families.find(f"{families.family(task.name)}/blind", name)
            for task in tasks
            for name in ("pieces", "players", "legal", "shortcuts", "no_shortcut")
        }
        players = sorted({made.__module__ for made in own_players if made is not None})
        code = fingerprint(tuple(sorted(own.union(closure(("facelet.pipeline.audit", *players))))))
        shards = published(build)
        build.folder.remove_strays(record.path for part in shards.values() for record in part)
        hashes = [[*key, record.content_hash] for key, part in shards.items() for record in part]
        told = declared(build)
        inputs = hash_value([hashes, code, [[name, astuple(told[name])] for name in sorted(told)]])
        kept = build.folder.kept("audit") or {}
        refuse = build.settings.unfair == "refuse"
        if kept.get("inputs") == inputs and isinstance(kept.get("record"), dict):
            known = dict(kept["record"])
            if not (known.get("violations") and refuse):
                return known
        record = fairness.audit(
            build.folder.out,
            # The tasks themselves, as other workers may know no more than what they are handed.
            {task.name: task for task in tasks}.__getitem__,
            declared=told,
            each=partial(each, build.settings.runner),
            near=build.settings.runner.backend == "loky",
            refuse=refuse,
            progress=build.settings.progress,
        )
        build.folder.keep("audit", {"inputs": inputs, "record": record})
    return record


def publish(build: Build, audited: dict[str, Any]) -> Manifest:
    """Write card and pictures, then the manifest, the sign that the dataset is whole; return it."""
    with build.timer.part("card"):
        manifest = make_manifest(build, audited)
        texts = card.texts(build.folder.out, manifest)
        build.folder.still_leads()
        pictures.write(build.folder.out)
        for name, text in (*texts.items(), (MANIFEST, manifest.text())):
            write_text(build.folder.out / name, text)
    return manifest
