"""Answers kept apart: nothing of them is public, and the keys bring every row back."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from loopback_hub import LoopbackHub

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import content_check, dataset_reader
from facelet.pipeline.dataset.row_columns import row_hashes
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence
from facelet.pipeline.publish import answer_split, hub_repository, release_files
from facelet.pipeline.publish.dataset_diff import compare_datasets

BUILD = """
import sys

sys.path.insert(0, sys.argv[1])
from facelet.pipeline.cli import main

words = ["build", "profile=smoke", "seed=83751920", "suites=[evolarena]", f"out={sys.argv[2]}"]
exit(main([*words, "tasks=[arcade/password_breaking]", "splits={train: 1, test: 2}", "count=4"]))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of a game whose first prompt hides what play uncovers, with a split for training."""
    out = tmp_path_factory.mktemp("whole") / "game"
    shared = Path(__file__).parents[2] / "shared"
    subprocess.run(
        [sys.executable, "-c", BUILD, str(shared), str(out)], check=True, capture_output=True
    )
    return out


@pytest.fixture(scope="module")
def sealed(whole: Path) -> answer_split.SplitDataset:
    return answer_split.split_answers(
        whole, dataset_reader.read_manifest(whole), whole.parent / "sealed", b"s" * 32
    )


def read_rows(out: Path, split: str) -> list[dict]:
    return [
        r
        for part in dataset_reader.list_splits(out)
        if part.name == split
        for r in part.iterate_rows()
    ]


def test_public_rows_hold_no_answer(whole: Path, sealed: answer_split.SplitDataset) -> None:
    release_files.check_folder(sealed.public)
    manifest = dataset_reader.read_manifest(whole)
    said = "".join((sealed.public / name).read_text() for name in ("README.md", "CHANGELOG.md"))
    said += (sealed.public / "manifest.json").read_text()
    for secret in (manifest.plan_hash, manifest.content_hash, str(manifest.seed)):
        assert secret not in said
    for row, public in zip(read_rows(whole, "test"), read_rows(sealed.public, "test"), strict=True):
        told = {name: value for name, value in public.items() if value is not None}
        assert set(told) == {*content_check.PUBLIC_COLUMNS, "group", "commitment"} - {"images"}
        assert all(
            public[name] == row[name] for name in content_check.PUBLIC_COLUMNS if name != "images"
        )
        assert row["group"] not in json.dumps(told)
    for row, public in zip(
        read_rows(whole, "train"), read_rows(sealed.public, "train"), strict=True
    ):
        changed = {name for name in row if row[name] != public[name]}
        assert changed == {"provenance"}, "the seed path holds the seed"
    groups = {}
    for row, public in zip(read_rows(whole, "test"), read_rows(sealed.public, "test"), strict=True):
        assert groups.setdefault(row["group"], public["group"]) == public["group"]
    assert len(set(groups.values())) == len(groups)


def test_the_keys_bring_every_row_back(
    whole: Path, sealed: answer_split.SplitDataset, tmp_path: Path
) -> None:
    content_check.unseal_dataset(sealed.public, sealed.keys, tmp_path)
    assert compare_datasets(whole, tmp_path).changes == ()
    for part, back in zip(
        dataset_reader.list_splits(whole), dataset_reader.list_splits(tmp_path), strict=True
    ):
        assert list(part.iterate_rows(images=True)) == list(back.iterate_rows(images=True))


def test_the_card_of_public_rows_has_its_pictures(
    builds: Path, toys, tmp_path, monkeypatch
) -> None:
    out = builds / "a"
    monkeypatch.setattr(
        answer_split.family_modules, "load_task", lambda _: toys.tasks["toy/choice"]
    )
    sealed = answer_split.split_answers(out, dataset_reader.read_manifest(out), tmp_path, b"s" * 32)
    shown = {path.name: path.read_bytes() for path in (out / "pictures").iterdir()}
    assert shown == {p.name: p.read_bytes() for p in (sealed.public / "pictures").iterdir()}
    card = (sealed.public / "README.md").read_text()
    assert shown and all(f"(pictures/{name})" in card for name in shown)
    assert not (sealed.keys / "pictures").exists()


def test_sealing_again_gives_the_same_bytes(whole: Path, sealed, tmp_path, published) -> None:
    again = answer_split.split_answers(
        whole, dataset_reader.read_manifest(whole), tmp_path, b"s" * 32
    )
    assert published(again.public) == published(sealed.public)
    assert published(again.keys) == published(sealed.keys)
    other = answer_split.split_answers(
        whole, dataset_reader.read_manifest(whole), tmp_path / "other", b"t" * 32
    )
    mine, theirs = (
        {row["commitment"] for row in read_rows(folder, "test")}
        for folder in (again.public, other.public)
    )
    assert not mine & theirs


def write_predictions(out: Path, path: Path) -> Path:
    """The reference player's replies to every other row, and silence to the others."""
    from facelet.pipeline import family_modules, rollout

    lines = []
    asked = rollout.rows(out, "evolarena.password_breaking", split="test")
    for number, row in enumerate(asked):
        task = family_modules.load_task(row["task"])
        replies = task.reference(task.decode(row)) if number % 2 else ["PASS"]
        play = rollout.open_row(row)
        for reply in replies:
            if not play.done:
                play.reply(reply)
        lines.append(json.dumps(play.transcript("player")))
    path.write_text("\n".join(lines) + "\n")
    return path


def figures(results: Path) -> dict:
    held = json.loads((results / "results.json").read_text())
    return held["models"]


def test_scores_with_keys_are_those_of_the_whole(
    whole: Path, sealed: answer_split.SplitDataset, tmp_path: Path, capsys
) -> None:
    asked = write_predictions(whole, tmp_path / "run.jsonl")
    words = [f"predictions={asked}", "resamples=100"]
    assert main(["score", f"dataset={whole}", f"out={tmp_path / 'a'}", *words]) == 0
    public = [f"dataset={sealed.public}", f"out={tmp_path / 'b'}", *words]
    assert main(["score", *public]) == 1
    assert "are kept apart" in capsys.readouterr().err
    assert main(["score", *public, f"keys={sealed.keys}"]) == 0
    assert figures(tmp_path / "a") == figures(tmp_path / "b")


def rewrite(folder: Path, manifest: bool, change) -> None:
    """Change the first row of the last shard of `test`, and what the manifest says of it."""
    path = next(part for part in dataset_reader.list_splits(folder) if part.name == "test").paths[
        -1
    ]
    table = pq.read_table(path, partitioning=None)
    held = table.to_pylist()
    change(held)
    pq.write_table(pa.Table.from_pylist(held, table.schema), path)
    if manifest:
        content = json.loads((folder / "manifest.json").read_text())
        name = path.relative_to(folder).as_posix()
        for config in content["configs"].values():
            for shard in config["splits"]["test"]["shards"]:
                if shard["path"] == name:
                    shard |= {"bytes": path.stat().st_size, "sha256": hash_file(path)}
                    if "images" in table.column_names:
                        found = hash_sequence(row_hashes(pq.read_table(path, partitioning=None)))
                        shard["content_hash"] = found
        (folder / "manifest.json").write_text(json.dumps(content))


def change_gold(held: list[dict]) -> None:
    held[0]["gold"] = held[1]["gold"] + "0"


def swap_rows(held: list[dict]) -> None:
    (held[0]["salt"], held[1]["salt"]) = (held[1]["salt"], held[0]["salt"])


def remove_salt(held: list[dict]) -> None:
    held[0]["salt"] = "zz"


def take_other_keys(held: list[dict]) -> None:
    held.reverse()


@pytest.mark.parametrize(
    ("where", "change", "why"),
    [
        ("keys", change_gold, "does not open the row's commitment"),
        ("keys", swap_rows, "does not open the row's commitment"),
        ("keys", remove_salt, "does not open the row's commitment"),
        ("keys", take_other_keys, "are those of other rows"),
        ("public", lambda held: held[0].update(commitment="0" * 64), "is refused"),
    ],
)
def test_what_was_altered_is_detected(
    sealed: answer_split.SplitDataset, tmp_path: Path, where: str, change, why: str, capsys
) -> None:
    public = shutil.copytree(sealed.public, tmp_path / "public")
    keys = shutil.copytree(sealed.keys, tmp_path / "keys")
    rewrite(tmp_path / where, False, change)
    asked = tmp_path / "run.jsonl"
    asked.write_text(
        json.dumps({"id": read_rows(public, "test")[0]["id"], "replies": ["x"]}) + "\n"
    )
    words = [f"dataset={public}", f"keys={keys}", f"predictions={asked}", f"out={tmp_path / 'o'}"]
    assert main(["score", *words]) == 1
    assert why in capsys.readouterr().err


def test_what_needs_answers_says_that_there_are_none(
    sealed: answer_split.SplitDataset, tmp_path: Path, capsys
) -> None:
    from facelet.pipeline import rollout

    for verb in ("verify", "audit"):
        assert main([verb, f"dataset={sealed.public}"]) == 2
        assert "are kept apart" in capsys.readouterr().err
    row = next(iter(rollout.rows(sealed.public, split="test")))
    with pytest.raises(ValueError, match="is sealed; play from the whole dataset"):
        rollout.open_row(row)
    words = ["unseal", str(sealed.public), f"keys={sealed.keys}", f"out={tmp_path / 'whole'}"]
    assert main(words) == 0
    row = next(iter(rollout.rows(tmp_path / "whole", split="test")))
    assert not rollout.open_row(row).done
    assert main(words) == 2
    assert "already exists" in capsys.readouterr().err


def test_keys_where_none_are_needed(
    whole: Path, sealed: answer_split.SplitDataset, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="leave keys= out"):
        content_check.unseal_dataset(whole, sealed.keys, tmp_path)


def test_two_repositories_the_keys_gated(
    server: LoopbackHub, publishing: SimpleNamespace, whole: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(
        hub_repository, "HubRepository", lambda name: publishing.client(server, name)
    )
    monkeypatch.setattr("huggingface_hub.get_token", lambda: "known")
    words = ["publish", str(whole), "repo=org/name", "version=1.0.0", "answers=split"]
    assert main(words) == 0
    assert server.repos == {}
    assert main([*words, "confirm=yes"]) == 0
    repo = server.find_repo("org/name-keys")
    assert repo.private and repo.gated == "manual" and set(repo.tags) == {"v1.0.0"}
    assert not server.find_repo().gated
    card = server.list_repo_files("v1.0.0")["README.md"].decode()
    assert "the first prompt hides: `evolarena.password_breaking`." in card
    assert "secret" not in server.list_repo_files("v1.0.0", "org/name-keys")
    down = {}
    for name in ("org/name", "org/name-keys"):
        down[name] = tmp_path / name
        for path, content in server.list_repo_files("v1.0.0", name).items():
            (down[name] / path).parent.mkdir(parents=True, exist_ok=True)
            (down[name] / path).write_bytes(content)
    (tmp_path / "out").mkdir()
    content_check.unseal_dataset(down["org/name"], down["org/name-keys"], tmp_path / "out")
    assert compare_datasets(whole, tmp_path / "out").changes == ()
    # The same again, as after a break: the same bytes, so nothing moves.
    tags = dict(repo.tags)
    assert main([*words, "confirm=yes"]) == 0
    assert server.find_repo("org/name-keys").tags == tags


def test_a_bad_version_burns_no_number_of_the_keys(
    server: LoopbackHub, publishing: SimpleNamespace, whole: Path, builds: Path, monkeypatch
) -> None:
    monkeypatch.setattr(
        hub_repository, "HubRepository", lambda name: publishing.client(server, name)
    )
    monkeypatch.setattr("huggingface_hub.get_token", lambda: "known")
    publishing.send(builds / "a", server, "3.0.0")
    words = ["publish", str(whole), "repo=org/name", "version=3.0.1", "answers=split"]
    assert main([*words, "confirm=yes"]) == 2
    assert set(server.repos) == {"org/name"}


def test_the_secret_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x" / "secret"
    made = answer_split.load_secret(path)
    assert len(made) == 32 and answer_split.load_secret(path) == made
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("short")
    with pytest.raises(ValueError, match="contains no secret"):
        answer_split.load_secret(path)


@pytest.mark.parametrize("word", ["secret=kept", "keys_repo=org/keys"])
def test_keys_of_answers_that_stay_in_the_rows_are_refused(
    whole: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    words = [f"dataset={whole}", "repo=org/name", "version=1.0.0"]
    assert main(["publish", *words, word]) == 2
    assert "need answers=split" in capsys.readouterr().err
