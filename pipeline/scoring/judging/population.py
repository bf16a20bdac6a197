"""The population of one model on one split: its entries settled, its rows, its samples.

It holds all that figures are counted of, so that counting asks nobody else.

A prediction for the same row, sample and model as another is a duplicate: the first that is no API
error counts. Every row is expected to have as many samples as the row with the most; those that
are not there are missing, and wrong. So leaving out bad samples never pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from facelet.generators.core.task import Status
from facelet.pipeline.dataset.alike import effective
from facelet.pipeline.scoring.arrays import Bools, Floats, Ints
from facelet.pipeline.scoring.dataset import Coded, Dataset, Part
from facelet.pipeline.scoring.judging.columns import CODE, STATUSES, Lists
from facelet.pipeline.scoring.judging.endings import COUNTED
from facelet.pipeline.scoring.judging.ledger import Ledger
from facelet.pipeline.scoring.judging.majority import majority

Missing = Literal["wrong", "ignore"]
"""What becomes of rows without any prediction: they count as wrong, or are left out."""

Suite = tuple[str, str]
"""Names of a suite and of a split."""

_VOTES = tuple(CODE[status] for status in (Status.CORRECT, Status.WRONG, Status.ILLEGAL))
"""Codes of samples that have a vote: those whose reply can be read."""


@dataclass(frozen=True, eq=False)
class Codes:
    """Lists of label codes by place: list i is codes[starts[i] : starts[i] + lengths[i]]."""

    starts: Ints
    lengths: Ints
    codes: Ints

    @staticmethod
    def of(lists: Lists) -> Codes:
        """Return the lists as arrays."""
        lengths = np.array(lists.lengths, dtype=np.int64)
        return Codes(np.cumsum(lengths) - lengths, lengths, np.array(lists.codes, dtype=np.int64))

    def at(self, place: int) -> tuple[int, ...]:
        """Return one list."""
        start = int(self.starts[place])
        return tuple(self.codes[start : start + int(self.lengths[place])].tolist())


@dataclass(frozen=True, eq=False)
class Settled:
    """The ledger's entries as arrays, with duplicates told and put in order.

    Entries are ordered by model, row, sample; `source` is their place in the ledger.
    """

    ledger: Ledger
    models: Ints
    rows: Ints
    samples: Ints
    statuses: Ints
    strict: Bools
    source: Ints

    @cached_property
    def answers(self) -> Codes:
        """The understood labels, by place in the ledger."""
        return Codes.of(self.ledger.answers)

    @cached_property
    def golds(self) -> tuple[Codes, Ints]:
        """The right labels, and for every row of the dataset their place, or -1."""
        place = np.full(self.ledger.dataset.count, -1, dtype=np.int64)
        rows = np.array(self.ledger.gold_rows, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        return Codes.of(self.ledger.golds), place

    def metric(self, name: str) -> Floats:
        """Return the values of a named metric by place in the ledger, NaN where there is none."""
        values = np.full(len(self.rows), np.nan)
        if name in self.ledger.metrics:
            metric = self.ledger.metrics[name]
            values[np.array(metric.entries, dtype=np.int64)] = np.array(metric.values)
        return values


def settle(ledger: Ledger, *, everything: bool) -> Settled:
    """Return the ledger's entries with their final status.

    Args:
        ledger: the entries.
        everything: whether splits without any prediction will be reported too.
    """
    ledger.flush()
    asked = np.unique(np.array(ledger.rows, dtype=np.int64))
    for part in ledger.dataset.parts:
        low, high = np.searchsorted(asked, (part.start, part.start + part.count))
        if (
            (low < high or everything)
            and not part.unavailable
            and any(measure.labelled for measure in part.task.measures)
        ):
            ledger.complete_golds(part)
    models = np.array(ledger.models, dtype=np.int64)
    rows = np.array(ledger.rows, dtype=np.int64)
    samples = np.array(ledger.samples, dtype=np.int64)
    statuses = np.array(ledger.statuses, dtype=np.int64)
    failed = statuses == CODE[Status.API_ERROR]
    order = np.lexsort((np.arange(len(rows)), failed, samples, rows, models))
    models, rows, samples = models[order], rows[order], samples[order]
    statuses = statuses[order]
    again = np.zeros(len(rows), dtype=bool)
    if len(rows):
        again[1:] = (
            (models[1:] == models[:-1]) & (rows[1:] == rows[:-1]) & (samples[1:] == samples[:-1])
        )
    statuses[again] = CODE[Status.DUPLICATE]
    strict = np.array(ledger.strict, dtype=bool)[order] & ~again
    return Settled(ledger, models, rows, samples, statuses, strict, order)


@dataclass(frozen=True, eq=False)
class Population:
    """One model on one split of one config.

    Attributes:
        settled: all entries.
        part: the split.
        model: name of the model.
        first: place in `settled` of the first entry, duplicates included.
        last: place after the last.
        samples: samples that every row is expected to have.
        counts: (rows, statuses) number of entries of each status, missing samples included.
        kept: places in `settled` of the entries that count: one for each row and sample.
        row: row of each kept entry, numbered within the part.
        rank: number of the kept entry among those of its row.
        counted: (rows,) which rows count: all of them, or those with any prediction.
        by: the columns by which figures are split, or tasks classed, by name.
    """

    settled: Settled
    part: Part
    model: str
    first: int
    last: int
    samples: int
    counts: npt.NDArray[np.int32]
    kept: Ints
    row: Ints
    rank: Ints
    counted: Bools
    by: Mapping[str, Coded]

    @property
    def suite(self) -> Suite:
        """The suite and the split that it belongs to."""
        config, split = self.part.name
        return config.partition(".")[0], split

    @property
    def size(self) -> int:
        """Number of rows of the split."""
        return self.part.count

    @cached_property
    def status(self) -> Ints:
        """Status code of each kept entry."""
        return self.settled.statuses[self.kept]

    @cached_property
    def graded(self) -> Bools:
        """Whether each row has a right answer; the others are asked for and not judged."""
        golds = self.part.column("gold")
        if not (pa.types.is_string(golds.type) or pa.types.is_large_string(golds.type)):
            return np.array([bool(gold) for gold in golds.to_pylist()], dtype=bool)
        graded: Bools = pc.binary_length(golds).fill_null(0).to_numpy() > 0
        return graded

    @cached_property
    def correct(self) -> Bools:
        """Whether each kept entry is correct, and its row one that is judged."""
        correct: Bools = (self.status == CODE[Status.CORRECT]) & self.graded[self.row]
        return correct

    @cached_property
    def right(self) -> Floats:
        """(rows,) number of kept entries that are correct."""
        return self.per_row(self.correct)

    @cached_property
    def majority(self) -> Bools:
        """(rows,) whether the answer that most samples give is correct."""
        voting = np.flatnonzero(np.isin(self.status, _VOTES))
        places = self.settled.source[self.kept[voting]]
        answers = self.settled.answers
        votes = zip(
            self.row[voting].tolist(),
            (answers.at(place) for place in places.tolist()),
            self.correct[voting].tolist(),
            strict=True,
        )
        return majority(self.size, votes)

    @cached_property
    def strict(self) -> Bools:
        """Whether each kept entry kept the requested format to the letter."""
        return self.settled.strict[self.kept]

    @cached_property
    def missing(self) -> Ints:
        """(rows,) number of samples that are not there."""
        return self.counts[:, CODE[Status.MISSING]].astype(np.int64)

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """Number of entries by status, missing samples included."""
        every = self.counts.sum(axis=0).tolist()
        return {status.value: int(one) for status, one in zip(STATUSES, every, strict=True)}

    @cached_property
    def endings(self) -> Mapping[str, int]:
        """How replies ended: the counts of COUNTED over the kept entries."""
        column = self.settled.ledger.endings
        codes = np.array(column.codes, dtype=np.int64)[self.settled.source[self.kept]]
        known = np.array([one[:-1] for one in column.distinct()], dtype=np.int64)
        times = np.bincount(codes, minlength=len(known))
        totals = times @ known.reshape(len(known), len(COUNTED))
        return dict(zip(COUNTED, totals.tolist(), strict=True))

    def metric(self, name: str) -> Floats:
        """Return the values of a named metric of the kept entries, NaN where there is none."""
        values: Floats = self.settled.metric(name)[self.settled.source[self.kept]]
        return values

    def per_row(self, values: Bools | Ints | Floats) -> Floats:
        """Return the sums over the entries of each row: (kept,) -> (rows,)."""
        return np.bincount(self.row, weights=values, minlength=self.size).astype(np.float64)

    @cached_property
    def difficulty(self) -> Ints:
        """(rows,) place on the difficulty axis."""
        return np.asarray(self.part.column("difficulty"), dtype=np.int64)

    @cached_property
    def group(self) -> Ints:
        """(rows,) code of the cluster: rows of one are no independent trials."""
        return self.part.clusters

    @cached_property
    def effective(self) -> float:
        """How many independent trials the rows that count are worth, by what they show."""
        return round(effective(self.group[self.counted].tolist()), 1)


def populations(
    settled: Settled, models: Sequence[str], missing: Missing, *, everything: bool
) -> Iterator[Population]:
    """Yield the populations of all models, by model, then split, where a task can be had.

    Args:
        settled: all entries.
        models: names of the models by code.
        missing: whether rows without any prediction count as wrong, or are left out.
        everything: whether splits without any prediction of a model count too, all missing.
    """
    dataset: Dataset = settled.ledger.dataset
    for model, name in enumerate(models):
        first, last = np.searchsorted(settled.models, (model, model + 1))
        rows = settled.rows[first:last]
        for part in dataset.parts:
            low, high = first + np.searchsorted(rows, (part.start, part.start + part.count))
            if (low < high or everything) and not part.unavailable:
                yield _population(settled, part, name, (int(low), int(high)), missing)


def _population(
    settled: Settled, part: Part, model: str, places: tuple[int, int], missing: Missing
) -> Population:
    low, high = places
    row = settled.rows[low:high] - part.start
    status = settled.statuses[low:high]
    width = len(STATUSES)
    counts = np.bincount(row * width + status, minlength=part.count * width)
    counts = counts.reshape(part.count, width)
    kept = np.flatnonzero(status != CODE[Status.DUPLICATE])
    row = row[kept]
    present = np.bincount(row, minlength=part.count)
    samples = max(1, int(present.max()))
    counts[:, CODE[Status.MISSING]] = samples - present
    narrow: npt.NDArray[np.int32] = counts.astype(np.int32)
    starts = np.cumsum(present) - present
    rank = np.arange(len(row)) - starts[row]
    return Population(
        settled,
        part,
        model,
        low,
        high,
        samples,
        narrow,
        kept + low,
        row,
        rank,
        np.ones(part.count, dtype=bool) if missing == "wrong" else present > 0,
        {name: part.codes(name) for name in _split_by(part)},
    )


def _split_by(part: Part) -> set[str]:
    """Return the columns by which the figures of a split are split, or its task is classed."""
    names = {name for measure in part.task.measures for name in measure.by}
    return names | ({part.task.classed_by} if part.task.classed_by else set())
