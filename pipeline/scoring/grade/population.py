"""The population of one model on one split: its entries settled, its rows, its samples.

It holds all that figures are counted of, so that counting asks nobody else.

Of several predictions for the same row, sample and model one counts; see
facelet.pipeline.scoring.judging.dispositions. Every row is expected to have as many samples as the
row with the most; those that are not there are missing, and wrong. So leaving out bad samples never
pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.generators.core.task import Status
from facelet.pipeline.dataset.alike import effective_of
from facelet.pipeline.scoring.arrays import Bools, Floats, Ints
from facelet.pipeline.scoring.dataset import Coded, Dataset, Part
from facelet.pipeline.scoring.judging.columns import CODE, RECEIVED, STATUSES, Lists
from facelet.pipeline.scoring.judging.dispositions import (
    CONFLICTING,
    FAILED,
    GRADED,
    Duplicates,
    describe_conflict,
    dispose,
    number_samples,
)
from facelet.pipeline.scoring.judging.endings import COUNTED
from facelet.pipeline.scoring.judging.ledger import Ledger
from facelet.pipeline.scoring.judging.majority import majority
from facelet.pipeline.scoring.judging.metrics import MetricValues
from facelet.pipeline.scoring.taking.accounts import FileAccount
from facelet.pipeline.scoring.taking.intake import FILE_BITS

Missing = Literal["wrong", "ignore"]
"""What becomes of rows without any prediction: they count as wrong, or are left out."""

Suite = tuple[str, str]
"""Names of a suite and of a split."""

_SMALL = 2**31
"""Places below this are kept in four bytes."""

_CHUNK = 1 << 18
"""Rows whose statuses are counted at once."""

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
        """Return the lists as arrays, which share their memory."""
        lengths, codes = np.asarray(lists.lengths), np.asarray(lists.codes)
        kind = np.int32 if len(codes) < _SMALL else np.int64
        return Codes(np.cumsum(lengths, dtype=kind) - lengths, lengths, codes)

    def numbered(self, places: Ints) -> Ints:
        """Return numbers of some lists, from 0: equal lists have the same one, others another."""
        found = np.zeros(len(places), dtype=np.int64)
        starts, lengths, first = self.starts[places], self.lengths[places], 1
        for length in np.unique(lengths[lengths > 0]).tolist():
            mine = np.flatnonzero(lengths == length)
            lists = self.codes[starts[mine][:, np.newaxis] + np.arange(length)]
            distinct, number = np.unique(lists, axis=0, return_inverse=True)
            found[mine] = number.reshape(-1) + first
            first += len(distinct)
        return found


@dataclass(frozen=True, eq=False)
class Settled:
    """The ledger's entries as arrays, with duplicates told and put in order.

    Entries are ordered by model, row, sample; `source` is their place in the ledger. Where the
    predictions came in this order, the arrays share the ledger's memory.
    """

    ledger: Ledger
    models: Ints
    rows: Ints
    samples: Ints
    statuses: Ints
    strict: Bools
    source: Ints
    dispositions: Ints

    @cached_property
    def answers(self) -> Codes:
        """The understood labels, by place in the ledger."""
        return Codes.of(self.ledger.answers)

    @cached_property
    def golds(self) -> tuple[Codes, Ints]:
        """The right labels, and for every row of the dataset their place, or -1."""
        place = np.full(self.ledger.dataset.count, -1, dtype=np.int32)
        rows = np.asarray(self.ledger.gold_rows)
        place[rows] = np.arange(len(rows))
        return Codes.of(self.ledger.golds), place

    @cached_property
    def metrics(self) -> dict[str, MetricValues]:
        """The named metrics, by place in the ledger."""
        return {name: column.settled() for name, column in self.ledger.metrics.items()}

    def metric(self, name: str, places: Ints) -> Floats:
        """Return the values of a named metric at places in the ledger, NaN where there is none."""
        if name not in self.metrics:
            return np.full(len(places), np.nan)
        return self.metrics[name].at(places)


def settle(
    ledger: Ledger,
    accounts: Sequence[FileAccount],
    codes: Ints,
    duplicates: Duplicates,
    *,
    everything: bool,
) -> Settled:
    """Return the ledger's entries with their final status.

    Args:
        ledger: the entries.
        accounts: the files that they were read from.
        codes: final code of each model by its code in the ledger.
        duplicates: what becomes of different replies for the same row, model and sample.
        everything: whether splits without any prediction will be reported too.

    Raises:
        ValueError: there are such, and they are to be refused.
    """
    rows = np.asarray(ledger.rows)
    asked = np.zeros(ledger.dataset.count, dtype=bool)
    asked[rows] = True
    for part in ledger.dataset.parts:
        if (
            (everything or asked[part.start : part.start + part.count].any())
            and not part.unavailable
            and any(measure.labelled for measure in part.task.measures)
        ):
            ledger.complete_golds(part)
    models = codes[np.asarray(ledger.models)].astype(np.int32)
    samples = number_samples(ledger, models)
    statuses, strict = np.asarray(ledger.statuses), np.asarray(ledger.strict).astype(bool)
    digests = np.asarray(ledger.digests)
    as_read = np.arange(len(rows))
    by_name = np.argsort(np.argsort([str(account.path) for account in accounts], kind="stable"))
    files = by_name[np.asarray(ledger.places) >> FILE_BITS]
    keys = {"first": (as_read,), "last": (-as_read,)}.get(duplicates, (files, digests))
    order = _order(models, rows, samples, statuses == CODE[Status.API_ERROR], keys)
    if order is None:
        order = np.arange(len(rows), dtype=np.int32)
        dispositions = dispose(order, digests, statuses, duplicates)
        return Settled(ledger, models, rows, samples, statuses, strict, order, dispositions)
    models, rows, samples = models[order], rows[order], samples[order]
    statuses, strict = statuses[order], strict[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (models[1:] != models[:-1])
    own = first.copy()
    own[1:] |= samples[1:] != samples[:-1]
    group = np.maximum.accumulate(np.where(own, np.arange(len(rows)), 0))
    dispositions = dispose(group, digests[order], statuses, duplicates)
    if duplicates == "refuse" and (conflicts := np.flatnonzero(dispositions == CONFLICTING)).size:
        places = np.asarray(ledger.places)[order[[group[conflicts[0]], conflicts[0]]]]
        part = ledger.dataset.parts[ledger.dataset.part_of(int(rows[conflicts[0]]))]
        identifier = part.identifier(int(rows[conflicts[0]]))
        raise ValueError(describe_conflict(places.tolist(), accounts, identifier, len(conflicts)))
    counted = (dispositions == GRADED) | (own & (dispositions == FAILED))
    if duplicates == "samples":
        number = np.cumsum(counted)
        before = np.maximum.accumulate(np.where(first, number - counted, 0))
        samples = np.maximum(number - before - 1, 0).astype(samples.dtype)
    statuses = np.where(counted, statuses, np.int8(CODE[Status.DUPLICATE]))
    strict &= counted
    return Settled(ledger, models, rows, samples, statuses, strict, order, dispositions)


def _order(
    models: Ints, rows: Ints, samples: Ints, failed: Bools, keys: Sequence[Ints]
) -> Ints | None:
    """Return the order by model, row, sample, API errors last, and then by keys, the last first.

    None if entries stand in it, and no two have the same model, row and sample.
    """
    major = models.astype(np.int64) << 31 | rows
    minor = samples.astype(np.int64) << 1 | failed
    rising = major[1:] > major[:-1]
    rising |= (major[1:] == major[:-1]) & (minor[1:] >> 1 > minor[:-1] >> 1)
    if rising.all():
        return None
    order: Ints = np.lexsort((*keys, minor, major))
    return order.astype(np.int32 if len(rows) < _SMALL else np.int64)


LEAST_ARRIVED = 0.95
"""Least share of replies that must have arrived for a rank, a verdict or a comparison."""


class Shares(NamedTuple):
    """What stands beside every accuracy.

    Attributes:
        arrived: share of the replies that were asked for that arrived.
        readable: share of those that arrived that could be understood.
    """

    arrived: float
    readable: float

    @staticmethod
    def of(counts: Mapping[str, int]) -> Shares:
        """Return the shares of entries by their number of each status."""
        arrived = sum(counts[STATUSES[code].value] for code in RECEIVED)
        asked = sum(counts.values()) - counts[Status.DUPLICATE.value]
        readable = arrived - counts[Status.UNPARSED.value]
        return Shares(arrived / max(1, asked), readable / max(1, arrived))

    @staticmethod
    def mean(every: Sequence[Shares]) -> Shares:
        """Return the means over configs, each counted the same."""
        return Shares(*(sum(each) / len(every) for each in zip(*every, strict=True)))

    @property
    def suffice(self) -> bool:
        """Whether enough arrived for a rank, a verdict or a comparison."""
        return self.arrived >= LEAST_ARRIVED


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
        counted: (rows,) which rows count: all of them, or those with any prediction.
        by: the columns by which figures are split, or tasks classed, by name.
    """

    settled: Settled
    part: Part
    model: str
    first: int
    last: int
    samples: int
    counts: Ints
    kept: Ints
    row: Ints
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

    @property
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

    @property
    def right(self) -> Floats:
        """(rows,) number of kept entries that are correct."""
        return self.per_row(self.correct)

    @cached_property
    def majority(self) -> Bools:
        """(rows,) whether the answer that most samples give is correct."""
        voting = np.flatnonzero(np.isin(self.status, _VOTES))
        answers = self.settled.answers.numbered(self.settled.source[self.kept[voting]])
        return majority(self.size, self.row[voting], answers, self.correct[voting])

    @property
    def strict(self) -> Bools:
        """Whether each kept entry kept the requested format to the letter."""
        return self.settled.strict[self.kept]

    @property
    def missing(self) -> Ints:
        """(rows,) number of samples that are not there."""
        return self.counts[:, CODE[Status.MISSING]].astype(np.int64)

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """Number of entries by status, missing samples included."""
        return self.count(np.arange(self.size))

    def count(self, rows: Ints) -> dict[str, int]:
        """Return the number of entries of some rows by status, missing samples included."""
        every = len(rows) == self.size
        columns = (self.counts[:, code] for code in range(len(STATUSES)))
        totals = [int((column if every else column.take(rows)).sum()) for column in columns]
        return {status.value: one for status, one in zip(STATUSES, totals, strict=True)}

    @cached_property
    def shares(self) -> Shares:
        """What of the rows that count arrived and was readable."""
        return Shares.of(self.totals)

    @cached_property
    def endings(self) -> Mapping[str, int]:
        """How replies ended: the counts of COUNTED over the kept entries."""
        column = self.settled.ledger.endings
        codes = np.asarray(column.codes)[self.settled.source[self.kept]]
        known = np.array([one[:-1] for one in column.distinct()], dtype=np.int64)
        times = np.bincount(codes, minlength=len(known))
        totals = times @ known.reshape(len(known), len(COUNTED))
        return dict(zip(COUNTED, totals.tolist(), strict=True))

    def metric(self, name: str) -> Floats:
        """Return the values of a named metric of the kept entries, NaN where there is none."""
        return self.settled.metric(name, self.settled.source[self.kept])

    def per_row(self, values: Bools | Ints | Floats) -> Floats:
        """Return the sums over the entries of each row: (kept,) -> (rows,)."""
        return np.bincount(self.row, weights=values, minlength=self.size).astype(np.float64)

    @cached_property
    def difficulty(self) -> Ints:
        """(rows,) place on the difficulty axis."""
        return np.asarray(self.part.column("difficulty"))

    @cached_property
    def group(self) -> Ints:
        """(rows,) code of the cluster: rows of one are no independent trials."""
        return self.part.clusters[0]

    @cached_property
    def effective(self) -> float:
        """How many independent trials the rows that count are worth, by what they show."""
        sizes = np.bincount(self.group[self.counted])
        return round(effective_of(sizes), 1)


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
    row = settled.rows[low:high] - np.int32(part.start)
    status = settled.statuses[low:high]
    fresh = status != CODE[Status.DUPLICATE]
    counts = _statuses(row, status, part.count)
    kept = np.flatnonzero(fresh).astype(settled.source.dtype)
    row = row[fresh]
    present = np.bincount(row, minlength=part.count)
    samples = max(1, int(present.max()))
    counted = np.ones(part.count, dtype=bool) if missing == "wrong" else present > 0
    counts[:, CODE[Status.MISSING]] = (samples - present) * counted
    return Population(
        settled,
        part,
        model,
        low,
        high,
        samples,
        counts,
        kept + low,
        row,
        counted,
        {name: part.codes(name) for name in _split_by(part)},
    )


def _statuses(row: Ints, status: Ints, size: int) -> Ints:
    """Return (rows, statuses): number of entries of each status.

    Args:
        row: row of each entry, ascending.
        status: its status.
        size: number of rows.
    """
    width = len(STATUSES)
    most = int(np.bincount(row).max(initial=1))
    kind = next(k for k in (np.int8, np.int16, np.int32) if most <= np.iinfo(k).max)
    counts = np.zeros((size, width), dtype=kind, order="F")
    # A part at a time, as NumPy counts in eight bytes.
    for first in range(0, size, _CHUNK):
        last = min(first + _CHUNK, size)
        low, high = np.searchsorted(row, (first, last))
        cells = (row[low:high] - first).astype(np.int64) * width + status[low:high]
        found = np.bincount(cells, minlength=(last - first) * width)
        counts[first:last] = found.reshape(-1, width)
    return counts


def _split_by(part: Part) -> set[str]:
    """Return the columns by which the figures of a split are split, or its task is classed."""
    names = {name for measure in part.task.measures for name in measure.by}
    return names | ({part.task.classed_by} if part.task.classed_by else set())
