"""Server: the page for people, from this machine, with the standard library alone.

GET / is the page, /state?person=... what a person is shown now, /picture/<hash>.png a picture.
POST /agree and /reply take JSON; they ask for a header that no other page may send without asking.
"""

from __future__ import annotations

import json
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from facelet import __version__
from facelet.pipeline.report.pages import beside, page
from facelet.pipeline.report.people.sessions import Sessions, View
from facelet.pipeline.scoring.taking.predictions import MAX_REPLY

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What the page may load: what this server has, and nothing else."""

_HEADED = f"{POLICY}; frame-ancestors 'none'"
"""The same as a header, which may also say that no other page holds this one."""

MOST_BYTES = 8 * MAX_REPLY
"""Most bytes of a request; a letter of a reply takes at most six in JSON."""

HEADER = "X-Facelet"


class PeopleServer(ThreadingHTTPServer):
    """The server of a study."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], sessions: Sessions) -> None:
        """Begin to listen.

        Args:
            address: host and port; port 0 for any that is free.
            sessions: the sessions.

        Raises:
            OSError: the address cannot be had.
        """
        super().__init__(address, Handler)
        self.sessions = sessions

    @cached_property
    def first(self) -> bytes:
        """The page."""
        made = f"Made by facelet {__version__}. Your answers stay on the machine of this page."
        return page("person", {"title": "Puzzles", "made": made}, policy=POLICY).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: PeopleServer
    server_version = "facelet"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request for a page, a state or a picture."""
        parts = urlsplit(self.path)
        if parts.path == "/":
            self._send(HTTPStatus.OK, self.server.first, "text/html; charset=utf-8")
        elif parts.path == "/person.js":
            self._send(HTTPStatus.OK, beside("person.js").encode(), "text/javascript")
        elif parts.path == "/state":
            person = parse_qs(parts.query).get("person", [""])[0]
            self._answer(lambda: self.server.sessions.view(person))
        elif parts.path.startswith("/picture/"):
            name = parts.path.removeprefix("/picture/").removesuffix(".png")
            data = self.server.sessions.picture(name)
            if data is None:
                self._send(HTTPStatus.NOT_FOUND, b"no such picture", "text/plain")
            else:
                self._send(HTTPStatus.OK, data, "image/png")
        else:
            self._send(HTTPStatus.NOT_FOUND, b"no such page", "text/plain")

    def do_POST(self) -> None:
        """Take a consent or a reply."""
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            size = -1
        if self.headers.get(HEADER) is None or not 0 <= size <= MOST_BYTES:
            self.close_connection = True
            self._send(HTTPStatus.BAD_REQUEST, b"not from the page", "text/plain")
            return
        body = self.rfile.read(size)
        sessions = self.server.sessions
        if self.path == "/agree":
            self._answer(lambda: sessions.agree(_text(_read(body), "person")))
        elif self.path == "/reply":
            self._answer(lambda: _reply(sessions, _read(body)))
        else:
            self._send(HTTPStatus.NOT_FOUND, b"no such page", "text/plain")

    def _answer(self, make: Any) -> None:
        """Send what a function returns; a wrong request is told why."""
        try:
            told: View = make()
        except ValueError as error:
            said = json.dumps({"error": str(error)}).encode()
            self._send(HTTPStatus.BAD_REQUEST, said, "application/json")
            return
        self._send(HTTPStatus.OK, json.dumps(told).encode(), "application/json")

    def _send(self, status: HTTPStatus, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _HEADED)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: names of people are in the addresses."""


def _read(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("the request is no JSON") from None
    if not isinstance(found, dict):
        raise ValueError("the request is no JSON object")
    return found


def _text(found: dict[str, object], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise ValueError(f"the request has no text {name!r}")
    return value


def _reply(sessions: Sessions, found: dict[str, object]) -> View:
    seconds = found.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ValueError("the request has no number 'seconds'")
    return sessions.reply(
        _text(found, "person"), _text(found, "token"), _text(found, "text"), float(seconds)
    )
