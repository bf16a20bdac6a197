"""Read the tokens and seconds that a prediction record reports, and where its code ran.

The figures are sums over the replies of an episode, from any record of a known form: transcripts of
`facelet run` ("usage" and "seconds", one per reply), batch output of OpenAI, vLLM and Anthropic,
and inspect_ai logs. They are reported as recorded. A value that is no number, negative or absurd is
left out, and so is a count that covers several predictions together.

A transcript says where the model's code ran. In process, the code can reach the puzzle; in a
process of its own it can read what its user can, the published rows included; in a jail neither. So
each place has an accuracy of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from facelet.pipeline.scoring.ingest.prediction import mapping_at

METRICS = ("seconds", "prompt_tokens", "completion_tokens")
"""The figures, as metrics of a prediction; each is a mean over the episodes that report it."""

CODE = "code_place"
"""Metric of an episode whose code ran: a place in CODE_PLACES."""

CODE_PLACES = ("jailed", "own_process", "in_process")
"""Where the code of an episode ran, from the most isolation to none."""

_CODE = {"jail": 0.0, "own process": 1.0, "isolated": 1.0, "in process": 2.0}
"""What transcripts call these; "isolated" is how earlier ones call a process of its own."""

MOST = 1e12
"""More than this of anything is no measurement."""

_TOKENS = {
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
}
_MOST_REPLIES = 10_000
_SAID_IN = frozenset(
    {"code", "seconds", "total_time", "usage", "model_usage", "response", "result"}
)
"""A record that reports anything has one of these fields."""


def spent(record: Mapping[str, object]) -> dict[str, float]:
    """Return the tokens and seconds that a record reports; {} if it reports none.

    Args:
        record: a prediction record of any form.

    Returns:
        Values by METRICS and CODE.
    """
    found: dict[str, float] = {}
    if _SAID_IN.isdisjoint(record):
        return found
    if isinstance(code := record.get("code"), str) and code in _CODE:
        found[CODE] = _CODE[code]
    times = (_sum(record.get(name)) for name in ("seconds", "total_time"))
    if (seconds := next((one for one in times if one is not None), None)) is not None:
        found["seconds"] = seconds
    usages = [usage for usage in _iterate_usages(record) if isinstance(usage, Mapping)]
    for metric, names in _TOKENS.items():
        counts = [_sum(next((u[n] for n in names if u.get(n) is not None), None)) for u in usages]
        if counts and None not in counts:
            found[metric] = sum(count for count in counts if count is not None)
    return found


def _iterate_usages(record: Mapping[str, object]) -> Iterator[object]:
    """Yield the candidates for the counts of one request each."""
    if (usage := record.get("usage")) is None:
        usage = list(mapping_at(record, "model_usage").values()) or None
    for path in (("response", "body"), ("response",), ("result", "message")):
        if usage is None:
            inside = mapping_at(record, *path)
            choices = inside.get("choices")
            if isinstance(choices, list) and len(choices) > 1:
                return  # One count for several samples.
            usage = inside.get("usage")
    yield from usage[:_MOST_REPLIES] if isinstance(usage, list) else [usage]


def _sum(value: object) -> float | None:
    """Return a number, or the sum of a list of numbers; None if anything in it is none."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        parts = [_sum(part) if _number(part) else None for part in value[:_MOST_REPLIES]]
        known = [part for part in parts if part is not None]
        return sum(known) if known and len(known) == len(value) else None
    return float(value) if _number(value) else None


def _number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number, no truth value, that may be a measurement."""
    return type(value) in (int, float) and 0 <= value <= MOST  # type: ignore[operator]
