"""Manifests: `manifest.json` of a dataset folder, read as what a stranger may have written.

Every verb reads a manifest here, and only here. What it must hold is said once, in MANIFEST_SHAPE;
whatever else is in the file becomes a ValueError of one line that names the place. Further keys are
allowed anywhere, so that a newer release may add some.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

MANIFEST = "manifest.json"

MAX_BYTES = 64 << 20
"""Largest manifest in bytes; one of 10,000 shards has 3 MB."""

_HASH = re.compile(r"[0-9a-f]{8,128}")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")


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


SHARD_SHAPE: Mapping[str, Any] = {
    "path": ShardPath,
    "rows": int,
    "bytes": int,
    "sha256": Hash,
    "content_hash": Hash,
}

_CELL = {"label": str, "difficulty": int, "items": int, "asked": int, "note": str}
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
    "splits": Named(_SPLIT),
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
    "left_out": [str],
    "configs": Named(_CONFIG),
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
    _check(content, MANIFEST_SHAPE, "", path)
    assert isinstance(content, dict)
    return content


def _check(value: Any, shape: Any, place: str, path: Path) -> None:
    """Raise ValueError where a value is not of a shape.

    Args:
        value: the value.
        shape: the shape.
        place: where it stands in the manifest, for the message.
        path: the file, for the message.
    """
    if isinstance(shape, Mapping):
        _demand(isinstance(value, dict), value, "an object", place, path)
        for name, inner in shape.items():
            if name not in value:
                raise _wrong(path, f"{_at(place, name)} is missing")
            _check(value[name], inner, _at(place, name), path)
    elif isinstance(shape, Named):
        _demand(isinstance(value, dict), value, "an object", place, path)
        for name, inner in value.items():
            if not _NAME.fullmatch(name):
                raise _wrong(path, f"{place} has the name {name[:40]!r}; use letters, digits, _.-")
            _check(inner, shape.each, _at(place, name), path)
    elif isinstance(shape, list):
        _demand(isinstance(value, list), value, "a list", place, path)
        for number, inner in enumerate(value):
            _check(inner, shape[0], f"{place}[{number}]", path)
    elif shape is int:
        _demand(type(value) is int and value >= 0, value, "a whole number from 0", place, path)
    elif shape is Seed:
        right = value is None or type(value) is int
        _demand(right, value, "a whole number, or null", place, path)
    elif shape is Hash:
        right = isinstance(value, str) and _HASH.fullmatch(value) is not None
        _demand(right, value, "a hash in hexadecimal", place, path)
    elif shape is ShardPath:
        _demand(isinstance(value, str), value, "a string", place, path)
        parts = PurePosixPath(value).parts
        if value.startswith("/") or "\\" in value or "\0" in value or ".." in parts or not parts:
            raise ValueError(f"{MANIFEST} names {value[:80]!r}, outside its folder")
    elif shape is str:
        _demand(isinstance(value, str), value, "a string", place, path)


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _demand(right: bool, value: Any, want: str, place: str, path: Path) -> None:
    if not right:
        shown = "a long value" if isinstance(value, list | dict) else f"{value!r:.40}"
        raise _wrong(path, f"{place or 'the whole'} is {shown}; it must be {want}")


def _wrong(path: Path, what: str) -> ValueError:
    return ValueError(f"{str(path)!r} is no manifest of this program: {what}")
