"""Access one dataset repository through the Hub's client, and render the texts of its versions.

Nothing is cached, since an earlier run, or another person, may have changed the repository. The
client finds the token (`hf auth login`, HF_TOKEN), which never passes through here. Connection
errors become ConnectionBrokenError, so that the caller may retry.

The texts are the card, the changelog and eval.yaml. The build writes card and changelog without an
address and a version, since it knows neither. Here the card's commands get theirs, and the
changelog gets what changed and the entries of earlier versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete, HfApi
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from facelet.pipeline.card.citations import PLACE, dataset_title
from facelet.pipeline.dataset.atomic_files import open_scratch_folder
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import is_training
from facelet.pipeline.dataset.row_hashes import hash_file
from facelet.pipeline.publish.dataset_diff import DatasetDiff, Version
from facelet.pipeline.publish.release_files import ReleaseFile

_Operation = CommitOperationAdd | CommitOperationCopy | CommitOperationDelete

MAIN = "main"

_KIND = "dataset"
_RETRY_STATUSES = frozenset({408, 409, 412, 425, 429, 500, 502, 503, 504})
"""Statuses after which looking again may help; 409 and 412 say that somebody else was faster."""

_TRANSPORT: type[Exception] = HfHubHTTPError.__bases__[0]
"""What the client's HTTP library raises; which library that is changes with the client."""


class ConnectionBrokenError(OSError):
    """The connection broke, or the Hub was busy: nothing is known of the last request."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file in the repository: the hash that git has of it, and its SHA-256 if it is large."""

    blob: str
    sha256: str | None

    def has_bytes_of(self, file: ReleaseFile) -> bool:
        """Return whether it has the bytes of a file."""
        return self.sha256 == file.sha256 if self.sha256 is not None else self.blob == file.blob


Tree = Mapping[str, HubFile]
"""The files of a revision, by path."""


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What branches and tags a repository has, by name, with the commits that they name.

    Attributes:
        private: whether only its members see it; None where there is no repository.
        gated: whether its files are read only by those who were let in.
        branches: the branches.
        tags: the tags.
    """

    private: bool | None
    gated: bool
    branches: Mapping[str, str]
    tags: Mapping[str, str]


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn an error of the connection into BrokenError, and a refusal into one line."""
    try:
        yield
    except HfHubHTTPError as error:
        if error.response.status_code in _RETRY_STATUSES:
            raise ConnectionBrokenError(_format_error(error)) from error
        raise ValueError(f"the Hub refused: {_format_error(error)}") from error
    except _TRANSPORT as error:
        raise ConnectionBrokenError(_format_error(error)) from error
    except LocalEntryNotFoundError as error:  # a download that could not begin
        raise ConnectionBrokenError(_format_error(error)) from error


def _format_error(error: Exception) -> str:
    return " ".join(str(error).split())[:400] or type(error).__name__


class HubRepository:
    """A dataset repository on the Hub."""

    def __init__(self, repo: str, api: HfApi | None = None) -> None:
        """Name a repository.

        Args:
            repo: "organization/name".
            api: the client; by default the one of the environment.
        """
        self.repo = repo
        self.api = api or HfApi(library_name="facelet")

    def read_state(self) -> RepositoryState:
        """Return the repository's branches and tags.

        Raises:
            BrokenError: the connection broke.
            ValueError: the Hub refused.
        """
        with _translate_errors():
            try:
                info = self.api.repo_info(self.repo, repo_type=_KIND)
                refs = self.api.list_repo_refs(self.repo, repo_type=_KIND)
            except RepositoryNotFoundError:
                return RepositoryState(None, False, {}, {})
        return RepositoryState(
            bool(info.private),
            bool(getattr(info, "gated", False)),
            {ref.name: ref.target_commit for ref in refs.branches},
            {ref.name: ref.target_commit for ref in refs.tags},
        )

    def create_repository(self, *, private: bool) -> None:
        """Make the repository, unless it is there."""
        with _translate_errors():
            self.api.create_repo(self.repo, repo_type=_KIND, private=private, exist_ok=True)

    def enable_gating(self) -> None:
        """Let nobody read the files of the repository who has not asked and been let in."""
        with _translate_errors():
            self.api.update_repo_settings(self.repo, repo_type=_KIND, gated="manual")

    def list_files(self, revision: str) -> dict[str, HubFile]:
        """Return the files of a revision."""
        with _translate_errors():
            found = self.api.list_repo_tree(
                self.repo, recursive=True, revision=revision, repo_type=_KIND
            )
            return {
                item.path: HubFile(item.blob_id, item.lfs.sha256 if item.lfs else None)
                for item in found
                if isinstance(item, RepoFile)
            }

    def create_branch(self, name: str, start: str) -> None:
        """Make a branch at a commit, unless it is there."""
        with _translate_errors():
            self.api.create_branch(
                self.repo, branch=name, revision=start, repo_type=_KIND, exist_ok=True
            )

    def delete_branch(self, name: str) -> None:
        """Remove a branch."""
        with _translate_errors():
            self.api.delete_branch(self.repo, branch=name, repo_type=_KIND)

    def upload_files(
        self,
        branch: str,
        parent: str,
        files: Iterable[ReleaseFile],
        gone: Iterable[str],
        message: str,
    ) -> str:
        """Commit files of this machine, in one commit; what the Hub has already is not sent.

        Args:
            branch: the branch.
            parent: the commit that it must still be at.
            files: files to write.
            gone: paths to remove.
            message: the commit's message.

        Returns:
            The commit.

        Raises:
            BrokenError: the connection broke, or the branch moved.
            ValueError: the Hub refused.
        """
        operations: list[_Operation] = [
            *(CommitOperationDelete(path) for path in gone),
            *(
                CommitOperationAdd(file.path, source if isinstance(source, bytes) else str(source))
                for file in files
                for source in (file.source,)
            ),
        ]
        return self._create_commit(branch, parent, operations, message)

    def copy_files(
        self, branch: str, parent: str, source: str, paths: Iterable[str], gone: Iterable[str],
        message: str,
    ) -> str:  # fmt: skip
        """Commit files of another commit, in one commit; see `upload_files`.

        Args:
            branch: the branch.
            parent: the commit that it must still be at.
            source: the commit that has the files.
            paths: their paths.
            gone: paths to remove.
            message: the commit's message.
        """
        operations: list[_Operation] = [
            *(CommitOperationDelete(path) for path in gone),
            *(CommitOperationCopy(path, path, src_revision=source) for path in paths),
        ]
        return self._create_commit(branch, parent, operations, message)

    def _create_commit(
        self,
        branch: str,
        parent: str,
        operations: list[_Operation],
        message: str,
    ) -> str:
        with _translate_errors():
            try:
                made = self.api.create_commit(
                    self.repo,
                    operations,
                    commit_message=message,
                    repo_type=_KIND,
                    revision=branch,
                    parent_commit=parent,
                )
            except RuntimeError as error:  # how the client says that the upload of a file failed
                raise ConnectionBrokenError(_format_error(error)) from error
        return made.oid

    def create_tag(self, name: str, commit: str) -> None:
        """Name a commit. A tag that is there is left as it is, and BrokenError says so."""
        with _translate_errors():
            self.api.create_tag(self.repo, tag=name, revision=commit, repo_type=_KIND)

    def download_file(self, path: str, revision: str, folder: Path) -> Path:
        """Download a file into a folder; return where it is.

        Args:
            path: its path in the repository.
            revision: the revision.
            folder: the folder.
        """
        with _translate_errors():
            return Path(
                self.api.hf_hub_download(
                    self.repo,
                    path,
                    repo_type=_KIND,
                    revision=revision,
                    local_dir=folder,
                    force_download=True,
                )
            )

    def download_sha256(self, path: str, revision: str) -> str:
        """Download a file; return the SHA-256 of what came, and keep nothing."""
        with open_scratch_folder("publish") as folder:
            return hash_file(self.download_file(path, revision, folder))


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
