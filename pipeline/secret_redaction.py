"""Remove keys and passwords from texts before they are written or printed.

Servers repeat what they were sent: in errors, in redirects, even in replies. Known secrets (an API
key, the values of headers, the password of an address) are found verbatim and in the encodings of
such echoes: JSON, `repr`, HTML, percent signs, hexadecimal digits, and base64 at any offset, as in
`Basic` credentials. Unknown secrets are found by their shape.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

PLACEHOLDER = "[hidden]"
"""The text that replaces a secret."""

LIMIT = 2_000
"""Most characters of an error that are written."""

SHORT = 8
"""A value of fewer characters is hidden in errors only, where it is a word by itself: in a
reply it would more often be a word of the answer than a secret."""

_READ = 100_000
"""Most characters of an error that are looked at."""

_SECRET_VARIABLE = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_SECRET_PARAMETER = re.compile(
    r"(?:.*[-_.])?(?:\w*key|\w*token|\w*secret|password|passwd|pwd|auth|authorization|sig"
    r"|signature|credentials?|code)",
    re.IGNORECASE,
)
_SECRET_FIELD = re.compile(
    r"(?:.*[-_])?(?:api_?key|secret|password|passwd|authorization)|.+[-_](?:key|token|signature)",
    re.IGNORECASE,
)

_USERINFO = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,20}://)[^\s/\"'<>?#]{1,500}@")
_PARAMETER = re.compile(r"([?&;])([\w.-]{1,60})=([^\s&;\"'<>#]+)")
_FIELD = re.compile(
    r"(?<![\w-])([\w-]{1,60})([\"']?\s{0,3}[:=]\s{0,3})"
    r"(\"[^\"]{0,1000}\"|'[^']{0,1000}'|[^\s,;&\"'<>}\]]{1,1000})"
)
_SCHEME = re.compile(
    r"\b(bearer|basic)((?:\s|%20|\+){1,3})"
    r"(?!(?:auth\w*|tokens?|scheme|realm|credentials?|key|header|prefix|format|required|missing"
    r"|invalid|must|is|was|not|or|and|in|error)\b)[^\s\"'<>,;]+",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk|gsk|xai|ghp|pplx|nvapi)[-_][A-Za-z0-9_*.\-]{6,}"
    r"|hf_[A-Za-z0-9]{20,}|AIza[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+)"
)


class SecretRedactor:
    """Removes known values from texts."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        """Take the values; empty ones are passed over."""
        known = {part for value in values for part in (value, value.strip()) if part}
        self._long = sort_longest_first(
            form for value in known if len(value) >= SHORT for form in _iterate_encodings(value)
        )
        short = sorted(re.escape(value) for value in known if len(value) < SHORT)
        self._short = re.compile(rf"(?<!\w)(?:{'|'.join(short)})(?!\w)") if short else None

    def redact_known(self, text: str) -> str:
        """Return a reply without the known values; any other text of it stays as it is."""
        for form in self._long:
            text = text.replace(form, PLACEHOLDER)
        return text

    def redact_error(self, text: str) -> str:
        """Return an error without the known values, and without what has the shape of a secret."""
        text = self.redact_known(text)
        if self._short is not None:
            text = self._short.sub(PLACEHOLDER, text)
        text = _USERINFO.sub(rf"\1{PLACEHOLDER}@", text)
        text = _PARAMETER.sub(_redact_parameter, text)
        text = _SCHEME.sub(rf"\1\2{PLACEHOLDER}", text)
        text = _TOKEN.sub(PLACEHOLDER, text)
        return _FIELD.sub(_redact_field, text)

    def format_error(self, text: str, most: int = LIMIT) -> str:
        """Return an error without secrets, of at most so many characters."""
        shown = self.redact_error(text[:_READ])
        if len(text) > _READ:
            # A secret may have been cut in two at the end, and so is not known any more.
            shown = shown[: -max(map(len, self._long), default=1)]
        if len(shown) > most or len(text) > _READ:
            shown = shown[: most - 1] + "…"
        return shown

    def redact_json(self, value: object) -> object:
        """Return JSON values without secrets: what they name as one, and what looks like one."""
        if isinstance(value, str):
            return self.redact_error(value)
        if isinstance(value, list):
            return [self.redact_json(item) for item in value]
        if isinstance(value, Mapping):
            return {
                self.redact_error(name): PLACEHOLDER
                if isinstance(item, str) and _SECRET_FIELD.fullmatch(name)
                else self.redact_json(item)
                for name, item in value.items()
            }
        return value


def list_environment_secrets() -> list[str]:
    """Return the values of variables with names of secrets, such as *_API_KEY."""
    return [
        value
        for name, value in os.environ.items()
        if _SECRET_VARIABLE.search(name) and len(value.strip()) >= SHORT
    ]


def iterate_address_secrets(address: str) -> Iterator[str]:
    """Yield the secrets in an address: its user and password, and parameters named as keys."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    for value in (password or user, f"{user}:{password}" if password else ""):
        yield from (value, unquote(value))
    for name, value in parse_qsl(parts.query):
        if _SECRET_PARAMETER.fullmatch(name):
            yield value


def iterate_header_secrets(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of headers, and the credentials in them."""
    for value in headers.values():
        yield value
        scheme, _, credentials = value.strip().partition(" ")
        if scheme.lower() in ("bearer", "basic", "token", "key", "apikey"):
            yield credentials
        if scheme.lower() == "basic":
            try:
                known = base64.b64decode(credentials, validate=True).decode()
            except ValueError:
                continue
            yield from (known, known.partition(":")[2])


def iterate_field_secrets(value: object) -> Iterator[str]:
    """Yield the texts in JSON values with names of secrets, such as api_key."""
    if isinstance(value, list):
        for item in value:
            yield from iterate_field_secrets(item)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if isinstance(item, str) and _SECRET_FIELD.fullmatch(name):
                yield item
            yield from iterate_field_secrets(item)


def _redact_parameter(found: re.Match[str]) -> str:
    hidden = _SECRET_PARAMETER.fullmatch(found[2])
    return f"{found[1]}{found[2]}={PLACEHOLDER}" if hidden else found[0]


def _redact_field(found: re.Match[str]) -> str:
    if not _SECRET_FIELD.fullmatch(found[1]):
        return found[0]
    mark = found[3][0] if found[3][0] in "\"'" else ""
    return f"{found[1]}{found[2]}{mark}{PLACEHOLDER}{mark}"


def _iterate_encodings(value: str) -> Iterator[str]:
    """Yield a value in the encodings in which servers echo it."""
    data = value.encode("utf-8", "surrogatepass")
    escaped = json.dumps(value)[1:-1]
    yield from (value, escaped, json.dumps(escaped)[1:-1], escaped.replace("/", "\\/"))
    yield from (json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1], html.escape(value))
    for percent in (quote(data, safe=""), quote(data), quote_plus(data)):
        yield percent
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), percent)
    yield from (data.hex(), data.hex().upper())
    for offset in range(3):
        # The first and the last sign also encode their neighbours, so they are left out.
        whole = base64.b64encode(bytes(offset) + data).decode("ascii").rstrip("=")
        core = whole[(0, 2, 3)[offset] : len(whole) - ((offset + len(data)) % 3 > 0)]
        if len(core) >= SHORT:
            yield from (core, core.translate({ord("+"): "-", ord("/"): "_"}))


def sort_longest_first(forms: Iterable[str]) -> tuple[str, ...]:
    """Return distinct texts, the longest first, so that no part is replaced before its whole."""
    return tuple(sorted(set(forms), key=lambda form: (-len(form), form)))
