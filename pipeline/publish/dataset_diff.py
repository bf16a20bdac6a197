"""Compare two dataset folders row by row, and choose the version number of the change.

A version is MAJOR.MINOR.PATCH, the tag `v1.2.0` on the Hub:

    major   what both versions contain under one id asks, shows, answers or judges otherwise, or is
            gone
    minor   there is more: rows, splits, configs or columns; all that was there is unchanged
    patch   the rows are the same; the card, the shards' boundaries or the provenance differ

Scores on two versions of one major number compare row by row. Before 1.0.0 everything may change:
there a major change moves MINOR.

Rows are matched by their id. A split whose content hash is the same in both manifests is the same
and is not read, so its shards need not be there. Pictures are compared by the hashes of their
pixels.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_hashes import canonical_json

_VERSION = re.compile(r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})")


class ChangeLevel(IntEnum):
    """How much a version changes; see the module."""

    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def label(self) -> str:
        """The level's name as it is printed."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A semantic version; compares as its numbers do."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag_name(self) -> str:
        """The tag that names it on the Hub."""
        return f"v{self}"


def parse_version(text: str) -> Version:
    """Return the version that a text such as "1.2.0" names.

    Raises:
        ValueError: it is none.
    """
    if (match := _VERSION.fullmatch(text)) is None:
        raise ValueError(
            f"version={text} is not a version; write MAJOR.MINOR.PATCH without leading zeros, "
            "such as version=1.2.0"
        )
    return Version(*map(int, match.groups()))


def versions_from_tags(tags: Iterable[str]) -> list[Version]:
    """Return the versions that tags name, ascending; other tags are passed over."""
    found = (_VERSION.fullmatch(tag[1:]) for tag in tags if tag.startswith("v"))
    return sorted(Version(*map(int, match.groups())) for match in found if match is not None)


def next_version(previous: Version, level: ChangeLevel) -> Version:
    """Return the version that follows another with a change of a level."""
    if level is ChangeLevel.MAJOR and previous.major:
        return Version(previous.major + 1, 0, 0)
    if level is ChangeLevel.PATCH:
        return Version(previous.major, previous.minor, previous.patch + 1)
    return Version(previous.major, previous.minor + 1, 0)


def check_step(version: Version, previous: Version, level: ChangeLevel) -> None:
    """Refuse a version that says less of its change than is true.

    Args:
        version: the version to publish.
        previous: the newest that is published.
        level: what the change between them is.

    Raises:
        ValueError: it is not above the previous one, or moves too small a part.
    """
    if version <= previous:
        raise ValueError(
            f"version={version} is not above {previous}, which is published; "
            f"use {next_version(previous, level)}"
        )
    if version < next_version(previous, level):
        raise ValueError(
            f"version={version} does not fit: since {previous} the change is {level.label}; "
            f"use {next_version(previous, level)} or above"
        )


UNSCORED_COLUMNS = frozenset({"provenance"})
"""Columns that say how a row was made: no question, answer or score hangs on them."""

_NAMES = {"messages": "prompt", "image_hashes": "pictures", "gold": "answer"}
"""What some columns are called in words."""

_DIGEST = 8
"""Bytes of the hash of one value: two of a million rows are mistaken with a chance of 1e-7."""


@dataclass(frozen=True, slots=True)
class SplitChange:
    """What differs in one split of one config.

    Attributes:
        config: its config.
        split: its split.
        new: ids of rows that only the second folder has, in its order.
        gone: ids of rows that only the first has, in its order.
        changed: ids of rows that both have and that differ, in the second folder's order.
        columns: for each column, how many of the changed rows differ in it.
        added: columns that only the second folder has.
        dropped: columns that only the first has.
        why: what of the configuration differs, in words, such as "task version 1 -> 2".
        rows: rows that both have.
    """

    config: str
    split: str
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    columns: Mapping[str, int] | None = None
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    rows: int = 0

    @property
    def change_level(self) -> ChangeLevel:
        """What this change asks of the version."""
        if self.gone or self.dropped or set(self.columns or {}) - UNSCORED_COLUMNS:
            return ChangeLevel.MAJOR
        return ChangeLevel.MINOR if self.new or self.added else ChangeLevel.PATCH

    def summary_line(self) -> str:
        """The change in one line."""
        parts = []
        if self.new:
            parts.append(f"{len(self.new):,} rows new")
        if self.gone:
            parts.append(f"{len(self.gone):,} rows gone")
        if self.changed:
            seen = sorted((self.columns or {}).items(), key=lambda pair: (-pair[1], pair[0]))
            names = [
                f"{_NAMES.get(name, name)}{'' if times == len(self.changed) else f' ({times:,})'}"
                for name, times in seen
            ]
            parts.append(f"{len(self.changed):,} rows changed: {', '.join(names)}")
        if self.added:
            parts.append(f"columns new: {', '.join(self.added)}")
        if self.dropped:
            parts.append(f"columns gone: {', '.join(self.dropped)}")
        because = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return f"{'; '.join(parts) or 'the same rows'}{because}"


@dataclass(frozen=True, slots=True)
class DatasetDiff:
    """What differs between two dataset folders.

    Attributes:
        changes: one for each split that differs, by config and split.
        same: number of splits that are the same.
        whole: what else of the manifests differs, in words.
    """

    changes: tuple[SplitChange, ...]
    same: int
    manifest_changes: tuple[str, ...]

    @property
    def change_level(self) -> ChangeLevel:
        """The least part of the version that must move."""
        return max((change.change_level for change in self.changes), default=ChangeLevel.PATCH)

    def format_lines(self) -> list[str]:
        """The differences, a line each."""
        return [
            *(
                f"{change.config}/{change.split}: {change.summary_line()}"
                for change in self.changes
            ),
            *self.manifest_changes,
        ]


def compare_datasets(
    first: Path,
    second: Path,
    manifests: tuple[Manifest, Manifest] | None = None,
) -> DatasetDiff:
    """Return what differs between two dataset folders.

    Args:
        first: the older folder.
        second: the newer folder.
        manifests: their manifests, where they are at hand.

    Raises:
        ValueError: a folder is no dataset, or lacks a split that its manifest lists.
    """
    old, new = manifests or (
        dataset_reader.read_manifest(first),
        dataset_reader.read_manifest(second),
    )
    before, after = list_content_hashes(old), list_content_hashes(new)
    changes, same = [], 0
    for key in sorted({**before, **after}):
        if before.get(key) == after.get(key):
            same += 1
        elif key not in after:
            changes.append(SplitChange(*key, gone=tuple(_iterate_ids(first, key))))
        elif key not in before:
            changes.append(SplitChange(*key, new=tuple(_iterate_ids(second, key))))
        else:
            changes.append(
                _compare_split(first, second, key, _list_config_changes(old, new, key[0]))
            )
    return DatasetDiff(tuple(changes), same, tuple(_iterate_manifest_changes(old, new)))


def list_content_hashes(manifest: Manifest) -> dict[tuple[str, str], str]:
    """Return the content hash of each config and split of a manifest."""
    return {
        (config, split): inside.content_hash for config, split, inside in manifest.iterate_splits()
    }


def _open_split(out: Path, key: tuple[str, str]) -> dataset_reader.SplitFiles:
    found = [part for part in dataset_reader.list_splits(out) if (part.config, part.name) == key]
    if not found:
        raise ValueError(f"{str(out)!r} has no shards of {'/'.join(key)}, which its manifest lists")
    return found[0]


def _iterate_ids(out: Path, key: tuple[str, str]) -> Iterator[str]:
    yield from (row["id"] for row in _open_split(out, key).iterate_rows(["id"]))


def _compare_split(
    first: Path, second: Path, key: tuple[str, str], why: Sequence[str]
) -> SplitChange:
    """Return what differs in a split that both folders have."""
    left, right = _open_split(first, key), _open_split(second, key)
    before, after = left.arrow_schema().names, right.arrow_schema().names
    passed_over = {"id", dataset_reader.IMAGES}
    shared = [name for name in after if name in set(before) - passed_over]
    held = {row["id"]: _hash_row(row, shared) for row in left.iterate_rows(["id", *shared])}
    new: list[str] = []
    changed: list[str] = []
    columns: Counter[str] = Counter()
    seen: set[str] = set()
    for row in right.iterate_rows(["id", *shared]):
        if (name := row["id"]) not in held:
            new.append(name)
            continue
        seen.add(name)
        was, now = held[name], _hash_row(row, shared)
        if was != now:
            changed.append(name)
            columns.update(
                column
                for place, column in enumerate(shared)
                if was[_DIGEST * place :][:_DIGEST] != now[_DIGEST * place :][:_DIGEST]
            )
    return SplitChange(
        *key,
        new=tuple(new),
        gone=tuple(name for name in held if name not in seen),
        changed=tuple(changed),
        columns=dict(columns),
        added=tuple(name for name in after if name not in before),
        dropped=tuple(name for name in before if name not in after),
        reasons=tuple(why),
        rows=len(seen),
    )


def _hash_row(row: Mapping[str, object], columns: Sequence[str]) -> bytes:
    """Return a hash of each value of a row, one after the other."""
    return b"".join(
        hashlib.blake2b(canonical_json(row[name]).encode(), digest_size=_DIGEST).digest()
        for name in columns
    )


def _list_config_changes(old: Manifest, new: Manifest, config: str) -> list[str]:
    """Return what of a config's configuration differs, in words."""
    was, now = old.configs[config], new.configs[config]
    found = []
    if was.task != now.task:
        found.append(f"task {was.task} -> {now.task}")
    if was.task_version != now.task_version:
        found.append(f"task version {was.task_version} -> {now.task_version}")
    for name in sorted({**was.params, **now.params}):
        a, b = was.params.get(name, "none"), now.params.get(name, "none")
        if a != b:
            found.append(f"param {name}: {a} -> {b}")
    if old.seed != new.seed:
        found.append(f"seed {old.seed} -> {new.seed}")
    return found


def _iterate_manifest_changes(old: Manifest, new: Manifest) -> Iterator[str]:
    """Yield what else of two manifests differs, in words."""
    for name in ("name", "profile", "seed", "code_version"):
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            yield f"{name.replace('_', ' ')}: {was} -> {now}"
