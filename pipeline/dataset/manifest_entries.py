"""Entries of a manifest: configs, splits, cells and shards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from facelet.pipeline.dataset import chance_record, floor_record
from facelet.pipeline.json_types import JSON

Record = dict[str, Any]
"""An object of manifest.json, as plain values."""

OMIT_EMPTY = {"omit_empty": True}
"""Metadata of a field that a manifest leaves out where it is empty."""


def to_plain(value: Any) -> Any:
    """Return an entry as plain values of JSON, in the order of its fields."""
    if isinstance(value, tuple):
        return [to_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: to_plain(one) for name, one in value.items()}
    if not is_dataclass(value):
        return value
    return {
        item.name: to_plain(own)
        for item in fields(value)
        if (own := getattr(value, item.name)) or not item.metadata.get("omit_empty")
    }


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """A shard: its path inside the folder, and what its file should be."""

    path: str
    rows: int
    bytes: int
    sha256: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class CellEntry:
    """The items of one difficulty in a split.

    Attributes:
        difficulty: the difficulty.
        label: how row ids name it.
        items: number of items.
        asked: number that was asked for.
        capacity: how many there could be; None where that is not known.
        pieces: how many pieces of its pool stand behind its items; None without a pool.
        note: why there are fewer items than asked for, or fewer pieces behind them; "" if not.
        chance: what guessing scores; None where that is not stated.
    """

    difficulty: int
    label: str
    items: int
    asked: int
    capacity: int | None
    pieces: int | None
    note: str
    chance: chance_record.ChanceRecord | None


@dataclass(frozen=True, slots=True)
class SplitEntry:
    """One split of a config.

    Attributes:
        rows: number of rows.
        items: number of items.
        bytes: size of its shards.
        content_hash: hash of its rows.
        chance: what guessing scores; None where that is not stated.
        cells: its difficulties.
        shards: its files, in order.
    """

    rows: int
    items: int
    bytes: int
    content_hash: str
    chance: chance_record.ChanceRecord | None
    cells: tuple[CellEntry, ...]
    shards: tuple[ShardEntry, ...]

    def replace_shards(self, written: Mapping[str, ShardEntry]) -> SplitEntry:
        """Return what is said of it with other entries of some shards, by their paths."""
        shards = tuple(written.get(shard.path, shard) for shard in self.shards)
        return replace(self, shards=shards, bytes=sum(shard.bytes for shard in shards))


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One config.

    Attributes:
        suite: its suite.
        task: the task that made its rows.
        task_version: the version of that task.
        params: the task's params; a list of those that the config sweeps over.
        swept: names of the params that it sweeps over.
        splits: its splits by name.
        audit: what the audit measured; {} where nobody did.
        floor: what the best blind player scored; None where that was not measured.
        repeats: why items may be equal; "" where they may not.
    """

    suite: str
    task: str
    task_version: int
    params: Mapping[str, JSON]
    swept: tuple[str, ...]
    splits: Mapping[str, SplitEntry]
    audit: Mapping[str, JSON]
    floor: floor_record.FloorRecord | None
    repeats: str = field(default="", metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class Citation:
    """How a dataset is to be cited.

    See `facelet.pipeline.card.citations` for what is said of nothing.

    Attributes:
        author: who made it, as BibTeX writes names; "" for nobody named.
        year: of its publication; 0 for the year of the release that made it.
        address: where it is found; "" for nowhere yet.
    """

    author: str = ""
    year: int = 0
    address: str = ""
