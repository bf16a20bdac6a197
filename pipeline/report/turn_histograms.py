"""Count after how many turns plays ended, and whether they were solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow.compute as pc

from facelet.pipeline.report.score_runs import ScoredDataset, read_items_table, read_replies_table

PlayKey = tuple[str, str, str]
"""Names of a config, a split and a model."""


@dataclass(slots=True)
class TurnHistogram:
    """The plays of one model on one config.

    Attributes:
        turns: number of turns of each.
        solved: whether each ended well.
    """

    turns: list[int] = field(default_factory=list)
    solved: list[bool] = field(default_factory=list)

    def compute_solved_shares(self) -> list[tuple[int, float]]:
        """Return, for each number of turns, the share of plays solved within so many."""
        total = len(self.turns)
        pairs = list(zip(self.turns, self.solved, strict=True))
        most = max(self.turns, default=0)
        return [
            (turn, sum(good and turns <= turn for turns, good in pairs) / total)
            for turn in _turn_ticks(most)
        ]

    def list_unfinished_after_turns(self) -> list[tuple[int, float]]:
        """Return, for each number of turns, the share of plays that went on after so many."""
        total, most = len(self.turns), max(self.turns, default=0)
        return [(turn, sum(one > turn for one in self.turns) / total) for turn in _turn_ticks(most)]


def _turn_ticks(most: int) -> Sequence[int]:
    """Return at most about 60 numbers of turns from 0 to the most."""
    return range(0, most + 1, max(1, most // 60))


def collect_plays(scored: ScoredDataset) -> Mapping[PlayKey, TurnHistogram]:
    """Return the plays of more than one turn, of configs that have such.

    Raises:
        ValueError: a table of a run cannot be read.
    """
    found: dict[PlayKey, TurnHistogram] = {}
    for run in scored.runs:
        if (said := read_replies_table(run)) is None:
            continue
        turns: dict[tuple[str, str, int], int] = {}
        keys = (said["id"].to_pylist(), said["model"].to_pylist(), said["sample_idx"].to_pylist())
        lengths = pc.list_value_length(said["replies"]).to_pylist()
        for *key, length in zip(*keys, lengths, strict=True):
            turns.setdefault((key[0], key[1], key[2]), length)
        items = read_items_table(run)
        columns = ("config", "split", "model", "id", "sample_idx", "status")
        values = (items[name].to_pylist() for name in columns)
        for config, split, model, identifier, sample, status in zip(*values, strict=True):
            length = turns.get((identifier, model, sample or 0))
            if length is None or status == "duplicate":
                continue
            one = found.setdefault((config, split, model), TurnHistogram())
            one.turns.append(length)
            one.solved.append(status == "correct")
    several = {of[:2] for of, one in found.items() if max(one.turns) > 1}
    return {of: one for of, one in found.items() if of[:2] in several}
