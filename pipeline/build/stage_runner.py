"""Run the stages of a build: find finished shards, make the missing ones, record each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from tqdm import tqdm

from facelet.pipeline.build.build_folder import BuildFolder
from facelet.pipeline.build.job_runner import run_jobs
from facelet.pipeline.build.shard_store import CompletionRecord, ShardJob, run_shard_job
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.family_modules import FamilySettings

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
