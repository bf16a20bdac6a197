"""Run the stages of a build, whose jobs run on local processes, on Dask or on Ray.

joblib distributes the jobs on this machine. For Dask and Ray the runner distributes them itself,
because what a lost worker or scheduler takes with it must be made again without ending the run.
Shards finish in any order; nothing else depends on it. Local workers end with the process that
started them, even if that is killed.

A cluster may lose or gain a worker at any moment. If Dask's scheduler is restarted at the same
address within `PATIENCE`, the run continues by itself; if Ray's head is lost, Ray ends the run, and
the same command resumes it.
"""

from __future__ import annotations

import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeVar

from joblib import Parallel, cpu_count, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from facelet.pipeline.build.build_folder import (
    BuildFolder,
    CompletionRecord,
    ShardJob,
    run_shard_job,
)
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.family_modules import FamilySettings
from facelet.pipeline.parent_watch import open_local_workers

RETRIES = 3
"""Times that a shard is made again on a cluster that lost it."""

PATIENCE = 120
"""Seconds that a scheduler may be away."""

R = TypeVar("R")

_PACKAGES = {"dask": "distributed", "ray": "ray"}


def worker_count(runner: RunnerSettings) -> int:
    """Return how many shards are made at once."""
    return runner.workers or int(cpu_count())


@contextmanager
def open_workers(runner: RunnerSettings) -> Iterator[None]:
    """Use a runner's joblib backend for the length of the block.

    Raises:
        ValueError: the backend's package is not installed.
    """
    if runner.backend == "loky":
        with open_local_workers(worker_count(runner)):
            yield
    else:
        with _connect_cluster(runner):
            yield


@contextmanager
def _connect_cluster(runner: RunnerSettings) -> Iterator[None]:
    """Connect joblib to a cluster for the duration of the block."""
    package = _PACKAGES[runner.backend]
    try:
        module = import_module(package)
    except ModuleNotFoundError:
        raise ValueError(
            f"runner={runner.backend} needs the package {package}: pip install {package}; "
            "or use runner=local"
        ) from None
    # Without an address, a cluster of this machine: a process a worker, as elsewhere.
    own: dict[str, object]
    if runner.backend == "dask":
        options = {"timeout": PATIENCE}
        own = {"n_workers": worker_count(runner), "threads_per_worker": 1, **options}
        with _open_client(runner, module.Client, own, options):
            yield
        return
    own = {"address": "local", "num_cpus": worker_count(runner), "include_dashboard": False}
    _open_client(runner, module.init, own)
    try:
        yield
    finally:
        module.shutdown()


def _open_client(
    runner: RunnerSettings,
    connect: Callable[..., Any],
    own: Mapping[str, object],
    others: Mapping[str, object] = MappingProxyType({}),
) -> Any:
    """Return what connects to a cluster.

    Args:
        runner: whose cluster it is.
        connect: takes its address, or how to start one.
        own: how one is started on this machine where there is no address.
        others: what is said where there is one.

    Raises:
        ValueError: nothing answers at the address.
    """
    try:
        if runner.address is None:
            return connect(**own)
        host, _, port = runner.address.rpartition("//")[2].rpartition(":")
        if port.isdigit():  # Ray would try for minutes
            socket.create_connection((host, int(port)), timeout=10).close()
        return connect(runner.address, **others)
    except (OSError, RuntimeError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ValueError(
            f"runner.address={runner.address}: no {runner.backend} cluster answers there: "
            f"{reason[:200]}; start one, or leave the address out for one of this machine"
        ) from error


def run_jobs(
    runner: RunnerSettings, make: Callable[..., R], jobs: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, R]]:
    """Yield the number of each job and what it came to, as jobs finish, inside `open_workers`.

    Args:
        runner: who does them.
        make: does one job; it is importable.
        jobs: the arguments of each.

    Raises:
        ValueError: a worker was lost, and what that means.
    """
    if (count := min(worker_count(runner), len(jobs))) <= 1:
        yield from ((number, make(*job)) for number, job in enumerate(jobs))
        return
    if runner.backend != "loky":
        yield from (_run_on_ray if runner.backend == "ray" else _run_on_dask)(make, jobs, count)
        return
    parallel = Parallel(return_as="generator_unordered", max_nbytes=None)
    try:
        yield from parallel(
            delayed(_run_numbered)(make, number, job) for number, job in enumerate(jobs)
        )
    except TerminatedWorkerError as error:
        raise ValueError(
            "a worker process was killed, most often for lack of memory; nothing finished is "
            f"lost: run the same command again, with workers={max(1, count // 2)}"
        ) from error


def _run_on_dask(
    make: Callable[..., R], jobs: Sequence[tuple[Any, ...]], count: int
) -> Iterator[tuple[int, R]]:
    """Yield results as Dask's tasks finish; what is lost with the scheduler is made again.

    Dask itself makes again what is lost with a worker.

    Args:
        make: does one job.
        jobs: the arguments of each.
        count: how many are done at once.

    Raises:
        ValueError: a part was lost too often, or the scheduler does not come back.
    """
    dask = import_module("distributed")
    client = dask.get_client()
    waiting, lost = deque(range(len(jobs))), Counter[int]()
    running: dict[Any, int] = {}
    finished = dask.as_completed()
    while waiting or running:
        while waiting and len(running) < 2 * count:
            number = waiting.popleft()
            future = client.submit(_run_numbered, make, number, jobs[number], pure=False)
            running[future] = number
            finished.add(future)
        future = next(finished)
        number = running.pop(future)
        try:
            result = future.result()
        except dask.scheduler.KilledWorker:
            lost[number] = RETRIES
        except Exception:
            if future.status == "error":  # the job's own; else it went with the scheduler
                raise
        else:
            yield result
            continue
        lost[number] += 1
        _await_scheduler(client)
        if lost[number] > RETRIES:
            raise ValueError(
                f"Dask lost a part {RETRIES + 1} times; nothing finished is lost: run the same "
                "command again"
            )
        waiting.append(number)


def _await_scheduler(client: Any) -> None:
    """Wait until a client of Dask is connected again.

    Raises:
        ValueError: the scheduler does not come back.
    """
    until = time.monotonic() + PATIENCE
    while client.status != "running":
        if client.status == "closed" or time.monotonic() > until:
            raise ValueError(
                f"Dask's scheduler was away for {PATIENCE} seconds; nothing finished is lost: "
                "start it, and run the same command again"
            )
        time.sleep(0.1)


def _run_on_ray(
    make: Callable[..., R], jobs: Sequence[tuple[Any, ...]], count: int
) -> Iterator[tuple[int, R]]:
    """Yield results as Ray's tasks finish; one whose worker dies is run again.

    Args:
        make: does one job.
        jobs: the arguments of each.
        count: how many are done at once.
    """
    ray = import_module("ray")
    remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_run_numbered)
    waiting = iter(range(len(jobs)))
    running: list[object] = []
    while True:
        running.extend(
            remote.remote(make, number, jobs[number])
            for number in islice(waiting, 2 * count - len(running))
        )
        if not running:
            return
        (done,), running = ray.wait(running, num_returns=1)
        try:
            yield ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            raise ValueError(
                f"Ray lost a part {RETRIES + 1} times; nothing finished is lost: run the same "
                f"command again. {str(error).strip().splitlines()[0]}"
            ) from error


def _run_numbered(make: Callable[..., R], number: int, job: tuple[Any, ...]) -> tuple[int, R]:
    """Do a job; its number comes back with it, because jobs finish in any order."""
    return number, make(*job)


J = TypeVar("J", bound=ShardJob)


@dataclass(slots=True)
class BuildTimer:
    """Seconds spent in each part of a build."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time_part(self, name: str) -> Iterator[None]:
        """Add the time of the block to a part."""
        start = time.monotonic()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start


@dataclass(frozen=True, slots=True)
class StageRunner:
    """Runs the stages of one build in its folder.

    Attributes:
        folder: the folder of the build.
        runner: where shards are made.
        progress: whether progress bars are shown on stderr.
        find_settings: returns the settings of the family of a task, or of a kind of resource.
        timer: how long each part takes.
    """

    folder: BuildFolder
    runner: RunnerSettings
    progress: bool
    find_settings: Callable[[str], FamilySettings]
    timer: BuildTimer = field(default_factory=BuildTimer)

    def run_stage(
        self,
        name: str,
        jobs: Sequence[J],
        prepare: Callable[[Sequence[J]], None] | None = None,
    ) -> list[tuple[J, CompletionRecord]]:
        """Make the missing shards of a stage, inside the block of `open_workers`.

        Args:
            name: name of the stage; its completion records are stored under it.
            jobs: its jobs, in the order of the plan.
            prepare: makes what the workers share, given the jobs with work left; at least one.

        Returns:
            The jobs with the records of their shards, in the same order.
        """
        folder = self.folder
        with self.timer.time_part(name):
            folder.remove_old_records(name, [job.key for job in jobs])
            found = (folder.find_completed(name, job) for job in jobs)
            records = [None if record is None else record.without_row_hashes() for record in found]
            todo = [number for number, record in enumerate(records) if record is None]
            todo.sort(key=lambda number: (-jobs[number].cost, number))
        if todo and prepare is not None:
            prepare([jobs[number] for number in todo])
        rows = sum(record.rows for record in records if record is not None)
        with (
            self.timer.time_part(name),
            tqdm(
                total=len(jobs),
                initial=len(jobs) - len(todo),
                desc=f"{name:<8}",
                unit="shard",
                file=sys.stderr,
                disable=not self.progress,
                mininterval=0.2 if sys.stderr.isatty() else 10,
                postfix={"rows": rows},
            ) as bar,
        ):
            made = run_jobs(
                self.runner,
                run_shard_job,
                [(jobs[number], number, folder.out, folder.temporary) for number in todo],
            )
            for place, (temporary, record) in made:
                folder.complete_shard(name, jobs[todo[place]].key, temporary, record)
                records[todo[place]] = record.without_row_hashes()
                rows += record.rows
                bar.set_postfix(rows=rows, refresh=False)
                bar.update()
        return [
            (job, record) for job, record in zip(jobs, records, strict=True) if record is not None
        ]
