"""Study how much can be won without looking at the puzzle, and record it.

Makes puzzles of each config under a separate seed, and plays them with players that never look:
tuned lists of replies, boosted trees, memory of other rows, and the players of the audit with more
effort. The best result of each level is recorded in data/floors with the version of its task. A
build prints it where it exceeds the result of its own audit, and fails where the audit finds more.
An interrupted study resumes with the first config without a record.

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
    """The configs to study, and the effort."""

    suites: tuple[str, ...] = key(
        "Suites to study; by default those of a default build, or the first suite with each task "
        "of tasks=.",
        (),
        allowed="names of suites",
    )
    tasks: tuple[str, ...] = key(
        "Only configs of these tasks; all by default.", (), allowed="names such as cube/navigate"
    )
    minutes: int = key(
        "Approximate processor minutes for players of episodes at each level.",
        1,
        low=1,
        high=600,
    )
    max_depth: int = key("Greatest depth to study.", 8, low=1, high=20)
    workers: int = key("Configs to study at the same time.", 1, low=1)
    count: int = key("Puzzles of each level.", 600, low=30, high=100_000)
    out: Path = key("Folder of the records.", Path("data/floors"), allowed="a folder")
    work: Path = key(
        "Folder of the puzzles; kept, so that a study can resume.",
        Path("data/out/floors"),
        allowed="a folder",
    )
    replace: bool = key("Repeat recorded studies.", False)


def run(settings: Settings) -> int:
    """Study; 0 if every requested config has a record.

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
