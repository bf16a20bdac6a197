"""A build and its stages: what all stages share, and what each has made so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from facelet.pipeline.build.build_folder import BuildFolder
from facelet.pipeline.build.build_plan import BuildPlan
from facelet.pipeline.build.shard_store import CompletionRecord, ShardJob
from facelet.pipeline.config.build_settings import Settings


@dataclass(slots=True)
class BuildTimer:
    """Seconds spent in each part of a build."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time_part(self, name: str) -> Iterator[None]:
        """Count the time of the block."""
        start = time.monotonic()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start


@dataclass(slots=True)
class BuildState:
    """One run of a build.

    Attributes:
        settings: what it was told.
        plan: what it makes.
        timer: how long its parts took.
        folder: the dataset folder.
        made: by stage, its jobs and the records of their shards, in the plan's order.
    """

    settings: Settings
    plan: BuildPlan
    timer: BuildTimer = field(default_factory=BuildTimer)
    folder: BuildFolder = field(init=False)
    records_by_stage: dict[str, list[tuple[ShardJob, CompletionRecord]]] = field(
        init=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        """Name the folder; nothing is touched yet."""
        self.folder = BuildFolder(self.settings.out)

    def list_finished_records(self, stage: str) -> list[CompletionRecord]:
        """Return the records of a finished stage."""
        return [record for _, record in self.records_by_stage[stage]]


def _prepare_nothing(build: BuildState, jobs: Sequence[ShardJob]) -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True)
class BuildStage:
    """A stage: shards that depend on those of earlier stages only.

    Attributes:
        name: its name; its records stand under it.
        jobs: returns its jobs, given what earlier stages made.
        prepare: makes what the workers share, given the jobs that have work left; at least one.
    """

    name: str
    jobs: Callable[[BuildState], Sequence[ShardJob]]
    prepare: Callable[[BuildState, Sequence[ShardJob]], None] = _prepare_nothing
