"""Parse the text of each key as a value of a verb's settings.

A bad value fails at once, with what was given, what is allowed, and what to type instead. This
module knows no verb.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from facelet.pipeline.argument_text import (
    check_range,
    expand_home,
    parse_json_object,
    suggest_nearest,
    unknown_word_error,
)
from facelet.pipeline.command.setting_keys import VerbKey, list_verb_keys
from facelet.pipeline.dataset.input_files import check_input_path
from facelet.pipeline.dataset.store_address import is_address

S = TypeVar("S")

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")

_BLANK = object()
"""An empty text that sets nothing."""


def parse_settings(kind: type[S], texts: Mapping[str, Sequence[str]], verb: str) -> S:
    """Return the settings that were typed.

    Args:
        kind: the settings' type.
        texts: by key, the texts that were given for it.
        verb: the verb, for errors.

    Raises:
        ValueError: a key is unknown, set twice or missing, or its value is bad.
    """
    known = {one.name: one for one in list_verb_keys(kind)}
    values: dict[str, object] = {}
    for name, given in texts.items():
        if name not in known:
            raise unknown_word_error(
                "key", name, [one for one in known if not known[one].about.takes_dotted_words]
            )
        if known[name].about.takes_dotted_words:
            values[name] = tuple(given)
            continue
        if len(given) > 1:
            raise ValueError(f"{name} is set twice; set it once")
        value = parse_key_value(known[name], _strip_quotes(given[0]))
        if value is not _BLANK:
            values[name] = value
    for one in known.values():
        if one.is_required and one.name not in values:
            raise ValueError(
                f"{one.name}=... is required: {one.describe_allowed()}; "
                f"`facelet {verb} --help` describes the keys"
            )
    return kind(**values)


def parse_keywords(kind: type[S], values: Mapping[str, object], verb: str) -> S:
    """Return the settings that Python keywords mean.

    Args:
        kind: the settings' type.
        values: by key, a Python value or the text of the command line; None leaves the default.
        verb: the verb, for errors.

    Raises:
        ValueError: a key is unknown or missing, or its value is bad.
    """
    free = [one.name for one in list_verb_keys(kind) if one.about.takes_dotted_words]
    texts: dict[str, list[str]] = {}
    for name, value in values.items():
        if value is None:
            continue
        if free and "." in name:
            texts.setdefault(free[0], []).append(f"{name}={_format_value(value)}")
        else:
            texts[name] = [_format_value(value)]
    return parse_settings(kind, texts, verb)


def _format_value(value: object) -> str:
    """Return a Python value as the command line writes it."""
    if isinstance(value, Mapping):
        return json.dumps(value)
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def _strip_quotes(text: str) -> str:
    """Return a text without quotes around the whole of it."""
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def parse_key_value(one: VerbKey, text: str) -> object:
    """Return the value of a key.

    An empty path, list or object sets nothing, nor does an empty text whose default is a text.

    Raises:
        ValueError: the text is no such value.
    """
    if one.choices:
        return _parse_choice(one, text)
    if one.kind is bool:
        if text.lower() not in TRUE + FALSE:
            raise ValueError(f"{one.name}={text} is neither true nor false; use true or false")
        return text.lower() in TRUE
    if one.kind is int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            raise ValueError(
                f"{one.name}={text} is not a whole number; allowed: {one.describe_allowed()}"
            )
        return _check_range(one, int(text))
    if one.kind is tuple:
        inner = text.removeprefix("[").removesuffix("]")
        return tuple(part for item in inner.split(",") if (part := item.strip().strip("\"'")))
    if one.kind is float:
        return _parse_number(one, text)
    if text == "" and not (one.kind is str and one.optional):
        return _BLANK
    if one.kind is Path:
        if is_address(text) and not one.about.may_be_remote:
            raise ValueError(
                f"{one.name}={text} is the address of a store; use a path on this machine: "
                f"{one.describe_allowed()}"
            )
        check_input_path(path := expand_home(text), f"{one.name}={text}")
        return path
    return parse_json_object(text, one.name) if one.kind is Mapping else text


def _parse_choice(one: VerbKey, text: str) -> str:
    """Return the choice that a text names, in any case of letters."""
    for choice in one.choices:
        if choice == text.lower():
            return choice
    fix = f"; {one.about.fix}" if one.about.fix else ""
    known = ", ".join(one.choices)
    raise ValueError(
        f"{one.name}={text} is not one of {known}{suggest_nearest(text, one.choices)}{fix}"
    )


def _check_range(one: VerbKey, value: int) -> int:
    """Return a whole number that is in range."""
    low, high = one.about.low, one.about.high
    return value if low is None else check_range(one.name, value, low, high)


def _parse_number(one: VerbKey, text: str) -> float:
    """Return a number that is in range."""
    fix = f" ({one.about.fix})" if one.about.fix else ""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(
            f"{one.name}={text} is not a number; use {one.describe_allowed()}"
        ) from None
    low, high = one.about.low, one.about.high
    below = low is not None and (value < low or (one.about.exclusive_low and value == low))
    if not math.isfinite(value) or below or (high is not None and value > high):
        raise ValueError(f"{one.name}={text} is out of range; use {one.describe_allowed()}{fix}")
    return value
