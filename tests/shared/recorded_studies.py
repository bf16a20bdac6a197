"""The recorded studies of this checkout, and replays of their players on puzzles never seen."""

from __future__ import annotations

import json

from facelet.pipeline import family_modules
from facelet.pipeline.audit.audited_row import audit_rows
from facelet.pipeline.audit.baseline_players import FixedScript, load_family_players
from facelet.pipeline.audit.blind_episode_players import PlayBudget
from facelet.pipeline.audit.level_plays import LevelEffort, load_cases, select_levels
from facelet.pipeline.audit.studies.floor_study import PUZZLES, StudyInput, study_config
from facelet.pipeline.dataset import floor_studies
from facelet.pipeline.dataset.floor_studies import FloorStudy


def list_studied_tasks() -> dict[str, int]:
    """Return the version of each task that has a file of studies, by name."""
    found = {}
    for family in sorted(floor_studies.STUDIES.iterdir()):
        if family.is_dir():
            for file in sorted(family.iterdir(), key=lambda entry: entry.name):
                if file.name.endswith(".json"):
                    about = json.loads(file.read_text(encoding="utf-8"))
                    found[about["task"]] = int(about["version"])
    return found


def list_task_studies(task: str) -> list[FloorStudy]:
    """Return all studies of a task, of whatever version."""
    file = floor_studies.STUDIES / f"{task}.json"
    return floor_studies.read_studies(file)[1] if file.is_file() else []


def replay_study(found: FloorStudy, asked: StudyInput) -> tuple[float, int] | None:
    """Return a recorded player's win rate on fresh puzzles, and their number; None without any.

    Args:
        found: the record.
        asked: a config of the same task and params, under another seed.
    """
    task = family_modules.load_task(asked.task)
    rows = [row for row in audit_rows(asked.splits, family_modules.load_task) if row.gold]
    for level in select_levels(rows, LevelEffort(PUZZLES, 0, 1.0)):
        if asked.params[level.cell] != found.params:
            continue
        if not found.says:
            again = next((one for one in study_config(asked) if one.params == found.params), None)
            return None if again is None else (again.value, again.items)
        puzzles = load_cases(asked.splits, task, level.rows)
        made = load_family_players(task).pieces(task, [case.instance for case in puzzles])
        # A long reply is sent once, as in the study.
        weight = 1 if made is None or len(found.says) > 1 else 2
        tally = PlayBudget(task, 1 << 30)
        return tally.count_wins(FixedScript(found.says, weight), puzzles) / len(puzzles), len(
            puzzles
        )
    return None
