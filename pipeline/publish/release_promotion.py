"""Promote uploaded files to a version; main and the tags are complete at any time.

The files go to a branch of their own, are downloaded from there and compared, and then one commit
on main takes them over by reference. The tag is set last. Each step looks at the Hub first and does
what is missing, so that the same run, or one tomorrow, goes on wherever another stopped; a tag that
exists is compared and never moved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from facelet.pipeline.card.card_pictures import is_picture
from facelet.pipeline.dataset.dataset_reader import is_shard
from facelet.pipeline.publish.dataset_diff import Version
from facelet.pipeline.publish.hub_repository import (
    MAIN,
    ConnectionBrokenError,
    HubRepository,
    RepositoryState,
    Tree,
)
from facelet.pipeline.publish.release_files import ReleaseFile

TRIES = 6
"""How often a step is tried when the connection breaks, with pauses of 1, 2, 4, ... seconds."""

LinePrinter = Callable[[str], None]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """A version that is to be published.

    Attributes:
        version: the version.
        files: its files, by path.
        private: whether a repository that has to be made is private.
        gated: whether it is gated, too.
    """

    version: Version
    files: Mapping[str, ReleaseFile]
    private: bool = True
    gated: bool = False

    @property
    def staging_branch(self) -> str:
        """The branch that the files go to first."""
        return f"staging-{self.version.tag_name}"


def list_wrong_paths(files: Mapping[str, ReleaseFile], tree: Tree) -> list[str]:
    """Return the paths of files that a tree lacks or has otherwise."""
    return [
        path
        for path, file in files.items()
        if path not in tree or not tree[path].has_bytes_of(file)
    ]


def list_stale_shards(files: Mapping[str, ReleaseFile], tree: Iterable[str]) -> list[str]:
    """Return the shards in a tree that are none of the files: a reader would load them, too.

    The card's pictures of configs that are gone belong to them.

    Other files, such as .gitattributes or what people added to the repository, stay.
    """
    return [path for path in tree if path not in files and (is_shard(path) or is_picture(path))]


def is_published(plan: ReleasePlan, hub: HubRepository, state: RepositoryState) -> bool:
    """Return whether the version is there, as it is to be.

    Args:
        plan: the version.
        hub: its repository.
        state: what the repository has.

    Raises:
        ValueError: its tag is there and names other files.
    """
    tag = plan.version.tag_name
    if tag not in state.tags:
        return False
    tree = hub.list_files(tag)
    other = [*list_wrong_paths(plan.files, tree), *list_stale_shards(plan.files, tree)]
    if other:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        raise ValueError(
            f"{hub.repo} has the tag {tag} with another {other[0]}{more}; a tag never moves: "
            "publish under the next version"
        )
    return True


def publish_release(plan: ReleasePlan, hub: HubRepository, say: LinePrinter) -> str:
    """Publish a version; go on where an earlier run stopped. Return the commit that is tagged.

    Args:
        plan: the version.
        hub: its repository.
        say: is told each step.

    Raises:
        BrokenError: the connection broke TRIES times; nothing that is visible is half done.
        ValueError: the Hub refused, or holds other bytes than were sent.
    """
    return retry_step(_PromotionRun(plan, hub, say).finish_release, say)


def retry_step(step: Callable[[], T], say: LinePrinter, tries: int = TRIES) -> T:
    """Return what a step returns, tried again when the connection breaks.

    Args:
        step: it; it must look at the Hub itself, and may be done twice.
        say: is told each try.
        tries: how often it is tried at most.

    Raises:
        BrokenError: the connection broke each time.
    """
    for number in range(tries):
        try:
            return step()
        except ConnectionBrokenError as error:
            if number == tries - 1:
                raise ConnectionBrokenError(
                    f"the connection to the Hub broke {tries} times, last: {error}. Nothing "
                    "changed on the Hub; rerun the command to continue."
                ) from error
            say(f"the connection broke ({error}); trying again")
        time.sleep(2.0**number)
    raise ValueError(f"tries={tries} is out of range; use at least 1")


class _PromotionRun:
    """One run: what it has compared itself need not be compared again."""

    def __init__(self, plan: ReleasePlan, hub: HubRepository, say: LinePrinter) -> None:
        self.plan, self.hub, self.say = plan, hub, say
        self._compared: set[str] = set()

    def finish_release(self) -> str:
        """Do all that is missing; return the commit that is tagged."""
        plan, hub, tag = self.plan, self.hub, self.plan.version.tag_name
        state = hub.read_state()
        if state.private is None:
            self.say(f"making {hub.repo}, {'private' if plan.private else 'public'}")
            hub.create_repository(private=plan.private)
            state = hub.read_state()
        if plan.gated and not state.gated:
            hub.enable_gating()
        if not is_published(plan, hub, state):
            commit = self._promote_to_main(state)
            self._verify_commit(commit)
            self.say(f"tagging {tag} at {commit[:12]}")
            hub.create_tag(tag, commit)
            state = hub.read_state()
            if not is_published(plan, hub, state):
                raise ConnectionBrokenError(f"the tag {tag} is not to be seen yet")
        if plan.staging_branch in state.branches:
            hub.delete_branch(plan.staging_branch)
        return state.tags[tag]

    def _promote_to_main(self, state: RepositoryState) -> str:
        """Return a commit of main that holds the version, made if main does not hold it yet."""
        plan, hub = self.plan, self.hub
        if (main := state.branches.get(MAIN)) is None:
            raise ValueError(f"{hub.repo} has no branch {MAIN}; make it on the Hub")
        tree = hub.list_files(main)
        if not (list_wrong_paths(plan.files, tree) or list_stale_shards(plan.files, tree)):
            return main
        staged = self._stage_files(state, main)
        self._verify_commit(staged)
        self.say(f"promoting to {MAIN}, one commit")
        # By reference to what was compared, so that a file that changes here now cannot slip in.
        commit = hub.copy_files(
            MAIN,
            main,
            staged,
            list_wrong_paths(plan.files, tree),
            list_stale_shards(plan.files, tree),
            f"Version {self.plan.version}",
        )
        tree = hub.list_files(commit)
        if broken := [*list_wrong_paths(plan.files, tree), *list_stale_shards(plan.files, tree)]:
            raise ValueError(f"{MAIN} of {hub.repo} does not hold {broken[0]} as it was staged")
        self._compared.add(commit)  # its hashes are those of the staged files
        return commit

    def _stage_files(self, state: RepositoryState, main: str) -> str:
        """Return a commit of the staging branch that holds the version."""
        plan, hub = self.plan, self.hub
        if (head := state.branches.get(plan.staging_branch)) is None:
            hub.create_branch(plan.staging_branch, main)
            if (head := hub.read_state().branches.get(plan.staging_branch)) is None:
                raise ConnectionBrokenError(
                    f"the branch {plan.staging_branch} is not to be seen yet"
                )
        tree = hub.list_files(head)
        missing, extra = list_wrong_paths(plan.files, tree), list_stale_shards(plan.files, tree)
        if not (missing or extra):
            return head
        size = sum(plan.files[path].bytes for path in missing)
        self.say(f"uploading {len(missing)} files, {size:,} bytes, to {plan.staging_branch}")
        files = [plan.files[path] for path in missing]
        return hub.upload_files(plan.staging_branch, head, files, extra, f"Version {plan.version}")

    def _verify_commit(self, commit: str) -> None:
        """Download every file of a commit and compare its hash.

        Raises:
            ValueError: one differs.
        """
        if commit in self._compared:
            return
        self.say(f"downloading {len(self.plan.files)} files again to compare their hashes")
        for path, file in self.plan.files.items():
            if (got := self.hub.download_sha256(path, commit)) != file.sha256:
                raise ValueError(
                    f"{path} came back with SHA-256 {got}, not {file.sha256}; nothing was "
                    "published. If it changed here while it was sent, repeat the command"
                )
        self._compared.add(commit)


def list_file_lines(plan: ReleasePlan) -> Sequence[str]:
    """Return the files of a version, a line each: bytes, SHA-256, path."""
    return [f"{file.bytes:>14,}  {file.sha256}  {path}" for path, file in plan.files.items()]
