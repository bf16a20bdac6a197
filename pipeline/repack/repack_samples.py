"""Samples: a row as forms take it, with its pictures apart."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from facelet.pipeline.dataset.dataset_reader import IMAGES, SplitFiles


@dataclass(frozen=True, slots=True)
class RepackSample:
    """A row.

    Attributes:
        values: all columns but the pictures, as plain values of Python.
        pictures: the PNG files, in order.
    """

    values: Mapping[str, object]
    pictures: tuple[bytes, ...]


def iterate_samples(split: SplitFiles) -> Iterator[RepackSample]:
    """Yield the rows of a split in published order.

    Raises:
        ValueError: a shard cannot be read.
    """
    for row in split.iterate_rows(images=True):
        pictures = row.pop(IMAGES)
        yield RepackSample(row, tuple(one["bytes"] for one in pictures))


def to_canonical_json(value: object) -> str:
    """Return a value as JSON, the same on every machine."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
