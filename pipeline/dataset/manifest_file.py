"""Read, check and write `manifest.json` of a dataset folder.

A manifest lists what a folder contains, with the hashes that prove it. It is treated as untrusted
input: MANIFEST_SHAPE defines what it must contain, and anything else in its place becomes a
ValueError of one line that names the place. Unknown keys are ignored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast

from facelet.pipeline.dataset import floor_record
from facelet.pipeline.json_types import JSON
from facelet.pipeline.json_validation import (
    HashShape,
    MappingShape,
    OptionalShape,
    SeedShape,
    Shape,
    ShardPathShape,
    check_shape,
)

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
    chance: floor_record.ChanceRecord | None


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
    chance: floor_record.ChanceRecord | None
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


MANIFEST = "manifest.json"

MANIFEST_VERSION = 1
"""Version of the manifest's own layout."""

MAX_BYTES = 64 << 20
"""Largest manifest in bytes; one of 10,000 shards has 3 MB."""

_SHARD: Mapping[str, Shape] = {
    "path": ShardPathShape,
    "rows": int,
    "bytes": int,
    "sha256": HashShape,
    "content_hash": HashShape,
}
_CELL: Mapping[str, Shape] = {
    "label": str,
    "difficulty": int,
    "items": int,
    "asked": int,
    "capacity": OptionalShape(int),
    "pieces": OptionalShape(int),
    "note": str,
}
_SPLIT: Mapping[str, Shape] = {
    "rows": int,
    "items": int,
    "bytes": int,
    "content_hash": HashShape,
    "cells": [_CELL],
    "shards": [_SHARD],
}
_CONFIG: Mapping[str, Shape] = {
    "suite": str,
    "task": str,
    "task_version": int,
    "params": MappingShape(object),
    "swept": OptionalShape([str]),
    "splits": MappingShape(_SPLIT),
    "audit": OptionalShape({}),
}
MANIFEST_SHAPE: Mapping[str, Shape] = {
    "manifest_version": OptionalShape(int),
    "schema_version": OptionalShape(int),
    "name": str,
    "content_hash": HashShape,
    "plan_hash": HashShape,
    "profile": str,
    "seed": SeedShape,
    "splits": MappingShape(int),
    "code_version": str,
    "libraries": OptionalShape(MappingShape(str)),
    "tables": MappingShape(str),
    "canary": str,
    "citation": OptionalShape({"author": str, "year": int, "address": str}),
    "left_out": [str],
    "configs": MappingShape(_CONFIG),
    "audit": OptionalShape({"violations": OptionalShape([str])}),
}
"""What a manifest holds: types, lists of one shape, and objects; numbers are never negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a dataset folder holds.

    Attributes:
        name: name of the dataset.
        content_hash: hash of all rows.
        plan_hash: hash of the plan that it was made by.
        profile: the profile of the build.
        seed: root of all seeds; None where it is kept with the answers.
        splits: weight of each split.
        code_version: the program that made it.
        libraries: versions of the libraries that wrote its files.
        tables: hashes of the tables that its claims were proven with, by name.
        canary: the mark of evaluation data.
        citation: how it is to be cited; None where nobody said so.
        left_out: what could not be built, in words.
        configs: its configs by name.
        audit: what the audit measured of the whole; {} where nobody did.
        manifest_version: version of this layout.
        schema_version: version of the rows' common columns.
        answers: "split" where the answers are kept apart; None where they are not.
    """

    manifest_version: int | None = MANIFEST_VERSION
    schema_version: int | None = None
    name: str
    content_hash: str
    plan_hash: str
    profile: str
    seed: int | None
    splits: Mapping[str, int]
    code_version: str
    libraries: Mapping[str, str]
    tables: Mapping[str, str]
    canary: str
    citation: Citation | None
    left_out: tuple[str, ...]
    configs: Mapping[str, ConfigEntry]
    audit: Mapping[str, JSON]
    answers: str | None = field(default=None, metadata=OMIT_EMPTY)

    @property
    def audit_violations(self) -> tuple[str, ...] | None:
        """What the audit found, in words; None where nobody audited."""
        found = self.audit.get("violations")
        return tuple(map(str, found)) if isinstance(found, list) else None

    def iterate_splits(self) -> Iterator[tuple[str, str, SplitEntry]]:
        """Yield config, split and what is said of it."""
        for config, part in self.configs.items():
            yield from ((config, split, inside) for split, inside in part.splits.items())

    def find_split(self, config: str, split: str) -> SplitEntry:
        """Return what is said of a split.

        The files of a folder may be of another build than its manifest.

        Raises:
            ValueError: the manifest does not list it.
        """
        part = self.configs.get(config)
        found = part.splits.get(split) if part else None
        if found is None:
            raise _build_unlisted_error(f"{config}/{split}")
        return found

    def find_config(self, name: str) -> ConfigEntry:
        """Return what is said of a config.

        Raises:
            ValueError: the manifest does not list it.
        """
        if name not in self.configs:
            raise _build_unlisted_error(name)
        return self.configs[name]

    def replace_shards(self, written: Mapping[str, ShardEntry]) -> Manifest:
        """Return a manifest with other entries of some shards, by their paths."""
        return replace(
            self,
            configs={
                name: replace(
                    config,
                    splits={
                        key: part.replace_shards(written) for key, part in config.splits.items()
                    },
                )
                for name, config in self.configs.items()
            },
        )

    def replace_hashes(self, found: Mapping[tuple[str, str], str]) -> Manifest:
        """Return a manifest with other content hashes of some splits, by config and split."""
        return replace(
            self,
            configs={
                name: replace(
                    config,
                    splits={
                        key: replace(part, content_hash=found.get((name, key), part.content_hash))
                        for key, part in config.splits.items()
                    },
                )
                for name, config in self.configs.items()
            },
        )

    def to_record(self) -> Record:
        """Return the manifest as plain values of JSON."""
        record: Record = to_plain(self)
        return record

    def to_text(self) -> str:
        """Return the text of manifest.json; equal manifests have equal bytes."""
        return json.dumps(self.to_record(), indent=2) + "\n"

    def sha256(self) -> str:
        """Return the SHA-256 of manifest.json, as `sha256sum` prints it.

        Whoever knows it from elsewhere knows every byte of the dataset: the manifest holds the
        hashes of all other files but the card with its pictures.
        """
        return hashlib.sha256(self.to_text().encode()).hexdigest()


def _build_unlisted_error(what: str) -> ValueError:
    return ValueError(f"{MANIFEST} does not list {what}; download or build the dataset again")


def read_manifest(out: Path) -> Manifest:
    """Return the manifest of a dataset folder.

    Raises:
        ValueError: there is none, or it is not a manifest of Facelet.
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
        raise ValueError(f"{str(path)!r} is not a manifest: it is nested too deeply") from None
    return manifest_from_json(content, f"{str(path)!r} is not a manifest of Facelet")


def manifest_from_json(
    value: object, refusal: str = "this is not a manifest of Facelet"
) -> Manifest:
    """Return the manifest that plain values hold.

    Args:
        value: any JSON value.
        refusal: how the message of an error begins.

    Raises:
        ValueError: it is none; the message names the place.
    """
    check_shape(value, MANIFEST_SHAPE, refusal)
    content = cast(Record, value)
    said = content.get("citation")
    answers = content.get("answers")
    return Manifest(
        name=content["name"],
        content_hash=content["content_hash"],
        plan_hash=content["plan_hash"],
        profile=content["profile"],
        seed=content["seed"],
        splits=content["splits"],
        code_version=content["code_version"],
        libraries=content.get("libraries") or {},
        tables=content["tables"],
        canary=content["canary"],
        citation=None if said is None else Citation(said["author"], said["year"], said["address"]),
        left_out=tuple(content["left_out"]),
        configs={name: _parse_config(part) for name, part in content["configs"].items()},
        audit=content.get("audit") or {},
        manifest_version=content.get("manifest_version"),
        schema_version=content.get("schema_version"),
        answers=answers if isinstance(answers, str) else None,
    )


def _parse_config(content: Record) -> ConfigEntry:
    return ConfigEntry(
        content["suite"],
        content["task"],
        content["task_version"],
        content["params"],
        tuple(content.get("swept") or ()),
        {name: _parse_split(part) for name, part in content["splits"].items()},
        content.get("audit") or {},
        floor_record.parse_floor(content),
        str(content.get("repeats", "")),
    )


def _parse_split(content: Record) -> SplitEntry:
    return SplitEntry(
        content["rows"],
        content["items"],
        content["bytes"],
        content["content_hash"],
        floor_record.parse_chance(content),
        tuple(_parse_cell(cell) for cell in content["cells"]),
        tuple(map(_parse_shard, content["shards"])),
    )


def _parse_cell(content: Record) -> CellEntry:
    return CellEntry(
        content["difficulty"],
        content["label"],
        content["items"],
        content["asked"],
        content.get("capacity"),
        content.get("pieces"),
        content["note"],
        floor_record.parse_chance(content),
    )


def _parse_shard(content: Record) -> ShardEntry:
    return ShardEntry(
        content["path"],
        content["rows"],
        content["bytes"],
        content["sha256"],
        content["content_hash"],
    )
