"""Promotion: how files become a version, so that main and the tags are whole at every instant.

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

from facelet.pipeline.card.pictures import is_picture
from facelet.pipeline.dataset.reading import is_shard
from facelet.pipeline.publish.contents import File
from facelet.pipeline.publish.hub import MAIN, BrokenError, Hub, State, Tree
from facelet.pipeline.publish.versions import Version

TRIES = 6
"""How often a step is tried when the connection breaks, with pauses of 1, 2, 4, ... seconds."""

Say = Callable[[str], None]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Release:
    """A version that is to be published.

    Attributes:
        version: the version.
        files: its files, by path.
        private: whether a repository that has to be made is private.
        gated: whether it is gated, too.
    """

    version: Version
    files: Mapping[str, File]
    private: bool = True
    gated: bool = False

    @property
    def staging(self) -> str:
        """The branch that the files go to first."""
        return f"staging-{self.version.tag}"


def wrong(files: Mapping[str, File], tree: Tree) -> list[str]:
    """Return the paths of files that a tree lacks or has otherwise."""
    return [path for path, file in files.items() if path not in tree or not tree[path].holds(file)]


def stale(files: Mapping[str, File], tree: Iterable[str]) -> list[str]:
    """Return the shards in a tree that are none of the files: a reader would load them, too.

    The card's pictures of configs that are gone belong to them.

    Other files, such as .gitattributes or what people added to the repository, stay.
    """
    return [path for path in tree if path not in files and (is_shard(path) or is_picture(path))]


def published(plan: Release, hub: Hub, state: State) -> bool:
    """Return whether the version is there, as it is to be.

    Args:
        plan: the version.
        hub: its repository.
        state: what the repository has.

    Raises:
        ValueError: its tag is there and names other files.
    """
    tag = plan.version.tag
    if tag not in state.tags:
        return False
    tree = hub.tree(tag)
    other = [*wrong(plan.files, tree), *stale(plan.files, tree)]
    if other:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        raise ValueError(
            f"{hub.repo} has the tag {tag} with another {other[0]}{more}; a tag never moves: "
            "publish under the next version"
        )
    return True


def publish(plan: Release, hub: Hub, say: Say) -> str:
    """Publish a version; go on where an earlier run stopped. Return the commit that is tagged.

    Args:
        plan: the version.
        hub: its repository.
        say: is told each step.

    Raises:
        BrokenError: the connection broke TRIES times; nothing that is visible is half done.
        ValueError: the Hub refused, or holds other bytes than were sent.
    """
    return again(_Run(plan, hub, say).advance, say)


def again(step: Callable[[], T], say: Say, tries: int = TRIES) -> T:
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
        except BrokenError as error:
            if number == tries - 1:
                raise BrokenError(
                    f"the connection to the Hub broke, tries: {tries}; at last: {error}. Main and "
                    "the tags are whole; the same command goes on from here"
                ) from error
            say(f"the connection broke ({error}); trying again")
        time.sleep(2.0**number)
    raise ValueError(f"tries={tries} is out of range; use at least 1")


class _Run:
    """One run: what it has compared itself need not be compared again."""

    def __init__(self, plan: Release, hub: Hub, say: Say) -> None:
        self.plan, self.hub, self.say = plan, hub, say
        self._compared: set[str] = set()

    def advance(self) -> str:
        """Do all that is missing; return the commit that is tagged."""
        plan, hub, tag = self.plan, self.hub, self.plan.version.tag
        state = hub.state()
        if state.private is None:
            self.say(f"making {hub.repo}, {'private' if plan.private else 'public'}")
            hub.create(private=plan.private)
            state = hub.state()
        if plan.gated and not state.gated:
            hub.gate()
        if not published(plan, hub, state):
            commit = self._promoted(state)
            self._compare(commit)
            self.say(f"tagging {tag} at {commit[:12]}")
            hub.tag(tag, commit)
            state = hub.state()
            if not published(plan, hub, state):
                raise BrokenError(f"the tag {tag} is not to be seen yet")
        if plan.staging in state.branches:
            hub.drop_branch(plan.staging)
        return state.tags[tag]

    def _promoted(self, state: State) -> str:
        """Return a commit of main that holds the version, made if main does not hold it yet."""
        plan, hub = self.plan, self.hub
        main = state.branches.get(MAIN)
        if main is None:
            raise ValueError(f"{hub.repo} has no branch {MAIN}; make it on the Hub")
        tree = hub.tree(main)
        if not (wrong(plan.files, tree) or stale(plan.files, tree)):
            return main
        staged = self._staged(state, main)
        self._compare(staged)
        self.say(f"promoting to {MAIN}, one commit")
        # By reference to what was compared, so that a file that changes here now cannot slip in.
        commit = hub.copy(
            MAIN, main, staged, wrong(plan.files, tree), stale(plan.files, tree), self._message()
        )
        tree = hub.tree(commit)
        if broken := [*wrong(plan.files, tree), *stale(plan.files, tree)]:
            raise ValueError(f"{MAIN} of {hub.repo} does not hold {broken[0]} as it was staged")
        self._compared.add(commit)  # its hashes are those of the staged files
        return commit

    def _staged(self, state: State, main: str) -> str:
        """Return a commit of the staging branch that holds the version."""
        plan, hub = self.plan, self.hub
        head = state.branches.get(plan.staging)
        if head is None:
            hub.branch(plan.staging, main)
            head = hub.state().branches.get(plan.staging)
            if head is None:
                raise BrokenError(f"the branch {plan.staging} is not to be seen yet")
        tree = hub.tree(head)
        missing, extra = wrong(plan.files, tree), stale(plan.files, tree)
        if not (missing or extra):
            return head
        size = sum(plan.files[path].bytes for path in missing)
        self.say(f"uploading {len(missing)} files, {size:,} bytes, to {plan.staging}")
        files = [plan.files[path] for path in missing]
        return hub.upload(plan.staging, head, files, extra, self._message())

    def _compare(self, commit: str) -> None:
        """Download every file of a commit and compare its hash.

        Raises:
            ValueError: one differs.
        """
        if commit in self._compared:
            return
        self.say(f"downloading {len(self.plan.files)} files again to compare their hashes")
        for path, file in self.plan.files.items():
            if (got := self.hub.sha256(path, commit)) != file.sha256:
                raise ValueError(
                    f"{path} came back with SHA-256 {got}, not {file.sha256}; nothing was "
                    "published. If it changed here while it was sent, repeat the command"
                )
        self._compared.add(commit)

    def _message(self) -> str:
        return f"Version {self.plan.version}"


def summary(plan: Release) -> Sequence[str]:
    """Return the files of a version, a line each: bytes, SHA-256, path."""
    return [f"{file.bytes:>14,}  {file.sha256}  {path}" for path, file in plan.files.items()]
