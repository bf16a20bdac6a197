"""Verify: is a published dataset what it says, proven from its files alone?

files    every shard has the bytes, and every row the content, that the manifest says
rows     a sample of each cell, or all rows, is rechecked: question, pictures, labels, replies
claims   what only a search can show is proven again

The sample is seeded and holds at least one row of every cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar

from joblib import Parallel, delayed
from tqdm import tqdm

from facelet.generators.core.seeding import digest
from facelet.pipeline import families
from facelet.pipeline.dataset import integrity, reading
from facelet.pipeline.dataset.hashing import hash_file, hash_value
from facelet.pipeline.dataset.integrity import Failure, Read, Shard
from facelet.pipeline.dataset.manifests import Manifest
from facelet.pipeline.dataset.sealing import demand_answers
from facelet.pipeline.dataset.sources import fingerprint
from facelet.pipeline.families import Lookup, Unavailable
from facelet.pipeline.leader import local_workers
from facelet.pipeline.verify import proving
from facelet.pipeline.verify.proving import Effort, Proofs, Prover
from facelet.pipeline.verify.record import Record
from facelet.pipeline.verify.rows import Checked, expected, recheck
from facelet.pipeline.verify.settings import VerifySettings
from facelet.pipeline.words import shows_progress

T = TypeVar("T")

CODE = ("facelet.generators", "facelet.pipeline", "facelet.renderers")
"""What a record is good for: the code that found it."""

CHUNK = 64
"""Rows that a worker rechecks at once."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What verifying found.

    Attributes:
        shards: number of shards.
        rows: number of rows in them.
        checked: number of rows rechecked.
        proofs: what became of their claims.
        failures: all that is wrong.
        manifest: SHA-256 of the manifest.
        recorded: how many of the rows and of the claims an earlier run with the record had done.
    """

    shards: int
    rows: int
    checked: int
    proofs: Proofs
    failures: tuple[Failure, ...]
    manifest: str = ""
    recorded: tuple[int, int] = (0, 0)


def verify(
    settings: VerifySettings,
    lookup: Lookup = families.task,
    provers: Mapping[str, Prover] | None = None,
) -> Verified:
    """Verify a dataset.

    Args:
        settings: what to verify.
        lookup: finds a task by its name; with several workers it must be importable.
        provers: the provers by kind of claim; all there are by default.

    Raises:
        ValueError: there is no dataset, or it was made by a version of a task unknown here.
    """
    out = settings.dataset
    manifest = reading.manifest(out)
    demand_answers(manifest, out)
    listed = integrity.shards(manifest)
    missing = unknown_tasks(manifest, lookup)
    effort = Effort(settings.deep, settings.workers, shows_progress(settings.progress))
    parts = _run(
        [delayed(integrity.read)(out, shard) for shard in listed], "files", "shard", effort
    )
    failures = [failure for part in parts for failure in part.failures]
    failures += [*integrity.whole(out, manifest, parts), *missing.values()]
    wants = {config: expected(manifest, config) for config in manifest.configs}
    sha256 = hash_file(out / reading.MANIFEST)
    with closing(Record(settings.record, hash_value([sha256, fingerprint(CODE)]))) as record:
        checked: list[Checked] = []
        todo: list[tuple[Shard, tuple[int, ...]]] = []
        for part, numbers in sample(parts, settings.share, settings.seed):
            if part.shard.config in missing:
                continue
            held = None if part.failures else record.checked(part.shard.path, numbers)
            if held is None:
                todo.append((part.shard, numbers))
            else:
                checked.append(held)
        jobs = [
            delayed(recheck)(out, shard, numbers, wants[shard.config], lookup)
            for shard, numbers in todo
        ]

        def keep(number: int, found: Checked) -> None:
            shard, numbers = todo[number]
            record.keep_checked(shard.path, numbers, found)

        checked += _run(jobs, "rows", "chunk", effort, keep)
        failures += [failure for part in checked for failure in part.failures]
        claims = [pair for part in checked for pair in part.claims]
        proofs = proving.prove(claims, effort, provers, record)
    return Verified(
        len(parts),
        sum(part.rows for part in parts),
        sum(part.rows for part in checked),
        proofs,
        (*failures, *proofs.failures),
        sha256,
        (record.rows, record.claims),
    )


def unknown_tasks(manifest: Manifest, lookup: Lookup) -> dict[str, Failure]:
    """Return, by config, that its rows cannot be rechecked where its task cannot be had here.

    Raises:
        ValueError: a config's rows were made by a version of its task that is unknown here.
    """
    missing: dict[str, Failure] = {}
    for name, config in manifest.configs.items():
        try:
            task = lookup(config.task)
        except Unavailable as error:
            missing[name] = Failure(name, f"cannot be rechecked: {error}")
            continue
        if task.version != config.task_version:
            raise ValueError(
                f"{name} was made by version {config.task_version} of {task.name}, here is "
                f"version {task.version}; verify it with Facelet {manifest.code_version}"
            )
    return missing


def sample(
    parts: Iterable[Read], share: float, seed: int
) -> Iterator[tuple[Read, tuple[int, ...]]]:
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
        for name in part.ids:
            cells.setdefault(name.rpartition("/")[0], []).append(name)
    chosen: set[str] = set()
    for names in cells.values():
        names.sort(key=lambda name: digest("verify", seed, name))
        chosen.update(names[: math.ceil(share * len(names))])
    for part in parts:
        numbers = [number for number, name in enumerate(part.ids) if name in chosen]
        for start in range(0, len(numbers), CHUNK):
            yield part, tuple(numbers[start : start + CHUNK])


def _run(
    jobs: Sequence[tuple[Callable[..., T], Sequence[object], Mapping[str, object]]],
    name: str,
    unit: str,
    effort: Effort,
    keep: Callable[[int, T], None] = lambda number, result: None,
) -> list[T]:
    """Run jobs on the workers and return their results in order.

    Args:
        jobs: function, arguments and keyword arguments of each.
        name: what the progress bar is called.
        unit: what it counts.
        effort: how many workers, and whether the bar is shown.
        keep: called with the number and the result of each, as soon as it is there.
    """
    workers = min(effort.workers, len(jobs))
    bar = tqdm(total=len(jobs), desc=f"{name:<8}", unit=unit, disable=not effort.progress)
    with bar, local_workers(max(workers, 1)):
        if workers < 2:
            results = (job[0](*job[1], **job[2]) for job in jobs)
        else:
            results = Parallel(return_as="generator")(jobs)
        done: list[T] = []
        for result in results:
            keep(len(done), result)
            done.append(result)
            bar.update()
        return done
