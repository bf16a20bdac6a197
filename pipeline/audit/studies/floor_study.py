"""Studying: the deep study of one config that was built for it, level by level.

The puzzles are those of a build under a seed of its own, so they are drawn as anybody may draw
them, and none is a row that is published. At each level stand against each other: the players that
read rows, trees that learn from all puzzles, the audit's players of episodes with more effort, and
lists that are climbed to. Whoever wins most on puzzles that it was not made on is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from facelet.generators.core.seeding import digest
from facelet.pipeline import families
from facelet.pipeline.audit import blind
from facelet.pipeline.audit.blind import Case, goes_on
from facelet.pipeline.audit.observed import observe
from facelet.pipeline.audit.plays import cases
from facelet.pipeline.audit.readers import reading
from facelet.pipeline.audit.tried import Player, Tried, chosen
from facelet.pipeline.audit.wanting import Effort, wanted
from facelet.pipeline.dataset.reading import Split
from facelet.pipeline.dataset.studies import Study
from facelet.pipeline.families import AnyTask
from facelet.pipeline.floors.improving import climb
from facelet.pipeline.floors.learning import boosted
from facelet.pipeline.scoring.counting.statistics import wilson

PUZZLES = 600
"""Most puzzles of a level that episodes are played of."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is studied of a config.

    Attributes:
        splits: its splits.
        task: name of its task.
        of: what shares are of.
        params: by label, all params of the level.
        replies: replies that are tried at each level, on each half of the puzzles.
    """

    splits: tuple[Split, ...]
    task: str
    of: str
    params: Mapping[str, Mapping[str, object]]
    replies: int


def study(asked: Asked) -> list[Study]:
    """Return what was found at each level of a config, in order of difficulty."""
    task = families.task(asked.task)
    rows = [row for row in observe(asked.splits, families.task) if row.gold]
    if not rows:
        return []
    several = _several(task, asked.splits)
    trees = []
    if asked.of == "answers" and not several and not task.traits.simulated:
        trees = boosted(rows, task)
    found = []
    for level in wanted(rows, Effort(PUZZLES, 0, 1.0)):
        # Level by level: of many rows at once, players that read rows see a part only.
        mine = [row for row in rows if row.cell == level.cell]
        readers = [*reading(mine, task, asked.of, several=several), *trees]
        played: list[Player] = []
        says: dict[str, tuple[str, ...]] = {}
        spent = 0
        if asked.of == "answers" and (several or not readers):
            puzzles = cases(asked.splits, task, level.rows)
            played, says, spent = _played(task, puzzles, asked.replies)
        best = _best(readers, level.cell, played)
        if best is not None:
            low, high = wilson(best.value * best.trials, best.trials)
            found.append(
                Study(
                    label=level.cell,
                    params=asked.params[level.cell],
                    of=asked.of,
                    value=round(best.value, 6),
                    low=round(low, 6),
                    high=round(high, 6),
                    items=best.trials,
                    player=best.name,
                    says=says.get(best.name, ()),
                    puzzles=len({row.group for row in rows if row.cell == level.cell}),
                    replies=spent,
                )
            )
    return found


def _several(task: AnyTask, splits: Sequence[Split]) -> bool:
    """Return whether plays may take several replies."""
    row = next(row for split in splits for row in split.rows())
    instance = task.decode(row)
    return goes_on(task, Case(row["group"], instance, tuple(task.reference(instance))))


def _played(
    task: AnyTask, puzzles: Sequence[Case], replies: int
) -> tuple[list[Player], dict[str, tuple[str, ...]], int]:
    """Return who won what of a level's puzzles, what lists say, and the replies that were tried."""
    order = sorted(puzzles, key=lambda case: digest("blind", "half", case.group))
    share = replies / (blind.TUNED + blind.JUDGED) / 4
    found = [
        Player(name, hits.hits / hits.plays, hits.plays)
        for name, hits in blind.blind(task, order, share=share).items()
    ]
    climbed = climb(task, order, replies)
    if climbed is None:
        return found, {}, round(share * (blind.TUNED + blind.JUDGED))
    found.append(Player("climbed", climbed.hits / climbed.plays, climbed.plays))
    return found, {"climbed": climbed.says}, climbed.replies


def _best(readers: Sequence[Tried], cell: str, played: Sequence[Player]) -> Player | None:
    """Return who won most at a level; of those that read rows, as `chosen` has it."""
    found = list(played)
    if (reader := chosen(readers, cell)) is not None:
        found.append(reader)
    return max(found, key=lambda player: player.value, default=None)
