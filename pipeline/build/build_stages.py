"""A build and its stages: what all stages share, and what each has made so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from facelet.pipeline.build.folder import Folder
from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.shards import Job, Record
from facelet.pipeline.config.settings import Settings


@dataclass(slots=True)
class Timer:
    """Seconds spent in each part of a build."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time of the block."""
        start = time.monotonic()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start


@dataclass(slots=True)
class Build:
    """One run of a build.

    Attributes:
        settings: what it was told.
        plan: what it makes.
        timer: how long its parts took.
        folder: the dataset folder.
        made: by stage, its jobs and the records of their shards, in the plan's order.
    """

    settings: Settings
    plan: Plan
    timer: Timer = field(default_factory=Timer)
    folder: Folder = field(init=False)
    made: dict[str, list[tuple[Job, Record]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Name the folder; nothing is touched yet."""
        self.folder = Folder(self.settings.out)

    def records(self, stage: str) -> list[Record]:
        """Return the records of a finished stage."""
        return [record for _, record in self.made[stage]]


def _nothing(build: Build, jobs: Sequence[Job]) -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: shards that depend on those of earlier stages only.

    Attributes:
        name: its name; its records stand under it.
        jobs: returns its jobs, given what earlier stages made.
        prepare: makes what the workers share, given the jobs that have work left; at least one.
    """

    name: str
    jobs: Callable[[Build], Sequence[Job]]
    prepare: Callable[[Build, Sequence[Job]], None] = _nothing
