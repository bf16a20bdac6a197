"""`facelet play`: what a person sees, how replies are read, what is written."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.rollout.console_player import ReplyLines, TerminalPictures
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.renderers.pixel_hash import pixel_hash_png

ROOT = Path(__file__).parents[3]


class TerminalStream(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def play(acting, tmp_path, monkeypatch, capsys):
    """Return a function that plays a row with piped input, and returns exit code and output."""

    def run_play(said, *words, row=0):
        monkeypatch.setattr(sys, "stdin", io.StringIO(said))
        base = [acting.rows[row]["id"], f"dataset={acting.folder}", f"out={tmp_path / 'out'}"]
        code = main(["play", *base, *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_play


def read_transcripts(tmp_path):
    return [
        json.loads(x) for x in (tmp_path / "out" / "transcripts.jsonl").read_text().splitlines()
    ]


def prompt_texts(row):
    return [part["text"] for message in row["messages"] for part in message["content"]]


def test_a_whole_episode_from_a_pipe(acting, play, tmp_path):
    row = acting.rows[0]
    replies = acting.references[row["id"]]
    code, out, err = play("\n\n" + "\n\n\n".join(replies))
    assert (code, err) == (0, "")
    for text in filter(None, prompt_texts(row)):
        assert text in out
    assert out.count("\nPhase: ") == len(replies)
    assert re.search(r"^outcome +correct, in the requested format$", out, re.M)
    for reply in replies:
        assert reply in out.split("that would have succeeded")[1]
    (record,) = read_transcripts(tmp_path)
    assert record["model"] == "person" and record["outcome"]["status"] == "correct"
    assert [m["content"] for m in record["messages"] if m["role"] == "assistant"] == replies
    path = tmp_path / "out" / "transcripts.jsonl"
    assert f"facelet score dataset={acting.folder} predictions={path}" in out
    results = score(acting.folder, [path], ScoreSettings(resamples=100)).results
    counts = results["models"][0]["configs"]["suite.act"]["splits"]["test"]["counts"]
    assert counts["correct"] == 1


def test_pictures_are_written_where_it_says(acting, play, tmp_path):
    row = acting.rows[0]
    _, out, _ = play(acting.references[row["id"]][0])
    folder = tmp_path / "out" / "pictures" / row["id"].replace("/", "-").replace(".", "-")
    written = sorted(folder.iterdir())
    assert [path.name for path in written] == ["0.png", "1.png"]
    assert pixel_hash_png(written[0].read_bytes()) == row["image_hashes"][0]
    for index, path in enumerate(written):
        assert f"[picture {index}: {path}]" in out
    assert "\u2580" not in out


def test_pictures_are_drawn_on_demand(play):
    _, out, _ = play("no", "draw=yes", "columns=40")
    lines = [line for line in out.splitlines() if "\u2580" in line]
    assert lines and {line.count("\u2580") for line in lines} == {40}


@pytest.mark.parametrize(
    ("draw", "color", "stream", "yes"),
    [
        ("auto", "truecolor", TerminalStream(), True),
        ("auto", "24bit", TerminalStream(), True),
        ("auto", "", TerminalStream(), False),
        ("auto", "truecolor", io.StringIO(), False),
        ("no", "truecolor", TerminalStream(), False),
        ("yes", "", io.StringIO(), True),
    ],
)
def test_when_pictures_are_drawn(draw, color, stream, yes, monkeypatch):
    monkeypatch.setenv("COLORTERM", color)
    monkeypatch.setenv("COLUMNS", "70")
    assert TerminalPictures.from_options(draw, None, stream) == TerminalPictures(yes, 70)
    assert TerminalPictures.from_options(draw, 300, stream) == TerminalPictures(yes, 300)


def test_a_wrong_reply_is_told_with_the_right_one(publish, tmp_path, monkeypatch, capsys):
    choice = publish("cube/move_prediction")
    row = choice.rows[0]
    wrong = "A" if row["gold"] != "A" else "B"
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"I say\n<ANSWER>{wrong}</ANSWER>\n\nunread"))
    words = [row["id"].replace("/", "-"), f"dataset={choice.folder}", f"out={tmp_path}", "name=me"]
    assert main(["play", *words]) == 0
    out = capsys.readouterr().out
    assert "outcome     wrong, not in the requested format" in out
    assert f"understood  {wrong}\n" in out and f"right       {row['gold']}\n" in out
    assert out.count(f"<ANSWER>{row['gold']}</ANSWER>") == 1
    record = json.loads((tmp_path / "transcripts.jsonl").read_text())
    assert (record["id"], record["model"]) == (row["id"], "me")
    assert record["messages"][-1]["content"] == f"I say\n<ANSWER>{wrong}</ANSWER>"


def test_playing_again_is_the_next_sample(play, tmp_path):
    for name in ("me", "me", "you", "me"):
        assert play("no", f"name={name}")[0] == 0
    told = [(r["model"], r.get("sample_idx", 0)) for r in read_transcripts(tmp_path)]
    assert told == [("me", 0), ("me", 1), ("you", 0), ("me", 2)]


def test_leaving_early_writes_nothing(acting, play, tmp_path):
    code, out, _ = play(acting.references[acting.rows[0]["id"]][0] + "\n\n")
    assert code == 1 and out.endswith("left before the end; nothing written\n")
    assert read_transcripts(tmp_path) == []


@pytest.mark.parametrize(
    ("said", "end", "replies"),
    [
        ("a\nb\n\nc", "", ["a\nb", "c"]),
        ("\n \n\na\n   \n\n\nb\n", "", ["a", "b"]),
        ("  a\n\tb  \n\n", "", ["  a\n\tb  "]),
        ("a\n\nb\n.\n.\n\nc\n . \n", ".", ["a\n\nb", "c"]),
        ("", "", []),
        ("\n\n", "", []),
        (".\n", ".", []),
    ],
)
def test_where_replies_end(said, end, replies):
    reader = ReplyLines(io.StringIO(said), end)
    assert list(iter(lambda: reader.read_reply(io.StringIO()), None)) == replies


def test_control_characters_do_not_reach_the_terminal(publish, tmp_path, monkeypatch, capsys):
    choice = publish("cube/move_prediction")
    monkeypatch.setattr(sys, "stdin", io.StringIO("\x1b[2J\x07"))
    row = choice.rows[0]
    assert main(["play", row["id"], f"dataset={choice.folder}", f"out={tmp_path}"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_without_an_item_it_lists_the_configs(acting, capsys, monkeypatch, tmp_path):
    assert main(["play", f"dataset={acting.folder}"]) == 0
    out = capsys.readouterr().out
    first = acting.rows[0]["id"]
    assert out.splitlines()[1].split() == ["suite.act", "test", str(len(acting.rows)), "t2", first]
    assert out.splitlines()[-1] == f"  facelet play {first} dataset={acting.folder}"
    monkeypatch.chdir(tmp_path)
    assert main(["play"]) == 2
    assert "name a dataset with dataset=FOLDER" in capsys.readouterr().err
    for name in ("one", "two"):
        folder = tmp_path / "data" / "out" / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.symlink_to(acting.folder)
        code = main(["play"])
        captured = capsys.readouterr()
        if name == "one":
            assert code == 0 and f"facelet play {first} dataset=data/out/one" in captured.out
        else:
            assert code == 2 and "dataset=data/out/one, dataset=data/out/two" in captured.err


@pytest.mark.parametrize("name", ["suite.act", "act"])
def test_a_config_plays_its_first_row(acting, tmp_path, monkeypatch, capsys, name):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    words = ["play", name, f"dataset={acting.folder}", f"out={tmp_path}", "draw=no"]
    assert main(words) == 1  # Left before the end.
    assert acting.rows[0]["id"] in capsys.readouterr().out
    assert main(["play", str(acting.folder), f"dataset={acting.folder}"]) == 2
    told = f"is a folder; `facelet play dataset={acting.folder}` opens it"
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["draw=maybe"], "draw=maybe is not one of auto, yes, no"),
        (["columns=3"], "columns=3 is out of range; use a whole number of at least 10"),
        (["colums=30"], "unknown key 'colums' (did you mean 'columns'?)"),
        (["item=other"], "item is set twice"),
    ],
)
def test_mistakes_are_told(play, words, message):
    code, out, err = play("no", *words)
    assert code == 2 and message in err and err.startswith("facelet play: ") and out == ""


def test_in_a_real_terminal_it_asks_and_draws(acting, tmp_path):
    """A pseudo-terminal on both ends, and the interpreter's own streams."""
    parent, child = pty.openpty()
    words = [acting.rows[0]["id"], f"dataset={acting.folder}", f"out={tmp_path / 'out'}"]
    env = {**os.environ, "COLORTERM": "truecolor", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "facelet", "play", *words, "columns=30"]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=child, stdout=child, stderr=child):
        os.close(child)
        os.write(parent, b"first line\nMOVE(x=\xff9, y=9)\n\n")
        shown = b""
        while chunk := _read_handle(parent):
            shown += chunk
    os.close(parent)
    out = shown.decode(errors="replace")  # it echoes what is typed
    assert "\u2580" * 3 in out and "reply> " in out and "... " in out
    assert "outcome                 " in out
    assert read_transcripts(tmp_path)[0]["messages"][-1]["content"].startswith(
        "first line\nMOVE(x="
    )


def _read_handle(handle):
    try:
        return os.read(handle, 65536)
    except OSError:  # what a closed pseudo-terminal answers
        return b""
