"""A version is on the Hub whole or not at all, wherever the connection is cut."""

from __future__ import annotations

import copy
import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from loopback_hub import Blob, LoopbackHub

from facelet.pipeline.publish import release_promotion
from facelet.pipeline.publish.hub_repository import ConnectionBrokenError

OWN = ".gitattributes"


def ignore_message(_: str) -> None:
    pass


def plan_contents(plan: release_promotion.ReleasePlan) -> dict[str, bytes]:
    return {
        path: file.source if isinstance(file.source, bytes) else file.source.read_bytes()
        for path, file in plan.files.items()
    }


def commit_contents(server: LoopbackHub, oid: str) -> dict[str, bytes]:
    tree = server.find_repo().commits[oid]
    return {path: blob.content for path, blob in tree.items() if path != OWN}


class ReleaseCase:
    """A Hub that has version 1.0.0, and version 1.1.0 to be published."""

    def __init__(self, server: LoopbackHub, publishing: SimpleNamespace, builds: Path) -> None:
        self.server, self.publishing = server, publishing
        first = publishing.plan(builds / "a", server, "1.0.0")
        release_promotion.publish_release(first, publishing.client(server), ignore_message)
        self.plan = publishing.plan(builds / "more", server, "1.1.0")
        self.whole = {"v1.0.0": plan_contents(first), "v1.1.0": plan_contents(self.plan)}
        self._saved = copy.deepcopy((server.repos, server.objects))

    def reset(self) -> None:
        self.server.revive_server()
        self.server.repos, self.server.objects = copy.deepcopy(self._saved)
        self.server.asked = []

    def publish_version(self) -> str:
        return release_promotion.publish_release(
            self.plan, self.publishing.client(self.server), ignore_message
        )

    def check_whole(self) -> None:
        """Main was never in a state that is no whole version, and no tag names another one."""
        repo = self.server.find_repo()
        states = [
            commit_contents(self.server, oid) for branch, oid in repo.history if branch == "main"
        ]
        assert states[0] == {}
        assert all(state in self.whole.values() for state in states[1:])
        assert len(states) <= 3  # made once each, whatever was asked twice
        assert {tag: commit_contents(self.server, oid) for tag, oid in repo.tags.items()} == {
            tag: self.whole[tag] for tag in repo.tags
        }
        assert "v1.0.0" in repo.tags

    def check_done(self) -> None:
        self.check_whole()
        repo = self.server.find_repo()
        assert repo.tags["v1.1.0"] == repo.branches["main"]
        assert set(repo.branches) == {"main"}


@pytest.fixture
def case(server: LoopbackHub, publishing: SimpleNamespace, builds: Path) -> ReleaseCase:
    return ReleaseCase(server, publishing, builds)


def count_requests(case: ReleaseCase) -> int:
    case.reset()
    case.publish_version()
    case.check_done()
    return len(case.server.asked)


@pytest.mark.parametrize("how", ["before", "after"])
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.some(2)
def test_killed_at_every_request_and_run_again(case: ReleaseCase, how: str, step: int) -> None:
    """Every sixth request and the last ones in the ordinary tests, all in the slow ones."""
    count, sent = count_requests(case), []
    assert count > 25
    for number in sorted({*range(1, count + 1, step), *range(count - 3, count + 1)}):
        case.reset()
        case.server.mortal, case.server.cuts = True, {number: how}
        try:
            case.publish_version()
        except ConnectionBrokenError:
            pass
        else:
            assert (number, how) == (count, "after"), "a run without an answer thinks it is done"
        case.check_whole()
        sent.append("v1.1.0" in case.server.find_repo().tags)
        case.server.revive_server()
        case.publish_version()
        case.check_done()
    assert True in sent[:-1] and False in sent


@pytest.mark.slow
@pytest.mark.parametrize("how", ["before", "after", "half"])
def test_one_cut_at_every_request_is_survived(case: ReleaseCase, how: str) -> None:
    for number in range(1, count_requests(case) + 1):
        case.reset()
        case.server.mortal, case.server.cuts = False, {number: how}
        case.publish_version()
        case.check_done()


def test_what_came_back_otherwise_is_not_promoted(case: ReleaseCase, monkeypatch) -> None:
    """A store that damages a file in its keeping, and still calls it by its old hash."""
    case.reset()
    real = Blob.sha256.fget
    bad = hashlib.sha256(case.whole["v1.1.0"]["toys.count/test-00001-of-00003.parquet"]).hexdigest()
    names: dict[bytes, str] = {}

    def false_sha256(blob: Blob) -> str:
        return names.get(blob.content) or real(blob)

    monkeypatch.setattr(Blob, "sha256", property(false_sha256))
    put = case.server.objects.__class__.__setitem__

    class FaultyStore(dict):
        def __setitem__(self, oid, content):
            if oid == bad:
                content = content[:-1] + bytes([content[-1] ^ 1])
                names[content] = oid
            put(self, oid, content)

    case.server.objects = FaultyStore(case.server.objects)
    with pytest.raises(ValueError, match=r"test-00001-of-00003\.parquet came back with SHA-256"):
        case.publish_version()
    case.check_whole()
    assert set(case.server.find_repo().tags) == {"v1.0.0"}


def test_a_tag_never_moves(case: ReleaseCase, publishing: SimpleNamespace, builds: Path) -> None:
    case.publish_version()
    before = copy.deepcopy(case.server.find_repo().tags)
    assert case.publish_version() == before["v1.1.0"]  # the same again changes nothing
    other = release_promotion.ReleasePlan(case.plan.version, {**case.plan.files})
    other.files["README.md"] = publishing.plan(builds / "a", case.server, "2.0.0").files[
        "README.md"
    ]
    with pytest.raises(ValueError, match=r"has the tag v1\.1\.0 with another README\.md; a tag"):
        release_promotion.publish_release(other, publishing.client(case.server), ignore_message)
    assert case.server.find_repo().tags == before
    case.check_done()


def test_somebody_elses_commit_is_not_lost(case: ReleaseCase, monkeypatch) -> None:
    """Main moves between the look at it and the commit: the commit is refused, and made anew."""
    from facelet.pipeline.publish.hub_repository import HubRepository

    case.reset()
    real, pushed = HubRepository.copy_files, []

    def copy_late(hub, *args):
        if not pushed:
            repo = case.server.find_repo()
            tree = {**repo.commits[repo.branches["main"]], "notes.yaml": Blob(b"theirs", False)}
            pushed.append(repo.commit_tree("main", tree))
        return real(hub, *args)

    monkeypatch.setattr(HubRepository, "copy_files", copy_late)
    case.publish_version()
    files = case.server.list_repo_files("v1.1.0")
    assert files.pop("notes.yaml") == b"theirs"
    files.pop(OWN)
    assert files == case.whole["v1.1.0"]


def test_shards_of_another_version_leave_main(
    case: ReleaseCase, publishing: SimpleNamespace, builds: Path
) -> None:
    case.reset()
    old = {path for path in case.server.list_repo_files("main") if path.endswith(".parquet")}
    case.publish_version()
    new = {path for path in case.server.list_repo_files("main") if path.endswith(".parquet")}
    assert old and new and not old & new


def test_what_is_there_is_not_sent_again(case: ReleaseCase) -> None:
    case.reset()
    at = next(n for n, (_, path) in enumerate(_list_requests(case), 1) if "/commit/staging" in path)
    case.reset()
    case.server.sent, case.server.cuts, case.server.mortal = 0, {at: "before"}, True
    with pytest.raises(ConnectionBrokenError, match="rerun the command to continue"):
        case.publish_version()
    total = sum(
        len(content) for path, content in case.whole["v1.1.0"].items() if path.endswith(".parquet")
    )
    assert case.server.sent == total
    case.server.revive_server()
    case.publish_version()
    assert case.server.sent == total


def _list_requests(case: ReleaseCase) -> list[tuple[str, str]]:
    case.publish_version()
    return list(case.server.asked)


def test_a_new_repository_is_private_unless_told(
    server: LoopbackHub, publishing: SimpleNamespace, builds: Path
) -> None:
    publishing.send(builds / "a", server, "1.0.0")
    assert server.find_repo().private
    assert all("Authorization" not in path for _, path in server.asked)


def test_a_token_that_is_refused_is_one_line(
    server: LoopbackHub, publishing: SimpleNamespace, builds: Path
) -> None:
    server.token = "hf_another"
    with pytest.raises(ValueError, match=r"^the Hub refused: .*401") as caught:
        publishing.send(builds / "a", server, "1.0.0")
    assert "\n" not in str(caught.value) and "hf_loopback" not in str(caught.value)
    assert server.repos == {}
