"""Make a dataset from a configuration; resumes where it stopped.

Proves states of every requested depth, composes the tasks of the chosen suites, draws the pictures,
writes Parquet shards, audits their fairness, and writes card and manifest. To resume a run that was
stopped or killed, repeat the command. The result is identical to the byte, for any number of
workers.

A key for one task overrides the key for all tasks, which overrides the suite, which overrides the
profile, which overrides the defaults. A key that affects none of the chosen configs is refused. The
command names configs that a key does not affect, and depths and levels that a task of a suite
lacks.

Examples:
  facelet build profile=smoke
  facelet build depths=1-8 'tasks=[move_prediction,move_effect]' out=data/out/moves
  facelet build profile=large splits=train:8,test:2 seed=7
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.config.build_settings import BuildArguments
from facelet.pipeline.config.build_settings import BuildSettings as Settings

if TYPE_CHECKING:
    from facelet.pipeline.build.build_plan import BuildPlan
    from facelet.pipeline.config.build_settings import Settings as ResolvedSettings
    from facelet.pipeline.dataset.manifest_file import Manifest

__all__ = ["PreparedBuild", "Settings", "build_to_folder", "prepare_build", "run", "run_prepared"]


@dataclass(frozen=True, slots=True)
class PreparedBuild:
    """A valid configuration and its plan.

    Attributes:
        settings: the configuration.
        plan: the shards.
        text: the whole configuration as text.
        notes: notes on keys that affect only some of the chosen configs.
    """

    settings: ResolvedSettings
    plan: BuildPlan
    text: str
    notes: Sequence[str]


def run(settings: BuildArguments) -> int:
    """Build a dataset; 0 when it is made, 1 when the audit refuses it.

    Raises:
        ValueError: the configuration is bad, or the folder holds something else or is in use.
    """
    from facelet.pipeline.build.build_summary import describe_plan

    prepared = prepare_build(settings)
    if settings.show:
        print(f"{prepared.text}\n{describe_plan(prepared.plan)}")
        print("\n".join(f"# {one}" for one in prepared.notes), end="\n" if prepared.notes else "")
        return 0
    return run_prepared(prepared)


def run_prepared(prepared: PreparedBuild) -> int:
    """Build a dataset and print its summary; 0 when it is made, 1 when the audit refuses it.

    Raises:
        ValueError: the folder holds something else or is in use.
    """
    from facelet.pipeline.audit.dataset_audit import AuditError
    from facelet.pipeline.build.build_summary import summarize_build

    try:
        with _interrupt_on_termination():
            manifest, seconds = build_to_folder(prepared)
    except AuditError as error:
        print(f"facelet build: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; rerun the command to continue", file=sys.stderr)
        return 130
    if not prepared.settings.quiet:
        print(summarize_build(prepared.settings.out, manifest, seconds))
    return 0


@contextmanager
def _interrupt_on_termination() -> Iterator[None]:
    """Inside the block, SIGTERM acts as Ctrl-C does, so workers end in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


def prepare_build(settings: BuildArguments) -> PreparedBuild:
    """Return the build that settings describe.

    Raises:
        ValueError: the configuration is bad.
    """
    from facelet.pipeline import family_modules
    from facelet.pipeline.build.build_plan import compute_plan
    from facelet.pipeline.config.setting_precedence import list_params, list_unaffected_configs
    from facelet.pipeline.config.settings_resolver import resolve_settings

    chosen, text = resolve_settings(settings)
    params = {e.config_name: list_params(family_modules.load_task(e.task)) for e in chosen.entries}
    notes = list_unaffected_configs(chosen, params)
    return PreparedBuild(chosen, compute_plan(chosen), text, notes)


def build_to_folder(prepared: PreparedBuild) -> tuple[Manifest, Mapping[str, float]]:
    """Print notes on stderr, build the dataset, and return its manifest and seconds by stage.

    Raises:
        AuditError: the audit finds the dataset unfair.
        ValueError: the folder holds something else or is in use.
    """
    # These imports take long; a bad value fails before them.
    from facelet.pipeline.build.build_folder import BuildFolder
    from facelet.pipeline.build.dataset_builder import DatasetBuild, build_dataset
    from facelet.pipeline.build.job_runner import StageRunner

    chosen = prepared.settings
    if not chosen.quiet:
        for note in prepared.notes:
            print(sanitize_text(f"note: {note}"), file=sys.stderr)
    stages = StageRunner(
        BuildFolder(chosen.out), chosen.runner, chosen.progress, chosen.family_settings_of
    )
    refuse = chosen.unfair == "refuse"
    build = DatasetBuild(prepared.plan, stages, chosen.replace, refuse, chosen.citation)
    return build_dataset(build), stages.timer.seconds
