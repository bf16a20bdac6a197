"""Manifests: `manifest.json` of a dataset folder, read as what a stranger may have written.

Every verb reads a manifest here, and only here. What it must hold is said once, in MANIFEST_SHAPE;
whatever else is in the file becomes a ValueError of one line that names the place. Further keys are
allowed anywhere, so that a newer release may add some.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

MANIFEST = "manifest.json"

MAX_BYTES = 64 << 20
"""Largest manifest in bytes; one of 10,000 shards has 3 MB."""

_HASH = re.compile(r"[0-9a-f]{8,128}")
_NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,100}")


class Hash(str):
    """Stands in a shape for a hash in lower-case hexadecimal."""


class ShardPath(str):
    """Stands in a shape for the path of a file inside the dataset folder."""


class Seed(int):
    """Stands in a shape for a whole number that may be negative; null where it is kept apart."""


class Named:
    """Stands in a shape for an object with any names as keys.

    Attributes:
        each: the shape of its values.
    """

    def __init__(self, each: Any) -> None:
        """Take the shape of the values."""
        self.each = each


class Maybe:
    """Stands in a shape for a value that may be null, or not there at all.

    Attributes:
        each: the shape of the value where there is one.
    """

    def __init__(self, each: Any) -> None:
        """Take the shape of the value."""
        self.each = each


SHARD_SHAPE: Mapping[str, Any] = {
    "path": ShardPath,
    "rows": int,
    "bytes": int,
    "sha256": Hash,
    "content_hash": Hash,
}

_CELL = {
    "label": str,
    "difficulty": int,
    "items": int,
    "asked": int,
    "capacity": Maybe(int),
    "note": str,
}
_SPLIT = {
    "rows": int,
    "items": int,
    "bytes": int,
    "content_hash": Hash,
    "cells": [_CELL],
    "shards": [SHARD_SHAPE],
}
_CONFIG = {
    "suite": str,
    "task": str,
    "task_version": int,
    "params": Named(object),
    "swept": Maybe([str]),
    "splits": Named(_SPLIT),
    "audit": Maybe({}),
}

MANIFEST_SHAPE: Mapping[str, Any] = {
    "name": str,
    "content_hash": Hash,
    "plan_hash": Hash,
    "profile": str,
    "seed": Seed,
    "splits": Named(int),
    "code_version": str,
    "tables": Named(str),
    "canary": str,
    "citation": Maybe({"author": str, "year": int, "address": str}),
    "left_out": [str],
    "configs": Named(_CONFIG),
    "audit": Maybe({"violations": Maybe([str])}),
}
"""What a manifest holds: types, lists of one shape, and objects; numbers are never negative."""


def manifest(out: Path) -> dict[str, Any]:
    """Return the manifest of a dataset folder.

    Raises:
        ValueError: there is none, or it is no manifest of this program.
        OSError: it cannot be opened.
    """
    path = out / MANIFEST
    if not path.is_file():
        raise ValueError(f"{str(out)!r} has no {MANIFEST}; a finished build writes one")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ValueError(f"{str(path)!r} has {size:,} bytes; a manifest has at most {MAX_BYTES:,}")
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not valid JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"{str(path)!r} is no manifest: it is nested too deeply") from None
    check(content, MANIFEST_SHAPE, f"{str(path)!r} is no manifest of this program")
    assert isinstance(content, dict)
    return content


def config(content: Mapping[str, Any], name: str, split: str = "") -> Mapping[str, Any]:
    """Return what a manifest says of a config, or of one of its splits.

    The files of a folder may be of another build than its manifest.

    Args:
        content: the manifest.
        name: the config.
        split: the split; "" for the config as a whole.

    Raises:
        ValueError: the manifest does not list it.
    """
    found: Mapping[str, Any] | None = content["configs"].get(name)
    if found is not None and split:
        found = found["splits"].get(split)
    if found is None:
        what = f"{name}/{split}" if split else name
        raise ValueError(f"{MANIFEST} does not list {what}; download or build the dataset again")
    return found


def check(value: Any, shape: Any, refusal: str, place: str = "") -> None:
    """Raise ValueError where a value is not of a shape.

    Args:
        value: the value.
        shape: the shape: a type, a list of one shape, names with their shapes, or one of the above.
        refusal: how the message begins.
        place: where the value stands in the whole.
    """
    if isinstance(shape, Mapping):
        _demand(isinstance(value, dict), value, "an object", place, refusal)
        for name, inner in shape.items():
            if isinstance(inner, Maybe):
                if value.get(name) is not None:
                    check(value[name], inner.each, refusal, _at(place, name))
                continue
            if name not in value:
                raise _wrong(refusal, f"{_at(place, name)} is missing")
            check(value[name], inner, refusal, _at(place, name))
    elif isinstance(shape, Named):
        _demand(isinstance(value, dict), value, "an object", place, refusal)
        for name, inner in value.items():
            if not _NAME.fullmatch(name):
                raise _wrong(
                    refusal, f"{place} has the name {name[:40]!r}; use letters, digits, _.-"
                )
            check(inner, shape.each, refusal, _at(place, name))
    elif isinstance(shape, list):
        _demand(isinstance(value, list), value, "a list", place, refusal)
        for number, inner in enumerate(value):
            check(inner, shape[0], refusal, f"{place}[{number}]")
    elif shape is int:
        _demand(type(value) is int and value >= 0, value, "a whole number from 0", place, refusal)
    elif shape is float:
        right = type(value) in (int, float) and math.isfinite(value)
        _demand(right, value, "a number", place, refusal)
    elif shape is Seed:
        right = value is None or type(value) is int
        _demand(right, value, "a whole number, or null", place, refusal)
    elif shape is Hash:
        right = isinstance(value, str) and _HASH.fullmatch(value) is not None
        _demand(right, value, "a hash in hexadecimal", place, refusal)
    elif shape is ShardPath:
        _demand(isinstance(value, str), value, "a string", place, refusal)
        parts = PurePosixPath(value).parts
        if value.startswith("/") or "\\" in value or "\0" in value or ".." in parts or not parts:
            raise ValueError(f"{MANIFEST} names {value[:80]!r}, outside its folder")
    elif shape is str:
        _demand(isinstance(value, str), value, "a string", place, refusal)


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _demand(right: bool, value: Any, want: str, place: str, refusal: str) -> None:
    if not right:
        shown = "a long value" if isinstance(value, list | dict) else f"{value!r:.40}"
        raise _wrong(refusal, f"{place or 'the whole'} is {shown}; it must be {want}")


def _wrong(refusal: str, what: str) -> ValueError:
    return ValueError(f"{refusal}: {what}")
