"""Serve the page for people from this machine, with the standard library only.

GET / is the page, /state?person=... the current view of a person, /picture/<hash>.png a picture.
POST /agree and /reply take JSON; they require a header that other pages cannot send without
permission. Host and Origin must be those of the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from facelet._version import __version__
from facelet.pipeline.input_gate import parse_object
from facelet.pipeline.report.page_templates import read_asset, render_page
from facelet.pipeline.report.people.people_sessions import PersonSessions, View
from facelet.pipeline.request_origin import explain_foreign_request, is_loopback
from facelet.pipeline.scoring.ingest.prediction import MAX_REPLY

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What the page may load: what this server has, and nothing else."""

_HEADER_POLICY = f"{POLICY}; frame-ancestors 'none'"
"""The same as a header, which may also say that no other page holds this one."""

MOST_BYTES = 8 * MAX_REPLY
"""Most bytes of a request; a letter of a reply takes at most six in JSON."""

HEADER = "X-Facelet"


class PeopleServer(ThreadingHTTPServer):
    """The server of a study."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], sessions: PersonSessions) -> None:
        """Begin to listen.

        Args:
            address: host and port; port 0 for any that is free.
            sessions: the sessions.

        Raises:
            OSError: the address cannot be had.
        """
        super().__init__(address, PeopleHandler)
        self.sessions = sessions

    @cached_property
    def front_page(self) -> bytes:
        """The page."""
        made = f"Made by facelet {__version__}. Your answers stay on the machine of this page."
        return render_page("person", {"title": "Puzzles", "made": made}, policy=POLICY).encode()


class PeopleHandler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: PeopleServer
    server_version = "facelet"
    sys_version = ""
    timeout = 10

    def parse_request(self) -> bool:
        """Read the head of a request; refuse one that a page of another site may have sent."""
        if not super().parse_request():
            return False
        foreign = explain_foreign_request(
            self.headers.get("Host", ""),
            self.headers.get("Origin"),
            local=is_loopback(str(self.server.server_address[0])),
        )
        if foreign is None:
            return True
        self.close_connection = True
        self._send_response(HTTPStatus.FORBIDDEN, foreign.encode(), "text/plain")
        return False

    def do_GET(self) -> None:
        """Answer a request for a page, a state or a picture."""
        parts = urlsplit(self.path)
        if parts.path == "/":
            self._send_response(HTTPStatus.OK, self.server.front_page, "text/html; charset=utf-8")
        elif parts.path == "/person.js":
            self._send_response(HTTPStatus.OK, read_asset("person.js").encode(), "text/javascript")
        elif parts.path == "/state":
            person = parse_qs(parts.query).get("person", [""])[0]
            self._answer_request(lambda: self.server.sessions.current_view(person))
        elif parts.path.startswith("/picture/"):
            name = parts.path.removeprefix("/picture/").removesuffix(".png")
            if (data := self.server.sessions.read_picture(name)) is None:
                self._send_response(HTTPStatus.NOT_FOUND, b"no such picture", "text/plain")
            else:
                self._send_response(HTTPStatus.OK, data, "image/png")
        else:
            self._send_response(HTTPStatus.NOT_FOUND, b"no such page", "text/plain")

    def do_POST(self) -> None:
        """Take a consent or a reply."""
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            size = -1
        if self.headers.get(HEADER) is None or not 0 <= size <= MOST_BYTES:
            self.close_connection = True
            self._send_response(HTTPStatus.BAD_REQUEST, b"not from the page", "text/plain")
            return
        body = self.rfile.read(size)
        sessions = self.server.sessions
        if self.path == "/agree":
            self._answer_request(
                lambda: sessions.record_consent(_read_text(parse_object(body), "person"))
            )
        elif self.path == "/reply":
            self._answer_request(lambda: _take_reply(sessions, parse_object(body)))
        else:
            self._send_response(HTTPStatus.NOT_FOUND, b"no such page", "text/plain")

    def _answer_request(self, make: Any) -> None:
        """Send what a function returns; a wrong request is told why."""
        try:
            told: View = make()
        except (ValueError, OSError) as error:
            status, said = HTTPStatus.BAD_REQUEST, str(error)
            if isinstance(error, OSError):
                status = HTTPStatus.INSUFFICIENT_STORAGE
                said = f"nothing was recorded ({error.strerror}); send it again"
            self._send_response(status, json.dumps({"error": said}).encode(), "application/json")
            return
        self._send_response(HTTPStatus.OK, json.dumps(told).encode(), "application/json")

    def _send_response(self, status: HTTPStatus, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _HEADER_POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: names of people are in the addresses."""


def _read_text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise ValueError(f"the request has no text {name!r}")
    return value


def _take_reply(sessions: PersonSessions, found: Mapping[str, object]) -> View:
    seconds = found.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ValueError("the request has no number 'seconds'")
    return sessions.record_reply(
        _read_text(found, "person"),
        _read_text(found, "token"),
        _read_text(found, "text"),
        float(seconds),
    )
