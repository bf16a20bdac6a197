"""Parse texts that people type: key=value, numbers, splits, JSON and paths.

A bad text fails at once, with what was given, what is allowed, and what to type instead. This
module knows no verb: `facelet.pipeline.command` parses the words of a verb with it.
"""

from __future__ import annotations

import difflib
import errno
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from facelet.pipeline.dataset import store_address

MOST_JSON = 100_000
"""Longest JSON of a word in characters."""


def suggest_nearest(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" when a known word is close to this one, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""


def describe_error(error: Exception) -> str:
    """Return an error of the system with its path first, any other error as it is."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        fix = "free space and repeat the command, which continues"
    elif error.filename is not None:
        fix = "name another path, or mend this one"
    else:
        return str(error)
    return f"{error.filename or 'a file'}: {error.strerror}; {fix}"


def unknown_word_error(what: str, word: str, known: Sequence[str]) -> ValueError:
    """Return the error for a word that is none of the known ones.

    Args:
        what: what the word should have been, such as "key".
        word: the word.
        known: the words there are.
    """
    return ValueError(
        f"unknown {what} {word!r}{suggest_nearest(word, known)}; known: {', '.join(known)}"
    )


def split_key_value(word: str) -> tuple[str, str]:
    """Split `key=value`; quotes around the whole value are dropped.

    Raises:
        ValueError: there is no equals sign, or nothing before it.
    """
    name, equals, value = word.partition("=")
    if not equals or not name or name.startswith("-"):
        raise ValueError(f"cannot read {word!r}; write words as key=value, such as seed=1")
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return name.strip(), value


def parse_numbers(text: str, key: str) -> tuple[int, ...]:
    """Return the whole numbers that a text such as "1-20" or "1,2,5-8" names, ascending.

    Raises:
        ValueError: a part is no number or range from 1 on, runs backwards, or repeats a number.
    """
    allowed = "whole numbers and ranges from 1 on, such as 1-5 or 1,2,5-8"
    numbers: list[int] = []
    for part in text.split(","):
        if (match := re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part.strip())) is None:
            raise ValueError(f"{key}={text}: cannot read {part.strip()!r}; allowed: {allowed}")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise ValueError(f"{key}={text}: {first}-{last} runs backwards; write {last}-{first}")
        if first < 1:
            raise ValueError(f"{key}={text}: {first} is out of range; allowed: {allowed}")
        numbers.extend(range(first, last + 1))
    if repeated := sorted(number for number, times in Counter(numbers).items() if times > 1):
        raise ValueError(f"{key}={text} names {repeated[0]} twice; name each number once")
    return tuple(sorted(numbers))


def parse_splits(text: str) -> tuple[tuple[str, int], ...]:
    """Return the splits and weights that "test:1" or "{train: 8, test: 2}" names, in that order.

    Raises:
        ValueError: a part is not name:weight, a name is not lower-case, or a weight is below 1.
    """
    allowed = "name:weight pairs such as train:8,test:2 (weights are whole numbers of at least 1)"
    splits: dict[str, int] = {}
    for part in text.strip().removeprefix("{").removesuffix("}").split(","):
        match = re.fullmatch(r"([a-z][a-z0-9_]{0,15})\s*[:=]\s*([0-9]{1,6})", part.strip())
        if match is None or int(match[2]) < 1:
            raise ValueError(f"splits={text}: cannot read {part.strip()!r}; allowed: {allowed}")
        if match[1] in splits:
            raise ValueError(f"splits={text} names {match[1]!r} twice; name each split once")
        splits[match[1]] = int(match[2])
    return tuple(splits.items())


def parse_json_object(text: str, name: str) -> dict[str, object]:
    """Return the JSON object that a word holds; errors do not repeat it, as it may hold a key.

    Args:
        text: the word's value.
        name: its key, for errors.

    Raises:
        ValueError: it is no JSON object, says a name twice, or is too long.
    """
    if len(text) > MOST_JSON:
        raise ValueError(
            f"{name} has {len(text):,} characters; use at most {MOST_JSON:,} characters"
        )

    def build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(found := dict(pairs)) < len(pairs):
            raise ValueError("it contains a name twice")
        return found

    def refuse_constant(constant: str) -> object:
        raise ValueError(f"{constant} is not JSON")

    try:
        value = json.loads(text, object_pairs_hook=build_object, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        why = f"{error.msg} at character {error.pos + 1}"
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError as error:
        why = str(error)
    else:
        if isinstance(value, dict):
            return value
        why = "it is not an object"
    raise ValueError(
        f"{name} is not a JSON object ({why}); write it in single quotes for the shell, such as "
        f'\'{name}={{"name": "value"}}\''
    )


def check_range(name: str, value: int, low: int, high: int | None = None) -> int:
    """Return the value if it is in range.

    Args:
        name: name of the value, for errors.
        value: the value.
        low: the least that is allowed.
        high: the most; None for any.

    Raises:
        ValueError: it is not.
    """
    if value < low or (high is not None and value > high):
        top = "" if high is None else f" and at most {high}"
        raise ValueError(
            f"{name}={value} is out of range; use a whole number of at least {low}{top}"
        )
    return value


def sanitize_text(text: str) -> str:
    """Return a text for a terminal: what is neither printable nor a line break or tab becomes ?.

    Names and reasons come from strangers' files; an escape code in one of them must not act.
    """
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in text)


def can_show_progress(told: object = None) -> bool:
    """Whether progress is shown on stderr: as told, else where a person sees it, in a terminal.

    Args:
        told: what was said about it; None for nothing.
    """
    return sys.stderr.isatty() if told is None else bool(told)


def expand_home(path: str) -> Path:
    """Return a path with ~ expanded; an address of a store stays what it is.

    Raises:
        ValueError: the user that ~ stands for has no home folder.
    """
    if store_address.MARK in path:
        return store_address.parse_place(path)
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ValueError(
            f"{path}: there is no home folder; set HOME, or give the full path "
            "(FACELET_CACHE sets the folder of tables)"
        ) from None
