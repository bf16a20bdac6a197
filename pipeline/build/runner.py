"""The runner: joblib makes the shards of a stage, on processes of this machine or on a cluster.

The order in which shards finish is the runner's; nothing else depends on it. Workers of this
machine end with the process that started them, even if that is killed.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from facelet.pipeline.build.shards import Folder, Job, Record, work
from facelet.pipeline.config.settings import Runner

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
        with parallel_config("loky", n_jobs=worker_count(runner), inner_max_num_threads=1):
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


def run_stage(
    stage: str, jobs: Sequence[Job], folder: Folder, runner: Runner, *, progress: bool
) -> list[Record]:
    """Make the shards of a stage that are not there yet.

    Args:
        stage: name of the stage.
        jobs: all its shards.
        folder: the dataset folder.
        runner: how many are made at once; the block of `workers` says where.
        progress: whether a bar is shown on stderr.

    Returns:
        The records of all shards, in the order of the jobs.
    """
    folder.forget(stage, [job.key for job in jobs])
    records = [folder.completed(stage, job) for job in jobs]
    todo = [number for number, record in enumerate(records) if record is None]
    todo.sort(key=lambda number: (-jobs[number].cost, number))
    done = [record for record in records if record is not None]
    slow_log = not sys.stderr.isatty()
    with tqdm(
        total=len(jobs),
        initial=len(done),
        desc=f"{stage:<8}",
        unit="shard",
        file=sys.stderr,
        disable=not progress,
        mininterval=10 if slow_log else 0.2,
        postfix={"rows": sum(record.rows for record in done)},
    ) as bar:
        rows = sum(record.rows for record in done)
        for number, temporary, record in _results(jobs, todo, folder, runner):
            folder.complete(stage, jobs[number].key, temporary, record)
            records[number] = record
            rows += record.rows
            bar.set_postfix(rows=rows, refresh=False)
            bar.update()
    return [record for record in records if record is not None]


def _results(
    jobs: Sequence[Job], todo: Sequence[int], folder: Folder, runner: Runner
) -> Iterator[tuple[int, Path, Record]]:
    """Yield the number, temporary file and record of each job as it finishes."""
    count = min(worker_count(runner), len(todo))
    if count == 0:
        return
    if count == 1:
        for number in todo:
            yield number, *work(jobs[number], number, folder.out, folder.temporary)
        return
    parallel = Parallel(return_as="generator_unordered", max_nbytes=None)
    try:
        yield from parallel(
            delayed(_numbered)(jobs[number], number, folder.out, folder.temporary, os.getpid())
            for number in todo
        )
    except TerminatedWorkerError as error:
        raise ValueError(
            "a worker process was killed, most often for lack of memory; nothing finished is "
            f"lost: run the same command again, with workers={max(1, count // 2)}"
        ) from error


def _numbered(
    job: Job, number: int, out: Path, temporary: Path, leader: int
) -> tuple[int, Path, Record]:
    """Make a shard in a worker process that ends when its leader does."""
    _end_with(leader)
    return number, *work(job, number, out, temporary)


_WATCHED: set[int] = set()


def _end_with(leader: int) -> None:
    """Watch the process that started this worker; end when it is gone (checked each second)."""
    if leader in _WATCHED or os.getppid() != leader:
        return
    _WATCHED.add(leader)

    def watch() -> None:
        while os.getppid() == leader:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
