"""Replaying: a recorded player plays puzzles that it has never met.

A list says what it said; a player that learns, or is tuned, is made again by the same recipe from
the fresh puzzles, and judged on those that it was not made on.
"""

from __future__ import annotations

from facelet.pipeline import families
from facelet.pipeline.audit.blind import Tally
from facelet.pipeline.audit.observed import observe
from facelet.pipeline.audit.plays import cases
from facelet.pipeline.audit.policies import Fixed
from facelet.pipeline.audit.wanting import Effort, wanted
from facelet.pipeline.dataset.studies import Study
from facelet.pipeline.floors.studying import PUZZLES, Asked, study


def replay(found: Study, asked: Asked) -> tuple[float, int] | None:
    """Return what a recorded player wins of fresh puzzles, and of how many; None without any.

    Args:
        found: the record.
        asked: a config of the same task and params, under another seed.
    """
    task = families.task(asked.task)
    rows = [row for row in observe(asked.splits, families.task) if row.gold]
    for level in wanted(rows, Effort(PUZZLES, 0, 1.0)):
        if asked.params[level.cell] != found.params:
            continue
        if not found.says:
            again = next((one for one in study(asked) if one.params == found.params), None)
            return None if again is None else (again.value, again.items)
        puzzles = cases(asked.splits, task, level.rows)
        pieces = families.find(f"{families.family(task.name)}/blind", "pieces")
        made = None if pieces is None else pieces(task, [case.instance for case in puzzles])
        # A long reply is said once, as it was when it was found.
        weight = 1 if made is None or len(found.says) > 1 else 2
        tally = Tally(task, 1 << 30)
        return tally.right(Fixed(found.says, weight), puzzles) / len(puzzles), len(puzzles)
    return None
