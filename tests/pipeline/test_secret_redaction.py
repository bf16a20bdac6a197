"""Secrets are found in every encoding and by their shape, and other words stay."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse

import pytest

from facelet.pipeline.secret_redaction import (
    PLACEHOLDER,
    SecretRedactor,
    iterate_address_secrets,
    iterate_header_secrets,
)

KEY = "aB3/xY9+q\"'<&Zé"


@pytest.mark.parametrize(
    "echo",
    [
        KEY,
        json.dumps(KEY),
        json.dumps(KEY, ensure_ascii=False),
        json.dumps(json.dumps(KEY)),
        json.dumps({"a": [KEY]}).replace("/", "\\/"),
        repr(KEY),
        html.escape(KEY),
        urllib.parse.quote(KEY),
        urllib.parse.quote(KEY, safe="").lower().replace(KEY.lower(), KEY),
        urllib.parse.urlencode({"k": KEY}),
        KEY.encode().hex(),
        *(base64.b64encode(("u" * n + KEY + "end"[n:]).encode()).decode() for n in range(4)),
        *(base64.urlsafe_b64encode(("u" * n + KEY).encode()).decode() for n in range(4)),
    ],
)
def test_a_known_secret_is_found_in_every_encoding(echo):
    for shown in (
        SecretRedactor([KEY]).redact_error(f"1 {echo} 2"),
        SecretRedactor([KEY]).redact_known(f"1 {echo} 2"),
    ):
        if echo == echo.lower() and "%" in echo:
            continue  # percent signs with lower-case letters throughout: no longer the key
        assert PLACEHOLDER in shown and shown.startswith("1 ") and shown.endswith(" 2")
        assert "xY9" not in shown and "WTkr" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("got Bearer abc.def-123, sorry", "got Bearer [hidden], sorry"),
        ("Bearer authentication is required", "Bearer authentication is required"),
        ("a Bearer token is missing", "a Bearer token is missing"),
        ("Incorrect API key provided: sk-proj-12ab***89.", "Incorrect API key provided: [hidden]"),
        ("the risk-averse task-force", "the risk-averse task-force"),
        ("http://me:pw@host:8/v1", "http://[hidden]@host:8/v1"),
        ("http://me:p@w@host/v1 x", "http://[hidden]@host/v1 x"),
        ("see https://h/v1?api-key=abc&n=1", "see https://h/v1?api-key=[hidden]&n=1"),
        ("https://h/?token=abc", "https://h/?token=[hidden]"),
        ("{'x-api-key': 'abc def', 'a': 1}", "{'x-api-key': '[hidden]', 'a': 1}"),
        ('{"Authorization":"Digest x y"}', '{"Authorization":"[hidden]"}'),
        ("max_tokens: 5 is too large", "max_tokens: 5 is too large"),
        ("Unexpected token: <", "Unexpected token: <"),
        ("KeyError: 'choices'", "KeyError: 'choices'"),
    ],
)
def test_what_has_the_shape_of_a_secret_is_hidden_and_other_words_stay(text, shown):
    assert SecretRedactor().redact_error(text) == shown


def test_short_values_are_hidden_in_errors_as_words_and_never_in_replies():
    secrets = SecretRedactor(["1234"])
    assert secrets.redact_error("pin 1234, not 12345") == "pin [hidden], not 12345"
    assert secrets.redact_known("the answer is 1234") == "the answer is 1234"


def test_errors_are_bounded_and_no_cut_key_is_left():
    key = "0123456789" * 300
    secrets = SecretRedactor([key])
    for pad in range(0, 3000, 97):
        shown = secrets.format_error("." * pad + key * 40)
        assert len(shown) <= 2000
        assert "0123" not in shown
    assert secrets.format_error("fine") == "fine"


def test_credentials_inside_headers_and_addresses_are_known():
    basic = base64.b64encode(b"user:open-sesame").decode()
    found = set(iterate_header_secrets({"A": f"Basic {basic}", "B": "Bearer tok"}))
    assert found >= {basic, "open-sesame", "tok"}
    assert set(iterate_address_secrets("https://u:p%40ss@h/v1?a=b&sig=xyz")) >= {
        "p%40ss",
        "p@ss",
        "xyz",
    }
    assert "b" not in set(iterate_address_secrets("https://u:p%40ss@h/v1?a=b&sig=xyz"))
    assert (
        PLACEHOLDER
        in SecretRedactor(["longer-secret"]).redact_json({"a": ["x longer-secret"]})["a"][0]
    )


def test_hostile_texts_take_linear_time():
    secrets = SecretRedactor([KEY])
    for piece in ("a" * 40 + "-", "bearer ", "://", "sk-", "?a=", "'a': '", "eyJ", "x-key="):
        assert len(secrets.format_error(piece * 20_000)) <= 2000
