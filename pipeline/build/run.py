"""Making a dataset: from a plan to a dataset folder, stage by stage, resumable at any instant.

The folder belongs to one plan. What a killed run finished is kept, what it left half-done is swept
away, and the manifest, written last, is the sign that the dataset is whole.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.generators.core import registry
from facelet.pipeline import resources
from facelet.pipeline.audit.audit import audit
from facelet.pipeline.build.compose import compose_jobs
from facelet.pipeline.build.emit import emit_jobs
from facelet.pipeline.build.manifest import Filled, make_manifest, write_manifest
from facelet.pipeline.build.ownership import check_folder, claim, remove_strays
from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.pools import CertifyJob, MergeJob, PoolFile, certify_jobs, merge_jobs
from facelet.pipeline.build.runner import run_stage, workers
from facelet.pipeline.build.shards import Folder, Record
from facelet.pipeline.card import card
from facelet.pipeline.config.settings import Settings
from facelet.pipeline.cube import oracle_tables
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.features import with_features
from facelet.pipeline.dataset.files import only_one, write_text
from facelet.pipeline.dataset.hashing import fingerprint, hash_value
from facelet.pipeline.dataset.rows import schema
from facelet.pipeline.resources import Pool


@dataclass
class Timer:
    """Seconds spent in each stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block."""
        start = time.monotonic()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start


def build(settings: Settings, plan: Plan, timer: Timer) -> dict[str, Any]:
    """Make the dataset of a plan, or what of it is not there yet; return its manifest.

    Raises:
        AuditError: the dataset is not fair; it stays without a manifest.
        ValueError: the folder holds something else or is in use, or a task breaks its contract.
    """
    oracle_tables.connect(settings.cache)
    folder = Folder(settings.out)
    check_folder(settings.out)
    busy = f"another build is at work in {settings.out}; wait for it, or choose another out=..."
    with only_one(folder.work / "lock", busy):
        claim(folder, plan, replace=settings.replace)
        folder.begin()
        with workers(settings.runner):
            pools = _make_pools(settings, plan, folder, timer)
            with timer.stage("merge"):
                filled = fill(plan, pools, settings.out)
            shards = _make_shards(settings, plan, folder, timer, pools, filled)
        remove_strays(settings.out, [record.path for part in shards.values() for record in part])
        with timer.stage("audit"):
            if settings.progress:
                print("audit   : measuring the fairness of all rows", file=sys.stderr)
            audited = _audit(folder, shards)
        with timer.stage("card"):
            manifest = make_manifest(plan, filled, shards, table_hashes(plan), audited)
            card.write(settings.out, manifest)
            write_manifest(settings.out, manifest)
        folder.end()
    return manifest


def _make_pools(
    settings: Settings, plan: Plan, folder: Folder, timer: Timer
) -> dict[str, PoolFile]:
    """Return the finished pools by key."""
    jobs = certify_jobs(plan, settings.cache)
    _prepare("certify", jobs, settings, folder, timer)
    with timer.stage("certify"):
        chunks = run_stage("certify", jobs, folder, settings.runner, progress=settings.progress)
    merges = merge_jobs(plan, chunks, settings.cache)
    _prepare("merge", merges, settings, folder, timer)
    with timer.stage("merge"):
        merged = run_stage("merge", merges, folder, settings.runner, progress=settings.progress)
    return {
        job.pool.key: PoolFile(job.pool, record, job.provider)
        for job, record in zip(merges, merged, strict=True)
    }


def _prepare(
    stage: str,
    jobs: Sequence[CertifyJob | MergeJob],
    settings: Settings,
    folder: Folder,
    timer: Timer,
) -> None:
    """Make what the workers of a stage share, unless the stage has no work left."""
    with timer.stage("tables"):
        pools: dict[str, list[Pool]] = {}
        for job in jobs:
            if folder.completed(stage, job) is None:
                pools.setdefault(job.pool.kind, []).append(job.pool)
        for kind, own in sorted(pools.items()):
            resources.provider(kind).prepare(own, settings.cache, settings.progress)


def table_hashes(plan: Plan) -> dict[str, str]:
    """Return the hashes, by name, of the tables that the plan's proofs rest on."""
    found: dict[str, str] = {}
    for kind in sorted({pool.kind for pool in plan.pools}):
        own = [pool for pool in plan.pools if pool.kind == kind]
        found.update(resources.provider(kind).tables(own))
    return found


def fill(plan: Plan, pools: Mapping[str, PoolFile], out: Path) -> dict[str, Filled]:
    """Return how many items each cell gets, by Cell.key.

    Raises:
        ValueError: no cell gets any.
    """
    found = {}
    for key, file in pools.items():
        resource = file.load(out)
        found[key] = resource.capacity, file.provider.shortfall(file.pool, resource)
    filled: dict[str, Filled] = {}
    for cell in plan.cells:
        if cell.pool is None:
            filled[cell.key] = Filled(cell.asked)
            continue
        capacity, shortfall = found[cell.pool]
        items = min(cell.asked, capacity)
        filled[cell.key] = Filled(items, capacity, shortfall if items < cell.asked else "")
    if not any(part.items for part in filled.values()):
        notes = "; ".join(sorted({part.note for part in filled.values()}))
        raise ValueError(f"no item can be made: {notes}")
    return filled


def _make_shards(
    settings: Settings,
    plan: Plan,
    folder: Folder,
    timer: Timer,
    pools: Mapping[str, PoolFile],
    filled: Mapping[str, Filled],
) -> dict[tuple[str, str], list[Record]]:
    """Return the records of the published shards by (config, split)."""
    with timer.stage("compose"):
        items = {key: part.items for key, part in filled.items()}
        jobs = compose_jobs(plan, items, pools, settings.cache)
        composed = run_stage("compose", jobs, folder, settings.runner, progress=settings.progress)
    with timer.stage("emit"):
        emits = emit_jobs(plan, list(zip(jobs, composed, strict=True)), _schemas(plan))
        if any(folder.completed("emit", job) is None for job in emits):
            (folder.out / reading.MANIFEST).unlink(missing_ok=True)  # not whole until rewritten
        emitted = run_stage("emit", emits, folder, settings.runner, progress=settings.progress)
    shards: dict[tuple[str, str], list[Record]] = {}
    for emit, record in zip(emits, emitted, strict=True):
        shards.setdefault((emit.config, emit.split), []).append(record)
    return shards


def _schemas(plan: Plan) -> dict[str, pa.Schema]:
    """Return the published schema of each config."""
    return {
        config: with_features(schema(registry.task(cells[0].task).columns))
        for config, cells in plan.configs().items()
    }


def _audit(folder: Folder, shards: Mapping[tuple[str, str], Sequence[Record]]) -> dict[str, Any]:
    """Return the audit of the published rows; one of equal rows by equal code is kept.

    Raises:
        ValueError: a figure is beyond its limit.
    """
    path = folder.work / "audit.json"
    hashes = [[*key, record.content_hash] for key, part in shards.items() for record in part]
    inputs = hash_value([hashes, fingerprint(("facelet.generators", "facelet.pipeline"))])
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["inputs"] == inputs:
            return dict(kept["record"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # none yet, or damaged: audit again
    record = audit(folder.out)
    write_text(path, json.dumps({"inputs": inputs, "record": record}) + "\n")
    return record
