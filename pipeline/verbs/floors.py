"""Study how much can be won without looking at the puzzle, and record it.

Makes puzzles of each config under their own seed and plays them with players that never look:
optimized lists of replies, boosted trees, the answers of other rows, and the players of the audit
with more effort. Writes the best of each level to data/floors, with the version of its task. A
build states the recorded value if it is greater than what its own audit finds, and fails if the
audit finds more. Repeat the command to resume: the study continues with the first config without a
record.

Examples:
  facelet floors 'tasks=[cube/navigate]'
  facelet floors minutes=5 workers=2
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is studied, and with how much effort."""

    suites: tuple[str, ...] = key(
        "Suites whose configs are studied; those that a build makes by default.",
        (),
        allowed="names of suites",
    )
    tasks: tuple[str, ...] = key(
        "Only configs of these tasks; all by default.", (), allowed="names such as cube/navigate"
    )
    minutes: int = key(
        "Processor minutes that players of episodes may take at each level, about.",
        1,
        low=1,
        high=600,
    )
    max_depth: int = key("Depths beyond it are left out.", 8, low=1, high=20)
    workers: int = key("Configs studied at the same time.", 1, low=1)
    count: int = key("Puzzles made at each level.", 600, low=30, high=100_000)
    out: Path = key("Where records go.", Path("data/floors"), allowed="a folder")
    work: Path = key(
        "Where puzzles are built; kept, so that a study goes on.",
        Path("data/out/floors"),
        allowed="a folder",
    )
    replace: bool = key("Study again what is recorded already.", False)


def run(settings: Settings) -> int:
    """Study; 0 when everything asked for has a record.

    Raises:
        ValueError: a suite or a task is unknown, or scikit-learn is missing.
    """
    from facelet.pipeline.audit.studies.study_configs import (
        REPLIES_A_MINUTE,
        StudyEffort,
        list_study_configs,
        study_all,
    )
    from facelet.pipeline.dataset.chance_record import format_share

    due = list_study_configs(settings.suites, settings.tasks)
    effort = StudyEffort(settings.count, settings.minutes * REPLIES_A_MINUTE, settings.max_depth)
    out, work = settings.out, settings.work
    for config, found in study_all(
        due, effort, work, out, settings.workers, replace=settings.replace
    ):
        print(sanitize_text(f"{config.suite}.{config.name}{'' if found else ': recorded already'}"))
        for one in found:
            ends = f"{one.low:.1%} to {one.high:.1%}"
            print(
                sanitize_text(
                    f"  {one.label}: {format_share(one.value, one.of)} ({ends}), {one.player}"
                )
            )
        sys.stdout.flush()
    return 0
