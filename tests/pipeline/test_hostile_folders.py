"""Dataset folders that strangers made: every verb answers with words, and writes nothing outside.

Whoever makes a folder makes its hashes too, so `agreeing` lets the manifest describe what the
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
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.hashing import hash_file, hash_sequence
from facelet.pipeline.dataset.rows import dataset_hash, row_hashes

CONFIG = "mine.maze_navigation"
SUITE = """
mine:
  tasks:
    maze_navigation: {task: arcade/maze_navigation, sweep: {level: [1]}, count: 15}
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
    ids = [row["id"] for split in reading.splits(root / "d") for row in split.rows(["id"])]
    lines = [json.dumps({"id": name, "prediction": ["<ANSWER>up</ANSWER>"]}) for name in ids]
    (root / "p.jsonl").write_text("\n".join(lines))
    scored = [f"dataset={root}/d", f"predictions={root}/p.jsonl", "resamples=100"]
    assert main(["score", *scored, f"out={root}/score"]) == 0
    yield root


def verbs(folder: Path, good: Path, out: Path) -> dict[str, list[str]]:
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


def shard(folder: Path) -> Path:
    return folder / CONFIG / "test-00000-of-00001.parquet"


def changed(change: Callable[[Any], None]) -> Folder:
    """Return what changes the manifest."""

    def apply(folder: Path) -> None:
        content = json.loads((folder / "manifest.json").read_text())
        change(content)
        (folder / "manifest.json").write_text(json.dumps(content))

    return apply


def agreeing(content: Any, folder: Path) -> None:
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


def rewritten(change: Callable[[pa.Table], pa.Table]) -> Folder:
    """Return what changes the rows of a shard, and the hashes with them."""

    def apply(folder: Path) -> None:
        pq.write_table(change(pq.read_table(shard(folder), partitioning=None)), shard(folder))
        changed(lambda content: agreeing(content, folder))(folder)

    return apply


def column(name: str, value: Any) -> Folder:
    """Return what gives all rows one value in a column."""

    def change(table: pa.Table) -> pa.Table:
        values = pa.array([value] * len(table))
        return table.set_column(table.schema.get_field_index(name), name, values)

    return rewritten(change)


def config(**fields: Any) -> Folder:
    return changed(lambda content: content["configs"][CONFIG].update(fields))


def split(**fields: Any) -> Folder:
    return changed(lambda content: content["configs"][CONFIG]["splits"]["test"].update(fields))


def shard_named(path: Any) -> Folder:
    def change(content: Any) -> None:
        content["configs"][CONFIG]["splits"]["test"]["shards"][0]["path"] = path

    return changed(change)


def renamed(name: str) -> Folder:
    return changed(
        lambda content: content["configs"].update({name: content["configs"].pop(CONFIG)})
    )


def linked(name: str, target: str) -> Folder:
    """Return what puts a link in the place of a file or folder."""

    def apply(folder: Path) -> None:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(target)

    return apply


def piped(folder: Path) -> None:
    shard(folder).unlink()
    os.mkfifo(shard(folder))


SHARD = f"{CONFIG}/test-00000-of-00001.parquet"
EVIL = "\x1b[31m<script>\0../../x\u202e"
FOLDERS: dict[str, Folder] = {
    "no configs": changed(lambda content: content.update(configs={})),
    "a name of codes": changed(lambda content: content.update(name=EVIL)),
    "an audit of another type": changed(lambda content: content.update(audit=7)),
    "violations of another type": changed(lambda content: content.update(audit={"violations": 7})),
    "sealed by word": changed(lambda content: content.update(answers="split")),
    "no such task": config(task="../../os/path"),
    "another task": config(task="cube/move_prediction"),
    "a task of another version": config(task_version=10**40),
    "a suite outside": config(suite="../../../tmp/evil"),
    "params of another task": config(params={"zzz": [1], "level": {"a": None}}),
    "swept of another type": config(swept=7),
    "a config outside": renamed(".."),
    "cells of nothing": split(cells=[]),
    "shards of nothing": split(shards=[]),
    "a great many rows": split(rows=10**30, items=10**30),
    "a path from the root": shard_named("/etc/passwd"),
    "a path outside": shard_named("a/../../x"),
    "a path that is the manifest": shard_named("manifest.json"),
    "a link to a text": linked(SHARD, "/etc/passwd"),
    "a link to itself": linked(SHARD, SHARD.partition("/")[2]),
    "a linked folder": linked(CONFIG, "/etc"),
    "a linked manifest": linked("manifest.json", "/etc/passwd"),
    "a pipe": piped,
    "a missing shard": lambda folder: shard(folder).unlink(),
    "an empty shard": lambda folder: shard(folder).write_bytes(b"") and None,
    "a card of bytes": lambda folder: (folder / "README.md").write_bytes(b"\xff\xfe") and None,
    "no rows": rewritten(lambda table: table.slice(0, 0)),
    "ids alone": rewritten(lambda table: table.select(["id"])),
    "no messages": rewritten(lambda table: table.drop_columns(["messages"])),
    "ids of codes": column("id", EVIL),
    "ids of one word": rewritten(
        lambda table: table.set_column(
            0, "id", pa.array([f"a{number}" for number in range(len(table))])
        )
    ),
    "ids of numbers": column("id", 7),
    "ids of nothing": column("id", None),
    "an axis of nothing": column("difficulty", None),
    "a task of codes": column("task", EVIL),
    "groups of nothing": column("group", None),
    "gold of numbers": column("gold", 7),
    "messages of text": column("messages", EVIL),
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
    for verb, words in verbs(folder, good, tmp_path / "out").items():
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
    codes = {verb: main(words) for verb, words in verbs(good / "d", good, tmp_path).items()}
    # Its answers stand in its rows, and there is no Hub.
    refused = {"unseal": 2, "publish": 2, "publish apart": 2}
    assert {verb: code for verb, code in codes.items() if code} == refused
