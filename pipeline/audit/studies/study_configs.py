"""List the configs to study, build their puzzles, and run their studies in parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from joblib import Parallel, delayed
from tqdm import tqdm

from facelet.generators.core.seeding import digest_names
from facelet.pipeline.audit.baseline_players import load_family_players
from facelet.pipeline.audit.studies.floor_study import StudyInput, study_config
from facelet.pipeline.audit.studies.game_study import SEEDS, study_game
from facelet.pipeline.build.build_folder import BuildFolder
from facelet.pipeline.build.build_plan import BuildPlan, compute_plan
from facelet.pipeline.build.dataset_builder import DatasetBuild, build_dataset, build_rows
from facelet.pipeline.build.folder_ownership import own_folder
from facelet.pipeline.build.job_runner import StageRunner, open_workers
from facelet.pipeline.command.setting_keys import list_conf_files
from facelet.pipeline.config.build_settings import BuildSettings, Settings
from facelet.pipeline.config.settings_resolver import resolve_settings
from facelet.pipeline.dataset import dataset_reader, floor_studies
from facelet.pipeline.dataset.floor_studies import FloorStudy
from facelet.pipeline.family_modules import family_name, load_task
from facelet.pipeline.parent_watch import open_local_workers

OPT_IN_FAMILIES = ("arcade", "chamber", "shapes", "spatial")
"""Families that are studied only if a task of theirs is named: their puzzles will change."""
OPT_IN_TASKS = (
    "cube/forward_deformation",
    "cube/inverse_deformation",
    "cube/forward_writing",
    "cube/inverse_writing",
)
"""Tasks of the same kind."""
SEED = int.from_bytes(digest_names("floors", "puzzles")[:4])
"""Root of all seeds of studied puzzles; no published build uses it."""
REPLIES_A_MINUTE = 30_000
"""Approximate replies of a game that a processor judges in a minute; effort counts replies."""


@dataclass(frozen=True, slots=True)
class StudyConfig:
    """A config to study: its suite, its name in it, its task."""

    suite: str
    name: str
    task: str


@dataclass(frozen=True, slots=True)
class StudyEffort:
    """The effort of a study: puzzles and replies of a level, the greatest depth, the levels.

    `levels` is None for those of the suite, else a range such as "1-10".
    """

    count: int
    replies: int
    max_depth: int
    levels: str | None = None


def list_study_configs(suites: Sequence[str], tasks: Sequence[str]) -> list[StudyConfig]:
    """Return the configs to study, in the order of their suites.

    Args:
        suites: names of suites; if there are none, those of a default build, or, for each task
            that is named, the first suite that contains it.
        tasks: names of tasks; some families are studied only if a task of theirs is named.

    Raises:
        ValueError: a suite or a task is unknown.
    """
    if tasks and not suites:
        suites = _find_suites(tasks)
    typed = BuildSettings(suites=tuple(suites) or None, tasks=tuple(tasks) or None)
    chosen, _ = resolve_settings(typed)
    return [
        StudyConfig(entry.suite, entry.name, entry.task)
        for entry in chosen.entries
        if tasks or not needs_naming(entry.task)
    ]


def _find_suites(tasks: Sequence[str]) -> list[str]:
    """Return the first suite that contains each task, by the name of the task or of its config."""
    chosen, _ = resolve_settings(BuildSettings(suites=tuple(list_conf_files("suite"))))
    first: dict[str, str] = {}
    for entry in sorted(chosen.entries, key=lambda one: one.suite):
        for name in (entry.task, entry.name):
            first.setdefault(name, entry.suite)
    if unknown := [name for name in tasks if name not in first]:
        near = get_close_matches(unknown[0], first, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(f"no suite contains the task {unknown[0]!r}{hint}")
    return list(dict.fromkeys(first[name] for name in tasks))


def find_study_config(name: str) -> StudyConfig:
    """Return a config by its name, SUITE.CONFIG.

    Raises:
        ValueError: it is unknown.
    """
    suite, _, task = name.partition(".")
    found = list_study_configs((suite,), (task,)) if suite and task else []
    if len(found) != 1 or found[0].name != task:
        raise ValueError(f"config={name!r} is unknown; use SUITE.CONFIG")
    return found[0]


def needs_naming(task: str) -> bool:
    """Return whether a task is studied only if it is named."""
    return family_name(task) in OPT_IN_FAMILIES or task in OPT_IN_TASKS


def study_all(
    due: Sequence[StudyConfig],
    effort: StudyEffort,
    work: Path,
    out: Path,
    count: int,
    *,
    replace: bool,
) -> Iterator[tuple[StudyConfig, list[FloorStudy]]]:
    """Study configs, and record the results of each at once.

    Args:
        due: the configs.
        effort: the effort.
        work: folder of the puzzles.
        out: folder of the records.
        count: number of configs at the same time.
        replace: whether to repeat recorded studies.

    Yields:
        Each config with its studies; [] where all of it was recorded already.
    """
    with open_local_workers(count):
        hand_out = Parallel(return_as="generator_unordered", max_nbytes=None)
        jobs = (delayed(_study_one)(config, effort, work, out, replace) for config in due)
        bar = tqdm(hand_out(jobs), total=len(due), desc="study", unit="config", disable=None)
        for config, found in bar:
            if found:
                task = load_task(config.task)
                floor_studies.write_studies(out, task.name, task.version, found)
            yield config, found


def build_study_input(
    config: StudyConfig, effort: StudyEffort, work: Path, seed: int = SEED
) -> StudyInput:
    """Return a config with its puzzles, which are built unless they exist.

    Args:
        config: the config.
        effort: the effort.
        work: folder of all puzzles.
        seed: root of their seeds.
    """
    plan, settings = _plan_study_build(config, effort, work, seed)
    stages = StageRunner(
        BuildFolder(settings.out), settings.runner, settings.progress, settings.family_settings_of
    )
    # The rows are not published, so nothing audits them.
    with (
        own_folder(stages.folder, plan.to_mark(), settings.runner, replace=settings.replace),
        open_workers(settings.runner),
    ):
        build_rows(plan, stages)
    splits = tuple(dataset_reader.list_splits(settings.out))
    return StudyInput(splits, config.task, _chance_unit(plan), _cell_params(plan), effort.replies)


def build_fresh_dataset(
    config: StudyConfig, effort: StudyEffort, work: Path, seed: int
) -> tuple[Path, dict[str, dict[str, object]]]:
    """Build and audit fresh puzzles of a config.

    Args:
        config: the config.
        effort: the effort.
        work: folder of all puzzles.
        seed: root of their seeds.

    Returns:
        The dataset's folder, and all params of each level by its label.
    """
    plan, settings = _plan_study_build(config, effort, work, seed)
    stages = StageRunner(
        BuildFolder(settings.out), settings.runner, settings.progress, settings.family_settings_of
    )
    build_dataset(DatasetBuild(plan, stages, settings.replace, refuse=False))
    return settings.out, _cell_params(plan)


def _study_one(
    config: StudyConfig, effort: StudyEffort, work: Path, out: Path, replace: bool
) -> tuple[StudyConfig, list[FloorStudy]]:
    plan, _ = _plan_study_build(config, effort, work, SEED)
    task = load_task(config.task)
    rule = load_family_players(task).obvious_rule(task)
    due = {
        label: params
        for label, params in _cell_params(plan).items()
        if replace
        or not floor_studies.has_study(
            out, task.name, task.version, params, by_player=rule is not None
        )
    }
    if not due:
        return config, []
    if rule is not None:
        return config, study_game(config.task, due, effort.count // SEEDS, effort.replies)
    return config, study_config(build_study_input(config, effort, work))


def _plan_study_build(
    config: StudyConfig, effort: StudyEffort, work: Path, seed: int
) -> tuple[BuildPlan, Settings]:
    typed = BuildSettings(
        suites=(config.suite,),
        tasks=(config.name,),
        count=effort.count,
        max_depth=effort.max_depth,
        levels=effort.levels,
        seed=seed,
        out=str(work / f"{config.suite}.{config.name}.{seed}"),
        workers=1,
        progress=False,
        splits="test:1",
    )
    chosen, _ = resolve_settings(typed)
    return compute_plan(chosen), chosen


def _cell_params(plan: BuildPlan) -> dict[str, dict[str, object]]:
    return {cell.difficulty.label: dict(cell.params) for cell in plan.cells}


def _chance_unit(plan: BuildPlan) -> str:
    """Return what chance is a share of, as the task states it."""
    cell = plan.cells[0]
    task = load_task(cell.task)
    chance = task.chance_level(cell.make_params(task))
    return "answers" if chance is None else chance.of
