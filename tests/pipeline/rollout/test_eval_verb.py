"""`facelet eval`: one command from a suite to a report, with the real client and a local server."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from chat_server import chat_server
from model_server import serve

from facelet.pipeline.cli import main

__all__ = ["serve"]

SUITE = ["marble", "profile=smoke", "tasks=assemble_easy", "count=4"]


@pytest.fixture
def easy(publish):
    return publish("jigsaw/assemble_easy", items=4)


@pytest.fixture
def folder(easy, tmp_path):
    """The dataset in a folder of its own, beside which nothing is yet."""
    return shutil.copytree(easy.folder, tmp_path / "made")


def read_model(folder):
    (model,) = json.loads((folder / "results.json").read_text())["models"]
    (config,) = model["configs"].values()
    return model["model"], config["splits"]["test"]["cells"][0]["figures"]["accuracy"]["value"]


def test_a_suite_is_built_asked_scored_and_reported_and_a_second_time_costs_nothing(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with chat_server() as url:
        words = ["eval", "openai/org/tiny", *SUITE, "seed=3", f"base_url={url}", "yes=true"]
        assert main(words) == 0, capsys.readouterr().err
    base = tmp_path / "data" / "out" / "marble-smoke"
    manifest = json.loads((base / "manifest.json").read_text())
    assert manifest["seed"] == 3 and manifest["name"] == "marble-smoke"
    pages = base.with_name("marble-smoke.report") / "org_tiny" / "index.html"
    assert "org/tiny" in pages.read_text() and pages.with_name("items.html").is_file()
    assert read_model(base.with_name("marble-smoke.score") / "org_tiny")[0] == "org/tiny"
    plays = (base.with_name("marble-smoke.run") / "org_tiny.jsonl").read_text().splitlines()
    assert [json.loads(line)["settings"] for line in plays] == [{"api": "chat"}] * len(plays)
    written = "written: data/out/marble-smoke.report/org_tiny/index.html"
    assert capsys.readouterr().out.splitlines()[-1] == written
    pages.unlink()
    assert main(words) == 0  # The server is gone: nothing is asked.
    assert f"0 completed, {len(plays)} already done, 0 failed" in capsys.readouterr().out
    assert pages.is_file()


def test_a_dataset_that_exists_gives_the_same_score_as_the_verbs_one_by_one(
    easy, folder, serve, tmp_path, capsys
):
    server = serve(easy, wrong=[easy.rows[2]["id"]])
    told = [f"base_url={server.url}", "yes=true"]
    assert main(["eval", "openai/org/tiny", str(folder), *told]) == 0
    scores = folder.with_name("made.score") / "org_tiny"
    out = tmp_path / "plays.jsonl"
    assert main(["run", "openai/org/tiny", str(folder), f"out={out}", *told]) == 0
    assert main(["score", str(folder), str(out), f"out={tmp_path / 'scores'}"]) == 0
    assert read_model(scores) == read_model(tmp_path / "scores") == ("org/tiny", 0.75)


def test_rows_beyond_a_limit_are_not_counted_as_wrong(easy, folder, serve, capsys):
    server = serve(easy)
    told = [f"base_url={server.url}", "yes=true", "limit=2"]
    assert main(["eval", "openai/org/tiny", str(folder), *told]) == 0
    scores = folder.with_name("made.score") / "org_tiny"
    assert read_model(scores)[1] == 1 and len(server.asked) == 2


@pytest.mark.parametrize("words", [["yes=true"], []])
def test_what_would_stop_the_run_stops_before_the_build(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    local = "base_url=http://localhost:9/v1"

    def refuse_words(*told):
        assert main(["eval", *told]) == 2
        assert not (tmp_path / "data").exists()
        return capsys.readouterr().err

    assert "model=tiny must be openai/NAME" in refuse_words("tiny", *SUITE, *words)
    assert "base_url=x is not an address" in refuse_words("openai/t", *SUITE, "base_url=x", *words)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "name a server with base_url" in refuse_words("openai/tiny", *SUITE, *words)
    if not words:
        assert "pass yes=true to start" in refuse_words("openai/tiny", *SUITE, local)
        return
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "vl-convert-python" in refuse_words("openai/tiny", *SUITE, local, *words)
    monkeypatch.setitem(sys.modules, "openai", None)
    assert "needs the package 'openai'" in refuse_words("openai/tiny", *SUITE, local, *words)


def test_plays_that_failed_are_not_scored_as_wrong(easy, folder, serve, capsys):
    server = serve(easy)
    server.failures = [400] * len(easy.rows)
    told = [f"base_url={server.url}", "yes=true", "retries=0"]
    assert main(["eval", "openai/org/tiny", str(folder), *told]) == 1
    assert not folder.with_name("made.score").exists()
    assert main(["eval", "openai/org/tiny", str(folder), *told]) == 0


def test_keys_of_a_build_are_refused_where_nothing_is_built(folder, capsys):
    words = ["eval", "openai/tiny", str(folder), "depths=3", "seed=1", "workers=2"]
    assert main(words) == 2
    message = "is built already, so depths, seed would change nothing; leave them out"
    assert message in capsys.readouterr().err
