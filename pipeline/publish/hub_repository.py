"""Access one dataset repository through the Hub's client.

Every answer is looked up anew, since an earlier run, or another person, may have changed it. The
token is found by the client (`hf auth login`, HF_TOKEN) and never passes through here. Errors of
the connection become BrokenError, so that whoever asked may ask again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationCopy,
    CommitOperationDelete,
    HfApi,
)
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from facelet.pipeline.dataset.content_hash import hash_file
from facelet.pipeline.dataset.scratch_folder import open_scratch_folder
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
