"""Reading: what was typed for each key, as values of a verb's settings.

A bad value fails at once and says what was given, what is allowed, and what to type instead. Knows
no verb.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from facelet.pipeline.command.keys import Field, keys_of
from facelet.pipeline.dataset.addresses import is_address
from facelet.pipeline.words import check_range, expand, json_object, nearest, unknown

S = TypeVar("S")

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")

_BLANK = object()
"""An empty text that sets nothing."""


def settings_of(kind: type[S], texts: Mapping[str, Sequence[str]], verb: str) -> S:
    """Return the settings that were typed.

    Args:
        kind: the settings' type.
        texts: by key, the texts that were given for it.
        verb: the verb, for errors.

    Raises:
        ValueError: a key is unknown, set twice or missing, or its value is bad.
    """
    known = {one.name: one for one in keys_of(kind)}
    values: dict[str, object] = {}
    for name, given in texts.items():
        if name not in known:
            raise unknown("key", name, [one for one in known if not known[one].about.free])
        if known[name].about.free:
            values[name] = tuple(given)
            continue
        if len(given) > 1:
            raise ValueError(f"{name} is set twice; set it once")
        value = read(known[name], _bare(given[0]))
        if value is not _BLANK:
            values[name] = value
    for one in known.values():
        if one.needed and one.name not in values:
            raise ValueError(
                f"{one.name}=... is needed: {one.allowed()}; "
                f"`facelet {verb} --help` explains the keys"
            )
    return kind(**values)


def _bare(text: str) -> str:
    """Return a text without quotes around the whole of it."""
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def read(one: Field, text: str) -> object:
    """Return the value of a key.

    An empty path, list or object sets nothing, nor does an empty text whose default is a text.

    Raises:
        ValueError: the text is no such value.
    """
    if one.choices:
        return _choice(one, text)
    if one.kind is bool:
        if text.lower() not in TRUE + FALSE:
            raise ValueError(f"{one.name}={text} is neither true nor false; use one of the two")
        return text.lower() in TRUE
    if one.kind is int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            raise ValueError(f"{one.name}={text} is not a whole number; allowed: {one.allowed()}")
        return _bounded(one, int(text))
    if one.kind is tuple:
        inner = text.removeprefix("[").removesuffix("]")
        return tuple(part for item in inner.split(",") if (part := item.strip().strip("\"'")))
    if text == "" and not (one.kind is str and one.optional):
        return _BLANK
    if one.kind is float:
        return _number(one, text)
    if one.kind is Path:
        if is_address(text) and not one.about.anywhere:
            raise ValueError(
                f"{one.name}={text} is an address of a store; use a path of this machine: "
                f"{one.allowed()}"
            )
        return expand(text)
    return json_object(text, one.name) if one.kind is Mapping else text


def _choice(one: Field, text: str) -> str:
    """Return the choice that a text names, in any case of letters."""
    for choice in one.choices:
        if choice == text.lower():
            return choice
    fix = f"; {one.about.fix}" if one.about.fix else ""
    known = ", ".join(one.choices)
    raise ValueError(f"{one.name}={text} is not one of {known}{nearest(text, one.choices)}{fix}")


def _bounded(one: Field, value: int) -> int:
    """Return a whole number that is in range."""
    low, high = one.about.low, one.about.high
    return value if low is None else check_range(one.name, value, low, high)


def _number(one: Field, text: str) -> float:
    """Return a number that is in range."""
    fix = f" ({one.about.fix})" if one.about.fix else ""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{one.name}={text} is no number; use {one.allowed()}") from None
    low, high = one.about.low, one.about.high
    below = low is not None and (value < low or (one.about.above and value == low))
    if not math.isfinite(value) or below or (high is not None and value > high):
        raise ValueError(f"{one.name}={text} is out of range; use {one.allowed()}{fix}")
    return value
