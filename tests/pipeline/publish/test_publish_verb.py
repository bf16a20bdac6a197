"""`facelet publish` as a person types it, and `datasets` reading back what it sent."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hub_client import LOAD, client_environment, run_facelet
from loopback_hub import TOKEN, LoopbackHub

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.publish import hub_repository, release_files
from facelet.pipeline.publish.hub_repository import ConnectionBrokenError


def test_from_a_folder_to_load_dataset(server: LoopbackHub, builds: Path, tmp_path: Path) -> None:
    out, env = builds / "a", client_environment(server, tmp_path)
    words = ("publish", str(out), "repo=org/name", "version=1.0.0")

    shown = run_facelet(env, *words)
    assert shown.returncode == 0, shown.stderr
    assert "a new private dataset repository" in shown.stdout
    assert shown.stdout.rstrip().endswith("Repeat with confirm=yes to publish.")
    manifest = dataset_reader.read_manifest(out)
    for split in manifest.configs["toys.count"].splits.values():
        for shard in split.shards:
            assert f"{shard.sha256}  {shard.path}" in shown.stdout
    assert "Left here: .facelet/" in shown.stdout
    assert server.repos == {} and all(command == "GET" for command, _ in server.asked)

    sent = run_facelet(env, *words, "confirm=yes")
    assert sent.returncode == 0, sent.stderr
    assert TOKEN not in sent.stdout + sent.stderr + shown.stdout
    line = 'load_dataset("org/name", "toys.count", split="test", revision="v1.0.0")'
    assert sent.stdout.rstrip().endswith(line)
    files = server.list_repo_files("v1.0.0")
    assert set(files) == {
        ".gitattributes", "README.md", "CHANGELOG.md", "manifest.json", "croissant.json",
        "eval.yaml",
        "pictures/toys.count.png",
        *(path.relative_to(out).as_posix() for path in dataset_reader.shard_paths(out)),
    }  # fmt: skip
    assert line in files["README.md"].decode()
    first = next(part.iterate_rows(["images"]) for part in dataset_reader.list_splits(out))
    assert files["pictures/toys.count.png"] == next(first)["images"][0]["bytes"]
    assert "![toys.count](pictures/toys.count.png)" in files["README.md"].decode()
    assert "path/to/this/dataset" not in files["README.md"].decode()
    benchmark = yaml.safe_load(files["eval.yaml"])
    assert set(benchmark) == {"name", "description", "tasks"}
    assert benchmark["tasks"] == [
        {"id": name, "config": name, "split": "test"} for name in manifest.configs
    ]
    entry = "/datasets/org/name},\n  version = {1.0.0},"
    assert entry in files["README.md"].decode()
    assert entry in json.loads(files["croissant.json"])["citeAs"]
    assert (out / "pictures/toys.count.png").read_bytes() == files["pictures/toys.count.png"]

    command = [sys.executable, "-c", LOAD, "org/name", "toys.count", "test", "v1.0.0"]
    read = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert read.returncode == 0, read.stderr
    built = [
        [row["id"], row["gold"], row["messages"]]
        for part in dataset_reader.list_splits(out)
        for row in part.iterate_rows(["id", "gold", "messages"])
    ]
    assert json.loads(read.stdout) == built


def test_no_benchmark_where_none_is_wanted(builds: Path, capsys, monkeypatch, server) -> None:
    monkeypatch.setattr("facelet.pipeline.publish.publisher._read_hub_state", reject_question)
    words = ["publish", str(builds / "a"), "repo=org/name", "version=1.0.0"]
    for told, there in (([], True), (["benchmark=false"], False)):
        assert main([*words, *told]) == 0
        assert ("eval.yaml" in capsys.readouterr().out) == there


def test_a_build_for_trying_out_is_published_with_a_warning(
    copied: Path, capsys, monkeypatch
) -> None:
    monkeypatch.setattr("facelet.pipeline.publish.publisher._read_hub_state", reject_question)
    words = ["publish", str(copied), "repo=org/name", "version=1.0.0"]
    for profile, warned in (("smoke", True), ("paper", False)):
        manifest = replace(dataset_reader.read_manifest(copied), profile=profile)
        monkeypatch.setattr(release_files, "check_folder", lambda _, found=manifest: found)
        assert main(words) == 0
        assert ("Warning: this is a build with profile=smoke" in capsys.readouterr().out) == warned


def reject_question(*asked: object) -> None:
    raise ConnectionBrokenError("not asked here")


def test_nobody_is_logged_in(builds: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    monkeypatch.setattr(hub_repository, "HubRepository", None)  # it is not asked
    words = ["publish", str(builds / "a"), "repo=org/name", "version=1.0.0", "confirm=yes"]
    assert main(words) == 2
    assert "hf auth login" in capsys.readouterr().err


def test_a_version_must_fit_what_changed(
    server: LoopbackHub, publishing: SimpleNamespace, builds: Path, capsys
) -> None:
    publishing.send(builds / "a", server, "1.0.0")
    for version, why in (
        ("1.0.0", r"has the tag v1\.0\.0 with another"),
        ("0.9.0", r"not above 1\.0\.0, which is published; use 1\.1\.0"),
        ("1.0.1", r"since 1\.0\.0 the change is minor; use 1\.1\.0"),
    ):
        with pytest.raises(ValueError, match=why):
            publishing.send(builds / "more", server, version)
    publishing.send(builds / "more", server, "1.1.0")
    with pytest.raises(ValueError, match=r"since 1\.1\.0 the change is major; use 2\.0\.0"):
        publishing.send(builds / "other", server, "1.2.0")
    publishing.send(builds / "other", server, "2.0.0")
    capsys.readouterr()
    log = server.list_repo_files("v2.0.0")["CHANGELOG.md"].decode()
    assert re.findall(r"^## (.*)$", log, re.MULTILINE) == ["2.0.0", "1.1.0", "1.0.0"]
    assert "seed 0 -> 1" in log and "18 rows new" not in log and "14 rows new" in log
    hashes = [
        dataset_reader.read_manifest(builds / name).content_hash for name in ("other", "more", "a")
    ]
    assert re.findall(r"^Content hash `(.*)`\.$", log, re.MULTILINE) == hashes
    # An old version again: nothing happens, its changelog is that of then.
    tags = dict(server.find_repo().tags)
    publishing.send(builds / "more", server, "1.1.0")
    assert server.find_repo().tags == tags


@pytest.fixture
def copied(builds: Path, tmp_path: Path) -> Path:
    return shutil.copytree(builds / "a", tmp_path / "out")


def change_manifest(out: Path, change) -> None:
    content = json.loads((out / "manifest.json").read_text())
    change(content)
    (out / "manifest.json").write_text(json.dumps(content))


def flip_byte(out: Path) -> None:
    path = dataset_reader.shard_paths(out)[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (flip_byte, r"has SHA-256"),
        (lambda out: dataset_reader.shard_paths(out)[0].unlink(), r"is missing"),
        (
            lambda out: shutil.copy(
                dataset_reader.shard_paths(out)[0], out / "toys.count/train-00000-of-00001.parquet"
            ),
            r"is not in the manifest",
        ),
        (lambda out: (out / "CHANGELOG.md").unlink(), r"CHANGELOG\.md is missing"),
        (
            lambda out: (out / "CHANGELOG.md").write_text("# Changelog\n"),
            r"CHANGELOG\.md does not name the content hash",
        ),
        (
            lambda out: change_manifest(out, lambda held: held.update(seed=5)),
            r"README\.md does not name the SHA-256 of manifest\.json",
        ),
        (
            lambda out: change_manifest(
                out, lambda held: held["audit"].update(violations=["x is 1, allowed 0"])
            ),
            r"the audit found: x is 1",
        ),
        (
            lambda out: change_manifest(out, lambda held: held.update(audit={})),
            r"manifest\.json has no audit",
        ),
        (
            lambda out: change_manifest(
                out, lambda held: held["configs"]["toys.count"].update(audit={})
            ),
            r"toys\.count was not audited",
        ),
    ],
)
def test_what_is_not_fit_is_refused(copied: Path, spoil, why: str) -> None:
    release_files.check_folder(copied)
    spoil(copied)
    with pytest.raises(ValueError, match=r"(?s)is not fit to be published:.*" + why):
        release_files.check_folder(copied)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "shard",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("manifest.json", "CHANGELOG.md", "config")
        ),
    ],
)
def test_a_link_is_never_followed(
    copied: Path, server: LoopbackHub, tmp_path: Path, name: str
) -> None:
    shard = dataset_reader.shard_paths(copied)[0]
    path = {"shard": shard, "config": shard.parent}.get(name, copied / name)
    outside = tmp_path / "outside"
    path.rename(outside)
    path.symlink_to(outside)  # every hash is right: nothing but the link is wrong

    words = ("publish", str(copied), "repo=org/name", "version=1.0.0", "confirm=yes")
    told = run_facelet(client_environment(server, tmp_path), *words)
    assert told.returncode == 2 and server.asked == []
    (line,) = [line for line in told.stderr.splitlines() if "symbolic link" in line][:1]
    assert path.relative_to(copied).as_posix() in line


def test_a_link_inside_the_folder_is_no_better(copied: Path) -> None:
    (copied / ".facelet" / "log").write_bytes((copied / "README.md").read_bytes())
    (copied / "README.md").unlink()
    (copied / "README.md").symlink_to(Path(".facelet") / "log")  # that folder stays here
    with pytest.raises(ValueError, match=r"README\.md is a symbolic link"):
        release_files.check_folder(copied)


def test_the_folder_itself_may_be_a_link(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "newest").symlink_to(copied)
    assert release_files.check_folder(tmp_path / "newest") == release_files.check_folder(copied)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["repo=org/name", "version=1.0.0"], "dataset=... is required"),
        (["OUT", "version=1.0.0"], "repo=... is required"),
        (["OUT", "repo=org/name"], "version=... is required"),
        (["OUT", "repo=name", "version=1.0.0"], "is not a repository"),
        (["OUT", "repo=org/name", "version=1.0"], "MAJOR.MINOR.PATCH"),
        (["OUT", "repo=org/name", "version=1.0.0", "confirm=maybe"], "is not one of yes, no"),
    ],
)
def test_bad_words_are_one_line(words: list[str], why: str, capsys) -> None:
    assert main(["publish", *words]) == 2
    assert why in capsys.readouterr().err


def test_the_help_teaches(capsys) -> None:
    assert main(["help", "publish"]) == 0
    page = capsys.readouterr().out
    assert "confirm=yes" in page and "staging" in page and "hf auth login" in page
