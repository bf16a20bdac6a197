"""Texts: the card and the changelog of a dataset as they stand on the Hub, under a version.

The build writes both without a place and a version, since it knows neither. Here the card's
commands get theirs, and the changelog gets what changed and the entries of earlier versions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from facelet.pipeline.card.card import PLACE
from facelet.pipeline.publish.differences import Differences
from facelet.pipeline.publish.versions import Version


@dataclass(frozen=True, slots=True)
class Before:
    """A version on the Hub, and what a new one makes of it.

    Attributes:
        version: it.
        differences: what the new one changes.
        changelog: its changelog.
    """

    version: Version
    differences: Differences
    changelog: str


_LOAD = re.compile(rf'load_dataset\("{re.escape(PLACE)}"([^)\n]*)\)')
_ENTRY = re.compile(r"^## ", re.MULTILINE)


def load_line(repo: str, version: Version, config: str, split: str) -> str:
    """Return the line of Python that loads a split of a version.

    Args:
        repo: the repository.
        version: the version.
        config: a config of it.
        split: a split of that.
    """
    return f'load_dataset("{repo}", "{config}", split="{split}", revision="{version.tag}")'


def readme(text: str, repo: str, version: Version, gallery: str = "") -> str:
    """Return a card whose commands load a version.

    Args:
        text: the card that the build wrote.
        repo: the repository, such as "org/name".
        version: the version.
        gallery: pictures of its rows, as Markdown.
    """
    folder = repo.rpartition("/")[2]
    text = _LOAD.sub(
        lambda found: f'load_dataset("{repo}"{found[1]}, revision="{version.tag}")', text
    )
    fetch = (
        f"{gallery}## Load\n\nThis is version {version}; its tag never moves. The commands below "
        f"that read a folder find it after\n\n```\nhf download {repo} --repo-type dataset "
        f"--revision {version.tag} --local-dir {folder}\n```\n"
    )
    return text.replace("## Load\n", fetch, 1).replace(PLACE, folder)


def changelog(
    text: str,
    version: Version,
    manifest: Mapping[str, Any],
    since: Before | None,
) -> str:
    """Return the changelog of a version, newest entry first.

    Args:
        text: the changelog that the build wrote, of one entry.
        version: the version.
        manifest: its manifest.
        since: the version before; None if it is the first.
    """
    head, _, entry = text.partition(f"## {manifest['content_hash']}\n")
    made = f"{head}## {version}\n\nContent hash `{manifest['content_hash']}`.\n"
    if since is None:
        return f"{made}\nThe first version.\n{entry}"
    lines = "".join(f"- {line}\n" for line in since.differences.lines()) or "- the card alone\n"
    level = since.differences.level.word
    made += f"\nSince {since.version}, a {level} change:\n\n{lines}{entry}"
    first = _ENTRY.search(since.changelog)
    return f"{made.rstrip()}\n\n{since.changelog[first.start() :] if first else ''}"
