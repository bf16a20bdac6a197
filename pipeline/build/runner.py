"""The runner: joblib makes the shards of a stage, on processes of this machine or on a cluster.

The order in which shards finish is the runner's; nothing else depends on it. Workers of this
machine end with the process that started them, even if that is killed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from facelet.pipeline.build.shards import Job, Record, work
from facelet.pipeline.build.stages import Build, Stage
from facelet.pipeline.config.settings import Runner
from facelet.pipeline.leader import local_workers

_PACKAGES = {"dask": "distributed", "ray": "ray"}


def worker_count(runner: Runner) -> int:
    """Return how many shards are made at once."""
    return runner.workers or int(cpu_count())


@contextmanager
def workers(runner: Runner) -> Iterator[None]:
    """Use a runner's joblib backend for the length of the block.

    Raises:
        ValueError: the backend's package is not installed.
    """
    if runner.backend == "loky":
        with local_workers(worker_count(runner)):
            yield
    else:
        with _cluster(runner), parallel_config(runner.backend, n_jobs=worker_count(runner)):
            yield


@contextmanager
def _cluster(runner: Runner) -> Iterator[None]:
    """Connect to a cluster, tell joblib about it, and leave it at the end of the block."""
    package = _PACKAGES[runner.backend]
    try:
        module: Any = import_module(package)
    except ModuleNotFoundError:
        raise ValueError(
            f"runner={runner.backend} needs the package {package}: pip install {package}; "
            "or use runner=local"
        ) from None
    if runner.backend == "dask":
        with module.Client(runner.address):
            yield
        return
    module.init(runner.address)
    import_module("ray.util.joblib").register_ray()
    try:
        yield
    finally:
        module.shutdown()


def run(build: Build, stage: Stage) -> None:
    """Make the shards of a stage that are not there yet, inside the block of `workers`.

    Args:
        build: the build; takes the stage's jobs with their records.
        stage: the stage; those that it reads are made.
    """
    folder = build.folder
    with build.timer.part(stage.name):
        jobs = stage.jobs(build)
        folder.forget(stage.name, [job.key for job in jobs])
        records = [folder.completed(stage.name, job) for job in jobs]
        todo = [number for number, record in enumerate(records) if record is None]
        todo.sort(key=lambda number: (-jobs[number].cost, number))
    if todo:
        stage.prepare(build, [jobs[number] for number in todo])
    rows = sum(record.rows for record in records if record is not None)
    with build.timer.part(stage.name), _bar(build, stage, len(jobs), len(todo), rows) as bar:
        for number, temporary, record in _results(build, jobs, todo):
            folder.complete(stage.name, jobs[number].key, temporary, record)
            records[number] = record
            rows += record.rows
            bar.set_postfix(rows=rows, refresh=False)
            bar.update()
    build.made[stage.name] = [
        (job, record) for job, record in zip(jobs, records, strict=True) if record is not None
    ]


def _bar(build: Build, stage: Stage, total: int, todo: int, rows: int) -> tqdm[Any]:
    """Return the progress bar of a stage, on stderr."""
    return tqdm(
        total=total,
        initial=total - todo,
        desc=f"{stage.name:<8}",
        unit="shard",
        file=sys.stderr,
        disable=not build.settings.progress,
        mininterval=0.2 if sys.stderr.isatty() else 10,
        postfix={"rows": rows},
    )


def _results(
    build: Build, jobs: Sequence[Job], todo: Sequence[int]
) -> Iterator[tuple[int, Path, Record]]:
    """Yield the number, temporary file and record of each job that is to be done as it finishes."""
    count = min(worker_count(build.settings.runner), len(todo))
    if count == 0:
        return
    out, temporary = build.folder.out, build.folder.temporary
    if count == 1:
        for number in todo:
            yield number, *work(jobs[number], number, out, temporary)
        return
    parallel = Parallel(return_as="generator_unordered", max_nbytes=None)
    try:
        yield from parallel(
            delayed(_numbered)(jobs[number], number, out, temporary) for number in todo
        )
    except TerminatedWorkerError as error:
        raise ValueError(
            "a worker process was killed, most often for lack of memory; nothing finished is "
            f"lost: run the same command again, with workers={max(1, count // 2)}"
        ) from error


def _numbered(job: Job, number: int, out: Path, temporary: Path) -> tuple[int, Path, Record]:
    """Make a shard; its number comes back with it, because shards finish in any order."""
    return number, *work(job, number, out, temporary)
