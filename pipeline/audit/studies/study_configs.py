"""Configs: which configs are to be studied, and the study of one of them from its puzzles on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from joblib import Parallel, delayed
from tqdm import tqdm

from facelet.generators.core.seeding import digest
from facelet.pipeline.build.ownership import owned
from facelet.pipeline.build.plan import make_plan
from facelet.pipeline.build.run import STAGES
from facelet.pipeline.build.runner import run, workers
from facelet.pipeline.build.stages import Build
from facelet.pipeline.config.keys import BuildSettings
from facelet.pipeline.config.resolve import resolve
from facelet.pipeline.dataset import reading, studies
from facelet.pipeline.dataset.studies import Study
from facelet.pipeline.families import family
from facelet.pipeline.families import task as task_of
from facelet.pipeline.floors.studying import Asked, study
from facelet.pipeline.leader import local_workers

WAITING = ("arcade", "chamber", "shapes")
"""Families that are studied only where a task of theirs is named: their puzzles change next."""
WAITING_TASKS = (
    "cube/forward_deformation",
    "cube/inverse_deformation",
    "cube/forward_writing",
    "cube/inverse_writing",
)
"""So are these tasks."""
SEED = int.from_bytes(digest("floors", "puzzles")[:4])
"""Root of all seeds of puzzles that are studied; no build that somebody publishes has it."""
REPLIES_A_MINUTE = 30_000
"""Replies of a game that a processor judges in a minute, about; what is counted is replies."""


@dataclass(frozen=True, slots=True)
class Config:
    """A config that is studied: its suite, its name in it, its task."""

    suite: str
    name: str
    task: str


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried: puzzles of a level, replies of a level, the greatest depth."""

    count: int
    replies: int
    max_depth: int


def configs(suites: Sequence[str], tasks: Sequence[str]) -> list[Config]:
    """Return the configs that are due, in the order of their suites.

    Args:
        suites: names of suites.
        tasks: names of tasks; of families that wait only what is named here is due.

    Raises:
        ValueError: a suite or a task is unknown.
    """
    typed = BuildSettings(suites=tuple(suites) or None, tasks=tuple(tasks) or None)
    chosen, _ = resolve(typed)
    return [
        Config(entry.suite, entry.name, entry.task)
        for entry in chosen.entries
        if tasks or not waits(entry.task)
    ]


def waits(task: str) -> bool:
    """Return whether a task is studied only where it is named."""
    return family(task) in WAITING or task in WAITING_TASKS


def walk(
    due: Sequence[Config], effort: Effort, work: Path, out: Path, count: int, *, replace: bool
) -> Iterator[tuple[Config, list[Study]]]:
    """Study configs, and record what is found of each as soon as it is known.

    Args:
        due: the configs.
        effort: how much is tried.
        work: folder of the puzzles.
        out: folder of the records.
        count: how many are studied at once.
        replace: whether what is recorded is studied again.

    Yields:
        Each config with its studies; [] where all of it was recorded already.
    """
    with local_workers(count):
        hand_out = Parallel(return_as="generator_unordered", max_nbytes=None)
        jobs = (delayed(_one)(config, effort, work, out, replace) for config in due)
        bar = tqdm(hand_out(jobs), total=len(due), desc="study", unit="config", disable=None)
        for config, found in bar:
            if found:
                task = task_of(config.task)
                studies.write(out, task.name, task.version, found)
            yield config, found


def asked(config: Config, effort: Effort, work: Path, seed: int = SEED) -> Asked:
    """Return a config with its puzzles, which are built unless they are there.

    Args:
        config: the config.
        effort: how much is tried.
        work: folder of all puzzles.
        seed: root of their seeds.
    """
    build = _built(config, effort, work, seed)
    _make(build)
    splits = tuple(reading.splits(build.folder.out))
    return Asked(splits, config.task, _of(build), _params(build), effort.replies)


def params_of(config: Config, effort: Effort, work: Path) -> dict[str, dict[str, object]]:
    """Return all params of each level of a config, by its label; nothing is built.

    Args:
        config: the config.
        effort: how much is tried.
        work: folder of all puzzles.
    """
    return _params(_built(config, effort, work, SEED))


def _one(
    config: Config, effort: Effort, work: Path, out: Path, replace: bool
) -> tuple[Config, list[Study]]:
    build = _built(config, effort, work, SEED)
    task = task_of(config.task)
    known = (studies.has(out, task.name, task.version, one) for one in _params(build).values())
    if not replace and all(known):
        return config, []
    return config, study(asked(config, effort, work))


def _built(config: Config, effort: Effort, work: Path, seed: int) -> Build:
    typed = BuildSettings(
        suites=(config.suite,),
        tasks=(config.name,),
        count=effort.count,
        max_depth=effort.max_depth,
        seed=seed,
        out=str(work / f"{config.suite}.{config.name}.{seed}"),
        workers=1,
        progress=False,
        splits="test:1",
    )
    chosen, _ = resolve(typed)
    return Build(chosen, make_plan(chosen))


def _make(build: Build) -> None:
    """Make the shards of a build; it is published by nobody, so nothing audits it."""
    with owned(build), workers(build.settings.runner):
        for stage in STAGES:
            run(build, stage)


def _params(build: Build) -> dict[str, dict[str, object]]:
    return {cell.difficulty.label: dict(cell.params) for cell in build.plan.cells}


def _of(build: Build) -> str:
    """Return what chance is a share of, as the task states it."""
    cell = build.plan.cells[0]
    task = task_of(cell.task)
    chance = task.chance(cell.make_params(task))
    return "answers" if chance is None else chance.of
