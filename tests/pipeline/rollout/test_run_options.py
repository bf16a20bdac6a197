"""Options of `facelet run` reach the server, the transcripts and the report; failures say why."""

from __future__ import annotations

import json
import os

import pytest
from model_server import serve
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter, with_config

from facelet.pipeline import rollout
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.api_completions import finish_reasons, read_answer
from facelet.pipeline.rollout.rollout_tally import FailureReasons

__all__ = ["serve"]


@pytest.fixture
def easy(publish):
    return publish("jigsaw/assemble_easy", items=4)


def run_words(server, published, out, *more):
    target = [f"base_url={server.url}", f"dataset={published.folder}", f"out={out}"]
    return ["run", "model=openai/org/tiny", *target, "yes=true", *more]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def score_report(published, out, folder):
    where = [f"dataset={published.folder}", f"predictions={out}", f"out={folder}"]
    assert main(["score", *where, "missing=ignore"]) == 0
    (model,) = json.loads((folder / "results.json").read_text())["models"]
    return model, (folder / "results.md").read_text()


TITLE = "a title of mine"
OPTIONS = (
    "temperature=0.5",
    "top_p=0.9",
    "seed=7",
    "reasoning_effort=low",
    "max_tokens=77",
    'extra_body={"top_k": 20, "chat_template_kwargs": {"thinking": false}}',
    'headers={"X-Title": "a title of mine"}',
)
SETTINGS = {
    "api": "chat",
    "temperature": 0.5,
    "top_p": 0.9,
    "seed": 7,
    "reasoning_effort": "low",
    "max_tokens": 77,
    "extra_body": {"top_k": 20, "chat_template_kwargs": {"thinking": False}},
    "headers": ["X-Title"],
}


def test_options_reach_the_server_the_transcripts_and_the_report(easy, serve, tmp_path, capsys):
    server, out = serve(easy), tmp_path / "run.jsonl"
    assert main(run_words(server, easy, out, *OPTIONS)) == 0
    for (path, body), headers in zip(server.asked, server.headers, strict=True):
        assert path == "/v1/chat/completions"
        assert set(body) == {"model", "messages", "temperature", "top_p", "seed"} | {
            "reasoning_effort",
            "max_tokens",
            "top_k",
            "chat_template_kwargs",
        }
        told = {**SETTINGS, **SETTINGS["extra_body"]}
        assert all(body[name] == told[name] for name in body if name not in ("model", "messages"))
        assert {name.lower(): text for name, text in headers.items()}["x-title"] == TITLE
    assert [record["settings"] for record in lines(out)] == [SETTINGS] * 4
    model, text = score_report(easy, out, tmp_path / "scored")
    assert model["settings"] == [{"predictions": 4, "settings": SETTINGS}]
    assert "temperature=0.5, top\\_p=0.9" in text or "temperature=0.5, top_p=0.9" in text
    assert 'extra_body={"top_k": 20' in text.replace("\\", "") or "top_k" in text
    assert "asked with" in capsys.readouterr().out
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"a title of mine" not in path.read_bytes()


def test_the_responses_api_plays_episodes_with_pictures(acting, serve, tmp_path):
    server, out = serve(acting), tmp_path / "run.jsonl"
    told = ("api=responses", "max_tokens=77", "reasoning_effort=minimal", "temperature=1")
    assert main(run_words(server, acting, out, *told)) == 0
    strict = TypeAdapter(with_config({"extra": "forbid"})(ResponseCreateParamsNonStreaming))
    turns = sum(map(len, acting.references.values()))
    assert len(server.asked) == turns > len(acting.rows)
    for path, body in server.asked:
        strict.validate_python(body)
        assert path == "/v1/responses"
        assert (body["max_output_tokens"], body["store"]) == (77, False)
        assert body["reasoning"] == {"effort": "minimal"}
        kinds = {p["type"] for i in body["input"] if i["role"] == "user" for p in i["content"]}
        assert kinds == {"input_text", "input_image"}
    assert max(len(body["input"]) for _, body in server.asked) > 3
    for record in lines(out):
        said = sum(message["role"] == "assistant" for message in record["messages"])
        assert record["outcome"]["status"] == "correct"
        assert record["finish_reasons"] == ["stop"] * said
        assert record["usage"] == [{"prompt_tokens": 5, "completion_tokens": 3}] * said
        assert record["settings"]["api"] == "responses"


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_why_replies_ended_is_kept_and_told(easy, serve, tmp_path, capsys, api):
    server, out = serve(easy), tmp_path / "run.jsonl"
    server.ends = ["length", "stop", "content_filter", "length"]
    assert main(run_words(server, easy, out, f"api={api}", "workers=1")) == 0
    ends = [record["finish_reasons"] for record in lines(out)]
    assert ends == [["length"], ["stop"], ["content_filter"], ["length"]]
    shown = capsys.readouterr().out
    assert "replies truncated at the maximum length: 2 of 4" in shown
    assert "replies that ended with content_filter: 1 of 4" in shown
    assert "outcomes: correct 4" in shown


def test_a_callers_model_tells_why_its_replies_ended(acting, serve, tmp_path):
    ends, server = iter(["stop", None, "length"] * 40), serve(acting)

    def model(messages):
        end = next(ends)
        text = server.reply(messages)
        return text if end is None else rollout.Answer(text, finish_reason=end)

    rollout.run(acting.rows, model, tmp_path / "out.jsonl")
    for record in lines(tmp_path / "out.jsonl"):
        said = sum(message["role"] == "assistant" for message in record["messages"])
        if "usage" in record:
            assert len(record["finish_reasons"]) == said
    assert any(None in record.get("finish_reasons", []) for record in lines(tmp_path / "out.jsonl"))


def test_each_reason_of_a_failure_is_told_once_with_its_count(easy, serve, tmp_path, capsys):
    server, out = serve(easy), tmp_path / "run.jsonl"
    server.failures, server.failure_message = [401, 401, 400], "Bad key.\n\x1b[2J Try\nagain"
    assert main(run_words(server, easy, out, "workers=1", "retries=0")) == 1
    shown = capsys.readouterr().out
    assert "1 completed, 0 already done, 3 failed" in shown
    assert "3 plays failed (the same command retries them):" in shown
    assert shown.count("  2 x AuthenticationError 401: Bad key. ?[2J Try again") == 1
    assert shown.count("  1 x BadRequestError 400: Bad key.") == 1
    assert shown.count("Bad key") == 2


def test_a_server_that_is_not_there_is_named_once(easy, serve, tmp_path, capsys, monkeypatch):
    server, out = serve(easy), tmp_path / "run.jsonl"
    target = "base_url=http://127.0.0.1:9/v1"
    told = [w for w in run_words(server, easy, out, "retries=0", target) if server.url not in w]
    assert main(told) == 1
    shown = capsys.readouterr().out
    assert "  4 x APIConnectionError: Connection error: " in shown and "refused" in shown
    assert "score it" not in shown


def test_a_run_that_fails_again_and_again_stops_and_says_why(publish, serve, tmp_path, capsys):
    published = publish("jigsaw/assemble_easy", items=4)
    server = serve(published)
    server.failures = [403] * 40
    told = run_words(server, published, tmp_path / "run.jsonl", "retries=0", "samples=9")
    assert main(told) == 1
    shown = capsys.readouterr()
    assert "stopped after 20 failed plays in a row" in shown.err
    assert "x PermissionDeniedError 403: no" in shown.out


def test_reasons_that_differ_in_ids_and_times_are_one():
    reasons = FailureReasons()
    for number in range(30):
        reasons.count_failure(
            f"RateLimitError 429: try again in {number}.2s (request req_{number}ab{number})"
        )
    assert len(reasons.format_lines()) == 1 and "30 x RateLimitError" in reasons.format_lines()[0]
    for number in range(30):
        reasons.count_failure("reason " + "abcdefghijklmnopqrstuvwxyzABCDEFGH"[number] * 400)
    told = reasons.format_lines()
    assert len(told) == 11 and max(map(len, told)) < 320
    assert told[-1] == "  21 for 21 other reasons, which are in the file"


def test_other_settings_by_the_same_name_are_refused(easy, serve, tmp_path, capsys):
    server, out = serve(easy), tmp_path / "run.jsonl"
    assert main(run_words(server, easy, out, "temperature=0", "limit=2")) == 0
    before = out.read_bytes()
    assert main(run_words(server, easy, out, "temperature=1")) == 2
    shown = capsys.readouterr().err
    assert "temperature was 0.0 and is now 1.0" in shown
    assert "name another file (out=...) or another name (name=...)" in shown
    assert main(run_words(server, easy, out, "temperature=0", 'headers={"A": "b"}')) == 2
    assert 'headers was not set and is now ["A"]' in capsys.readouterr().err
    assert out.read_bytes() == before and len(server.asked) == 2
    assert main(run_words(server, easy, out, "temperature=0.0")) == 0
    assert main(run_words(server, easy, out, "temperature=1", "name=warm")) == 0
    assert len(server.asked) == 8
    model = {record["model"]: record["settings"]["temperature"] for record in lines(out)}
    assert model == {"org/tiny": 0.0, "warm": 1.0}


def test_plays_that_say_no_settings_are_gone_on_with(easy, serve, tmp_path):
    server, out = serve(easy), tmp_path / "run.jsonl"
    assert main(run_words(server, easy, out, "limit=2")) == 0
    bare = [{k: v for k, v in r.items() if k != "settings"} for r in lines(out)]
    out.write_text("".join(json.dumps(record) + "\n" for record in bare))
    assert main(run_words(server, easy, out, "temperature=1")) == 0
    assert len(server.asked) == 4
    with pytest.raises(ValueError, match=r"temperature was 1\.0 and is now 2;"):
        rollout.run(
            easy.rows, str, out, name="org/tiny", settings={"api": "chat", "temperature": 2}
        )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["temperature=2.5"], "temperature=2.5 is out of range; use a number from 0 to 2"),
        (["temperature=nan"], "temperature=nan is out of range"),
        (["top_p=0"], "top_p=0 is out of range; use a number above 0 and at most 1"),
        (["top_p=x"], "top_p=x is not a number; use a number above 0"),
        (["seed=1.5"], "seed=1.5 is not a whole number"),
        (["max_tokens=0"], "max_tokens=0 is out of range; use a whole number of at least 1"),
        (["reasoning_effort=hihg"], "did you mean 'high'?"),
        (["reasoning_effort=big"], 'set other values with extra_body={"reasoning_effort": ...}'),
        (
            ["api=response"],
            "is not one of chat, responses (did you mean 'responses'?)",
        ),
        (["api=responses", "seed=1"], "the Responses API has no seed"),
        (["api=responses", "max_completion_tokens=5"], "use max_tokens"),
        (["max_tokens=5", "max_completion_tokens=5"], "are two names of one limit"),
        (["extra_body={'a': 1}"], "extra_body is not a JSON object (Expecting property name"),
        (["extra_body=[1]"], "extra_body is not a JSON object (it is not an object)"),
        (['extra_body={"a": NaN}'], "NaN is not JSON"),
        (['extra_body={"a": 1, "a": 2}'], "it contains a name twice"),
        (['extra_body={"a":' + "[" * 50_000], "it is nested too deeply"),
        (['extra_body={"a": "' + "x" * 100_000 + '"}'], "use at most 100,000 characters"),
        (['extra_body={"messages": []}'], "extra_body sets 'messages', which facelet sets itself"),
        (['extra_body={"stream": true}'], "extra_body sets 'stream'"),
        (["temperature=1", 'extra_body={"temperature": 0}'], "a key both set"),
        (
            ["api=responses", "max_tokens=3", 'extra_body={"max_output_tokens": 4}'],
            "a key both set",
        ),
    ],
)
def test_bad_options_cost_no_request(easy, tmp_path, capsys, monkeypatch, more, message):
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    out = tmp_path / "run.jsonl"
    for verb, model in (("run", "openai/m"), ("requests", "m")):
        target = ["base_url=http://127.0.0.1:9"] if verb == "run" else []
        told = [verb, f"model={model}", f"dataset={easy.folder}", f"out={out}", *target, *more]
        assert main(told) == 2
        shown = capsys.readouterr().err
        assert message in shown and len(shown) < 600
    assert not out.exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<html>", "the server did not send a JSON object but '<html>'"),
        ({"choices": []}, "the server sent no reply: no choice"),
        ({"choices": [{"message": None}]}, "the server sent no reply: no choice"),
        ({"error": {"message": "overloaded"}}, "the server sent no reply: overloaded"),
        ({"status": "failed", "output": [], "error": {"message": "boom"}}, "no reply: boom"),
    ],
)
def test_bodies_without_a_reply_are_failures_with_their_reason(body, message):
    with pytest.raises(ValueError) as caught:
        read_answer(body)
    assert message in str(caught.value)


def test_bodies_of_odd_servers_are_read():
    message = {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    body = {"choices": [{"message": message, "finish_reason": 5}], "usage": {"prompt_tokens": "x"}}
    assert read_answer(body) == rollout.Answer("ab")
    for odd in ("Ends\nhere", "x" * 41, 5, None):
        assert finish_reasons({"choices": [{"finish_reason": odd}]}) == {
            0: "other" if isinstance(odd, str) else None
        }
    refused = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}
    assert read_answer({**refused, "status": "completed"}) == rollout.Answer(
        "", finish_reason="stop"
    )
