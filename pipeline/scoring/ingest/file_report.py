"""Count what each prediction file contains, and which records cannot be used and why.

A bad record never stops reading: it is counted, and the places and reasons of the first few are
kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from facelet.pipeline.scoring.ingest.dataset_match import MatchEvidence, OtherQuestion
from facelet.pipeline.scoring.ingest.ingest_limits import STRANGE, USELESS
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord, Unit
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

EXAMPLES = 10
"""How many broken records and unknown ids of a file are named."""


class UnusedExample(NamedTuple):
    """A record that could not be used: its place in the file, and why."""

    unit: Unit
    number: int
    reason: str


@dataclass
class FileReport:
    """The report of one file.

    Attributes:
        path: the file.
        sha256: hash of its bytes.
        size: its length in bytes.
        formats: number of records by format.
        unit: the unit of the file.
        read: number of records that were read, each a reply or a failure in its place.
        predictions: number of predictions that joined a row.
        broken: number of records that could not be used.
        examples: place and reason of the first of them.
        damaged: place of the first replies that the file may have damaged, and how.
        unknown: number of predictions whose id names no row.
        unknown_ids: the first of those ids.
        filtered: number of harness records that repeat a document under another filter.
        models: the models that its records name.
        unnamed: place of the first record with a reply and no model; 0 for none.
        unnamed_failure: place of the first failure without a model; 0 for none.
        others: number of broken records with another question than their row's.
        evidence: what its predictions prove about the build that they answer.
        stopped: where and why the file was read in part; "" if all of it was read.
        filters: filters of each harness record by its hash.
        refused: number of episodes whose replay shows another question, until `settle_counts`.
    """

    path: Path
    sha256: str
    size: int
    formats: Counter[str] = field(default_factory=Counter)
    unit: Unit = "record"
    read: int = 0
    predictions: int = 0
    broken: int = 0
    examples: list[UnusedExample] = field(default_factory=list)
    damaged: list[UnusedExample] = field(default_factory=list)
    unknown: int = 0
    unknown_ids: list[str] = field(default_factory=list)
    filtered: int = 0
    models: dict[str, None] = field(default_factory=dict)
    unnamed: int = 0
    unnamed_failure: int = 0
    others: int = 0
    evidence: MatchEvidence = field(default_factory=MatchEvidence)
    stopped: str = ""
    filters: dict[int, set[str]] = field(default_factory=dict)
    refused: int = 0

    def __str__(self) -> str:
        """Describe what was not used of the file, and why."""
        summary = f"{self.path.name}: {self.broken} broken records, {self.unknown} unknown ids"
        if self.unknown_ids:
            summary += f" such as {self.unknown_ids[0]!r}"
        if self.examples:
            first = self.examples[0]
            summary += f"; {first.unit} {first.number}: {first.reason}"
        return f"{summary}; {self.stopped}" if self.stopped else summary

    @property
    def usable_count(self) -> int:
        """Number of records that were used, or could be with another dataset or filter."""
        return self.predictions + self.unknown + self.filtered

    def stop_reason(self) -> str:
        """Return why the rest of a file is not worth reading; "" if it may be."""
        if self.broken >= USELESS and self.broken > self.usable_count:
            return f"reading stopped: {self.broken:,} of its first records are no predictions"
        if self.unknown >= STRANGE and not self.predictions:
            return f"reading stopped: its first {self.unknown:,} predictions name no row"
        return ""

    def merge_counts(self, other: FileReport) -> None:
        """Add the counts of the records that follow those counted here.

        Args:
            other: the report of them alone; they have no question and no answer key.
        """
        self.formats.update(other.formats)
        self.unit = other.unit
        self.read += other.read
        self.predictions += other.predictions
        self.broken += other.broken
        self.examples = [*self.examples, *other.examples][:EXAMPLES]
        self.damaged = [*self.damaged, *other.damaged][:EXAMPLES]
        self.unknown += other.unknown
        self.unknown_ids = [*self.unknown_ids, *other.unknown_ids][:EXAMPLES]
        self.models.update(other.models)
        self.unnamed = self.unnamed or other.unnamed
        self.unnamed_failure = self.unnamed_failure or other.unnamed_failure
        self.evidence.nothing += other.evidence.nothing

    def may_end(self, other: FileReport) -> bool:
        """Return whether reading may have to stop inside records that follow; see `stop_reason`."""
        broken, unknown = self.broken + other.broken, self.unknown + other.unknown
        return (broken >= USELESS and broken > self.usable_count) or (
            unknown >= STRANGE and not self.predictions
        )

    def note_unusable(
        self, located: LocatedRecord, error: UnreadableRecord, count: int = 1
    ) -> None:
        """Count records that cannot be used, and keep the first of them.

        Args:
            located: the first of them, with its place in the file.
            error: why they cannot be used.
            count: how many there are.
        """
        self.broken += count
        self.others += count * isinstance(error, OtherQuestion)
        if len(self.examples) < EXAMPLES:
            reason = str(error).encode("utf-8", "replace").decode()
            self.examples.append(UnusedExample(located.unit, located.number, reason))

    def note_refused(self, unit: Unit, number: int, why: str) -> None:
        """Note a prediction whose replay shows another question; `settle_counts` removes it.

        Episodes are graded some time after they are read, and the delay must not show.

        Args:
            unit: the unit of its file.
            number: its place in the file, from 1.
            why: the row, and how the question differs.
        """
        self.refused += 1
        reason = (
            f"its question is not that of {why}; score it all the same with questions=any"
        ).encode("utf-8", "replace")
        self.examples.append(UnusedExample(unit, number, reason.decode()))
        # Later records come after all examples here.
        self.examples.sort(key=lambda example: example.number)
        del self.examples[EXAMPLES:]

    def settle_counts(self) -> None:
        """Subtract the refused episodes, once all are graded."""
        self.predictions -= self.refused
        self.broken += self.refused
        self.others += self.refused
        self.refused = 0
