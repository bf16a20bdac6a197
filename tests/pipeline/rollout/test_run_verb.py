"""`facelet run` with the real client and a scripted server: retries, kills, and known figures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter

import pytest
from model_server import serve

from facelet.pipeline.cli import main
from facelet.pipeline.rollout import rollout_runner, row_selection

__all__ = ["serve"]


@pytest.fixture
def easy(publish):
    return publish("jigsaw/assemble_easy", items=4)


def run_words(server, published, out, *more):
    return [
        "run",
        "model=openai/org/tiny",
        f"base_url={server.url}",
        f"dataset={published.folder}",
        f"out={out}",
        "yes=true",
        *more,
    ]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def accuracy(published, out, folder):
    """Return what `facelet score` says of the file."""
    where = [f"dataset={published.folder}", f"predictions={out}", f"out={folder}"]
    assert main(["score", *where]) == 0
    (model,) = json.loads((folder / "results.json").read_text())["models"]
    assert model["model"] == "org/tiny"
    (config,) = model["configs"].values()
    return config["splits"]["test"]["cells"][0]["figures"]["accuracy"]["value"]


def test_single_questions_are_asked_retried_and_scored(easy, serve, tmp_path, capsys):
    wrong = easy.rows[2]["id"]
    server, out = serve(easy, wrong=[wrong]), tmp_path / "deep" / "run.jsonl"
    server.failures = [500, 429]
    told = run_words(server, easy, out, "max_tokens=77", "temperature=0.5", "workers=2")
    assert main(told) == 0
    shown = capsys.readouterr()
    signs = sum(
        len(part["text"] or "")
        for row in easy.rows
        for message in row["messages"]
        for part in message["content"]
    )
    assert f"at least 4 requests, about {signs // 4:,} prompt tokens (characters/4)" in shown.err
    assert "4 completed, 0 already done, 0 failed" in shown.out
    assert len(server.asked) == 6
    assert {path for path, _ in server.asked} == {"/v1/chat/completions"}
    for _, body in server.asked:
        assert (body["model"], body["max_tokens"], body["temperature"]) == ("org/tiny", 77, 0.5)
    statuses = {record["id"]: record["outcome"]["status"] for record in lines(out)}
    assert Counter(statuses.values()) == {"correct": 3, "unparsed": 1}
    assert statuses[wrong] == "unparsed"
    assert accuracy(easy, out, tmp_path / "scored") == 0.75
    # The same words again ask nothing.
    assert main(told) == 0
    assert "0 completed, 4 already done, 0 failed" in capsys.readouterr().out
    assert len(server.asked) == 6


def test_an_episode_is_asked_turn_by_turn_with_its_pictures(acting, serve, tmp_path):
    server, out = serve(acting), tmp_path / "run.jsonl"
    assert main(run_words(server, acting, out)) == 0
    turns = sum(map(len, acting.references.values()))
    assert len(server.asked) == turns > len(acting.rows)
    for _, body in server.asked:
        urls = [
            part["image_url"]["url"]
            for message in body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "image_url"
        ]
        assert urls and all(url.startswith("data:image/png;base64,") for url in urls)
    assert all(record["outcome"]["status"] == "correct" for record in lines(out))
    assert accuracy(acting, out, tmp_path / "scored") == 1.0


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.some(2)
def test_a_run_that_is_stopped_goes_on_where_it_was(easy, serve, tmp_path, kind):
    server, out = serve(easy), tmp_path / "run.jsonl"
    server.hold = 3  # two answers come; the third waits
    # What starts the tests in the background may have had SIGINT ignored, in children too.
    code = (
        "import signal, sys; from facelet.pipeline.cli import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(main(sys.argv[1:]))"
    )
    told = run_words(server, easy, out, "workers=1" if kind == signal.SIGKILL else "workers=2")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *told],
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert server.held.wait(60)
    process.send_signal(kind)
    if kind == signal.SIGINT:
        threading.Timer(1, server.release.set).start()
    process.communicate(timeout=60)
    assert process.returncode == (130 if kind == signal.SIGINT else -kind)
    before = len(lines(out))
    # Killed, it has what had come; interrupted, also what was under way.
    assert before == 2 if kind == signal.SIGKILL else before >= 3
    assert before == len({record["id"] for record in lines(out)})
    server.hold = None
    server.release.set()
    asked = len(server.asked)
    assert main(told) == 0
    assert len(server.asked) - asked == 4 - before
    assert sorted(record["id"] for record in lines(out)) == sorted(easy.references)
    assert accuracy(easy, out, tmp_path / "scored") == 1.0


def test_a_play_ends_when_its_time_is_up(acting, serve, tmp_path, capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(rollout_runner.time, "monotonic", lambda: now[0])
    server, out = serve(acting), tmp_path / "run.jsonl"
    reply = server.reply

    def reply_slowly(messages):
        now[0] += 40
        return reply(messages)

    server.reply = reply_slowly
    assert main(run_words(server, acting, out, "time_limit=60", "workers=1")) == 0
    for record in lines(out):
        said = sum(message["role"] == "assistant" for message in record["messages"])
        assert record.get("timed_out", False) == (said == 2 and "outcome" not in record)
        assert record["usage"] == [{"prompt_tokens": 5, "completion_tokens": 3}] * said
        assert record["finish_reasons"] == ["stop"] * said
        assert len(record["seconds"]) == said <= 2
    assert any(record.get("timed_out") for record in lines(out))
    assert main(run_words(server, acting, out, "time_limit=0")) == 2
    assert "time_limit=0" in capsys.readouterr().err


def test_what_failed_for_good_is_a_line_and_is_asked_again(easy, serve, tmp_path, capsys):
    server, out = serve(easy), tmp_path / "run.jsonl"
    server.failures = [400]
    assert main(run_words(server, easy, out, "workers=1")) == 1
    assert "3 completed, 0 already done, 1 failed" in capsys.readouterr().out
    assert [bool(record.get("error")) for record in lines(out)] == [True, False, False, False]
    assert main(run_words(server, easy, out, "workers=1")) == 0
    assert "1 completed, 3 already done, 0 failed" in capsys.readouterr().out


def test_a_smaller_limit_is_part_of_a_larger_one_and_every_difficulty_has_its_share(toy_dataset):
    for part in row_selection.select_splits(toy_dataset, [], [], ""):
        ids = sorted(row["id"] for row in part.iterate_rows(["id"]))
        cells = {key.rpartition("/")[0] for key in ids}
        before = set()
        for limit in (1, 3, len(cells), 7, len(ids)):
            now = row_selection.sample_ids(part, limit)
            assert len(now) == min(limit, len(ids))
            if limit >= len(before):
                assert before <= now
                before = now
        whole = Counter(
            key.rpartition("/")[0] for key in row_selection.sample_ids(part, len(cells))
        )
        assert set(whole) == cells


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["model=tiny"], "must be openai/"),
        (["suites=swite"], "unknown suite 'swite'"),
        (["limit=0"], "limit=0 is out of range"),
        (["temperature=hot"], "temperature=hot is not a number"),
        (["yes=false"], "pass yes=true"),
    ],
)
def test_bad_words_cost_no_request(easy, serve, tmp_path, capsys, monkeypatch, more, message):
    server, out = serve(easy), tmp_path / "run.jsonl"
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    replaced = {word.partition("=")[0] for word in more}
    told = [w for w in run_words(server, easy, out) if w.partition("=")[0] not in replaced]
    assert main([*told, *more]) == 2
    assert message in capsys.readouterr().err
    assert not server.asked and not out.exists()


def test_without_the_client_it_says_what_to_install(easy, serve, tmp_path, capsys, monkeypatch):
    server = serve(easy)
    monkeypatch.setitem(sys.modules, "openai", None)
    assert main(run_words(server, easy, tmp_path / "run.jsonl")) == 2
    assert "pip install --upgrade 'openai>=" in capsys.readouterr().err


def test_without_a_key_or_a_server_it_says_so(easy, serve, tmp_path, capsys):
    server = serve(easy)
    told = [
        w for w in run_words(server, easy, tmp_path / "run.jsonl") if not w.startswith("base_url")
    ]
    assert main(told) == 2
    assert "base_url=" in capsys.readouterr().err
