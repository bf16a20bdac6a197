"""Manifests that strangers wrote: each verb answers with one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from describing import read_manifest

from facelet.pipeline.cli import main


def put_value(value):
    """Return what sets a place of a manifest to a value."""

    def change_place(manifest, *place):
        *way, last = place
        for step in way:
            manifest = manifest[step]
        manifest[last] = value

    return change_place


SHARD = ("configs", "toys.choice", "splits", "test", "shards", 0)
SPLIT = SHARD[:4]
HOSTILE = [
    ((*SHARD, "path"), None, "shards[0].path is None; it must be a string"),
    ((*SHARD, "path"), 7, "shards[0].path is 7"),
    ((*SHARD, "path"), ["x"], "shards[0].path is a long value"),
    ((*SHARD, "path"), "", "outside its folder"),
    ((*SHARD, "path"), "a\0b", "outside its folder"),
    ((*SHARD, "path"), "/etc/passwd", "outside its folder"),
    ((*SHARD, "path"), "a/../../b", "outside its folder"),
    ((*SHARD, "rows"), -1, "must be a whole number from 0"),
    ((*SHARD, "bytes"), "9", "must be a whole number from 0"),
    ((*SHARD, "rows"), True, "must be a whole number from 0"),
    ((*SHARD, "sha256"), "zz", "must be a hash in hexadecimal"),
    (SHARD, None, "shards[0] is None; it must be an object"),
    ((*SPLIT, "shards"), {}, "it must be a list"),
    ((*SPLIT, "cells"), [[]], "cells[0] is a long value; it must be an object"),
    ((*SPLIT, "content_hash"), None, "must be a hash"),
    (("configs",), [], "configs is a long value; it must be an object"),
    (("configs", "toys.choice"), "x", "configs.toys.choice is 'x'"),
    (("configs", "a\x1b[31mb"), {}, "use letters, digits"),
    (("name",), None, "name is None; it must be a string"),
    (("splits",), {"test": "1"}, "splits.test is '1'"),
    (("left_out",), [None], "left_out[0] is None"),
    (("content_hash",), "<script>", "must be a hash"),
    (("manifest_version",), "1", "manifest_version is '1'; it must be a whole number from 0"),
    (("libraries",), {"numpy": 2}, "libraries.numpy is 2; it must be a string"),
]


@pytest.fixture
def copy(small_dataset, tmp_path) -> Path:
    return shutil.copytree(small_dataset, tmp_path / "copy")


def lines_of(capsys) -> list[str]:
    said = capsys.readouterr()
    assert not said.out
    return said.err.splitlines()


@pytest.mark.parametrize(("place", "value", "reason"), HOSTILE)
def test_one_line_says_what_is_wrong(copy, capsys, place, value, reason):
    content = read_manifest(copy)
    put_value(value)(content, *place)
    (copy / "manifest.json").write_text(json.dumps(content))
    (copy / "p.jsonl").write_text('{"id": "x", "prediction": "A"}\n')
    for words in (
        ["info", str(copy)],
        ["verify", f"dataset={copy}", "progress=false"],
        ["score", f"dataset={copy}", f"predictions={copy}/p.jsonl"],
        ["score", f"dataset={copy}", f"predictions={copy}/p.jsonl", "verify=false"],
    ):
        assert main(words) in (1, 2)
        (line,) = lines_of(capsys)
        assert reason in line and "\x1b" not in line


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", "name is missing"),
        ("[" * 100_000, "nested too deeply"),
        ('{"configs":' * 100_000, "nested too deeply"),
        ("null", "the document is None; it must be an object"),
        ("\ufeff{", "not valid JSON"),
    ],
)
def test_a_whole_that_is_none(copy, capsys, text, reason):
    (copy / "manifest.json").write_text(text)
    for verb in ("info", "verify"):
        assert main([verb, str(copy)]) == 2
        (line,) = lines_of(capsys)
        assert reason in line


def test_a_manifest_that_is_too_large_is_not_read(copy, capsys):
    with (copy / "manifest.json").open("r+b") as file:
        file.truncate(1 << 33)
    assert main(["info", str(copy)]) == 2
    assert "a manifest has at most" in lines_of(capsys)[0]


def test_escape_codes_of_a_name_do_not_reach_the_terminal(copy, capsys):
    content = read_manifest(copy)
    content["name"] = "toys\x1b]0;owned\x07\x1b[2J"
    (copy / "manifest.json").write_text(json.dumps(content))
    assert main(["info", str(copy)]) == 0
    shown = capsys.readouterr().out
    assert "toys?]0;owned??[2J" in shown and "\x1b" not in shown
