"""Settings: a build's configuration after it was read and checked. Knows no Hydra.

Depths are optimal depths, never scramble lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One task of a suite; it becomes one config on the Hub.

    Attributes:
        suite: name of the suite.
        name: last part of the config's name; by custom the last part of the task's name.
        task: name of the task.
        params: fixed knobs of the task.
        sweep: at most one knob with the values it takes, one cell each; without it, a task that
            has a knob called `depth` is swept over the depths asked for.
        depths: of the depths asked for, only these, ascending; None for all of them.
        max_depth: depths beyond it are left out.
        count: items per cell instead of the build's count.
        times: without `count`, items per cell as a multiple of the build's count.
    """

    suite: str
    name: str
    task: str
    params: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    depths: tuple[int, ...] | None = None
    max_depth: int | None = None
    count: int | None = None
    times: int = 1

    @property
    def config(self) -> str:
        """Name of the config, such as "cube_bench.move_prediction"."""
        return f"{self.suite}.{self.name}"


@dataclass(frozen=True, slots=True)
class Stages:
    """Sizes of the pieces of work.

    Attributes:
        compose_items: items a compose shard.
        compose_attempts: draws that an item may be rejected before the build gives up.
        emit_rows: rows a published shard.
        emit_group: rows a Parquet row group.
    """

    compose_items: int = 50
    compose_attempts: int = 1000
    emit_rows: int = 2048
    emit_group: int = 128


@dataclass(frozen=True, slots=True)
class Runner:
    """Where shards are made: a joblib backend, its scheduler's address, and how many at once."""

    backend: str = "loky"
    address: str | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a build is told.

    Attributes:
        name: name of the dataset.
        profile: the profile that the counts come from.
        entries: tasks of the chosen suites, in the suites' order.
        depths: optimal depths asked for, ascending.
        max_depth: depths beyond it are left out, in every task.
        count: items per condition and depth, over all splits.
        metric: "htm" or "qtm".
        splits: names and weights; the items of a cell are shared out by weight.
        seed: root of all seeds.
        table: size of the pruning table: "small", "default" or "large".
        out: the dataset folder.
        cache: folder of pruning tables; None for the user's cache folder.
        stages: sizes of the pieces of work.
        runner: where shards are made.
        progress: whether progress bars are shown on stderr.
        replace: whether a dataset of another plan in `out` may be replaced.
    """

    name: str
    profile: str
    entries: tuple[Entry, ...]
    depths: tuple[int, ...]
    max_depth: int
    count: int
    metric: str
    splits: tuple[tuple[str, int], ...]
    seed: int
    table: str
    out: Path
    cache: Path | None = None
    stages: Stages = Stages()
    runner: Runner = Runner()
    progress: bool = True
    replace: bool = False
