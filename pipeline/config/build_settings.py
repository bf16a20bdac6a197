"""Define the settings of a build: checked values, keys of the command line, and types of `conf/`.

The keys of `facelet build` include those of families. A family's keys are in
`conf/family/<family>.yaml`, each with its `default`, `choices` (or `allowed`, in words), `doc`,
`shown` (how the help page shows the default), and `param` (whether tasks have a param of that
name).

Hydra composes the files in `conf/` into a BuildSchema and refuses any other key or type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from omegaconf import MISSING, OmegaConf

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.command.setting_keys import (
    key,
    list_conf_files,
    list_profile_names,
    list_runner_names,
    list_suite_names,
    list_task_names,
)
from facelet.pipeline.dataset.manifest_file import Citation as Citation
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


SWEEP_PARAMS = ("depth", "level")
"""Params that a key sweeps: a task that has one makes a cell of each value asked for.

The key of `depth` is `depths`, and `max_depth` bounds it; an entry of a suite has both as well.
"""

CONTENT_GROUP, DATASET_GROUP, WORK_GROUP, FAMILY_GROUP = (
    "What is made",
    "The dataset",
    "The work",
    "Settings of families",
)


def _default_of_group(group: str) -> str:
    """Return what `conf/config.yaml` takes from a folder of `conf`, as the help page shows it."""
    content: Any = OmegaConf.load(str(files("facelet.conf") / "config.yaml"))
    (chosen,) = (part[group] for part in content.defaults if group in part)
    return f"[{', '.join(chosen)}]"


@dataclass(frozen=True, slots=True)
class FamilyKey:
    """Something that a family can be told.

    Attributes:
        family: the family.
        name: its name on the command line.
        default: its value unless somebody sets another.
        choices: the values it may have; none for any text.
        param: whether it is a param of tasks, which a suite can set as well.
        doc: what it does.
        shown: the default, as the help page shows it.
        allowed: what may be given, in words.
    """

    family: str
    name: str
    default: str | None
    choices: tuple[str, ...]
    param: bool
    doc: str
    shown: str
    allowed: str


def _list_family_keys() -> tuple[FamilyKey, ...]:
    """Return what all families can be told, by family."""
    return tuple(
        _build_family_key(family, str(name), content)
        for family in list_conf_files("family")
        for name, content in _load_family_file(family).items()
    )


def _load_family_file(family: str) -> dict[object, dict[str, Any]]:
    """Return what a family's file says."""
    text = (files("facelet.conf") / "family" / f"{family}.yaml").read_text(encoding="utf-8")
    return dict(OmegaConf.create(text))


def _build_family_key(family: str, name: str, content: dict[str, Any]) -> FamilyKey:
    """Return one key of a family."""
    default, known = content.get("default"), tuple(content.get("choices", ()))
    return FamilyKey(
        family,
        name,
        default,
        known,
        bool(content.get("param", False)),
        content["doc"],
        str(content.get("shown", default or "")),
        content.get("allowed", ", ".join(known)),
    )


FAMILY_KEYS = _list_family_keys()
"""What families can be told."""


@dataclass(frozen=True, kw_only=True)
class BuildArguments:
    """What may be typed for every build; None is left to the files of `conf`."""

    profile: str | None = key(
        "How many items, how deep.",
        None,
        allowed=", ".join(list_profile_names()),
        shown="paper",
        known=list_profile_names,
        group=CONTENT_GROUP,
    )
    suites: tuple[str, ...] | None = key(
        "Suites to build.",
        None,
        allowed=f"{', '.join(list_suite_names())}, or files of suites that end in .yaml",
        shown=_default_of_group("suite"),
        known=list_suite_names,
        paths=True,
        group=CONTENT_GROUP,
    )
    tasks: tuple[str, ...] | None = key(
        "Only these tasks of the suites.",
        None,
        allowed="names such as move_effect or cube/move_effect; [] for all",
        shown="[]",
        known=list_task_names,
        group=CONTENT_GROUP,
    )
    depths: str | None = key(
        "Optimal depths, proven.",
        None,
        allowed="1 to 20 (htm) or 1 to 26 (qtm), as 1-20 or 1,2,5-8",
        shown="1-20 (smoke: 1-5)",
        group=CONTENT_GROUP,
    )
    max_depth: int | None = key(
        "Depths beyond it are left out; a task of a suite may have a lower one of its own.",
        None,
        low=1,
        shown="26 (smoke: 5), or none with depths=...",
        group=CONTENT_GROUP,
    )
    levels: str | None = key(
        "Levels of the tasks that have levels, instead of those that a suite names; a task of a "
        "suite may be confined to some.",
        None,
        allowed="whole numbers from 1 on, as 1-3 or 1,2,5-8",
        shown="those of the suites",
        group=CONTENT_GROUP,
    )
    max_level: int | None = key(
        "Levels beyond it are left out.", None, low=1, shown="none", group=CONTENT_GROUP
    )
    count: int | None = key(
        "Items per condition and depth, over all splits; fewer where a depth has fewer states. "
        "Wins over a count that a suite has; some tasks of suites make a multiple of it (times).",
        None,
        low=1,
        shown="100 (smoke: 8, large: 1000)",
        group=CONTENT_GROUP,
    )
    splits: str | None = key(
        "Splits, disjoint up to the cube's symmetry, and how they share the items.",
        None,
        allowed="name:weight pairs such as train:8,test:2",
        shown="test:1",
        group=CONTENT_GROUP,
    )
    seed: int | None = key(
        "Root of all randomness. The same configuration gives the same bytes, always.",
        None,
        allowed="any whole number of at most 18 digits",
        shown="0",
        group=CONTENT_GROUP,
    )
    name: str | None = key(
        "Name of the dataset.",
        None,
        allowed="letters, digits, - and _",
        shown="facelet-<profile>",
        group=DATASET_GROUP,
    )
    author: str | None = key(
        "Who made the dataset, for the citation in its card.",
        None,
        allowed="names as BibTeX writes them: A. Person and B. Person",
        shown="The Facelet authors",
        group=DATASET_GROUP,
    )
    year: int | None = key(
        "Its year, for the citation.",
        None,
        low=1900,
        high=2999,
        shown="that of this release",
        group=DATASET_GROUP,
    )
    address: str | None = key(
        "Where the dataset is found, for the citation.",
        None,
        allowed="https://...",
        shown="that of the repository, once published",
        group=DATASET_GROUP,
    )
    out: str | None = key(
        "Where the dataset goes; rerun to resume.",
        None,
        allowed="a folder, or an address of a store: s3://bucket/folder, gs://..., hf://...",
        shown="data/out/<name>",
        paths=True,
        group=DATASET_GROUP,
    )
    replace: bool | None = key(
        "Replace a dataset of another configuration in `out`.",
        None,
        shown="false",
        group=DATASET_GROUP,
    )
    unfair: UnfairPolicy | None = key(
        "A dataset that fails its audit: refuse it, or write it with a warning on its card.",
        None,
        shown="refuse",
        group=DATASET_GROUP,
    )
    workers: int | None = key(
        "Processes. Never changes the output.", None, low=1, shown="all cores", group=WORK_GROUP
    )
    runner: str | None = key(
        "Where the work is done; runner.address=... names a Dask or Ray scheduler.",
        None,
        allowed=", ".join(list_runner_names()),
        shown="local",
        known=list_runner_names,
        group=WORK_GROUP,
    )
    progress: bool | None = key(
        "Progress bars on stderr.", None, shown="if stderr is a terminal", group=WORK_GROUP
    )
    quiet: bool | None = key("Print only errors, on stderr.", None, shown="false", group=WORK_GROUP)
    show: bool = key(
        "Print the complete configuration and its plan, and build nothing; --show does the same.",
        False,
        group=WORK_GROUP,
    )
    dotted: tuple[str, ...] = key(
        "Settings of one task, such as mine.move_effect.max_depth=20, and sizes of the "
        "pieces of work: stage.compose.items=50, stage.compose.attempts=1000, "
        "stage.emit.rows=2048, stage.emit.group=128.",
        (),
        shown="<suite>.<task>.depths=..., .max_depth=..., .count=..., .params.<param>=...",
        free=True,
        group="Keys with dots",
    )


BuildSettings: type[BuildArguments] = make_dataclass(
    "BuildSettings",
    [
        (
            item.name,
            "str | None",
            key(
                item.doc,
                None,
                allowed=item.allowed,
                shown=item.shown,
                known=partial(tuple, item.choices),
                paths=not item.choices,
                group=FAMILY_GROUP,
            ),
        )
        for item in FAMILY_KEYS
    ],
    bases=(BuildArguments,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": "All that may be typed for a build.", "__module__": __name__},
)
"""All that may be typed for a build, with what families can be told."""


def list_family_defaults() -> dict[str, dict[str, str | None]]:
    """Return what each family is told by default."""
    found: dict[str, dict[str, str | None]] = {}
    for item in FAMILY_KEYS:
        found.setdefault(item.family, {})[item.name] = item.default
    return found


def check_family_settings(told: Mapping[str, Mapping[str, object]]) -> dict[str, FamilySettings]:
    """Return what each family is told, if it can be.

    Args:
        told: by family and key.

    Raises:
        ValueError: a family or key is unknown, or a value is not one of the key's choices.
    """
    checked: dict[str, dict[str, str | None]] = {}
    for family, values in told.items():
        own = checked.setdefault(family, {})
        known = {item.name: item for item in FAMILY_KEYS if item.family == family}
        for name, value in values.items():
            if name not in known:
                raise unknown_word_error(f"key of the family {family!r}:", name, list(known))
            allowed = known[name].choices
            if allowed and value not in allowed:
                raise unknown_word_error(name, str(value), list(allowed))
            if not isinstance(value, str | None):
                raise ValueError(f"family.{family}.{name}={value!r} must be a text")
            own[name] = value
    return dict(checked)


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
