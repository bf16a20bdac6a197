"""Verify a published dataset from its files alone.

files    every shard has the bytes, and every row the content, that the manifest says
rows     a sample of each cell, or all rows, is rechecked: question, pictures, labels, replies
claims   what only a search can show is proven again
numbers  with every row: what manifest.json and the card show is recomputed

The sample is seeded and holds at least one row of every cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar

from tqdm import tqdm

from facelet.generators.core.seeding import digest_names
from facelet.pipeline import family_modules
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.build.job_runner import open_workers, run_jobs
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.content_hash import hash_file, hash_value
from facelet.pipeline.dataset.file_integrity import IntegrityFailure, ListedShard, ShardReading
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.sealed_answers import check_has_answers
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources
from facelet.pipeline.family_modules import Lookup, TaskUnavailable
from facelet.pipeline.verify import claim_prover
from facelet.pipeline.verify.claim_prover import ClaimProver, ProofEffort, ProofSummary
from facelet.pipeline.verify.number_check import NumberCheck, check_numbers
from facelet.pipeline.verify.row_check import RowChecks, check_rows, read_expected
from facelet.pipeline.verify.settings import VerifySettings
from facelet.pipeline.verify.verification_record import VerificationRecord

T = TypeVar("T")

CODE = ("facelet.generators", "facelet.pipeline", "facelet.renderers")
"""What a record is good for: the code that found it."""

CHUNK = 64
"""Rows that a worker rechecks at once."""


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What verifying found.

    Attributes:
        shards: number of shards.
        rows: number of rows in them.
        checked: number of rows rechecked.
        proofs: what became of their claims.
        failures: all that is wrong.
        manifest: SHA-256 of the manifest.
        recorded: how many of the rows and of the claims an earlier run with the record had done.
        numbers: what recomputing the manifest's numbers found; None unless every row was rechecked.
    """

    shards: int
    rows: int
    checked_rows: int
    proofs: ProofSummary
    failures: tuple[IntegrityFailure, ...]
    manifest: str = ""
    resumed_counts: tuple[int, int] = (0, 0)
    numbers: NumberCheck | None = None


def verify_dataset(
    settings: VerifySettings,
    lookup: Lookup = family_modules.load_task,
    provers: Mapping[str, ClaimProver] | None = None,
) -> VerifyResult:
    """Verify a dataset.

    Args:
        settings: what to verify.
        lookup: finds a task by its name; with several workers it must be importable.
        provers: the provers by kind of claim; all there are by default.

    Raises:
        ValueError: there is no dataset, or it was made by a version of a task unknown here.
    """
    out = settings.dataset
    manifest = dataset_reader.read_manifest(out)
    check_has_answers(manifest, out)
    listed = file_integrity.list_shards(manifest)
    missing = unknown_tasks(manifest, lookup)
    effort = ProofEffort(settings.deep, settings.workers, can_show_progress(settings.progress))
    parts = _run_parallel(
        file_integrity.read_shard,
        [(out, shard) for shard in listed],
        "files",
        "shard",
        effort,
    )
    failures = [failure for part in parts for failure in part.failures]
    failures += [*file_integrity.check_dataset(out, manifest, parts), *missing.values()]
    wants = {config: read_expected(manifest, config) for config in manifest.configs}
    sha256 = hash_file(out / dataset_reader.MANIFEST)
    with closing(
        VerificationRecord(settings.record, hash_value([sha256, fingerprint_sources(CODE)]))
    ) as record:
        checked: list[RowChecks] = []
        todo: list[tuple[ListedShard, tuple[int, ...]]] = []
        for part, numbers in sample_rows(parts, settings.sample_share, settings.seed):
            if part.shard.config in missing:
                continue
            held = None if part.failures else record.find_checked(part.shard.path, numbers)
            if held is None:
                todo.append((part.shard, numbers))
            else:
                checked.append(held)
        jobs = [(out, shard, numbers, wants[shard.config], lookup) for shard, numbers in todo]

        def store_result(number: int, found: RowChecks) -> None:
            shard, numbers = todo[number]
            record.store_checked(shard.path, numbers, found)

        checked += _run_parallel(check_rows, jobs, "rows", "chunk", effort, store_result)
        failures += [failure for part in checked for failure in part.failures]
        claims = [pair for part in checked for pair in part.claims]
        proofs = claim_prover.prove_claims(claims, effort, provers, record)
    recomputed = None
    if settings.sample_share >= 1 and not failures:
        recomputed = check_numbers(
            out, manifest, parts, lookup, workers=settings.workers, progress=effort.progress
        )
        failures += recomputed.failures
    return VerifyResult(
        len(parts),
        sum(part.row_count for part in parts),
        sum(part.rows for part in checked),
        proofs,
        (*failures, *proofs.failures),
        sha256,
        (record.rows, record.claims),
        recomputed,
    )


def unknown_tasks(manifest: Manifest, lookup: Lookup) -> dict[str, IntegrityFailure]:
    """Return, by config, that its rows cannot be rechecked where its task cannot be had here.

    Raises:
        ValueError: a config's rows were made by a version of its task that is unknown here.
    """
    missing: dict[str, IntegrityFailure] = {}
    for name, config in manifest.configs.items():
        try:
            task = lookup(config.task)
        except TaskUnavailable as error:
            missing[name] = IntegrityFailure(name, f"cannot be rechecked: {error}")
            continue
        if task.version != config.task_version:
            raise ValueError(
                f"{name} was made by version {config.task_version} of {task.name}, here is "
                f"version {task.version}; verify it with Facelet {manifest.code_version}"
            )
    return missing


def sample_rows(
    parts: Iterable[ShardReading], share: float, seed: int
) -> Iterator[tuple[ShardReading, tuple[int, ...]]]:
    """Yield chunks of the rows to recheck: a shard, and numbers of rows in it, ascending.

    Of each cell the rows with the least hashes of (seed, id) are taken, so that a larger sample
    holds a smaller one.

    Args:
        parts: the shards that were read.
        share: share of the rows of each cell, above 0 and up to 1.
        seed: which rows are chosen.
    """
    parts = list(parts)
    cells: dict[str, list[str]] = {}
    for part in parts:
        for name in part.row_ids:
            cells.setdefault(name.rpartition("/")[0], []).append(name)
    chosen: set[str] = set()
    for names in cells.values():
        names.sort(key=lambda name: digest_names("verify", seed, name))
        chosen.update(names[: math.ceil(share * len(names))])
    for part in parts:
        numbers = [number for number, name in enumerate(part.row_ids) if name in chosen]
        for start in range(0, len(numbers), CHUNK):
            yield part, tuple(numbers[start : start + CHUNK])


def _run_parallel(
    make: Callable[..., T],
    jobs: Sequence[tuple[object, ...]],
    name: str,
    unit: str,
    effort: ProofEffort,
    keep: Callable[[int, T], None] = lambda number, result: None,
) -> list[T]:
    """Run jobs on the workers and return their results in order.

    Args:
        make: does one job.
        jobs: the arguments of each.
        name: what the progress bar is called.
        unit: what it counts.
        effort: how many workers, and whether the bar is shown.
        keep: called with the number and the result of each, as soon as it is there.
    """
    runner = RunnerSettings(workers=effort.workers)
    done: dict[int, T] = {}
    with (
        tqdm(total=len(jobs), desc=f"{name:<8}", unit=unit, disable=not effort.progress) as bar,
        open_workers(runner),
    ):
        for number, result in run_jobs(runner, make, jobs):
            keep(number, result)
            done[number] = result
            bar.update()
    return [done[number] for number in range(len(jobs))]
