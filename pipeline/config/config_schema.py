"""Define the keys and types that the files in `conf/` may contain.

Hydra composes the files into a BuildSchema and refuses any other key or type. Ranges are checked
later, in `facelet.pipeline.config.config_validator`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING

from facelet.pipeline.config.build_keys import list_family_defaults


@dataclass
class EntrySchema:
    """A task of a suite, as a suite's file writes it; see settings.Entry."""

    task: str = MISSING
    params: dict[str, Any] = field(default_factory=dict)
    sweep: dict[str, list[Any]] = field(default_factory=dict)
    depths: str | None = None
    max_depth: int | None = None
    usual_depths: str | None = None
    levels: str | None = None
    max_level: int | None = None
    usual_levels: str | None = None
    count: int | None = None
    times: float = 1
    few: int = 0


@dataclass
class SuiteSchema:
    """A suite: its tasks by the last part of their configs' names."""

    tasks: dict[str, EntrySchema] = field(default_factory=dict)


@dataclass
class RunnerSchema:
    """A joblib backend; see settings.Runner."""

    backend: str = MISSING
    address: str | None = None


@dataclass
class ComposeSchema:
    """Sizes of the compose stage; see settings.Stages."""

    items: int = MISSING
    attempts: int = MISSING


@dataclass
class EmitSchema:
    """Sizes of the emit stage; see settings.Stages."""

    rows: int = MISSING
    group: int = MISSING


@dataclass
class StageSchema:
    """Sizes of the pieces of work."""

    compose: ComposeSchema = field(default_factory=ComposeSchema)
    emit: EmitSchema = field(default_factory=EmitSchema)


@dataclass
class BuildSchema:
    """All that the files in `conf` may say; Hydra refuses anything else."""

    profile: str = MISSING
    name: str | None = None
    tasks: list[str] = field(default_factory=list)
    depths: str = MISSING
    max_depth: int = MISSING
    levels: str | None = None
    max_level: int | None = None
    count: int = MISSING
    splits: str = MISSING
    seed: int = MISSING
    author: str | None = None
    year: int | None = None
    address: str | None = None
    out: str | None = None
    workers: int | None = None
    progress: bool | None = None
    quiet: bool = False
    replace: bool = False
    unfair: str = "refuse"
    runner: RunnerSchema = field(default_factory=RunnerSchema)
    stage: StageSchema = field(default_factory=StageSchema)
    suite: dict[str, SuiteSchema] = field(default_factory=dict)
    family: dict[str, Any] = field(default_factory=list_family_defaults)


@dataclass(frozen=True, slots=True)
class ComposedConfig:
    """A whole configuration.

    Attributes:
        config: its content, as plain values, in the form of `BuildSchema`.
        text: the same as YAML.
        typed: the paths that dotted keys set, down to what holds no keys.
    """

    config: Mapping[str, Any]
    text: str
    typed_keys: frozenset[str]
