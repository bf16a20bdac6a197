"""No key, password or value of a header reaches a file or a terminal, whatever servers echo."""

from __future__ import annotations

import base64
import json
import urllib.parse

import pytest
from echo_server import WAYS, echo

from facelet.pipeline import rollout
from facelet.pipeline.cli import main

__all__ = ["echo"]

KEY = 'Zq7/"secretKEY"+9f83=a1b2'
HEADER = "hdr-Value/7c61+55"
PASSWORD = "pass-W0rd-4d2e"
PARAMETER = "query-Key-88aa1"
SECRETS = (KEY, HEADER, PASSWORD, PARAMETER)


def list_encodings(secret):
    """Return what of a secret a reader of the file could find."""
    yield from (secret, json.dumps(secret)[1:-1], urllib.parse.quote(secret, safe=""))
    yield from (urllib.parse.quote(secret), urllib.parse.quote_plus(secret))
    yield secret.encode().hex()
    for user in ("", "u", "us", "user:"):
        yield base64.b64encode((user + secret).encode()).decode()[4:-4]


def find_leaks(text):
    return [form for secret in SECRETS for form in list_encodings(secret) if form in text]


@pytest.fixture
def easy(publish):
    return publish("jigsaw/assemble_easy", items=2)


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.some(4)
def test_what_a_server_echoes_is_hidden(easy, echo, tmp_path, capsys, monkeypatch, way, api):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echo.way = way
    place = f"user:{PASSWORD}@127.0.0.1:{echo.port}/v1?api-key={PARAMETER}"
    out = tmp_path / "run.jsonl"
    words = [
        "run",
        "model=openai/m",
        f"base_url=http://{place}",
        f"dataset={easy.folder}",
        f"out={out}",
        "yes=true",
        "retries=0",
        f"api={api}",
        f"headers={json.dumps({'X-Mine': HEADER, 'Authorization': f'Bearer {KEY}'})}",
        f"extra_body={json.dumps({'note': KEY, 'api_key': 'swordfish1', 'top_k': 5})}",
    ]
    main(words)
    main(words)
    for path, headers in echo.asked:
        assert HEADER in headers.values() and PARAMETER in path
    assert main(["score", f"dataset={easy.folder}", f"predictions={out}", f"out={tmp_path}"]) == 0
    shown = capsys.readouterr()
    assert find_leaks(shown.out + shown.err) == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"run.jsonl", "results.json", "results.md"}
    for path in files:
        assert find_leaks(path.read_bytes().decode("utf-8", "replace")) == [], path
    for text in out.read_text().splitlines():
        record = json.loads(text)
        assert len(record.get("error", "")) <= 2000
        assert record["settings"]["headers"] == ["Authorization", "X-Mine"]
        assert record["settings"]["extra_body"]["top_k"] == 5
        assert "swordfish1" not in text
        if way not in ("reply", "end", "bare"):
            assert record["error"]


def test_a_key_that_is_a_word_is_hidden_where_a_word_is_kept(easy, echo, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "opensesamenow")
    echo.way = "bare"
    target = [f"base_url=http://127.0.0.1:{echo.port}/v1", f"dataset={easy.folder}"]
    assert main(["run", "model=openai/m", *target, f"out={tmp_path / 'o'}", "yes=true"]) == 0
    (record, _) = map(json.loads, (tmp_path / "o").read_text().splitlines())
    assert record["finish_reasons"] == ["[hidden]"]


def test_headers_do_not_follow_a_redirect(easy, echo, tmp_path, capsys):
    echo.way = "redirect"
    target = f"base_url=http://127.0.0.1:{echo.port}/v1"
    words = ["run", "model=openai/m", target, f"dataset={easy.folder}", "limit=1", "yes=true"]
    assert main([*words, f"out={tmp_path / 'run.jsonl'}", "retries=0"]) == 1
    assert len(echo.asked) == 1
    assert (
        "APIStatusError 307: redirects are not followed; name the right address with base_url="
        in capsys.readouterr().out
    )


def test_an_exception_of_a_callers_model_is_written_without_keys(easy, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "plain-Secret-0815")

    def model(messages):
        raise ValueError("plain-Secret-0815 Bearer abcdefgh sk-12345678 " + "x" * 5000)

    rollout.run(easy.rows, model, tmp_path / "out.jsonl")
    for line in (tmp_path / "out.jsonl").read_text().splitlines():
        error = json.loads(line)["error"]
        assert error.startswith("ValueError: [hidden] Bearer [hidden] [hidden] xxx")
        assert len(error) == 2000


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            'headers={"X-A": "se-cret\\n1"}',
            "headers: the value of 'X-A' starts or ends with a blank",
        ),
        ('headers={"X A": "se-cret"}', "is not the name of a header"),
        ('headers={"X-A": "se-cret"', "headers is not a JSON object (Expecting"),
        ('headers=["se-cret"]', "headers is not a JSON object (it is not an object)"),
        ('headers={"X-A": 5}', "headers: the value of 'X-A' is not a text"),
        ('headers={"Host": "se-cret"}', "headers sets 'Host', which the client sets itself"),
        ("base_url=ftp://u:se-cret@host/v1", "base_url=ftp://[hidden]@host/v1 is not an address"),
        ("base_url=http://u:se-cret@h:x/v1?key=se-cret", "/v1?key=[hidden] is not an address"),
        ("base_url=localhost:8000/v1", "base_url=localhost:8000/v1 is not an address"),
    ],
)
def test_bad_headers_and_addresses_are_named_without_what_is_secret(
    easy, tmp_path, capsys, word, message
):
    words = ["run", "model=openai/m", f"dataset={easy.folder}", f"out={tmp_path / 'o'}", word]
    assert main(words) == 2
    shown = capsys.readouterr().err
    assert message in shown and "se-cret" not in shown


def test_a_key_that_no_header_can_hold_is_refused(easy, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "se-cret\n")
    words = ["run", "model=openai/m", f"dataset={easy.folder}", f"out={tmp_path / 'o'}"]
    assert main(words) == 2
    shown = capsys.readouterr().err
    assert "OPENAI_API_KEY starts or ends with a blank, or contains a character" in shown
    assert "se-cret" not in shown
