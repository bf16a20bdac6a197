"""Render the card, the changelog and eval.yaml of a version for the Hub.

The build writes both without a place and a version, since it knows neither. Here the card's
commands get theirs, and the changelog gets what changed and the entries of earlier versions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from facelet.pipeline.card.citations import PLACE, dataset_title
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import is_training
from facelet.pipeline.publish.dataset_diff import DatasetDiff
from facelet.pipeline.publish.version_rules import Version


@dataclass(frozen=True, slots=True)
class PreviousVersion:
    """A version on the Hub, and what a new one makes of it.

    Attributes:
        version: it.
        differences: what the new one changes.
        changelog: its changelog.
    """

    version: Version
    differences: DatasetDiff
    changelog: str


_LOAD = re.compile(rf'load_dataset\("{re.escape(PLACE)}"([^)\n]*)\)')
_CITATION_URL = re.compile(r"^  url = \{(.*)\},$", re.MULTILINE)
_ENTRY = re.compile(r"^## ", re.MULTILINE)


def add_citation_address(text: str, home: str, version: Version) -> str:
    """Return a card or an entry of BibTeX whose dataset has an address and a version.

    Args:
        text: the text; the first `url` in it is the dataset's.
        home: the address, where the builder named no other.
        version: the version.
    """

    def replace_line(found: re.Match[str]) -> str:
        address = home if found[1] == PLACE else found[1]
        return f"  url = {{{address}}},\n  version = {{{version}}},"

    return _CITATION_URL.sub(replace_line, text, count=1)


def render_readme(text: str, repo: str, version: Version, home: str) -> str:
    """Return a card whose commands load a version.

    Args:
        text: the card that the build wrote.
        repo: the repository, such as "org/name".
        version: the version.
        home: its address, for a citation that names none.
    """
    folder = repo.rpartition("/")[2]
    text = _LOAD.sub(
        lambda found: f'load_dataset("{repo}"{found[1]}, revision="{version.tag_name}")', text
    )
    text = add_citation_address(text, home, version)
    fetch = (
        f"## Load\n\nThis is version {version}; its tag never moves. The commands below "
        f"that read a folder find it after\n\n```\nhf download {repo} --repo-type dataset "
        f"--revision {version.tag_name} --local-dir {folder}\n```\n"
    )
    return text.replace("## Load\n", fetch, 1).replace(PLACE, folder)


def render_changelog(
    text: str,
    version: Version,
    manifest: Manifest,
    since: PreviousVersion | None,
) -> str:
    """Return the changelog of a version, newest entry first.

    Args:
        text: the changelog that the build wrote, of one entry.
        version: the version.
        manifest: its manifest.
        since: the version before; None if it is the first.
    """
    head, _, entry = text.partition(f"## {manifest.content_hash}\n")
    made = f"{head}## {version}\n\nContent hash `{manifest.content_hash}`.\n"
    if since is None:
        return f"{made}\nThe first version.\n{entry}"
    lines = (
        "".join(f"- {line}\n" for line in since.differences.format_lines()) or "- the card alone\n"
    )
    level = since.differences.change_level.label
    made += f"\nSince {since.version}, a {level} change:\n\n{lines}{entry}"
    first = _ENTRY.search(since.changelog)
    return f"{made.rstrip()}\n\n{since.changelog[first.start() :] if first else ''}"


EVAL_YAML = "eval.yaml"
"""The file that registers a dataset as a benchmark on the Hub.

The Hub asks for a name, a description and tasks, each with an id, a config and a split; entries of
`.eval_results` in a model's repository name the id (`facelet.pipeline.formats.hub_results`). It
takes an `evaluation_framework` of its own list only, and datasets without one: none is named, as
those of the list would promise scores that no replay vouches for.
"""

_USUAL = "test"


def format_task_id(config: str, split: str) -> str:
    """Return the id of a task: its config, with the split where that is not the usual one.

    Args:
        config: the config.
        split: the split.
    """
    return config if split == _USUAL else f"{config}.{split}"


def render_eval_yaml(manifest: Manifest, version: str) -> str:
    """Return eval.yaml.

    Args:
        manifest: the manifest of the version.
        version: which it is.
    """
    said: dict[str, object] = {
        "name": dataset_title(manifest.to_record()),
        "description": (
            "Spatial reasoning with labels that are proven. Every reply is scored by playing it "
            f"again: facelet score. This is version {version}."
        ),
        "tasks": [
            {"id": format_task_id(config, split), "config": config, "split": split}
            for config, entry in manifest.configs.items()
            for split in entry.splits
            if not is_training(split)
        ],
    }
    text: str = yaml.safe_dump(said, sort_keys=False, width=100, allow_unicode=True)
    return text
