"""Replay a recorded player on puzzles that it has never seen.

A script is replayed as recorded; a player that learns, or is tuned, is fitted again to the fresh
puzzles, and judged on those that it was not fitted to.
"""

from __future__ import annotations

from facelet.pipeline import family_modules
from facelet.pipeline.audit.audited_row import audit_rows
from facelet.pipeline.audit.baseline_players import FixedScript, load_family_players
from facelet.pipeline.audit.blind_episode_players import PlayBudget
from facelet.pipeline.audit.level_plays import load_cases
from facelet.pipeline.audit.play_selection import LevelEffort, select_levels
from facelet.pipeline.audit.studies.floor_study import PUZZLES, StudyInput, study_config
from facelet.pipeline.dataset.floor_studies import FloorStudy


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
