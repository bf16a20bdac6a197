"""Settings of a build after reading and checking; independent of Hydra and of families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from facelet.pipeline.dataset.manifest_entries import Citation as Citation
from facelet.pipeline.family_modules import NO_SETTINGS, FamilySettings, family_name

UnfairPolicy = Literal["refuse", "write"]
UNFAIR_POLICIES: tuple[UnfairPolicy, ...] = ("refuse", "write")
"""What becomes of a dataset that its audit finds unfair."""


@dataclass(frozen=True, slots=True)
class ParamRange:
    """Which values of a param are asked for, such as depths.

    Attributes:
        values: the values, ascending; None where nothing is said.
        limit: values beyond it are left out; None for no limit.
        usual: in an entry of a suite, the values that are made where nobody asks for any.
    """

    values: tuple[int, ...] | None = None
    limit: int | None = None
    default_values: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """One task of a suite; it becomes one config on the Hub.

    Attributes:
        suite: name of the suite.
        name: last part of the config's name; by custom the last part of the task's name.
        task: name of the task.
        params: fixed params of the task.
        sweep: at most one param with the values it takes, one cell each; without it, a task that
            has a param of `Settings.ranges`, such as `depth`, is swept over what is asked for.
        ranges: by such a param, that of the values asked for only these are made.
        count: items per cell instead of the build's count.
        times: without `count`, items per cell as a multiple of the build's count, rounded up.
        few: builds with a count of so many or fewer make one item per cell instead; for items that
            take seconds.
        typed: what was typed for this entry alone, such as "count" or "params.level".
    """

    suite: str
    name: str
    task: str
    params: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    ranges: Mapping[str, ParamRange] = field(default_factory=dict)
    count: int | None = None
    times: float = 1
    few: int = 0
    typed_keys: frozenset[str] = frozenset()

    @property
    def config_name(self) -> str:
        """Name of the config, "<suite>.<task>"."""
        return f"{self.suite}.{self.name}"


@dataclass(frozen=True, slots=True)
class StageSizes:
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
class RunnerSettings:
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
        ranges: by param, the values asked for in every task that has it.
        count: items per condition and depth, over all splits.
        splits: names and weights; the items of a cell are shared out by weight.
        seed: root of all seeds.
        out: the dataset folder.
        told: what each family is told, by the family's name.
        stages: sizes of the pieces of work.
        runner: where shards are made.
        progress: whether progress bars are shown on stderr.
        quiet: whether nothing is said but errors.
        replace: whether a dataset of another plan in `out` may be replaced.
        unfair: what becomes of a dataset that its audit finds unfair: "refuse", or "write".
        citation: how the dataset is to be cited.
        typed: the plain keys that were typed, with their values as text; see
            `facelet.pipeline.config.setting_precedence`.
    """

    name: str
    profile: str
    entries: tuple[SuiteTask, ...]
    ranges: Mapping[str, ParamRange]
    count: int
    splits: tuple[tuple[str, int], ...]
    seed: int
    out: Path
    family_settings: Mapping[str, FamilySettings] = field(default_factory=dict)
    stages: StageSizes = StageSizes()
    runner: RunnerSettings = RunnerSettings()
    progress: bool = True
    quiet: bool = False
    replace: bool = False
    unfair: UnfairPolicy = "refuse"
    citation: Citation = field(default_factory=Citation)
    typed_keys: Mapping[str, str] = field(default_factory=dict)

    def family_settings_of(self, name: str) -> FamilySettings:
        """Return what the family of a task, or of a kind of resource, is told."""
        return self.family_settings.get(family_name(name), NO_SETTINGS)
