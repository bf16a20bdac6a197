"""Study how much can be won without looking at the puzzle, and record it.

Makes puzzles of each config under a separate seed, and plays them with players that never look:
tuned lists of replies, boosted trees, memory of other rows, and the players of the audit with more
effort. Games are played by five players: any legal command, one list of commands, a list for each
first prompt, a table from the last reply to a command, and an obvious rule. The best result of each
level is recorded in data/floors with the version of its task. A
build prints it where it exceeds the result of its own audit, and fails where the audit finds more.
An interrupted study resumes with the first config without a record.

With player=FILE.py, plays fresh puzzles of one config with your own player in a jail, and compares
what it wins with the published floor. record=true records floors that fall.

Examples:
  facelet floors 'tasks=[cube/navigate]'
  facelet floors minutes=5 workers=2
  facelet floors player=mine.py config=SUITE.CONFIG
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
    levels: str | None = key(
        "Levels of games to study; by default those of the suite.", None, allowed="such as 1-10"
    )
    workers: int = key("Configs to study at the same time.", 1, low=1)
    count: int = key("Puzzles of each level.", 600, low=30, high=100_000)
    out: Path = key("Folder of the records.", Path("data/floors"), allowed="a folder")
    work: Path = key(
        "Folder of the puzzles; kept, so that a study can resume.",
        Path("data/out/floors"),
        allowed="a folder",
    )
    replace: bool = key("Repeat recorded studies.", False)
    player: Path | None = key(
        "Attack a floor with this player.", None, allowed="a Python file with reply(prompts)"
    )
    config: str = key("The config to attack.", "", allowed="SUITE.CONFIG")
    sees: Literal["turns", "last", "first", "nothing"] = key(
        "Prompts that the player sees: all so far, the last, the first, or none.", "turns"
    )
    seconds: int = key("Time of the player for all plays.", 60, low=1, high=86_400)
    jail: Literal["namespaces", "none"] = key(
        "Where the player runs; none can read what you can read.", "namespaces"
    )
    record: bool = key("Record levels whose floor falls, with a copy of the player.", False)


def run(settings: Settings) -> int:
    """Study, or attack a floor; 0 when it is done.

    Raises:
        ValueError: a suite, task or config is unknown, scikit-learn is missing, or a player fails.
        NoJailError: no jail can be had here.
    """
    if settings.player is not None:
        return _attack_floor(settings, settings.player)
    if settings.config or settings.record:
        raise ValueError("config= and record= belong to an attack: add player=FILE.py")
    from facelet.pipeline.audit.studies.study_configs import (
        REPLIES_A_MINUTE,
        StudyEffort,
        list_study_configs,
        study_all,
    )
    from facelet.pipeline.dataset.atomic_files import create_folder
    from facelet.pipeline.dataset.floor_record import format_share

    due = list_study_configs(settings.suites, settings.tasks)
    effort = StudyEffort(
        settings.count,
        settings.minutes * REPLIES_A_MINUTE,
        settings.max_depth,
        settings.levels,
    )
    out, work = settings.out, settings.work
    create_folder(out)  # A study takes long; a bad folder fails before it.
    for config, found in study_all(
        due, effort, work, out, settings.workers, replace=settings.replace
    ):
        print(sanitize_text(f"{config.suite}.{config.name}{'' if found else ': recorded already'}"))
        for one in found:
            ends = f"{one.low:.1%} to {one.high:.1%}"
            print(
                sanitize_text(
                    f"  {one.label}: {format_share(one.value, one.of)} ({ends}), {one.player}"
                    + "".join(f"; {name} {won['value']:.1%}" for name, won in one.players.items())
                )
            )
        sys.stdout.flush()
    return 0


def _attack_floor(settings: Settings, file: Path) -> int:
    from facelet.pipeline.audit.studies.player_attack import (
        attack_config,
        read_player,
        record_attack,
    )
    from facelet.pipeline.audit.studies.study_configs import StudyEffort, find_study_config
    from facelet.pipeline.dataset.floor_record import format_share_interval

    source = read_player(file)
    attack = attack_config(
        find_study_config(settings.config),
        "".join(sign if sign.isalnum() else "_" for sign in file.stem),
        source,
        StudyEffort(settings.count, 0, settings.max_depth, settings.levels),
        sees=settings.sees,
        seconds=settings.seconds,
        jail=settings.jail,
    )
    if attack.printed:
        print(f"the player printed:\n{sanitize_text(attack.printed)}", file=sys.stderr)
    for level in attack.levels:
        won, verdict = level.won, "above" if level.is_above else "not above"
        print(
            f"{settings.config} {won.label}: {won.value:.1%} ({won.low:.1%} to {won.high:.1%}) of "
            f"{won.items} puzzles; published {format_share_interval(level.published)}, "
            f"{level.player}: {verdict}"
        )
    if not attack.is_blind:
        print("The player reads the puzzle's text; only sees=nothing can beat a floor.")
    if settings.record:
        fallen = record_attack(attack, source, settings.out)
        print(f"recorded in {settings.out}: {', '.join(fallen) or 'nothing'}")
    return 0
