"""A stream as trainers name it: what it is made of travels to other processes, its rows do not.

    rows = Streamed("cube/move_effect", seed=7, levels="1-5", sampler="frontier")

Each process makes the stream once and makes its rows by number or by id, so that a reward is known
wherever the id is. A sampler that learns is told rewards in the process that made the row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

from facelet.pipeline.adapters._dataset_folder import begins_new_chat
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.streams.row_stream import SamplerName, Stream, stream
from facelet.pipeline.rollout.streams.samplers import SamplerChoice

ROW_CACHE_SIZE = 1024
"""Rows that a process keeps: each is asked for once a rollout."""


@dataclass(frozen=True)
class Streamed:
    """What a stream is made of; the names are those of `facelet.stream`.

    Attributes:
        tasks: name of a task or of a suite, or several suites.
        seed: root of all seeds.
        levels: levels, as "1-5"; "" for what the suite says.
        sampler: which cell each row is of.
        apart: datasets of whose test rows nothing is shown.
        workers: processes that make rows ahead of a trainer that takes them in order.
        params: params of a task that stands alone.
    """

    tasks: str | Sequence[str]
    seed: int = 0
    levels: str = ""
    sampler: SamplerName | SamplerChoice = "uniform"
    apart: Sequence[str] = ()
    workers: int = 0
    params: dict[str, Any] = field(default_factory=dict)

    def open_stream(self) -> Stream:
        """Return a stream of one's own.

        Raises:
            ValueError: there is none of this description.
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

    def process_stream(self) -> Stream:
        """Return the stream of this process, whose sampler is told what rollouts were worth."""
        return self._find_cached().stream

    def find_row(self, identifier: str) -> dict[str, Any]:
        """Return the row of an id, without pictures.

        Raises:
            ValueError: there is no such row.
        """
        return self._find_cached().row(identifier)

    def row_at(self, number: int) -> dict[str, Any]:
        """Return row `number`; where the sampler learns, it must be the next or one before it.

        Raises:
            ValueError: it is not.
        """
        return self._find_cached().row_at(number)

    def record_reward(self, identifier: str, reward: float) -> None:
        """Tell the sampler what a rollout of a row was worth."""
        self.process_stream().tell(identifier, reward)

    def iterate_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows in order, from the first on; of a sampler that learns, from the next on.

        Raises:
            ValueError: the sampler learns, and several processes train.
        """
        if self.depends_on_rewards():
            self.check_single_process()
            for _ in count():
                yield next(self.process_stream())
        with self.open_stream() as made:
            yield from made

    def depends_on_rewards(self) -> bool:
        """Whether which row comes next depends on rewards."""
        return not self.process_stream().is_steady

    def check_single_process(self) -> None:
        """Refuse several training processes, where the sampler learns.

        Raises:
            ValueError: there are several.
        """
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise ValueError(
                f"sampler={self.sampler!r} learns from all rewards, and several processes train, "
                "which know their own only; take sampler='uniform' or 'curriculum', or one process"
            )

    def _find_cached(self) -> _CachedStream:
        key = repr(self)
        if key not in _CACHE:
            _CACHE[key] = _CachedStream(self.open_stream())
        return _CACHE[key]


class _CachedStream:
    """A stream of this process and the rows that it made last."""

    def __init__(self, made: Stream) -> None:
        self.stream = made
        self._ids: list[str] = []  # of the rows of a sampler that learns, in their order
        self.row: Callable[[str], dict[str, Any]] = lru_cache(ROW_CACHE_SIZE)(made.row)
        self._numbered = lru_cache(ROW_CACHE_SIZE)(made.__getitem__)

    def row_at(self, number: int) -> dict[str, Any]:
        if self.stream.is_steady:
            return self._numbered(number)
        if number == len(self._ids):
            self._ids.append(str(next(self.stream)["id"]))
        if not 0 <= number < len(self._ids):
            raise ValueError(f"row {number} is not the next, {len(self._ids)}; take them in order")
        return self.row(self._ids[number])


_CACHE: dict[str, _CachedStream] = {}


def check_prompt_form(told: Streamed, tool: str) -> bool:
    """Look at one row of each config; return whether rows show pictures at first.

    Args:
        told: the stream.
        tool: who plays, for the message.

    Raises:
        ValueError: a turn begins a new chat; or some rows have pictures and some have none.
    """
    made = told.process_stream()
    first = {name.rpartition("/")[0]: name for name in reversed(made.cells)}
    rows = {config: made.example(name) for config, name in first.items()}
    if new := [config for config, row in rows.items() if begins_new_chat(row)]:
        raise ValueError(
            f"{', '.join(new)}: a turn begins a new chat, and {tool} adds to the one there is; "
            "leave this out"
        )
    pictured = [bool(open_row(row).images) for row in rows.values()]
    if len(set(pictured)) > 1:
        raise ValueError("some of these rows have pictures and some have none; take them apart")
    return pictured[0]
