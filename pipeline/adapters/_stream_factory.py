"""Describe a stream for trainers, and keep one stream of each description per process.

    rows = Streamed("cube/move_effect", seed=7, levels="1-5", sampler="frontier")

The description travels to other processes; the rows do not. Each process opens the stream once and
generates rows by number or id, so any process can grade a reply to an id. Rewards reach a sampler
that learns in the process that generated the row. `rows.for_evaluation()` describes another stream.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from facelet.pipeline.adapters._dataset_folder import describe_course, refuse_new_chats
from facelet.pipeline.adapters._stream_progress import StreamProgress
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import iterate_parts
from facelet.pipeline.rollout.streams.row_stream import SamplerName, Stream, stream
from facelet.pipeline.rollout.streams.samplers import SamplerChoice

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
        pictures: True for rows with pictures only, False for rows without, None for all.
        evaluation: whether this is the stream of `for_evaluation`.
    """

    tasks: str | Sequence[str]
    seed: int = 0
    levels: str = ""
    sampler: SamplerName | SamplerChoice = "uniform"
    apart: Sequence[str] = ()
    workers: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    pictures: bool | None = None
    evaluation: bool = False

    def for_evaluation(self) -> Streamed:
        """Return a stream of the same tasks with other rows, drawn uniformly, for evaluation."""
        return replace(self, sampler="uniform", evaluation=True)

    def selects_row(self, row: AnyRow) -> bool:
        """Return whether the description selects a row of its stream."""
        return self.pictures in (None, has_pictures(row))

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
            evaluation=self.evaluation,
            workers=self.workers,
            **self.params,
        )

    @property
    def progress(self) -> StreamProgress:
        """The stream of this process."""
        key = repr(self)
        if key not in _PROGRESS:
            own = None if self.evaluation else self.for_evaluation().open_stream
            _PROGRESS[key] = StreamProgress(self.open_stream, self.selects_row, own)
        return _PROGRESS[key]

    def process_stream(self) -> Stream:
        """Return the stream of this process, whose sampler receives the rewards."""
        return self.progress.stream

    def iterate_rows(self, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows that a trainer takes; without a trainer, yield them from the first on.

        Args:
            limit: maximum number of rows; None for no end.

        Raises:
            ValueError: the sampler learns, and several processes or no trainer use it.
        """
        self.check_single_process()
        progress = self.progress
        if progress.trainer is None:
            if not progress.stream.is_steady:
                raise ValueError(
                    f"sampler={self.sampler!r} selects rows by rewards: pass "
                    "callbacks=[TrainingCallback(rows)] to GRPOTrainer; to read rows, use "
                    "facelet.stream"
                )
            progress = StreamProgress(self.open_stream, self.selects_row)
        for _ in count() if limit is None else range(limit):
            yield progress.take_row()

    def check_single_process(self) -> None:
        """Refuse several processes, for training or for rows, if the sampler learns.

        Raises:
            ValueError: there are several.
        """
        if self.progress.stream.is_steady:
            return
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise ValueError(
                f"sampler={self.sampler!r} learns from all rewards, and each of several training "
                "processes knows only its own; use sampler='uniform', 'curriculum' or one process"
            )
        if self.workers:
            raise ValueError(
                f"workers={self.workers} generate rows before the rewards that select them; use "
                f"workers=0 with sampler={self.sampler!r}"
            )


def check_prompt_form(described: Streamed, tool: str) -> bool:
    """Check one row of each config; return whether first prompts show pictures.

    Args:
        described: the stream.
        tool: name of the tool, for the error message.

    Raises:
        ValueError: a turn begins a new chat; only some rows have pictures; or the description
            selects no row.
    """
    rows = _list_examples(described)
    refuse_new_chats({config: describe_course(own[0]) for config, own in rows.items()}, tool)
    return check_same_form([has_pictures(row) for own in rows.values() for row in own])


def shows_pictures(described: Streamed) -> bool:
    """Return whether a turn of one of the rows of a stream shows pictures."""
    rows = [own[0] for own in _list_examples(described).values()]
    return any(has_pictures(row) or describe_course(row).most_pictures > 0 for row in rows)


def _list_examples(described: Streamed) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the first item of each config that the description selects.

    Raises:
        ValueError: it selects none.
    """
    made, found = described.progress.stream, dict[str, list[dict[str, Any]]]()
    for name in reversed(made.cells):
        rows = [row for row in made.first_rows(name) if described.selects_row(row)]
        if rows:
            found[name.rpartition("/")[0]] = rows
    if not found:
        raise ValueError(f"pictures={described.pictures}: no row of {described.tasks} is like this")
    return found


def check_same_form(pictured: Sequence[bool]) -> bool:
    """Return whether rows have pictures.

    Raises:
        ValueError: some have pictures and some have none.
    """
    if len(set(pictured)) > 1:
        raise ValueError(
            f"{sum(pictured)} of these {len(pictured)} rows have pictures, and trainers need all "
            "or none; keep one kind with pictures=True or pictures=False"
        )
    return any(pictured)


def has_pictures(row: AnyRow) -> bool:
    """Return whether the first prompt of a row shows pictures."""
    return any(part["type"] == "image" for part in iterate_parts(row["messages"]))
