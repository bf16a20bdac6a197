"""Describe a stream for trainers, and keep one stream of each description per process.

    rows = Streamed("cube/move_effect", seed=7, levels="1-5", sampler="frontier")

The description travels to other processes; the rows do not. Each process opens the stream once and
generates rows by number or id, so any process can grade a reply to an id. Rewards reach a sampler
that learns in the process that generated the row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

from facelet.pipeline.adapters._dataset_folder import describe_course, refuse_new_chats
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.streams.row_stream import SamplerName, Stream, stream
from facelet.pipeline.rollout.streams.samplers import SamplerChoice

ROW_CACHE_SIZE = 1024
"""Rows that a process caches; each is read once per rollout."""


class StreamProgress:
    """The stream of a description in this process: its position, groups of rollouts and rewards.

    Attributes:
        stream: the stream.
        row: returns the row of an id, without pictures.
    """

    def __init__(self, made: Stream) -> None:
        """Start at the first row of a stream."""
        self.stream = made
        self.row: Callable[[str], dict[str, Any]] = lru_cache(ROW_CACHE_SIZE)(made.row)
        self._ids: list[str] = []  # of the rows that a sampler that learns has drawn, in order
        self._numbered = lru_cache(ROW_CACHE_SIZE)(made.__getitem__)
        self._rollouts = 0

    def row_at(self, number: int) -> dict[str, Any]:
        """Return row `number`; a sampler that learns gives the next row or an earlier one.

        Raises:
            ValueError: the row is neither.
        """
        if self.stream.is_steady:
            return self._numbered(number)
        if number == len(self._ids):
            self._ids.append(str(next(self.stream)["id"]))
        if not 0 <= number < len(self._ids):
            raise ValueError(
                f"row {number} is not the next row, {len(self._ids)}; take rows in order"
            )
        return self.row(self._ids[number])

    def next_rollout_row(self, group: int) -> dict[str, Any]:
        """Return the row of the next rollout: `group` consecutive rollouts share a row.

        Trainers reset the rollouts of a group one after another. Several training processes take
        turns in the order of their ranks.
        """
        number = self._rollouts // group
        self._rollouts += 1
        rank, ranks = (int(os.environ.get(*one)) for one in (("RANK", "0"), ("WORLD_SIZE", "1")))
        return self.row_at(number * ranks + rank)

    def record_reward(self, identifier: str, reward: float) -> None:
        """Report the reward of a rollout to a sampler that learns."""
        if not self.stream.is_steady:
            self.stream.tell(identifier, min(1.0, max(0.0, reward)))


_PROGRESS: dict[str, StreamProgress] = {}


@dataclass(frozen=True)
class Streamed:
    """The description of a stream, with the arguments of `facelet.stream`.

    Attributes:
        tasks: name of a task or of a suite, or several suites.
        seed: root of all seeds.
        levels: levels, such as "1-5"; "" for those of the suite.
        sampler: selects the cell of each row.
        apart: datasets whose test rows the stream does not show.
        workers: processes that generate rows ahead for a trainer that takes them in order.
        params: params of a task, where the stream has one task.
    """

    tasks: str | Sequence[str]
    seed: int = 0
    levels: str = ""
    sampler: SamplerName | SamplerChoice = "uniform"
    apart: Sequence[str] = ()
    workers: int = 0
    params: dict[str, Any] = field(default_factory=dict)

    def open_stream(self) -> Stream:
        """Return a new stream.

        Raises:
            ValueError: the description is invalid.
        """
        return stream(
            self.tasks,
            self.seed,
            levels=self.levels or None,
            sampler=self.sampler,
            apart=tuple(self.apart),
            workers=self.workers,
            **self.params,
        )

    @property
    def progress(self) -> StreamProgress:
        """The stream of this process."""
        key = repr(self)
        if key not in _PROGRESS:
            _PROGRESS[key] = StreamProgress(self.open_stream())
        return _PROGRESS[key]

    def process_stream(self) -> Stream:
        """Return the stream of this process, whose sampler receives the rewards."""
        return self.progress.stream

    def iterate_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows from the first on, or from the next one if the sampler learns.

        Raises:
            ValueError: the sampler learns, and several processes train.
        """
        if not self.progress.stream.is_steady:
            self.check_single_process()
            for _ in count():
                yield next(self.progress.stream)
        with self.open_stream() as made:
            yield from made

    def check_single_process(self) -> None:
        """Refuse several training processes if the sampler learns.

        Raises:
            ValueError: there are several.
        """
        if not self.progress.stream.is_steady and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise ValueError(
                f"sampler={self.sampler!r} learns from all rewards, and each of several training "
                "processes knows only its own; use sampler='uniform', 'curriculum' or one process"
            )


def check_prompt_form(described: Streamed, tool: str) -> bool:
    """Check one row of each config; return whether first prompts show pictures.

    Args:
        described: the stream.
        tool: name of the tool, for the error message.

    Raises:
        ValueError: a turn begins a new chat; or only some rows have pictures.
    """
    made = described.progress.stream
    first = {name.rpartition("/")[0]: name for name in reversed(made.cells)}
    rows = {config: made.example(name) for config, name in first.items()}
    refuse_new_chats({config: describe_course(row) for config, row in rows.items()}, tool)
    return check_same_form([bool(open_row(row).images) for row in rows.values()])


def check_same_form(pictured: Sequence[bool]) -> bool:
    """Return whether rows have pictures.

    Raises:
        ValueError: some have pictures and some have none.
    """
    if len(set(pictured)) > 1:
        raise ValueError("some of these rows have pictures and some have none; take them apart")
    return any(pictured)
