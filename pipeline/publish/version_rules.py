"""Choose the version number of a change: MAJOR.MINOR.PATCH.

major   what both versions hold under one id asks, shows, answers or judges otherwise, or is gone
minor   there is more: rows, splits, configs or columns; all that was there is as it was
patch   the rows are the same; the card, the shards' boundaries or the provenance differ

Scores on two versions of one major number compare row by row. Before 1.0.0 everything may change:
there a major change moves MINOR. A version is the tag `v1.2.0` on the Hub.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

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
