"""Columns: what became of predictions, in columns that stay small for millions of them.

Labels are kept as codes into one vocabulary. Columns of predictions that follow others are entered
behind them, and are then what they would be had all been entered one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from facelet.generators.core.task import Status
from facelet.pipeline.scoring.judging.endings import EndingColumn

STATUSES: tuple[Status, ...] = tuple(Status)
CODE: dict[Status, int] = {status: code for code, status in enumerate(STATUSES)}
"""Statuses as small integers."""

PARSED = frozenset(CODE[s] for s in (Status.CORRECT, Status.WRONG, Status.ILLEGAL, Status.UNGRADED))
RECEIVED = PARSED | {CODE[Status.UNPARSED]}
"""Codes of replies that were understood, and of all replies that arrived."""

_KNOWN = 4096


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


@dataclass(kw_only=True)
class Columns:
    """Entries in the order of the predictions.

    Attributes:
        rows: row number of each entry.
        models: code of its model.
        samples: its sample index.
        statuses: its status code, before duplicates are told.
        strict: 1 where the reply kept the format to the letter.
        answers: labels understood from the reply.
        gold_rows: rows whose right labels an outcome told, each once.
        golds: those labels.
        metrics: named metrics of outcomes, and what predictions say that they took.
        labels: the vocabulary; code 0 is the missing label.
        endings: how the replies of each entry ended.
    """

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
    endings: EndingColumn = field(default_factory=EndingColumn)

    def measure(self, told: Mapping[int, Mapping[str, float]]) -> None:
        """Enter metrics by number of the entry, ascending."""
        into: dict[str, tuple[Callable[[int], None], Callable[[float], None]]] = {}
        for number, found in told.items():
            for name, value in found.items():
                if name not in into:
                    metric = self.metrics.setdefault(name, Metric())
                    into[name] = metric.entries.append, metric.values.append
                entry, enter = into[name]
                entry(number)
                enter(value)

    def learn(self, golds: Mapping[int, tuple[str, ...]]) -> None:
        """Enter the right labels of rows that have none yet."""
        self.gold_rows.extend(golds)
        self.golds.lengths.extend(map(len, golds.values()))
        self.golds.codes.extend(self.codes(golds.values()))

    def codes(self, lists: Iterable[tuple[str, ...]]) -> list[int]:
        """Return the codes of labels, list by list."""
        labels = self.labels
        # Most lists come again and again.
        known: dict[tuple[str, ...], list[int]] = {(): []}
        codes: list[int] = []
        for each in lists:
            if (found := known.get(each)) is None:
                found = [labels.setdefault(label, len(labels)) for label in each]
                if len(known) < _KNOWN:
                    known[each] = found
            codes += found
        return codes

    def extend(self, other: Columns, told: bytearray) -> None:
        """Enter other columns behind these.

        Args:
            other: the columns.
            told: 1 by row number whose right labels are known; those of `other` are set.
        """
        first = len(self.rows)
        self.rows.extend(other.rows)
        self.models.extend(other.models)
        self.samples.extend(other.samples)
        self.statuses.extend(other.statuses)
        self.strict.extend(other.strict)
        mine = np.array(self.codes([tuple(other.labels)]), dtype=np.int32)
        self.answers.lengths.extend(other.answers.lengths)
        self.answers.codes.frombytes(mine[np.array(other.answers.codes, np.int32)].tobytes())
        for name, metric in other.metrics.items():
            into = self.metrics.setdefault(name, Metric())
            entries = np.array(metric.entries, np.int64) + first
            into.entries.frombytes(entries.tobytes())
            into.values.extend(metric.values)
        place = 0
        codes = mine[np.array(other.golds.codes, np.int32)].tolist()
        for row, length in zip(other.gold_rows, other.golds.lengths, strict=True):
            if not told[row]:
                told[row] = 1
                self.gold_rows.append(row)
                self.golds.lengths.append(length)
                self.golds.codes.extend(codes[place : place + length])
            place += length
        self.endings.extend(other.endings)
