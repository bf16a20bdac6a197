"""Decide the disposition of each record read, and count them in the ledger.

The identity of a record is its row, model and sample. Of several records with one identity one
counts: failures give way to a reply, equal replies count once, and replies that differ are an error
unless the caller says which of them counts. None of it depends on the order of files or lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np

from facelet.generators.core.task import Status
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.grade.graded_columns import CODE, GradedEntries
from facelet.pipeline.scoring.ingest.file_report import FileReport
from facelet.pipeline.scoring.ingest.prediction import Prediction
from facelet.pipeline.scoring.ingest.prediction_reader import FILE_BITS, REPLIED, UNNUMBERED

Duplicates = Literal["refuse", "first", "last", "samples"]
"""What becomes of different replies for the same row, model and sample."""

WORDS = {
    "graded": "graded",
    "superseded": "superseded by a later success",
    "identical_duplicate": "identical duplicates",
    "conflicting_duplicate": "conflicting duplicates",
    "api_error": "failed at the API",
    "malformed": "malformed",
    "unknown_id": "with an unknown id",
    "refused": "refused",
    "other_filter": "repeated under another filter",
    "empty": "empty",
    "truncated": "truncated",
    "filtered": "filtered",
    "carrier_damaged": "possibly damaged by their file",
}
"""The dispositions of a record, then its flags, in words."""

FLAGS = {
    "empty": ("null", "empty"),
    "truncated": ("cut",),
    "filtered": ("filtered",),
    "carrier_damaged": ("damaged",),
}
"""The flags of a record, with the counts of endings that show each."""

DISPOSITIONS = tuple(name for name in WORDS if name not in FLAGS)
GRADED, SUPERSEDED, IDENTICAL, CONFLICTING, FAILED, _, _, REFUSED, _ = range(len(DISPOSITIONS))
"""Dispositions as small integers."""


@dataclass(frozen=True, slots=True)
class RecordLedger:
    """The number of records read, by disposition.

    Attributes:
        read: number of records that were read.
        dispositions: number of records by DISPOSITIONS; they sum to those read.
        flags: number of records by FLAGS; one may have several, or none.
    """

    read: int
    dispositions: Mapping[str, int]
    flags: Mapping[str, int]

    def __post_init__(self) -> None:
        """Check that every record has one disposition."""
        if sum(self.dispositions.values()) != self.read or min(self.dispositions.values()) < 0:
            raise AssertionError(f"{self.read} records were read, and {dict(self.dispositions)}")

    @staticmethod
    def total(ledgers: Sequence[RecordLedger]) -> RecordLedger:
        """Return the ledger of all files."""
        return RecordLedger(
            sum(one.read for one in ledgers),
            {name: sum(one.dispositions[name] for one in ledgers) for name in DISPOSITIONS},
            {name: sum(one.flags[name] for one in ledgers) for name in FLAGS},
        )


def digest(replies: Sequence[str], prediction: Prediction | None = None) -> int:
    """Return a digest that distinguishes predictions of one identity: the replies, then the rest.

    Args:
        replies: its graded replies.
        prediction: the prediction; None for one plain reply.
    """
    said = crc32("\0".join(replies).encode()) << 31
    if prediction is None:
        return said
    spent = sorted((prediction.spent or {}).items())
    rest = (prediction.reasons, prediction.nulls, spent, prediction.patterns, prediction.damage)
    return said | crc32(repr(rest).encode()) & 0x7FFFFFFF


def number_samples(entries: GradedEntries, models: Ints) -> Ints:
    """Return the sample of each entry.

    Records that number none are the samples of their file, model and row by what they reply, so
    that nothing depends on the order of lines.

    Args:
        entries: the entries.
        models: their models.
    """
    samples, places = np.asarray(entries.samples), np.asarray(entries.places)
    own = np.flatnonzero(places & UNNUMBERED)
    if not len(own):
        return samples
    group = np.stack((places[own] >> FILE_BITS, models[own], np.asarray(entries.rows)[own]))
    order = np.lexsort((np.asarray(entries.digests)[own], *group))
    fresh = np.r_[True, (np.diff(group[:, order]) != 0).any(axis=0)]
    count = np.arange(len(own))
    found = samples.copy()
    found[own[order]] = count - np.maximum.accumulate(np.where(fresh, count, 0))
    return found


def dispose(
    group: Ints, digests: Ints, places: Ints, statuses: Ints, duplicates: Duplicates
) -> Ints:
    """Return the disposition of each entry.

    Args:
        group: place of the first entry of the same identity; replies come before failures.
        digests: digest of each entry.
        places: where each was read.
        statuses: status of each.
        duplicates: how different replies are handled.
    """
    failed = statuses == CODE[Status.API_ERROR]
    again = group != np.arange(len(group))
    # Without a number, a record of another file may be a copy or another sample.
    apart = places >> FILE_BITS != places[group] >> FILE_BITS
    same = digests >> 31 == digests[group] >> 31
    same &= ~apart | ((places | places[group]) & UNNUMBERED == 0)
    found = np.where(same, np.int8(IDENTICAL), np.int8(CONFLICTING))
    found[~again | (duplicates == "samples")] = GRADED
    found[failed] = np.where(failed[group], FAILED, SUPERSEDED)[failed]
    return found


def describe_conflict(
    places: Sequence[int], accounts: Sequence[FileReport], identifier: str, count: int
) -> str:
    """Return the message for two conflicting records of one identity, with the options.

    Args:
        places: where they were read.
        accounts: the files.
        identifier: id of their row.
        count: number of records that differ from the one that would count.
    """
    named = sorted(
        (accounts[place >> FILE_BITS].path.name, place & REPLIED - 1, accounts[place >> FILE_BITS])
        for place in places
    )
    where = " and ".join(f"{name}: {account.unit} {number}" for name, number, account in named)
    what = "different replies of one model and sample"
    if any(place & UNNUMBERED for place in places):
        what = "replies of one model that number no samples"
    return (
        f"{where} hold {what} for {identifier} ({count:,} such in all); choose which count with "
        "duplicates=first or last, or take each as a sample with duplicates=samples; where each "
        "file is a model, use model_from=file"
    )


def count_records(
    entries: GradedEntries, source: Ints, dispositions: Ints, accounts: Sequence[FileReport]
) -> tuple[RecordLedger, ...]:
    """Return the ledger of each file.

    Args:
        entries: the entries of all files.
        source: place among these of each disposition.
        dispositions: the dispositions of entries.
        accounts: the reports of the files, with the records that became no entry.
    """
    file = np.asarray(entries.places)[source] >> FILE_BITS
    width = len(DISPOSITIONS)
    cells = np.bincount(file * width + dispositions, minlength=width * len(accounts))
    kinds = entries.endings.distinct_endings()
    codes = np.asarray(entries.endings.codes)[source]
    flags = {}
    for flag, names in FLAGS.items():
        marked = np.array([any(getattr(one, name) for name in names) for one in kinds], dtype=bool)
        flags[flag] = np.bincount(file[marked[codes]], minlength=len(accounts))
    found = []
    for number, account in enumerate(accounts):
        own = dict(zip(DISPOSITIONS, cells[number * width :][:width].tolist(), strict=True))
        own["malformed"] += account.broken - account.others
        own["refused"] += account.others
        own["unknown_id"] += account.unknown
        own["other_filter"] += account.filtered
        found.append(RecordLedger(account.read, own, {k: int(v[number]) for k, v in flags.items()}))
    return tuple(found)
