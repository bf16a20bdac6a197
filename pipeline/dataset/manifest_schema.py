"""The form of manifest.json, as types of its JSON objects.

What may be absent in a manifest that was read is NotRequired; what this program writes has all but
`repeats` and `answers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from facelet.pipeline.dataset import chance_record, floor_record
from facelet.pipeline.json_types import JSON


class ShardRecord(TypedDict):
    """A shard."""

    path: str
    rows: int
    bytes: int
    sha256: str
    content_hash: str


class CellRecord(TypedDict):
    """The items of one difficulty in a split."""

    difficulty: int
    label: str
    items: int
    asked: int
    capacity: NotRequired[int | None]
    pieces: NotRequired[int | None]
    note: str
    chance: NotRequired[chance_record.ChanceRecord | None]


class SplitRecord(TypedDict):
    """One split of a config."""

    rows: int
    items: int
    bytes: int
    content_hash: str
    chance: NotRequired[chance_record.ChanceRecord | None]
    cells: Sequence[CellRecord]
    shards: Sequence[ShardRecord]


class ConfigRecord(TypedDict):
    """One config."""

    suite: str
    task: str
    task_version: int
    params: Mapping[str, JSON]
    swept: NotRequired[Sequence[str] | None]
    splits: Mapping[str, SplitRecord]
    audit: NotRequired[Mapping[str, JSON] | None]
    floor: NotRequired[floor_record.FloorRecord | None]
    repeats: NotRequired[object]


class CitationRecord(TypedDict):
    """How a dataset is to be cited."""

    author: str
    year: int
    address: str


class ManifestRecord(TypedDict):
    """The whole of manifest.json; see `facelet.pipeline.dataset.manifest_file.Manifest`."""

    manifest_version: NotRequired[int | None]
    schema_version: NotRequired[int | None]
    name: str
    content_hash: str
    plan_hash: str
    profile: str
    seed: int | None
    splits: Mapping[str, int]
    code_version: str
    libraries: NotRequired[Mapping[str, str] | None]
    tables: Mapping[str, str]
    canary: str
    citation: NotRequired[CitationRecord | None]
    left_out: Sequence[str]
    configs: Mapping[str, ConfigRecord]
    audit: NotRequired[Mapping[str, JSON] | None]
    answers: NotRequired[object]
