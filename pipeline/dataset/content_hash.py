"""Hash values and files: canonical JSON, BLAKE2b, SHA-256, library versions.

A hash is a lower-case hexadecimal string. Canonical JSON has sorted keys, no spaces and only
ASCII, so equal values have equal bytes on every machine and under every PYTHONHASHSEED.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from facelet.pipeline.dataset.input_files import open_input_file

LIBRARIES = ("datasets", "huggingface_hub", "numpy", "pillow", "pyarrow")
"""Libraries whose version can show in the bytes of a dataset."""

RECORD_HASH = "record_hash"
"""The key of a sealed record under which the hash of the rest stands."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
"""`json.dumps` would make one a value, which for a row is a tenth of its hash."""


def canonical_json(value: object) -> str:
    """Return the one spelling of a value made of dicts, sequences, strings, numbers and None.

    Raises:
        ValueError: a number is not finite.
        TypeError: the value holds something that JSON has no form for.
    """
    return _CANONICAL.encode(value)


def hash_value(value: object, *, size: int = 16) -> str:
    """Return the BLAKE2b hash of the canonical JSON of a value, of `size` bytes."""
    return hashlib.blake2b(canonical_json(value).encode(), digest_size=size).hexdigest()


def seal_record(content: Mapping[str, object]) -> dict[str, object]:
    """Return a record with the hash of its content, so that a changed one is noticed."""
    return {**content, RECORD_HASH: hash_value(content)}


def open_record(content: object) -> dict[str, Any]:
    """Return the content of a sealed record, as JSON gives it.

    Raises:
        ValueError: it is not one, or was changed.
    """
    if isinstance(content, dict):
        inside = {name: value for name, value in content.items() if name != RECORD_HASH}
        if content.get(RECORD_HASH) == hash_value(inside):
            return inside
    raise ValueError("the record was changed, or is none")


def hash_sequence(hashes: Iterable[str], *, size: int = 16) -> str:
    """Return the BLAKE2b hash over hashes in their order; no hash at all has one too."""
    state = hashlib.blake2b(digest_size=size)
    for item in hashes:
        state.update(bytes.fromhex(item))
    return state.hexdigest()


def hash_digests(digests: bytes, *, size: int = 16) -> str:
    """Return what `hash_sequence` does, of hashes as bytes, one after the other."""
    return hashlib.blake2b(digests, digest_size=size).hexdigest()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as `sha256sum` prints it."""
    with open_input_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def library_versions() -> dict[str, str]:
    """Return the versions of the libraries whose version can show in a dataset's bytes."""
    found: dict[str, str] = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
