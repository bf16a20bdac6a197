"""Read why replies ended, in the words of each format.

A server reports why a reply ended: it was finished, truncated by a token limit, or withheld by a
filter. Every format has its own field and words for it.
"""

from __future__ import annotations

import re

from facelet.pipeline.input_gate import clean_text
from facelet.pipeline.scoring.ingest.prediction import Prediction, Record

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
"""Reasons, in small letters, of replies that a filter withheld, or that a model refused."""

FAILED = frozenset(
    {
        *("error", "errored", "failed", "failure", "abort", "aborted", "cancelled", "canceled"),
        *("timeout", "timed_out", "expired", "server_error", "rate_limited", "rate_limit_exceeded"),
    }
)
"""Reasons and statuses, in small letters, of requests that failed."""

_ERROR_CLASSES = (
    "RateLimit|API\\w{0,40}|InternalServer|BadRequest|Authentication|PermissionDenied|Timeout"
)
_HTTP = (
    "too many requests|service (?:temporarily )?unavailable|bad gateway|gateway time-?out"
    "|internal server error|unauthorized|forbidden"
)
_SENTENCES = re.compile(
    r"\s*+(?:failed to obtain answer"
    rf"|(?:\w{{1,40}}\.){{0,4}}(?:{_ERROR_CLASSES})(?:Error|Exception)\b"
    r"|litellm\.\w{1,40}(?:error|timeout)\b"
    r"|error code: [45]\d\d\b"
    rf"|(?:http\W{{0,9}})?(?:error\W{{0,9}})?[45]\d\d (?:{_HTTP})"
    r"|(?:request timed out|connection error)\.?\s*+$"
    r"|\W{0,9}api[ _](?:error|call failed|request (?:error|failed))"
    r"|error (?:calling|from) (?:the )?(?:api|model)\b"
    r'|<(?:!doctype )?html\b|\{\s*"error"\s*:)',
    re.IGNORECASE,
)
"""How sentences begin that tools write in place of a reply."""

_NOTHING = frozenset({"", "unknown", "none", "null", "finish_reason_unspecified"})
_NO_ERROR = frozenset({"", "none", "null", "nan", "false"})
_ONE = ("finish_reason", "finishReason", "stop_reason", "done_reason")
_KEYS = frozenset({*_ONE, "finish_reasons", "is_truncated"})
_LONGEST = 40


def normalize_reason(value: object) -> str:
    """Return why a reply ended, as its server wrote it; "" if unknown."""
    if not isinstance(value, str) or value.lower() in _NOTHING:
        return ""
    return clean_text(value[:_LONGEST])


def reason_in(record: Record) -> str:
    """Return why one reply ended, from the object around it; "" if unknown."""
    for name in _ONE:
        if found := normalize_reason(record.get(name)):
            return found
    return ""


def attach_finish_reasons(record: Record, prediction: Prediction) -> Prediction:
    """Return a prediction with the reasons of its record, if its format gave none.

    `finish_reasons` is a list parallel to the replies; `finish_reason`, and what other tools call
    it, is about the last of them. A value that is no text is ignored.

    Args:
        record: the record, of any format.
        prediction: one of its predictions.
    """
    if _KEYS.isdisjoint(record) or any(prediction.reasons):
        return prediction
    count = len(prediction.replies) or prediction.nulls
    listed = record.get("finish_reasons")
    if isinstance(listed, list):
        reasons = [normalize_reason(value) for value in listed[:count]]
        reasons += [""] * (count - len(reasons))
    else:
        last = reason_in(record) or ("length" if record.get("is_truncated") is True else "")
        reasons = [""] * (count - 1) + [last] * min(count, 1)
    return prediction._replace(reasons=tuple(reasons)) if any(reasons) else prediction


def is_failure(text: str) -> bool:
    """Return whether a text is what tools write in place of a reply when a request failed."""
    return _SENTENCES.match(text, 0, 400) is not None


def error_of(value: object) -> object:
    """Return the error in a field; None if the value is none."""
    nothing = isinstance(value, float) or (isinstance(value, str) and value.lower() in _NO_ERROR)
    return None if nothing or not value else value


def mark_failed(record: Record, prediction: Prediction) -> Prediction:
    """Return a prediction as a failure if its record shows that the request failed.

    A reply that is not blank stays one. A status or a finish reason shows the failure.

    Args:
        record: the record, of any format.
        prediction: one of its predictions.
    """
    if prediction.failure is not None or any(text.strip() for text in prediction.replies):
        return prediction
    for value in (record.get("status"), record.get("status_code"), *prediction.reasons):
        is_code = type(value) is int and 400 <= value < 600
        if is_code or (isinstance(value, str) and value.lower() in FAILED):
            return prediction._replace(replies=(), final=None, failure=str(value))
    return prediction
