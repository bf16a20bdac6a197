"""Parse the reply, finish reason and tokens from response bodies of several APIs.

Supports chat completions, the Responses API, and Anthropic's messages. Servers differ, so each
field may be missing or have another type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from facelet.pipeline.rollout.play_recorder import Answer
from facelet.pipeline.scoring.ingest.prediction import content_text

OTHER = "other"
"""Finish reason that replaces any that is not a lowercase word."""

_END = re.compile(r"[a-z_]{1,40}")

_ENDS = {
    "completed": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_output_tokens": "length",
    "max_tokens": "length",
    "refusal": "content_filter",
}
"""Finish reasons of other APIs, and the equivalents of chat completions."""


def read_answer(body: object) -> Answer:
    """Parse a body of chat completions or of the Responses API.

    Raises:
        ValueError: the body contains no reply; the message repeats the error in the body, if any.
    """
    if not isinstance(body, Mapping):
        raise ValueError(f"the server did not send a JSON object but {str(body)!r:.200}")
    if isinstance(body.get("output"), list) and body.get("status") != "failed":
        items = [item for item in body["output"] if isinstance(item, Mapping)]
        contents = [item.get("content") for item in items if item.get("type") == "message"]
        text, null = "".join(map(content_text, contents)), not contents or contents == [None]
    else:
        choices = body.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, Mapping) else None
        if not isinstance(message, Mapping):
            raise ValueError(f"the server sent no reply: {error_message(body) or 'no choice'}")
        text, null = content_text(message.get("content")), message.get("content") is None
    usage = body.get("usage")
    return Answer(
        text,
        _token_count(usage, "prompt_tokens", "input_tokens"),
        _token_count(usage, "completion_tokens", "output_tokens"),
        finish_reasons(body).get(0),
        null,
    )


def finish_reasons(body: object) -> dict[int, str | None]:
    """Return the finish reason of each reply by index: stop, length, content_filter or None.

    Other words of the server are kept; anything else becomes OTHER.
    """
    if not isinstance(body, Mapping):
        return {}
    if isinstance(body.get("output"), list):
        details = body.get("incomplete_details")
        why = details.get("reason") if isinstance(details, Mapping) else None
        return {0: _finish_reason(why or body.get("status"))}
    if "stop_reason" in body:
        return {0: _finish_reason(body["stop_reason"])}
    found: dict[int, str | None] = {}
    choices = body.get("choices")
    for place, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, Mapping):
            index = choice.get("index")
            message = choice.get("message")
            refused = isinstance(message, Mapping) and message.get("refusal")
            ended = "refusal" if refused else choice.get("finish_reason")
            found[index if type(index) is int else place] = _finish_reason(ended)
    return found


def error_message(body: object) -> str:
    """Return the message of an error body; "" if it has none."""
    if isinstance(body, str):
        return body.strip()
    if not isinstance(body, Mapping):
        return ""
    for name in ("message", "error", "detail"):
        if found := error_message(body.get(name)):
            return found
    return ""


def _finish_reason(reason: object) -> str | None:
    if not isinstance(reason, str) or not reason:
        return None
    return _ENDS.get(reason, reason) if _END.fullmatch(reason) else OTHER


def _token_count(usage: object, *names: str) -> int | None:
    """Return a number of tokens under the first of its names that exists."""
    if isinstance(usage, Mapping):
        for name in names:
            if type(usage.get(name)) is int:
                return int(usage[name])
    return None
