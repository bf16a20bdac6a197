"""Clean the texts and JSON values of strangers: what passes here can be stored, sent and shown.

Files, requests, rows and replies may contain lone surrogates, which JSON can spell but UTF-8 cannot
write; names may contain control characters, which terminals, charts and scripts act on; numbers may
be too large for a column, and values nested too deeply to be copied.
"""

from __future__ import annotations

import json
import math
import re

from facelet.pipeline.json_types import JSON

MAX_DEPTH = 64
"""Deepest nesting of a value."""

MAX_NAME = 200
"""Longest id or model name in characters."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def has_surrogate(text: str) -> bool:
    """Return whether a text contains a lone surrogate, which UTF-8 cannot write."""
    return not text.isascii() and _SURROGATES.search(text) is not None


def clean_text(text: str) -> str:
    """Return the text with lone surrogates replaced by ?, so that it can be written as UTF-8."""
    return _SURROGATES.sub("?", text) if has_surrogate(text) else text


def clean_name(text: str) -> str:
    r"""Return a name of at most MAX_NAME characters; those that cannot be shown are spelled \xNN.

    Different names stay different, except where they are longer.
    """
    if not text.isprintable():
        text = "".join(
            sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
        )
    return text[:MAX_NAME]


def clean_value(value: object, depth: int = MAX_DEPTH) -> JSON:
    """Return a JSON value that can be stored and copied; checks of single fields refuse the rest.

    Texts are cleaned. Whole numbers of more than 64 bits, numbers that JSON cannot write, and what
    is nested more than `depth` deep become null.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else None
    if depth and isinstance(value, list):
        return [clean_value(inner, depth - 1) for inner in value]
    if depth and isinstance(value, dict):
        return {clean_text(name): clean_value(inner, depth - 1) for name, inner in value.items()}
    return None


def parse_object(text: str | bytes) -> dict[str, JSON]:
    """Return the JSON object of a text, cleaned.

    Raises:
        ValueError: it is no JSON object.
    """
    try:
        value = clean_value(json.loads(text))
    except RecursionError:
        raise ValueError("it is not JSON that can be read: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    return value
