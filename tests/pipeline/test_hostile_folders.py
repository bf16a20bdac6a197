"""Dataset folders that strangers made: every verb answers with words, and writes nothing outside.

Whoever makes a folder makes its hashes too, so `match_shards` lets the manifest describe what the
shards hold. What may come is an exit code of 0, 1 or 2; never an exception, an escape code, or a
file elsewhere than in `out`.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import dataset_hash, row_hashes
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence

CONFIG = "mine.median_query"
SUITE = """
mine:
  tasks:
    median_query: {task: arcade/median_query, sweep: {level: [1]}, count: 15}
    password_breaking: {task: arcade/password_breaking, sweep: {level: [1]}, count: 15}
"""
Folder = Callable[[Path], None]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small build of two games, predictions for it, and what they scored."""
    root = tmp_path_factory.mktemp("good")
    (root / "mine.yaml").write_text(SUITE)
    words = ["profile=smoke", f"suites=[{root}/mine.yaml]", "workers=1", f"out={root}/d"]
    assert main(["build", *words]) == 0
    ids = [
        row["id"]
        for split in dataset_reader.list_splits(root / "d")
        for row in split.iterate_rows(["id"])
    ]
    lines = [json.dumps({"id": name, "prediction": ["<ANSWER>up</ANSWER>"]}) for name in ids]
    (root / "p.jsonl").write_text("\n".join(lines))
    scored = [f"dataset={root}/d", f"predictions={root}/p.jsonl", "resamples=100"]
    assert main(["score", *scored, f"out={root}/score"]) == 0
    yield root


def verb_words(folder: Path, good: Path, out: Path) -> dict[str, list[str]]:
    """Return what is asked of a folder; `out` is where it may write."""
    data, said = f"dataset={folder}", f"predictions={good}/p.jsonl"
    publish = ["publish", str(folder), "repo=org/name", "version=1.0.0"]
    return {
        "info": ["info", str(folder), "cells=true"],
        "verify": ["verify", data, "progress=false"],
        "audit": ["audit", str(folder), "workers=1"],
        "score": ["score", data, said, f"out={out}/score", "resamples=100"],
        "score anyway": ["score", data, said, f"out={out}/n", "resamples=100", "verify=false"],
        "ladder": ["ladder", data, said, f"out={out}/ladder.json"],
        "next": ["next", data, said],
        "evolve": ["evolve", data, f"results={good}/score", f"out={out}/new.yaml"],
        "unseal": ["unseal", str(folder), f"keys={folder}", f"out={out}/whole"],
        "diff": ["diff", str(folder), str(good / "d")],
        "diff back": ["diff", str(good / "d"), str(folder)],
        "publish": publish,
        "publish apart": [*publish, "answers=split", f"secret={out}/secret"],
        "requests": ["requests", "model=m", data, f"out={out}/requests"],
        "harness": ["harness", data, f"out={out}/harness"],
        "play": ["play", data, f"out={out}/play", "draw=no"],
    }


def find_shard(folder: Path) -> Path:
    return folder / CONFIG / "test-00000-of-00001.parquet"


def change_manifest(change: Callable[[Any], None]) -> Folder:
    """Return what changes the manifest."""

    def apply_change(folder: Path) -> None:
        content = json.loads((folder / "manifest.json").read_text())
        change(content)
        (folder / "manifest.json").write_text(json.dumps(content))

    return apply_change


def match_shards(content: Any, folder: Path) -> None:
    """Let a manifest describe what its shards hold."""
    found = {}
    for config, part in content["configs"].items():
        for split, inside in part["splits"].items():
            hashes: list[str] = []
            for one in inside["shards"]:
                path = folder / one["path"]
                one["bytes"], one["sha256"] = path.stat().st_size, hash_file(path)
                try:
                    own = list(row_hashes(pq.read_table(path, partitioning=None)))
                except (pa.ArrowException, LookupError, AttributeError, TypeError):
                    own = []
                one["rows"], one["content_hash"] = len(own), hash_sequence(own)
                hashes += own
            inside["rows"], inside["content_hash"] = len(hashes), hash_sequence(hashes)
            found[config, split] = inside["content_hash"]
    content["content_hash"] = dataset_hash(found)


def rewrite_shard(change: Callable[[pa.Table], pa.Table]) -> Folder:
    """Return what changes the rows of a shard, and the hashes with them."""

    def apply_rewrite(folder: Path) -> None:
        pq.write_table(
            change(pq.read_table(find_shard(folder), partitioning=None)), find_shard(folder)
        )
        change_manifest(lambda content: match_shards(content, folder))(folder)

    return apply_rewrite


def fill_column(name: str, value: Any) -> Folder:
    """Return what gives all rows one value in a column."""

    def fill_values(table: pa.Table) -> pa.Table:
        values = pa.array([value] * len(table))
        return table.set_column(table.schema.get_field_index(name), name, values)

    return rewrite_shard(fill_values)


def change_config(**fields: Any) -> Folder:
    return change_manifest(lambda content: content["configs"][CONFIG].update(fields))


def change_split(**fields: Any) -> Folder:
    return change_manifest(
        lambda content: content["configs"][CONFIG]["splits"]["test"].update(fields)
    )


def rename_shard(path: Any) -> Folder:
    def set_path(content: Any) -> None:
        content["configs"][CONFIG]["splits"]["test"]["shards"][0]["path"] = path

    return change_manifest(set_path)


def rename_dataset(name: str) -> Folder:
    return change_manifest(
        lambda content: content["configs"].update({name: content["configs"].pop(CONFIG)})
    )


def put_link(name: str, target: str) -> Folder:
    """Return what puts a link in the place of a file or folder."""

    def replace_with_link(folder: Path) -> None:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(target)

    return replace_with_link


def put_pipe(folder: Path) -> None:
    find_shard(folder).unlink()
    os.mkfifo(find_shard(folder))


SHARD = f"{CONFIG}/test-00000-of-00001.parquet"
EVIL = "\x1b[31m<script>\0../../x\u202e"
FOLDERS: dict[str, Folder] = {
    "no configs": change_manifest(lambda content: content.update(configs={})),
    "a name of codes": change_manifest(lambda content: content.update(name=EVIL)),
    "an audit of another type": change_manifest(lambda content: content.update(audit=7)),
    "violations of another type": change_manifest(
        lambda content: content.update(audit={"violations": 7})
    ),
    "sealed by word": change_manifest(lambda content: content.update(answers="split")),
    "no such task": change_config(task="../../os/path"),
    "another task": change_config(task="cube/move_prediction"),
    "a task of another version": change_config(task_version=10**40),
    "a suite outside": change_config(suite="../../../tmp/evil"),
    "params of another task": change_config(params={"zzz": [1], "level": {"a": None}}),
    "swept of another type": change_config(swept=7),
    "a config outside": rename_dataset(".."),
    "cells of nothing": change_split(cells=[]),
    "shards of nothing": change_split(shards=[]),
    "a great many rows": change_split(rows=10**30, items=10**30),
    "a path from the root": rename_shard("/etc/passwd"),
    "a path outside": rename_shard("a/../../x"),
    "a path that is the manifest": rename_shard("manifest.json"),
    "a link to a text": put_link(SHARD, "/etc/passwd"),
    "a link to itself": put_link(SHARD, SHARD.partition("/")[2]),
    "a linked folder": put_link(CONFIG, "/etc"),
    "a linked manifest": put_link("manifest.json", "/etc/passwd"),
    "a pipe": put_pipe,
    "a missing shard": lambda folder: find_shard(folder).unlink(),
    "an empty shard": lambda folder: find_shard(folder).write_bytes(b"") and None,
    "a card of bytes": lambda folder: (folder / "README.md").write_bytes(b"\xff\xfe") and None,
    "no rows": rewrite_shard(lambda table: table.slice(0, 0)),
    "ids alone": rewrite_shard(lambda table: table.select(["id"])),
    "no messages": rewrite_shard(lambda table: table.drop_columns(["messages"])),
    "ids of codes": fill_column("id", EVIL),
    "ids of one word": rewrite_shard(
        lambda table: table.set_column(
            0, "id", pa.array([f"a{number}" for number in range(len(table))])
        )
    ),
    "ids of numbers": fill_column("id", 7),
    "ids of nothing": fill_column("id", None),
    "an axis of nothing": fill_column("difficulty", None),
    "a task of codes": fill_column("task", EVIL),
    "groups of nothing": fill_column("group", None),
    "gold of numbers": fill_column("gold", 7),
    "messages of text": fill_column("messages", EVIL),
}


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))


@pytest.mark.some(3)
@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.some(3)
def test_every_verb_answers_with_words(name, good, tmp_path, capsys, no_hub):
    folder = shutil.copytree(good / "d", tmp_path / "box" / "d")
    FOLDERS[name](folder)
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    for verb, words in verb_words(folder, good, tmp_path / "out").items():
        code = main(words)
        told = capsys.readouterr()
        assert code in (0, 1, 2), verb
        assert told.out.strip() or told.err.strip(), verb
        assert "\x1b" not in told.out + told.err and "Traceback" not in told.err, verb
        if code and verb not in ("verify", "audit", "publish", "publish apart"):
            assert len(told.err.strip().splitlines()) <= 3, (verb, told.err)
    outside = (tmp_path / "out", tmp_path / "box" / "d.sealed")
    after = [
        path
        for path in sorted(tmp_path.rglob("*"))
        if not any(path == top or top in path.parents for top in outside)
    ]
    assert after == before


def test_a_good_folder_serves_every_verb_that_needs_no_more(good, tmp_path, capsys, no_hub):
    codes = {verb: main(words) for verb, words in verb_words(good / "d", good, tmp_path).items()}
    # Its answers stand in its rows, and there is no Hub.
    refused = {"unseal": 2, "publish": 2, "publish apart": 2}
    assert {verb: code for verb, code in codes.items() if code} == refused
