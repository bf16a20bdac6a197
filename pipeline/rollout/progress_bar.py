"""Telling: what `facelet run` shows of its plays, while they go on and when they are over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tqdm import tqdm

from facelet.pipeline.argument_text import can_show_progress, sanitize_text
from facelet.pipeline.rollout.transcript_file import Transcript

MOST_REASONS = 10
"""How many distinct reasons are told."""

_LONGEST = 300
_VARYING = re.compile(r"\b(?=[\w-]*\d)[\w-]{4,}(?:\.\d+)?|\b\d+(?:\.\d+)?(?=m?s\b)")
"""What differs between reports of one reason: request ids, times, counts of tokens."""


class FailureReasons:
    """Why something failed: each distinct reason once, with its count."""

    def __init__(self) -> None:
        """Begin without any."""
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def count_failure(self, reason: str) -> None:
        """Count a failure; reasons that differ in ids and times only are one."""
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
            lines.append(f"  {others:,} for {more:,} other reasons, which stand in the file")
        return lines


class PlayProgress:
    """A bar with the share of plays that were right, where a person sees it, and the end's words.

    Attributes:
        failed: number of plays that failed.
        reasons: why.
    """

    def __init__(self, total: int) -> None:
        """Begin.

        Args:
            total: number of plays that are to come.
        """
        self._bar = tqdm(
            total=total, unit="play", disable=not can_show_progress(), dynamic_ncols=True
        )
        self._statuses: Counter[str] = Counter()
        self._ends: Counter[str] = Counter()
        self._replies = 0
        self.failed = 0
        self.reasons = FailureReasons()

    def count_record(self, record: Transcript) -> None:
        """Count one more line of the transcript file."""
        ends: Sequence[str | None] = record.get("finish_reasons", ())
        self._replies += len(ends)
        self._ends.update(end for end in ends if end)
        if record.get("error"):
            self.failed += 1
            self.reasons.count_failure(str(record["error"]))
        else:
            late = record.get("timed_out")
            self._statuses["timed_out" if late else record["outcome"]["status"]] += 1
        shown = []
        if ended := self._statuses.total():
            shown.append(f"correct {self._statuses['correct'] / ended:.1%}")
        if self.failed:
            shown.append(f"failed {self.failed:,}")
        self._bar.set_postfix_str(", ".join(shown), refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()

    def summary_lines(self) -> list[str]:
        """Return how the plays and their replies ended, and why plays failed."""
        lines = []
        if self._statuses:
            told = ", ".join(f"{name} {count:,}" for name, count in self._statuses.most_common())
            lines.append(f"outcomes: {told}")
        for end, count in self._ends.most_common(MOST_REASONS):
            if end == "length":
                lines.append(
                    f"replies cut off at the longest allowed: {count:,} of {self._replies:,}; "
                    "allow longer ones with max_tokens or max_completion_tokens"
                )
            elif end != "stop":
                lines.append(f"replies that ended with {end}: {count:,} of {self._replies:,}")
        if self.failed:
            lines.append(f"{self.failed:,} plays failed (the same words ask them again):")
            lines += self.reasons.format_lines()
        return [sanitize_text(line) for line in lines]


def _shorten_text(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
