"""Count how replies ended.

A reply was finished, truncated by a token limit, or withheld by a filter
(facelet.pipeline.scoring.ingest.finish_reasons). It may also be null (nothing was sent) or empty
(blanks at most), or damaged by the file that contains it, as far as can be detected. These are
counted separately; one reply may be several, such as one whose hidden reasoning used all tokens and
which is truncated and null. None of it changes a verdict.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

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
