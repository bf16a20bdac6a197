"""Memoize parsers for short replies, and functions of a class.

Of a million replies to questions with few answers, most are one of a few short texts. A parser is a
pure function of the text, so its result for such a text can be used again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple, cast

T = TypeVar("T")
K = TypeVar("K")
Format = TypeVarTuple("Format")

SHORT = 128
"""Longest text in characters that is remembered; longer ones are rarely met twice."""

_MOST = 4096


def memoize_short(parse: Callable[[str, *Format], T]) -> Callable[[str, *Format], T]:
    """Return the parser with a memory for short texts.

    Args:
        parse: a pure function whose results are not changed and whose arguments are hashable.
    """
    known = cast("Callable[[str, *Format], T]", lru_cache(maxsize=_MOST)(parse))

    @wraps(parse)
    def read_memoized(text: str, *formats: *Format) -> T:
        return (known if len(text) <= SHORT else parse)(text, *formats)

    return read_memoized


def once_per_class(work: Callable[[type[K]], T]) -> Callable[[type[K]], T]:
    """Return a function of a class that does its work once for each class."""
    return cast("Callable[[type[K]], T]", lru_cache(maxsize=None)(work))
