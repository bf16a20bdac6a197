"""Finish reasons: why replies ended, in the words of each format.

A server says why a reply ended: it was finished, cut by a limit of tokens, or held back by a
filter. Every format has a field and words of its own for it.
"""

from __future__ import annotations

from facelet.pipeline.scoring.taking.predictions import Prediction, Record, encodable

CUT = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "max_completion_tokens", "token_limit"),
        *("max_length", "model_length", "model_context_window_exceeded", "context_length_exceeded"),
        *("error_limit", "max_new_tokens"),
    }
)
"""Reasons, in small letters, of replies that a limit of tokens cut."""

FILTERED = frozenset(
    {
        *("content_filter", "content_filtered", "refusal", "safety", "recitation", "blocklist"),
        *("prohibited_content", "spii", "image_safety", "guardrail_intervened", "error_toxic"),
        *("sensitive", "blocked"),
    }
)
"""Reasons, in small letters, of replies that a filter held back, or that a model refused."""

_NOTHING = frozenset({"", "unknown", "none", "null", "finish_reason_unspecified"})
_ONE = ("finish_reason", "finishReason", "stop_reason", "done_reason")
_KEYS = frozenset({*_ONE, "finish_reasons", "is_truncated"})
_LONGEST = 40


def reason(value: object) -> str:
    """Return why a reply ended, as its server wrote it; "" where that is not told."""
    if not isinstance(value, str) or value.lower() in _NOTHING:
        return ""
    return encodable(value[:_LONGEST])


def reason_in(record: Record) -> str:
    """Return why one reply ended, from the object that holds it; "" where it does not say."""
    for name in _ONE:
        if found := reason(record.get(name)):
            return found
    return ""


def told_in(record: Record, prediction: Prediction) -> Prediction:
    """Return a prediction with the reasons that its record tells, if its format told none.

    `finish_reasons` is a list parallel to the replies; `finish_reason`, and what other tools call
    it, is about the last of them. What is no text in its place tells nothing.

    Args:
        record: the record, of any format.
        prediction: one of its predictions.
    """
    if _KEYS.isdisjoint(record) or any(prediction.reasons):
        return prediction
    count = len(prediction.replies) or prediction.nulls
    listed = record.get("finish_reasons")
    if isinstance(listed, list):
        reasons = [reason(value) for value in listed[:count]]
        reasons += [""] * (count - len(reasons))
    else:
        last = reason_in(record) or ("length" if record.get("is_truncated") is True else "")
        reasons = [""] * (count - 1) + [last] * min(count, 1)
    return prediction._replace(reasons=tuple(reasons)) if any(reasons) else prediction
