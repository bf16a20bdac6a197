"""The ledger: what became of each prediction, in columns that stay small for millions of them.

Predictions are judged in blocks, in the order of their rows, and the texts are forgotten as soon as
they are judged. A row is decoded once a block; one that comes again in another block, as in a file
of many samples, is kept. Labels are kept as codes into one vocabulary.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.dataset.decoding import BREAKS, damaged, decoding
from facelet.pipeline.scoring.arrays import Ints
from facelet.pipeline.scoring.as_published import as_published
from facelet.pipeline.scoring.dataset import Dataset, Part
from facelet.pipeline.scoring.judging.analysers import Analyser, metrics
from facelet.pipeline.scoring.judging.endings import EndingColumn
from facelet.pipeline.scoring.judging.replaying import instances, judged, replayed
from facelet.pipeline.scoring.taking.predictions import Prediction

BLOCK = 32768
"""Most predictions of a block."""

BLOCK_TEXT = 16 << 20
"""Most characters of replies of a block."""

KEPT = 32768
"""Most decoded rows that are kept from one block to the next."""

STATUSES: tuple[Status, ...] = tuple(Status)
CODE: dict[Status, int] = {status: code for code, status in enumerate(STATUSES)}
"""Statuses as small integers."""

PARSED = frozenset(CODE[s] for s in (Status.CORRECT, Status.WRONG, Status.ILLEGAL, Status.UNGRADED))
RECEIVED = PARSED | {CODE[Status.UNPARSED]}
"""Codes of replies that were understood, and of all replies that arrived."""

_FAILED = Outcome(Status.API_ERROR, strict=False)


class Kept(NamedTuple):
    """The replies of one entry, as they were judged.

    Attributes:
        id: id of the row.
        model: name of the model.
        sample: its sample index.
        replies: what was judged.
    """

    id: str
    model: str
    sample: int
    replies: Sequence[str]


Keep = Callable[[Sequence[Kept]], None]
"""Takes the replies of a block."""


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
        metrics: named metrics of outcomes, and what predictions say that they took.
        labels: the vocabulary; code 0 is the missing label.
        endings: how the replies of each entry ended.
        analyse: counts patterns of reasoning in replies; None for nobody.
        keep: takes the replies of each block once they are judged; None for nobody.
        names: codes of the models by name, for whoever keeps replies; it may grow.
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
    endings: EndingColumn = field(default_factory=EndingColumn)
    analyse: Analyser | None = None
    keep: Keep | None = None
    names: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._block: list[tuple[int, int, Prediction]] = []
        self._text = 0
        self._has_gold = bytearray(self.dataset.count)
        self._decoded = bytearray(self.dataset.count)
        self._kept: dict[int, object] = {}

    def add(self, row: int, model: int, prediction: Prediction) -> None:
        """Take a prediction for a row; it is judged with the rest of its block.

        Args:
            row: number of the row.
            model: code of the model.
            prediction: the prediction.
        """
        self._block.append((row, model, prediction))
        self._text += sum(map(len, prediction.replies))
        if prediction.later:
            self._text += sum(len(text) for texts in prediction.later for text in texts)
        if len(self._block) >= BLOCK or self._text >= BLOCK_TEXT:
            self.flush()

    def flush(self) -> None:
        """Judge what was taken and not yet judged.

        A play whose record has other messages of the user than the play itself is refused.
        Nothing is judged of a part whose task cannot be had here, and none of it is reported.
        """
        places: dict[int, list[int]] = {}
        for place, (row, _, prediction) in enumerate(self._block):
            if prediction.failure is None:
                places.setdefault(row, []).append(place)
        outcomes = [_FAILED] * len(self._block)
        published: list[Mapping[str, float]] = [{}] * len(self._block)
        chosen = [prediction.replies for _, _, prediction in self._block]
        refused: set[int] = set()
        asked = np.array(sorted(places), dtype=np.int64)
        for part in self.dataset.parts:
            low, high = np.searchsorted(asked, (part.start, part.start + part.count))
            if low == high or part.unavailable:
                continue
            for row, instance in self._instances(part, asked[low:high]):
                try:
                    for place in places[row]:
                        prediction = self._block[place][2]
                        replies = judged(part.task, instance, prediction)
                        chosen[place] = replies
                        episode = part.task.open(instance)
                        if prediction.later and replies is prediction.replies:
                            outcomes[place], why = replayed(episode, replies, prediction.later)
                            if why and prediction.refuse is not None:
                                prediction.refuse(f"{part.identifier(row)}: {why}")
                                refused.add(place)
                                continue
                        else:
                            outcomes[place] = replay(episode, replies)
                        published[place] = as_published(
                            part.task, instance, replies, outcomes[place]
                        )
                except BREAKS as error:
                    raise damaged(part.identifier(row), error, "be judged") from error
        if refused:
            kept = [place for place in range(len(self._block)) if place not in refused]
            self._block = [self._block[place] for place in kept]
            outcomes, published, chosen = (
                [outcomes[place] for place in kept],
                [published[place] for place in kept],
                [chosen[place] for place in kept],
            )
        for (_, _, prediction), replies in zip(self._block, chosen, strict=True):
            self.endings.add(prediction, replies)
        self._record(outcomes, published)
        if self.keep is not None:
            ids, names = self._ids(asked), list(self.names)
            block = zip(self._block, chosen, strict=True)
            self.keep(
                [
                    Kept(ids[row], names[model], prediction.sample, replies)
                    for (row, model, prediction), replies in block
                    if prediction.failure is None
                ]
            )
        self._block.clear()
        self._text = 0

    def _ids(self, rows: Ints) -> dict[int, str]:
        """Return the ids of some rows, which ascend, by number."""
        found: dict[int, str] = {}
        for part in self.dataset.parts:
            low, high = np.searchsorted(rows, (part.start, part.start + part.count))
            if low < high:
                ids = part.column("id").take(pa.array(rows[low:high] - part.start))
                found |= zip(rows[low:high].tolist(), ids.to_pylist(), strict=True)
        return found

    def _instances(self, part: Part, rows: Ints) -> Iterator[tuple[int, object]]:
        """Yield the numbers of rows of a part and their instances, those that are kept first."""
        kept = np.array([row in self._kept for row in rows.tolist()], dtype=bool)
        yield from ((row, self._kept[row]) for row in rows[kept].tolist())
        for row, instance in instances(part, rows[~kept]):
            if self._decoded[row] and len(self._kept) < KEPT:
                self._kept[row] = instance
            self._decoded[row] = 1
            yield row, instance

    def forget(self) -> None:
        """Drop the decoded rows that were kept for further blocks."""
        self._kept.clear()

    def _record(
        self, outcomes: Sequence[Outcome], published: Sequence[Mapping[str, float]]
    ) -> None:
        """Enter the outcomes of the block, and what they are under the papers' rules."""
        block, first = self._block, len(self.rows)
        self.rows.extend([row for row, _, _ in block])
        self.models.extend([model for _, model, _ in block])
        self.samples.extend([prediction.sample for _, _, prediction in block])
        self.statuses.extend([CODE[outcome.status] for outcome in outcomes])
        kept = zip(outcomes, block, strict=True)
        self.strict.extend([outcome.strict and not entry[2].cut for outcome, entry in kept])
        self.answers.lengths.extend([len(outcome.answer) for outcome in outcomes])
        self.answers.codes.extend(self._codes(outcome.answer for outcome in outcomes))
        for number, (outcome, (_, _, prediction), paper) in enumerate(
            zip(outcomes, block, published, strict=True), first
        ):
            patterns = metrics(prediction.replies, prediction.patterns, self.analyse)
            for told in (outcome.metrics, prediction.spent, paper, patterns):
                if not told:
                    continue
                for name, value in told.items():
                    if (metric := self.metrics.get(name)) is None:
                        metric = self.metrics[name] = Metric()
                    metric.entries.append(number)
                    metric.values.append(value)
        golds = [
            (row, outcome.gold)
            for (row, _, _), outcome in zip(block, outcomes, strict=True)
            if outcome.gold and not self._has_gold[row]
        ]
        self._learn(dict(golds))

    def _learn(self, golds: Mapping[int, Sequence[str]]) -> None:
        """Enter the right labels of rows."""
        for row in golds:
            self._has_gold[row] = 1
        self.gold_rows.extend(golds)
        self.golds.lengths.extend(map(len, golds.values()))
        self.golds.codes.extend(self._codes(golds.values()))

    def _codes(self, lists: Iterable[Sequence[str]]) -> list[int]:
        labels = self.labels
        return [labels.setdefault(label, len(labels)) for each in lists for label in each]

    def complete_golds(self, part: Part) -> None:
        """Learn the right labels of the rows of a part that no outcome has told.

        The reference replies of such a row are replayed: what they are judged as is right.
        """
        told = np.frombuffer(self._has_gold, dtype=np.uint8, count=part.count, offset=part.start)
        unknown = np.flatnonzero(told == 0) + part.start
        for first in range(0, len(unknown), BLOCK):
            golds = {}
            for row, instance in instances(part, unknown[first : first + BLOCK]):
                with decoding(part.identifier(row), "be judged"):
                    reference = part.task.reference(instance)
                    golds[row] = replay(part.task.open(instance), reference).gold
            self._learn(golds)
