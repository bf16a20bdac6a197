"""Study one config level by level, on puzzles that were built for the study.

The puzzles are drawn under a separate seed, as anyone may draw them; none is a published row. At
each level compete the row-reading players, trees that learn from all puzzles, the audit's players
of episodes with more effort, and tuned scripts. The best one on puzzles that it was not tuned on is
recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from facelet.generators.core.seeding import digest_names
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.audited_row import audit_rows
from facelet.pipeline.audit.blind_episode_players import PlayCase, has_several_turns
from facelet.pipeline.audit.config_floor import build_share
from facelet.pipeline.audit.level_plays import LevelEffort, load_cases, select_levels
from facelet.pipeline.audit.player_results import PlayerResult, PlayerShare, cross_chosen_share
from facelet.pipeline.audit.row_reading_players import score_row_readers
from facelet.pipeline.audit.studies.option_learner import score_boosted_trees
from facelet.pipeline.audit.studies.tuned_scripts import climb_scripts
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.dataset.floor_studies import FloorStudy
from facelet.pipeline.family_modules import AnyTask, load_task

PUZZLES = 2000
"""Most puzzles of a level that are played."""


@dataclass(frozen=True, slots=True)
class StudyInput:
    """A config to study.

    Attributes:
        splits: its splits.
        task: name of its task.
        share_unit: the unit of shares.
        params: by label, all params of the level.
        replies: replies to spend at each level, on each half of the puzzles.
    """

    splits: tuple[SplitFiles, ...]
    task: str
    share_unit: str
    params: Mapping[str, Mapping[str, object]]
    replies: int


def study_config(asked: StudyInput) -> list[FloorStudy]:
    """Return the study of each level of a config, in order of difficulty."""
    task = load_task(asked.task)
    rows = [row for row in audit_rows(asked.splits, load_task) if row.gold]
    if not rows:
        return []
    several = _has_several_turns(task, asked.splits)
    trees = []
    if asked.share_unit == "answers" and not several and not task.traits.simulated:
        trees = score_boosted_trees(rows, task)
    found = []
    for level in select_levels(rows, LevelEffort(PUZZLES, 0, 1.0)):
        # Level by level: row-reading players use only a part of many rows.
        mine = [row for row in rows if row.cell == level.cell]
        readers = [*score_row_readers(mine, task, asked.share_unit, several=several), *trees]
        played: list[PlayerShare] = []
        says: dict[str, tuple[str, ...]] = {}
        spent = 0
        if asked.share_unit == "answers" and (several or not readers):
            puzzles = load_cases(asked.splits, task, level.rows)
            played, says, spent = _play_level(task, puzzles, asked.replies)
        best = _best_player(readers, level.cell, played)
        if best is not None:
            found.append(
                FloorStudy(
                    label=level.cell,
                    params=asked.params[level.cell],
                    of=asked.share_unit,
                    **build_share(best.value, best.trials),
                    player=best.name,
                    says=says.get(best.name, ()),
                    puzzles=len({row.group for row in rows if row.cell == level.cell}),
                    replies=spent,
                )
            )
    return found


def _has_several_turns(task: AnyTask, splits: Sequence[SplitFiles]) -> bool:
    """Return whether plays may take several replies."""
    row = next(row for split in splits for row in split.iterate_rows())
    instance = task.decode(row)
    return has_several_turns(
        task, PlayCase(row["group"], instance, tuple(task.reference(instance)))
    )


def _play_level(
    task: AnyTask, puzzles: Sequence[PlayCase], replies: int
) -> tuple[list[PlayerShare], dict[str, tuple[str, ...]], int]:
    """Return all players' results on a level's puzzles, the best script, and the replies spent."""
    order = sorted(puzzles, key=lambda case: digest_names("blind", "half", case.group))
    share = replies / (blind_episode_players.TUNING_SHARE + blind_episode_players.JUDGING_SHARE) / 4
    found = [
        PlayerShare(name, hits.hits / hits.plays, hits.plays)
        for name, hits in blind_episode_players.score_blind_players(
            task, order, share=share, most=PUZZLES
        ).items()
    ]
    climbed = climb_scripts(task, order, replies)
    if climbed is None:
        return (
            found,
            {},
            round(
                share * (blind_episode_players.TUNING_SHARE + blind_episode_players.JUDGING_SHARE)
            ),
        )
    found.append(PlayerShare("climbed", climbed.hits / climbed.plays, climbed.plays))
    return found, {"climbed": climbed.says}, climbed.replies


def _best_player(
    readers: Sequence[PlayerResult], cell: str, played: Sequence[PlayerShare]
) -> PlayerShare | None:
    """Return the best player of a level; of row-reading players, as `cross_chosen_share` does."""
    found = list(played)
    if (reader := cross_chosen_share(readers, cell)) is not None:
        found.append(reader)
    return max(found, key=lambda player: player.value, default=None)
