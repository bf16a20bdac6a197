"""Store the outcomes of predictions in compact columns, and count how replies ended.

A reply was finished, truncated by a token limit, or withheld by a filter
(facelet.pipeline.scoring.ingest.finish_reasons). It may also be null (nothing was sent) or empty
(blanks at most), or damaged by the file that contains it, as far as can be detected. These are
counted separately; one reply may be several, such as one whose hidden reasoning used all tokens and
which is truncated and null. None of it changes a verdict.

Labels are stored as codes into one vocabulary. Most metrics are flags or small counts that nearly
every entry of a task has: those take one byte per entry. Others, such as seconds, are rare: only
the entries that have a value are stored.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from facelet.generators.core.task import Status
from facelet.pipeline.scoring.array_types import Floats, Ints
from facelet.pipeline.scoring.ingest.finish_reasons import CUT, FILTERED
from facelet.pipeline.scoring.ingest.prediction import MAX_TURNS, Prediction

KINDS = ("cut", "filtered", "null", "empty", "damaged")
"""The counts of replies."""

COUNTED = ("replies", "reason_told", *KINDS)
"""Names of the counts, in the order of `ReplyEndings`."""

_MOST_WORDS = 255


class ReplyEndings(NamedTuple):
    """The endings of the replies of one prediction.

    Attributes:
        replies: number of replies, null ones among them.
        told: number of those with a known reason.
        cut: number of those that a limit of tokens cut.
        filtered: number of those that a filter withheld.
        null: number of those that are null, or that are not there.
        empty: number of those that are blanks at most.
        damaged: number of those that their file may have damaged.
        reasons: codes of the reasons, reply by reply; empty if none is known.
    """

    replies: int
    told: int = 0
    cut: int = 0
    filtered: int = 0
    null: int = 0
    empty: int = 0
    damaged: int = 0
    reasons: bytes = b""


_PLAIN = ReplyEndings(1)
"""The endings of nearly all predictions."""


@dataclass
class EndingColumn:
    """The endings of all entries of a ledger, as codes into the distinct ones.

    Attributes:
        codes: code of each entry.
        words: the reasons by code; code 0 is an unknown one.
    """

    codes: array[int] = field(default_factory=lambda: array("i"))
    words: dict[str, int] = field(default_factory=lambda: {"": 0})
    _known: dict[ReplyEndings, int] = field(default_factory=dict)

    def append_entry(self, prediction: Prediction, judged: Sequence[str]) -> None:
        """Enter the next entry.

        Args:
            prediction: the prediction.
            judged: its graded replies.
        """
        plain = len(judged) == 1 and not (prediction.reasons or prediction.nulls)
        if plain and not prediction.damage and judged[0] and not judged[0].isspace():
            found = _PLAIN
        else:
            found = self._classify_replies(prediction, judged)
        self.codes.append(self._known.setdefault(found, len(self._known)))

    def add_text(self, text: str) -> None:
        """Append an entry of one reply without further facts."""
        found = _PLAIN if text and not text.isspace() else ReplyEndings(1, empty=1)
        self.codes.append(self._known.setdefault(found, len(self._known)))

    def append_column(self, other: EndingColumn) -> None:
        """Append the endings of another column."""
        words = list(other.words)
        codes = []
        for one in other.distinct_endings():
            reasons = bytes(self._word_code(words[code]) for code in one.reasons)
            mine = one._replace(reasons=reasons)
            codes.append(self._known.setdefault(mine, len(self._known)))
        theirs = np.asarray(other.codes)
        self.codes.frombytes(np.array(codes, dtype=np.int32)[theirs].tobytes())

    def distinct_endings(self) -> list[ReplyEndings]:
        """Return the distinct endings by their code."""
        return list(self._known)

    def _classify_replies(self, prediction: Prediction, judged: Sequence[str]) -> ReplyEndings:
        count, reasons = len(judged), prediction.reasons
        blank = sum(1 for text in judged if not text or text.isspace())
        if not (blank or reasons or prediction.nulls or prediction.damage):
            return ReplyEndings(count)
        if len(reasons) > count:
            # A final answer is graded in place of the replies before it.
            reasons = reasons[-count:] if count else reasons[:MAX_TURNS]
        small = [one.lower() for one in reasons]
        null = min(prediction.nulls, blank) if count else prediction.nulls
        return ReplyEndings(
            max(count, null),
            sum(1 for one in small if one),
            sum(1 for one in small if one in CUT),
            sum(1 for one in small if one in FILTERED),
            null,
            blank - null if count else 0,
            int(bool(prediction.damage)),
            bytes(map(self._word_code, reasons)) if any(reasons) else b"",
        )

    def _word_code(self, word: str) -> int:
        if word not in self.words and len(self.words) >= _MOST_WORDS:
            word = "other"
        return self.words.setdefault(word, len(self.words))


STATUSES: tuple[Status, ...] = tuple(Status)
CODE: dict[Status, int] = {status: code for code, status in enumerate(STATUSES)}
"""Statuses as small integers."""

PARSED = frozenset(CODE[s] for s in (Status.CORRECT, Status.WRONG, Status.ILLEGAL, Status.UNGRADED))
RECEIVED = PARSED | {CODE[Status.UNPARSED]}
"""Codes of replies that were understood, and of all replies that arrived."""

_KNOWN = 4096


_NONE = -128
"""The byte of no value."""

_PLACE = 4
"""Bytes of the number of an entry."""

Values = npt.NDArray[np.int8] | Floats
"""Values as bytes where all of them are whole and small, else as they are."""


@dataclass
class EntryMetric:
    """The values of some entries, in the order in which they were entered."""

    entries: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


@dataclass(frozen=True, slots=True, eq=False)
class _MetricPiece:
    """The values of consecutive entries.

    Attributes:
        entries: (values,) the entries, ascending.
        values: (values,) their values.
    """

    entries: npt.NDArray[np.int32] | range
    values: Values


@dataclass
class MetricColumn:
    """The values of all entries, piece by piece."""

    pieces: list[_MetricPiece] = field(default_factory=list)

    def append_values(self, told: EntryMetric, first: int) -> None:
        """Append the values of entries after all others.

        Args:
            told: the values; the last one of an entry counts.
            first: number of the entry that is 0 in them.
        """
        entries, values = np.asarray(told.entries), np.asarray(told.values)
        if not len(entries):
            return
        if np.any(entries[1:] <= entries[:-1]):
            found = np.full(int(entries.max()) + 1, -1)
            found[entries] = np.arange(len(entries))
            entries = np.flatnonzero(found >= 0).astype(np.int32)
            values = values[found[entries]]
        low, high = int(entries[0]) + first, int(entries[-1]) + first + 1
        dense = high - low == len(entries)
        places = range(low, high) if dense else (entries + first).astype(np.int32)
        self.pieces.append(_MetricPiece(places, _narrow_values(values)))

    def to_values(self) -> MetricValues:
        """Return the values in one piece; this column is empty afterwards."""
        pieces, self.pieces = self.pieces, []
        last = int(pieces[-1].entries[-1]) + 1 if pieces else 0
        value_count = sum(len(piece.values) for piece in pieces)
        values: Values
        if all(piece.values.dtype == np.int8 for piece in pieces):
            values = np.full(last, _NONE, dtype=np.int8)
        else:
            values = np.full(last, np.nan)
        size = values.itemsize
        if last * size <= value_count * (_PLACE + size):
            for piece in pieces:
                places = piece.entries
                if isinstance(places, range):
                    values[places.start : places.stop] = piece.values
                else:
                    values[places] = piece.values
            return MetricValues(values, None)
        values = values[:value_count].copy()
        np.concatenate([piece.values for piece in pieces], out=values)
        entries = np.concatenate([np.asarray(piece.entries, dtype=np.int32) for piece in pieces])
        return MetricValues(values, entries)


@dataclass(frozen=True, slots=True, eq=False)
class MetricValues:
    """The values of all entries.

    Attributes:
        values: by entry, or by place in `entries`; entries after the last have none.
        entries: the entries that have a value, ascending; None if `values` is by entry.
    """

    values: Values
    entries: npt.NDArray[np.int32] | None

    def values_at(self, places: Ints) -> Floats:
        """Return the values of some entries, in any order; NaN for no value."""
        found = np.full(len(places), np.nan)
        if not len(self.values):
            return found
        if self.entries is None:
            place: Ints = np.minimum(places, len(self.values) - 1)
            there = places < len(self.values)
        else:
            place = np.minimum(np.searchsorted(self.entries, places), len(self.entries) - 1)
            there = self.entries[place] == places
        chosen = self.values[place]
        if chosen.dtype == np.int8:
            there = there & (chosen != _NONE)
        np.copyto(found, chosen, where=there)
        return found


def _narrow_values(values: Sequence[float] | Floats) -> Values:
    """Return values as bytes if that loses nothing, such as -0.0 or NaN."""
    every = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        small = every.astype(np.int8)
    same = (small == every) & (small != _NONE) & ~(np.signbit(every) & (small == 0))
    return small if bool(same.all()) else every.copy()


@dataclass
class LabelLists:
    """Lists of label codes, one after the other."""

    lengths: array[int] = field(default_factory=lambda: array("i"))
    codes: array[int] = field(default_factory=lambda: array("i"))


@dataclass(kw_only=True)
class GradedEntries:
    """Entries in the order of the predictions, without their metrics.

    Attributes:
        rows: row number of each entry.
        models: code of its model.
        samples: its sample index.
        places: where it was read; see facelet.pipeline.scoring.ingest.prediction_reader.
        digests: see facelet.pipeline.scoring.grade.dispositions.
        statuses: its status code, before duplicates are found.
        strict: 1 where the reply kept the format to the letter.
        answers: labels understood from the reply.
        gold_rows: rows whose right labels an outcome contains, each once.
        golds: those labels.
        labels: the vocabulary; code 0 is the missing label.
        endings: how the replies of each entry ended.
    """

    rows: array[int] = field(default_factory=lambda: array("i"))
    models: array[int] = field(default_factory=lambda: array("i"))
    samples: array[int] = field(default_factory=lambda: array("i"))
    places: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("q"))
    statuses: array[int] = field(default_factory=lambda: array("b"))
    strict: array[int] = field(default_factory=lambda: array("b"))
    answers: LabelLists = field(default_factory=LabelLists)
    gold_rows: array[int] = field(default_factory=lambda: array("i"))
    golds: LabelLists = field(default_factory=LabelLists)
    labels: dict[str, int] = field(default_factory=lambda: {"": 0})
    endings: EndingColumn = field(default_factory=EndingColumn)

    def enter_golds(self, golds: Mapping[int, tuple[str, ...]]) -> None:
        """Enter the right labels of rows that have none yet."""
        self.gold_rows.extend(golds)
        self.golds.lengths.extend(map(len, golds.values()))
        self.golds.codes.extend(self.encode_lists(golds.values()))

    def encode_lists(self, lists: Iterable[tuple[str, ...]]) -> list[int]:
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


@dataclass(kw_only=True)
class BlockColumns(GradedEntries):
    """The entries of a block.

    Attributes:
        metrics: named metrics of outcomes, and the recorded tokens and seconds.
    """

    metrics: dict[str, EntryMetric] = field(default_factory=dict)

    def enter_metrics(self, told: Mapping[int, Mapping[str, float]]) -> None:
        """Enter metrics by number of the entry, ascending."""
        into: dict[str, tuple[Callable[[int], None], Callable[[float], None]]] = {}
        for number, found in told.items():
            for name, value in found.items():
                if name not in into:
                    metric = self.metrics.setdefault(name, EntryMetric())
                    into[name] = metric.entries.append, metric.values.append
                entry, enter = into[name]
                entry(number)
                enter(value)


@dataclass(kw_only=True)
class EntryColumns(GradedEntries):
    """The entries of all blocks, as if they had been one.

    Attributes:
        metrics: named metrics of outcomes, and the recorded tokens and seconds.
    """

    metrics: dict[str, MetricColumn] = field(default_factory=dict)

    def append_block(self, other: BlockColumns, told: bytearray) -> None:
        """Append a block.

        Args:
            other: the entries of the block.
            told: by row number 1 if its right labels are known; set for the block's rows.
        """
        first = len(self.rows)
        for name in ("rows", "models", "samples", "places", "digests", "statuses", "strict"):
            getattr(self, name).extend(getattr(other, name))
        mine = np.array(self.encode_lists([tuple(other.labels)]), dtype=np.int32)
        self.answers.lengths.extend(other.answers.lengths)
        self.answers.codes.frombytes(mine[np.asarray(other.answers.codes)].tobytes())
        for name, metric in other.metrics.items():
            self.metrics.setdefault(name, MetricColumn()).append_values(metric, first)
        rows, lengths = np.asarray(other.gold_rows), np.asarray(other.golds.lengths)
        known = np.frombuffer(told, dtype=np.uint8)
        fresh = known[rows] == 0
        known[rows] = 1
        codes = mine[np.asarray(other.golds.codes)]
        self.gold_rows.frombytes(rows[fresh].astype(np.int32).tobytes())
        self.golds.lengths.frombytes(lengths[fresh].tobytes())
        self.golds.codes.frombytes(codes[np.repeat(fresh, lengths)].tobytes())
        self.endings.append_column(other.endings)
