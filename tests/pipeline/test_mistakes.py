"""Plausible mistakes: every verb answers each with one clear line, and never with a traceback.

The mistakes follow from the keys of a verb: what is misspelt, left out, of the wrong kind, out of
range, set twice, or a path that leads nowhere. An exception fails the test.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from facelet import environment
from facelet.pipeline.cli import main
from facelet.pipeline.command.setting_keys import VerbKey
from facelet.pipeline.command.verb_command import load_verb
from facelet.pipeline.verbs import VERBS

ROWS = {"profile": "smoke", "suites": "marble", "tasks": "assemble_easy", "count": "2"}
NO_SERVER = {"model": "openai/m", "base_url": "http://localhost:9/v1", "yes": "true"}
WORDS: dict[str, dict[str, str]] = {
    "list": {"suite": "marble"},
    "eval": {"suite": "made", **NO_SERVER},
    "build": {**ROWS, "workers": "1", "out": "new"},
    "certify": {"input": "lines.txt", "table": "small", "mode": "quick"},
    "labels": {"out": "labels", "count": "10"},
    "verify": {"dataset": "made"},
    "audit": {"dataset": "made"},
    "floors": {"tasks": "assemble_easy", "suites": "marble", "out": "floors"},
    "plan-eval": {"difference": "3", "dataset": "made"},
    "run": {"dataset": "made", **NO_SERVER, "out": "run.jsonl"},
    "requests": {"model": "m", "dataset": "made", "out": "requests"},
    "serve": {"dataset": "made"},
    "import": {"format": "puzzles", "task": "cube/move_prediction", "file": "said", "out": "new"},
    "audit-set": {"set": "boxoban", "folder": "made", "out": "new"},
    "harness": {"dataset": "made", "out": "harness"},
    "score": {"dataset": "made", "predictions": "said.jsonl", "out": "new"},
    "report": {"results": "scores", "out": "new"},
    "gallery": {"dataset": "made", "out": "new"},
    "ladder": {"dataset": "made", "predictions": "said.jsonl"},
    "next": {"dataset": "made"},
    "evolve": {"results": "scores", "dataset": "made", "out": "next.yaml"},
    "finetune": {"task": "shapes/forward_deformation", "out": "new"},
    "info": {"dataset": "made"},
    "repack": {"dataset": "made", "form": "webdataset", "out": "new"},
    "publish": {"dataset": "made", "repo": "org/name", "version": "1.0.0"},
    "unseal": {"dataset": "made", "keys": "made", "out": "new"},
    "diff": {"old": "made", "new": "made"},
    "play": {"item": "assemble_easy", "dataset": "made"},
    "human": {"dataset": "made"},
    "completion": {"shell": "bash"},
}
"""A command of each verb that is right, beside what its mistakes replace."""

INPUTS = ("dataset", "predictions", "results", "old", "new", "keys", "file", "vanilla", "ids")
"""Keys of files and folders that are read."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset, predictions for it and their scores, beside things that are none of these."""
    home = tmp_path_factory.mktemp("mistakes")
    made = home / "made"
    assert main(["build", *(f"{k}={v}" for k, v in ROWS.items()), f"out={made}"]) == 0
    lines = [
        json.dumps({"id": row["id"], "prediction": "<ANSWER>A</ANSWER>"})
        for row in environment.rows(made)
    ]
    (home / "said.jsonl").write_text("\n".join(lines))
    scored = [f"{made}", f"{home}/said.jsonl", f"out={home}/scores", "resamples=100"]
    assert main(["score", *scored]) == 0
    (home / "broken").mkdir()
    (home / "broken" / "manifest.json").write_text('{"rows": ')
    (home / "file").write_bytes(bytes(range(256)))
    return home


def list_mistakes(verb: str) -> Iterator[list[str]]:
    """Yield the words of mistakes."""
    keys, told = load_verb(verb).verb_keys(), WORDS[verb]

    def type_words(**other: str | None) -> list[str]:
        return [f"{k}={v}" for k, v in {**told, **other}.items() if v is not None]

    yield [*type_words(), "two", "words", "more"] if verb not in ("score", "report") else ["=x"]
    yield [*type_words(), "--no-such-flag"]
    yield [*type_words(), "-x=1"]
    yield [*type_words(), "=1"]
    yield [*type_words(), "no_such_key=1"]
    for name, one in keys.items():
        if not one.about.takes_dotted_words:
            yield [*type_words(), f"{name}x=1"]
            yield [*type_words(), f"{name}={told.get(name, 1)}", f"{name}=1"]
        if one.is_required:
            yield type_words(**{name: None})
        for value in list_bad_values(name, one):
            yield type_words(**{name: value})


def list_bad_values(name: str, one: VerbKey) -> Iterator[str]:
    """Yield values that a key cannot have."""
    if one.kind in (int, float):
        yield from ("ten", "1e999x", "")
        yield from ([f"{one.about.low - 1}"] if one.about.low is not None else [])
        yield from ([f"{one.about.high + 1}"] if one.about.high is not None else [])
    if one.kind is bool:
        yield "maybe"
    if one.choices or name in ("suite", "suites", "task", "tasks", "profile", "table"):
        yield "no_such_choice"
    if name in INPUTS and one.is_required:
        yield from ("nowhere", "broken", "file/inside")
    if name in ("out", "output") and one.kind is Path:
        yield "said.jsonl/inside"


@pytest.mark.parametrize("verb", VERBS)
def test_a_mistake_costs_one_clear_line(verb, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", io.StringIO("R U\n"))
    mistakes = list(list_mistakes(verb))
    assert len(mistakes) >= 10 or verb == "completion"
    for words in mistakes:
        status = main([verb, *words])
        told = capsys.readouterr().err
        assert status == 2 or (verb, status) == ("score", 1), (words, status, told)
        lines = told.splitlines()  # Notes may precede the error, and indented lines explain it.
        errors = [line for line in lines if not line.startswith(("note: ", "openai/m: ", "  "))]
        assert len(errors) == 1 and errors[0].startswith(f"facelet {verb}: "), (words, told)
        assert not re.search(r"Errno|Error:|Traceback|<class| object at |NoneType", told), told
