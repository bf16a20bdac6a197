"""The ledger: what became of each prediction, in columns that stay small for millions of them.

Predictions are judged in blocks, so that rows are read from Arrow by the block, an instance is
decoded once a block, and the texts are forgotten as soon as they are judged. Labels are kept as
codes into one vocabulary.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from generators.core.replay import replay
from generators.core.task import Episode, Outcome, Status
from pipeline.scoring.dataset import Dataset, Part
from pipeline.scoring.predictions import Prediction

BLOCK = 8192
"""Most predictions of a block."""

BLOCK_TEXT = 32 << 20
"""Most characters of replies of a block."""

STATUSES: tuple[Status, ...] = tuple(Status)
CODE: dict[Status, int] = {status: code for code, status in enumerate(STATUSES)}
"""Statuses as small integers."""

PARSED = frozenset(CODE[s] for s in (Status.CORRECT, Status.WRONG, Status.ILLEGAL, Status.UNGRADED))
RECEIVED = PARSED | {CODE[Status.UNPARSED]}
"""Codes of replies that were understood, and of all replies that arrived."""

Ints = npt.NDArray[np.int64]


@dataclass
class Metric:
    """The values of one named metric: entry number and value."""

    entries: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


@dataclass
class Lists:
    """Lists of label codes, one after the other."""

    lengths: array[int] = field(default_factory=lambda: array("i"))
    codes: array[int] = field(default_factory=lambda: array("i"))

    def append(self, codes: Iterable[int]) -> None:
        """Add one list."""
        before = len(self.codes)
        self.codes.extend(codes)
        self.lengths.append(len(self.codes) - before)


@dataclass
class Ledger:
    """All entries, in the order of the predictions.

    Attributes:
        dataset: the dataset being scored.
        rows: row number of each entry.
        models: code of its model.
        samples: its sample index.
        statuses: its status code, before duplicates are told.
        strict: 1 where the reply kept the format to the letter.
        answers: labels understood from the reply.
        golds: right labels of the rows in `gold_rows`, where an outcome told them.
        metrics: named metrics of outcomes.
        labels: the vocabulary; code 0 is the missing label.
    """

    dataset: Dataset
    rows: array[int] = field(default_factory=lambda: array("q"))
    models: array[int] = field(default_factory=lambda: array("i"))
    samples: array[int] = field(default_factory=lambda: array("i"))
    statuses: array[int] = field(default_factory=lambda: array("b"))
    strict: array[int] = field(default_factory=lambda: array("b"))
    answers: Lists = field(default_factory=Lists)
    gold_rows: array[int] = field(default_factory=lambda: array("q"))
    golds: Lists = field(default_factory=Lists)
    metrics: dict[str, Metric] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=lambda: {"": 0})

    def __post_init__(self) -> None:
        self._block: list[tuple[int, int, Prediction]] = []
        self._text = 0
        self._has_gold = bytearray(self.dataset.count)

    def add(self, row: int, model: int, prediction: Prediction) -> None:
        """Take a prediction for a row; it is judged with the rest of its block."""
        self._block.append((row, model, prediction))
        self._text += sum(map(len, prediction.replies))
        if len(self._block) >= BLOCK or self._text >= BLOCK_TEXT:
            self.flush()

    def flush(self) -> None:
        """Judge what was taken and not yet judged."""
        by_part: dict[int, set[int]] = {}
        for row, _, prediction in self._block:
            if prediction.failure is None:
                place = self.dataset.part_of(row)
                by_part.setdefault(place, set()).add(row)
        openers: dict[int, Callable[[], Episode]] = {}
        for place, rows in by_part.items():
            openers.update(instances(self.dataset.parts[place], sorted(rows)))
        for row, model, prediction in self._block:
            self._judge(row, model, prediction, openers.get(row))
        self._block.clear()
        self._text = 0

    def _judge(
        self, row: int, model: int, prediction: Prediction, opener: Callable[[], Episode] | None
    ) -> None:
        entry = len(self.rows)
        self.rows.append(row)
        self.models.append(model)
        self.samples.append(prediction.sample)
        if opener is None:
            self.statuses.append(CODE[Status.API_ERROR])
            self.strict.append(0)
            self.answers.append(())
            return
        outcome = judge(opener, prediction)
        self.statuses.append(CODE[outcome.status])
        self.strict.append(outcome.strict and not prediction.cut)
        self.answers.append(self.code(label) for label in outcome.answer)
        for name, value in outcome.metrics.items():
            metric = self.metrics.setdefault(name, Metric())
            metric.entries.append(entry)
            metric.values.append(value)
        if outcome.gold and not self._has_gold[row]:
            self._has_gold[row] = 1
            self.gold_rows.append(row)
            self.golds.append(self.code(label) for label in outcome.gold)

    def code(self, label: str) -> int:
        """Return the code of a label, new or known."""
        return self.labels.setdefault(label, len(self.labels))

    def complete_golds(self, part: Part) -> None:
        """Learn the right labels of the rows of a part that no outcome has told.

        The reference replies of such a row are replayed: what they are judged as is right.
        """
        rows = range(part.start, part.start + part.count)
        unknown = [row for row in rows if not self._has_gold[row]]
        for first in range(0, len(unknown), BLOCK):
            block = unknown[first : first + BLOCK]
            decoded = [part.task.decode(row) for row in part.rows(_local(part, block))]
            for row, instance in zip(block, decoded, strict=True):
                outcome = replay(part.task.open(instance), part.task.reference(instance))
                self._has_gold[row] = 1
                self.gold_rows.append(row)
                self.golds.append(self.code(label) for label in outcome.gold)


def instances(part: Part, rows: list[int]) -> dict[int, Callable[[], Episode]]:
    """Return, for each row, what opens a fresh episode of it.

    Raises:
        ValueError: a row cannot be decoded; the message names it.
    """
    task = part.task
    found: dict[int, Callable[[], Episode]] = {}
    for row, record in zip(rows, part.rows(_local(part, rows)), strict=True):
        try:
            instance = task.decode(record)
        except ValueError as error:
            raise ValueError(
                f"row {record['id']!r} cannot be read back: {error}; "
                "run `facelet verify` on the dataset"
            ) from error
        found[row] = _opener(task.open, instance)
    return found


def judge(opener: Callable[[], Episode], prediction: Prediction) -> Outcome:
    """Return the outcome of a prediction.

    A transcript that comes with a final answer is judged by that answer where the episode asks
    one question only: what a solver said to itself before is no reply to us.
    """
    if prediction.final is None or len(prediction.replies) == 1:
        return replay(opener(), prediction.replies)
    first = opener().reply(prediction.final)
    return first if isinstance(first, Outcome) else replay(opener(), prediction.replies)


def _opener(open_episode: Callable[[Any], Episode], instance: Any) -> Callable[[], Episode]:
    return lambda: open_episode(instance)


def _local(part: Part, rows: list[int]) -> Ints:
    return np.asarray(rows, dtype=np.int64) - part.start
