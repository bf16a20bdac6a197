"""Count the plays of a run and summarize them, with a progress bar in a terminal."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from tqdm import tqdm

from facelet.pipeline.argument_text import can_show_progress, sanitize_text
from facelet.pipeline.rollout.transcript_file import Transcript

MOST_REASONS = 10
"""Number of distinct reasons that are listed."""

_LONGEST = 300
_VARYING = re.compile(r"\b(?=[\w-]*\d)[\w-]{4,}(?:\.\d+)?|\b\d+(?:\.\d+)?(?=m?s\b)")
"""What differs between reports of one reason: request ids, times, counts of tokens."""


class FailureReasons:
    """Counts of the distinct reasons for failures."""

    def __init__(self) -> None:
        """Start without any reason."""
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def count_failure(self, reason: str) -> None:
        """Count a failure; reasons that differ only in ids and times count as one."""
        text = " ".join(reason.split())
        key = _VARYING.sub("#", text)
        self._first.setdefault(key, text)
        self._counts[key] += 1

    def format_lines(self) -> list[str]:
        """Return a line for each reason, the most frequent first."""
        shown = self._counts.most_common(MOST_REASONS)
        width = max((len(f"{count:,}") for _, count in shown), default=0)
        lines = [f"  {count:>{width},} x {_shorten_text(self._first[key])}" for key, count in shown]
        if more := len(self._counts) - len(shown):
            others = self._counts.total() - sum(count for _, count in shown)
            lines.append(f"  {others:,} for {more:,} other reasons, which are in the file")
        return lines


@dataclass
class Tally:
    """Counts of the plays of a run.

    Attributes:
        skipped: plays that the file already contained.
        errors: plays that an exception of the model ended.
        statuses: number of completed plays by status; "timed_out" where the time limit ended them.
        replies: number of replies with a known finish reason or none, in plays that report any.
        finish_reasons: number of replies by finish reason.
        reasons: reasons for the errors.
    """

    skipped: int = 0
    errors: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    replies: int = 0
    finish_reasons: Counter[str] = field(default_factory=Counter)
    reasons: FailureReasons = field(default_factory=FailureReasons)

    @property
    def count_finished(self) -> int:
        """Number of completed plays."""
        return self.statuses.total()

    def count_record(self, record: Transcript) -> None:
        """Count a line of the transcript file."""
        ends = record.get("finish_reasons", [])
        self.replies += len(ends)
        self.finish_reasons.update(end for end in ends if end)
        if record.get("error"):
            self.errors += 1
            self.reasons.count_failure(record["error"])
        else:
            late = record.get("timed_out")
            self.statuses["timed_out" if late else record["outcome"]["status"]] += 1

    def summary_lines(self) -> list[str]:
        """Return how the plays and their replies ended, and why plays failed."""
        lines = []
        if self.statuses:
            counts = ", ".join(f"{name} {count:,}" for name, count in self.statuses.most_common())
            lines.append(f"outcomes: {counts}")
        for end, count in self.finish_reasons.most_common(MOST_REASONS):
            if end == "length":
                lines.append(
                    f"replies truncated at the maximum length: {count:,} of {self.replies:,}; "
                    "allow longer ones with max_tokens or max_completion_tokens"
                )
            elif end != "stop":
                lines.append(f"replies that ended with {end}: {count:,} of {self.replies:,}")
        if self.errors:
            lines.append(f"{self.errors:,} plays failed (the same command retries them):")
            lines += self.reasons.format_lines()
        return [sanitize_text(line) for line in lines]


class PlayProgress(Tally):
    """A tally with a progress bar that shows the share of correct plays."""

    def __init__(self, total: int) -> None:
        """Show the bar if a person can see it.

        Args:
            total: number of plays to come.
        """
        super().__init__()
        self._bar = tqdm(
            total=total, unit="play", disable=not can_show_progress(), dynamic_ncols=True
        )

    def count_record(self, record: Transcript) -> None:
        """Count a line of the transcript file and move the bar."""
        super().count_record(record)
        shown = []
        if ended := self.count_finished:
            shown.append(f"correct {self.statuses['correct'] / ended:.1%}")
        if self.errors:
            shown.append(f"failed {self.errors:,}")
        self._bar.set_postfix_str(", ".join(shown), refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Stop updating the bar."""
        self._bar.close()


def _shorten_text(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
