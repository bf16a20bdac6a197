"""Keep the position of a stream, its groups of rollouts and its checkpoints, for a trainer.

A row is finished when its first reward arrives. A state contains the rows that were taken but not
finished, and they come first after `restore`: rows that a trainer loads ahead are not lost, and a
resumed run takes the rows of the uninterrupted one. Evaluation has a stream of its own, whose rows
have other ids and whose rewards reach no sampler.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from facelet.pipeline.dataset.row_columns import AnyRow, cell_label
from facelet.pipeline.json_types import JSON
from facelet.pipeline.rollout.streams.row_stream import EVALUATION, Stream

ROW_CACHE_SIZE = 1024
"""Rows that a process caches; each is read once per rollout."""

BATCHES_AHEAD = 2
"""Generation batches that a trainer may draw before the rewards of the first of them."""


@dataclass(frozen=True, slots=True)
class TrainerSetup:
    """How a trainer uses a stream.

    Attributes:
        rows: different rows of a generation batch, over all processes.
        group: rollouts of a row.
        rollouts: rollouts of a generation batch in this process.
        is_using: returns whether the trainer uses this stream now: trains, or evaluates.
    """

    rows: int
    group: int
    rollouts: int
    is_using: Callable[[], bool]


class StreamProgress:
    """The stream of a description in this process; see the module.

    Attributes:
        stream: the stream.
        trainer: how a trainer uses it; None if a loop of the caller's own does.
        row: returns the row of an id, without pictures.
    """

    def __init__(
        self,
        open_stream: Callable[[], Stream],
        selects_row: Callable[[AnyRow], bool] = bool,
        open_evaluation: Callable[[], Stream] | None = None,
    ) -> None:
        """Start at the first row of a stream.

        Args:
            open_stream: opens the stream.
            selects_row: returns whether to take a row; others are skipped. By default all.
            open_evaluation: opens the stream for evaluation; None if this is one.
        """
        self.stream, self._selects_row = open_stream(), selects_row
        self._open_evaluation = open_evaluation
        self.trainer: TrainerSetup | None = None
        self.row: Callable[[str], dict[str, Any]] = lru_cache(ROW_CACHE_SIZE)(self.stream.row)
        self._first = self.stream.state()
        self._start_counting()

    def _start_counting(self) -> None:
        self._taken = self._rollouts = 0
        self._unfinished: dict[str, int] = {}  # ids of rows, and numbers of their batches
        self._group: tuple[int, str] = (-1, "")  # number and row of the latest group
        self._repeated: tuple[AnyRow, int] = ({}, 0)  # latest row, and rollouts that it still plays

    @cached_property
    def evaluation(self) -> StreamProgress:
        """The stream for evaluation."""
        if self._open_evaluation is None:
            return self
        return StreamProgress(self._open_evaluation, self._selects_row)

    def select_stream(self, identifier: str = "") -> StreamProgress:
        """Return the progress to which a row belongs; without a row, the one that is used now."""
        if identifier:
            evaluates = cell_label(identifier).startswith(f"{EVALUATION}-")
        else:
            evaluates = self.trainer is not None and not self.trainer.is_using()
        return self.evaluation if evaluates else self

    def take_row(self) -> dict[str, Any]:
        """Return the next row.

        Raises:
            ValueError: the sampler learns, and the trainer loads too many rows before rewards.
        """
        trainer = self.trainer
        if trainer and not self.stream.is_steady:
            if len(self._unfinished) >= BATCHES_AHEAD * trainer.rows:
                raise ValueError(
                    f"{len(self._unfinished)} rows were loaded before their rewards, and a "
                    f"generation batch has {trainer.rows}: the sampler cannot learn from them in "
                    "time; train on the dataset that `prompts` returns, without shuffling it "
                    "(shuffle_dataset=False), or use sampler='uniform'"
                )
        row = next(filter(self._selects_row, self.stream))
        batch = trainer.rows if trainer and _count_processes() > 1 else 1
        self._unfinished[str(row["id"])] = self._taken // batch
        self._taken += 1
        return row

    def start_rollout(self, identifier: str = "", group: int = 0) -> AnyRow:
        """Return the row of a rollout that starts.

        Args:
            identifier: id of the row; "" for the stream's own: `group` rollouts in a row play it.
            group: rollouts of a row; 0 for the trainer's number.

        Raises:
            ValueError: the group is unknown, or its rollouts play different rows.
        """
        if identifier:
            row: AnyRow = self.row(identifier)
        else:
            row = self._repeat_row(group)
        self.check_use(str(row["id"]))
        if self.trainer is not None:
            self._check_group(str(row["id"]), self.trainer)
        return row

    def _repeat_row(self, group: int) -> AnyRow:
        """Return the row of the next rollout; several processes take turns by their ranks."""
        known = self.trainer.group if self.trainer else group
        if not known:
            raise ValueError(
                "the number of rollouts of a row is unknown; pass TrainingCallback(rows) in the "
                "trainer's callbacks, or group=num_generations to environment_factory"
            )
        if group not in (0, known):
            raise ValueError(f"group={group}, and num_generations is {known}; leave group out")
        if self.trainer and self.trainer.rollouts % known:
            raise ValueError(
                f"a process generates {self.trainer.rollouts} rollouts at a time, and a group has "
                f"{known}: without a dataset each process needs whole groups; change "
                "per_device_train_batch_size or num_generations"
            )
        row, left = self._repeated
        if not left:
            rank, left = int(os.environ.get("RANK", "0")), known
            rows = [self.take_row() for _ in range(_count_processes())]
            row = rows.pop(rank)
            for other in rows:
                del self._unfinished[str(other["id"])]
        self._repeated = (row, left - 1)
        return row

    def _check_group(self, identifier: str, trainer: TrainerSetup) -> None:
        """Check that all rollouts of a group play one row; other processes may start some."""
        batch, place = divmod(self._rollouts, trainer.rollouts)
        self._rollouts += 1
        rank = int(os.environ.get("RANK", "0"))
        within = _count_processes() * trainer.rollouts // trainer.group
        number = batch * within + (rank * trainer.rollouts + place) // trainer.group
        begun, first = self._group
        if number == begun and identifier != first:
            raise ValueError(
                f"a group of {trainer.group} rollouts plays {first} and {identifier}; all rollouts "
                "of a group must play one row, or their advantages mean nothing: do not reorder "
                "the trainer's rows"
            )
        self._group = (number, identifier)

    def check_use(self, identifier: str) -> None:
        """Check that the trainer trains on rows for training, and evaluates on the others.

        Raises:
            ValueError: it does not.
        """
        if self.trainer is not None and not self.trainer.is_using():
            raise ValueError(
                f"the trainer trains on {identifier}, a row for evaluation, or evaluates on a row "
                "for training; pass train_dataset=prompts(rows) and "
                "eval_dataset=prompts(rows.for_evaluation(), limit=...)"
            )

    def record_reward(self, identifier: str, *rewards: float) -> None:
        """Report the rewards of rollouts to a sampler that learns, and finish their row."""
        self.check_use(identifier)
        if identifier in self._unfinished:
            batch = self._unfinished[identifier]
            left = {name: own for name, own in self._unfinished.items() if own != batch}
            self._unfinished = left
        if rewards and not self.stream.is_steady:
            self.stream.tell(identifier, [min(1.0, max(0.0, reward)) for reward in rewards])

    def state(self) -> dict[str, JSON]:
        """Return the state to resume from as plain JSON."""
        return self.stream.state(self._unfinished)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume from a state.

        Raises:
            ValueError: the state belongs to another stream.
        """
        self.stream.restore(state)
        self._start_counting()

    def start_again(self) -> None:
        """Return to the first row and forget all rewards."""
        self.restore(self._first)


def _count_processes() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))
