"""Build the population of one model on one split: its settled entries, rows and samples.

A population contains everything that figures are computed from.

Of several predictions for the same row, sample and model one counts; see
facelet.pipeline.scoring.grade.dispositions. Every row is expected to have as many samples as the
row with the most; absent samples are missing, and wrong. So leaving out bad samples never pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.generators.core.task import Status
from facelet.pipeline.dataset.duplicates import effective_from_sizes
from facelet.pipeline.scoring.array_types import Bools, Floats, Ints
from facelet.pipeline.scoring.grade.arrival_shares import Shares
from facelet.pipeline.scoring.grade.dispositions import (
    CONFLICTING,
    FAILED,
    GRADED,
    Duplicates,
    describe_conflict,
    dispose,
    number_samples,
)
from facelet.pipeline.scoring.grade.graded_columns import (
    CODE,
    COUNTED,
    STATUSES,
    LabelLists,
    MetricValues,
)
from facelet.pipeline.scoring.grade.majority_vote import vote_majority
from facelet.pipeline.scoring.grade.outcome_store import OutcomeStore
from facelet.pipeline.scoring.ingest.file_report import FileReport
from facelet.pipeline.scoring.ingest.prediction_reader import FILE_BITS
from facelet.pipeline.scoring.scored_dataset import Coded, ScoredDataset, ScoredSplit

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
class LabelCodes:
    """Lists of label codes by place: list i is codes[starts[i] : starts[i] + lengths[i]]."""

    starts: Ints
    lengths: Ints
    codes: Ints

    @staticmethod
    def from_lists(lists: LabelLists) -> LabelCodes:
        """Return the lists as arrays, which share their memory."""
        lengths, codes = np.asarray(lists.lengths), np.asarray(lists.codes)
        kind = np.int32 if len(codes) < _SMALL else np.int64
        return LabelCodes(np.cumsum(lengths, dtype=kind) - lengths, lengths, codes)

    def number_lists(self, places: Ints) -> Ints:
        """Return a number for each list, from 0: only equal lists share a number."""
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
class SettledEntries:
    """The store's entries as ordered arrays, with their dispositions.

    Entries are ordered by model, row, sample; `source` is their place in the ledger. Where the
    predictions came in this order, the arrays share the ledger's memory.
    """

    ledger: OutcomeStore
    models: Ints
    rows: Ints
    samples: Ints
    statuses: Ints
    strict: Bools
    source: Ints
    dispositions: Ints

    @cached_property
    def answer_codes(self) -> LabelCodes:
        """The understood labels, by place in the ledger."""
        return LabelCodes.from_lists(self.ledger.answers)

    @cached_property
    def gold_codes(self) -> tuple[LabelCodes, Ints]:
        """The right labels, and for every row of the dataset their place, or -1."""
        place = np.full(self.ledger.dataset.row_count, -1, dtype=np.int32)
        rows = np.asarray(self.ledger.gold_rows)
        place[rows] = np.arange(len(rows))
        return LabelCodes.from_lists(self.ledger.golds), place

    @cached_property
    def all_metrics(self) -> dict[str, MetricValues]:
        """The named metrics, by place in the ledger."""
        return {name: column.to_values() for name, column in self.ledger.metrics.items()}

    def metric_at(self, name: str, places: Ints) -> Floats:
        """Return the values of a named metric at places in the store; NaN for no value."""
        if name not in self.all_metrics:
            return np.full(len(places), np.nan)
        return self.all_metrics[name].values_at(places)


def settle_entries(
    ledger: OutcomeStore,
    accounts: Sequence[FileReport],
    codes: Ints,
    duplicates: Duplicates,
    *,
    everything: bool,
) -> SettledEntries:
    """Return the ledger's entries with their final status.

    Args:
        ledger: the entries.
        accounts: the files that they were read from.
        codes: final code of each model by its code in the ledger.
        duplicates: how different replies for the same row, model and sample are handled.
        everything: whether splits without any prediction will be reported too.

    Raises:
        ValueError: there are such, and they are to be refused.
    """
    rows = np.asarray(ledger.rows)
    asked = np.zeros(ledger.dataset.row_count, dtype=bool)
    asked[rows] = True
    for part in ledger.dataset.parts:
        if (
            (everything or asked[part.first_number : part.first_number + part.count].any())
            and not part.unavailable_reason
            and any(measure.labelled for measure in part.load_installed_task.measures)
        ):
            ledger.complete_golds(part)
    models = codes[np.asarray(ledger.models)].astype(np.int32)
    samples = number_samples(ledger, models)
    statuses, strict = np.asarray(ledger.statuses), np.asarray(ledger.strict).astype(bool)
    digests = np.asarray(ledger.digests)
    as_read = np.arange(len(rows))
    by_name = np.argsort(np.argsort([str(account.path) for account in accounts], kind="stable"))
    read_at = np.asarray(ledger.places)
    files = by_name[read_at >> FILE_BITS]
    keys = {"first": (as_read,), "last": (-as_read,)}.get(duplicates, (files, digests))
    order = _order_entries(models, rows, samples, statuses == CODE[Status.API_ERROR], keys)
    if order is None:
        order = np.arange(len(rows), dtype=np.int32)
        dispositions = dispose(order, digests, read_at, statuses, duplicates)
        return SettledEntries(ledger, models, rows, samples, statuses, strict, order, dispositions)
    models, rows, samples = models[order], rows[order], samples[order]
    statuses, strict = statuses[order], strict[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (models[1:] != models[:-1])
    own = first.copy()
    own[1:] |= samples[1:] != samples[:-1]
    group = np.maximum.accumulate(np.where(own, np.arange(len(rows)), 0))
    dispositions = dispose(group, digests[order], read_at[order], statuses, duplicates)
    if duplicates == "refuse" and (conflicts := np.flatnonzero(dispositions == CONFLICTING)).size:
        places = read_at[order[[group[conflicts[0]], conflicts[0]]]]
        part = ledger.dataset.parts[ledger.dataset.part_of(int(rows[conflicts[0]]))]
        identifier = part.row_id(int(rows[conflicts[0]]))
        raise ValueError(describe_conflict(places.tolist(), accounts, identifier, len(conflicts)))
    counted = (dispositions == GRADED) | (own & (dispositions == FAILED))
    if duplicates == "samples":
        number = np.cumsum(counted)
        before = np.maximum.accumulate(np.where(first, number - counted, 0))
        samples = np.maximum(number - before - 1, 0).astype(samples.dtype)
    statuses = np.where(counted, statuses, np.int8(CODE[Status.DUPLICATE]))
    strict &= counted
    return SettledEntries(ledger, models, rows, samples, statuses, strict, order, dispositions)


def _order_entries(
    models: Ints, rows: Ints, samples: Ints, failed: Bools, keys: Sequence[Ints]
) -> Ints | None:
    """Return the order by model, row, sample, API errors last, and then by keys, the last first.

    None if entries are in this order, and no two have the same model, row and sample.
    """
    major = models.astype(np.int64) << 31 | rows
    minor = samples.astype(np.int64) << 1 | failed
    rising = major[1:] > major[:-1]
    rising |= (major[1:] == major[:-1]) & (minor[1:] >> 1 > minor[:-1] >> 1)
    if rising.all():
        return None
    order: Ints = np.lexsort((*keys, minor, major))
    return order.astype(np.int32 if len(rows) < _SMALL else np.int64)


@dataclass(frozen=True, eq=False)
class Population:
    """One model on one split of one config.

    Attributes:
        settled: all entries.
        part: the split.
        model: name of the model.
        first: place in `to_values` of the first entry, duplicates included.
        last: place after the last.
        samples: samples that every row is expected to have.
        counts: (rows, statuses) number of entries of each status, missing samples included.
        kept: places in `to_values` of the entries that count: one for each row and sample.
        row: row of each kept entry, numbered within the part.
        counted: (rows,) which rows count: all of them, or those with any prediction.
        by: the columns by which figures are split, or tasks classed, by name.
    """

    settled: SettledEntries
    part: ScoredSplit
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
    def suite_split(self) -> Suite:
        """The suite and the split that it belongs to."""
        config, split = self.part.split_name
        return config.partition(".")[0], split

    @property
    def row_count(self) -> int:
        """Number of rows of the split."""
        return self.part.count

    @property
    def entry_status(self) -> Ints:
        """Status code of each kept entry."""
        return self.settled.statuses[self.kept]

    @cached_property
    def has_gold(self) -> Bools:
        """Whether each row has a right answer; the others are asked but not graded."""
        golds = self.part.read_column("gold")
        if not (pa.types.is_string(golds.type) or pa.types.is_large_string(golds.type)):
            return np.array([bool(gold) for gold in golds.to_pylist()], dtype=bool)
        graded: Bools = pc.binary_length(golds).fill_null(0).to_numpy() > 0
        return graded

    @cached_property
    def is_correct(self) -> Bools:
        """Whether each kept entry is correct, and its row a graded one."""
        correct: Bools = (self.entry_status == CODE[Status.CORRECT]) & self.has_gold[self.row]
        return correct

    @property
    def correct_counts(self) -> Floats:
        """(rows,) number of kept entries that are correct."""
        return self.per_row(self.is_correct)

    @cached_property
    def majority_correct(self) -> Bools:
        """(rows,) whether the answer that most samples give is correct."""
        voting = np.flatnonzero(np.isin(self.entry_status, _VOTES))
        answers = self.settled.answer_codes.number_lists(self.settled.source[self.kept[voting]])
        return vote_majority(self.row_count, self.row[voting], answers, self.is_correct[voting])

    @property
    def is_strict(self) -> Bools:
        """Whether each kept entry kept the requested format to the letter."""
        return self.settled.strict[self.kept]

    @property
    def missing_counts(self) -> Ints:
        """(rows,) number of samples that are not there."""
        return self.counts[:, CODE[Status.MISSING]].astype(np.int64)

    @cached_property
    def status_totals(self) -> Mapping[str, int]:
        """Number of entries by status, missing samples included."""
        return self.count_statuses(np.arange(self.row_count))

    def count_statuses(self, rows: Ints) -> dict[str, int]:
        """Return the number of entries of some rows by status, missing samples included."""
        every = len(rows) == self.row_count
        columns = (self.counts[:, code] for code in range(len(STATUSES)))
        totals = [int((column if every else column.take(rows)).sum()) for column in columns]
        return {status.value: one for status, one in zip(STATUSES, totals, strict=True)}

    @cached_property
    def shares(self) -> Shares:
        """What of the rows that count arrived and was readable."""
        return Shares.of(self.status_totals)

    @cached_property
    def ending_counts(self) -> Mapping[str, int]:
        """How replies ended: the counts of COUNTED over the kept entries."""
        column = self.settled.ledger.endings
        codes = np.asarray(column.codes)[self.settled.source[self.kept]]
        known = np.array([one[:-1] for one in column.distinct_endings()], dtype=np.int64)
        times = np.bincount(codes, minlength=len(known))
        totals = times @ known.reshape(len(known), len(COUNTED))
        return dict(zip(COUNTED, totals.tolist(), strict=True))

    def metric_values(self, name: str) -> Floats:
        """Return the values of a named metric of the kept entries; NaN for no value."""
        return self.settled.metric_at(name, self.settled.source[self.kept])

    def per_row(self, values: Bools | Ints | Floats) -> Floats:
        """Return the sums over the entries of each row: (kept,) -> (rows,)."""
        return np.bincount(self.row, weights=values, minlength=self.row_count).astype(np.float64)

    @cached_property
    def row_difficulty(self) -> Ints:
        """(rows,) place on the difficulty axis."""
        return np.asarray(self.part.read_column("difficulty"))

    @cached_property
    def row_cluster(self) -> Ints:
        """(rows,) code of the cluster: rows of one are no independent trials."""
        return self.part.row_clusters[0]

    @cached_property
    def effective_rows(self) -> float:
        """How many independent trials the rows that count are worth, by what they show."""
        sizes = np.bincount(self.row_cluster[self.counted])
        return round(effective_from_sizes(sizes), 1)


def iterate_populations(
    settled: SettledEntries, models: Sequence[str], missing: Missing, *, everything: bool
) -> Iterator[Population]:
    """Yield the populations of all models, by model, then split, if its task can be loaded.

    Args:
        settled: all entries.
        models: names of the models by code.
        missing: whether rows without any prediction count as wrong, or are left out.
        everything: whether splits without any prediction of a model count too, all missing.
    """
    dataset: ScoredDataset = settled.ledger.dataset
    for model, name in enumerate(models):
        first, last = np.searchsorted(settled.models, (model, model + 1))
        rows = settled.rows[first:last]
        for part in dataset.parts:
            low, high = first + np.searchsorted(
                rows, (part.first_number, part.first_number + part.count)
            )
            if (low < high or everything) and not part.unavailable_reason:
                yield _build_population(settled, part, name, (int(low), int(high)), missing)


def _build_population(
    settled: SettledEntries,
    part: ScoredSplit,
    model: str,
    places: tuple[int, int],
    missing: Missing,
) -> Population:
    low, high = places
    row = settled.rows[low:high] - np.int32(part.first_number)
    status = settled.statuses[low:high]
    fresh = status != CODE[Status.DUPLICATE]
    counts = _count_by_status(row, status, part.count)
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
        {name: part.encode_column(name) for name in _split_by(part)},
    )


def _count_by_status(row: Ints, status: Ints, size: int) -> Ints:
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


def _split_by(part: ScoredSplit) -> set[str]:
    """Return the columns by which the figures of a split are split, or its task is classed."""
    names = {name for measure in part.load_installed_task.measures for name in measure.by}
    return names | (
        {part.load_installed_task.classed_by} if part.load_installed_task.classed_by else set()
    )
