"""Check JSON values from untrusted files against declared shapes.

A shape is a type, a list of one shape, an object of names with their shapes, or one of the classes
here. Unknown names are allowed anywhere, so that a newer release may add some.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

_HASH = re.compile(r"[0-9a-f]{8,128}")
_NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,100}")


class HashShape(str):
    """The shape of a hash in lower-case hexadecimal."""


class ShardPathShape(str):
    """The shape of the path of a file inside the dataset folder."""


class SeedShape(int):
    """The shape of a whole number that may be negative; null where it is kept elsewhere."""


@dataclass(frozen=True)
class MappingShape:
    """The shape of an object with any names as keys.

    Attributes:
        each: the shape of its values.
    """

    each: Shape


@dataclass(frozen=True)
class OptionalShape:
    """The shape of a value that may be null or absent.

    Attributes:
        each: the shape of the value if it is present.
    """

    each: Shape


Shape: TypeAlias = "type | MappingShape | OptionalShape | list[Shape] | Mapping[str, Shape]"
"""What a value must be."""


def check_shape(value: object, shape: Shape, refusal: str, place: str = "") -> None:
    """Raise ValueError if a value does not have a shape.

    Args:
        value: the value.
        shape: the shape.
        refusal: the beginning of the message.
        place: the place of the value in the document.
    """
    if isinstance(shape, Mapping):
        _check_object(value, shape, refusal, place)
    elif isinstance(shape, MappingShape):
        if not isinstance(value, dict):
            raise _mismatch_error(value, "an object", place, refusal)
        for name, inner in value.items():
            if not _NAME.fullmatch(name):
                raise _refusal_error(
                    refusal, f"{place} has the name {name[:40]!r}; use letters, digits, _.-"
                )
            check_shape(inner, shape.each, refusal, _join_place(place, name))
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise _mismatch_error(value, "a list", place, refusal)
        for number, inner in enumerate(value):
            check_shape(inner, shape[0], refusal, f"{place}[{number}]")
    elif isinstance(shape, type):
        want, fits = _KINDS.get(shape, ("", None))
        if fits is not None and not fits(value):
            raise _mismatch_error(value, want, place, refusal)
        if shape is ShardPathShape and isinstance(value, str) and not _is_inside_folder(value):
            raise _refusal_error(refusal, f"{place} names {value[:80]!r}, outside its folder")


def _check_object(value: object, shape: Mapping[str, Shape], refusal: str, place: str) -> None:
    """Check an object with known names."""
    if not isinstance(value, dict):
        raise _mismatch_error(value, "an object", place, refusal)
    for name, inner in shape.items():
        if isinstance(inner, OptionalShape):
            if value.get(name) is not None:
                check_shape(value[name], inner.each, refusal, _join_place(place, name))
        elif name not in value:
            raise _refusal_error(refusal, f"{_join_place(place, name)} is missing")
        else:
            check_shape(value[name], inner, refusal, _join_place(place, name))


_KINDS: Mapping[type, tuple[str, Callable[[object], bool]]] = {
    int: (
        "a whole number from 0",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    ),
    float: (
        "a number",
        lambda value: (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        ),
    ),
    SeedShape: ("a whole number, or null", lambda value: value is None or type(value) is int),
    HashShape: (
        "a hash in hexadecimal",
        lambda value: isinstance(value, str) and _HASH.fullmatch(value) is not None,
    ),
    **dict.fromkeys((ShardPathShape, str), ("a string", lambda value: isinstance(value, str))),
}
"""What a value of each type must be, in words, and the check of it."""


def _is_inside_folder(path: str) -> bool:
    """Return whether a path stays inside its folder."""
    parts = PurePosixPath(path).parts
    outside = path.startswith("/") or "\\" in path or "\0" in path or ".." in parts
    return bool(parts) and not outside


def _join_place(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _mismatch_error(value: object, want: str, place: str, refusal: str) -> ValueError:
    shown = "a long value" if isinstance(value, list | dict) else f"{value!r:.40}"
    return _refusal_error(refusal, f"{place or 'the document'} is {shown}; it must be {want}")


def _refusal_error(refusal: str, what: str) -> ValueError:
    return ValueError(f"{refusal}: {what}")
