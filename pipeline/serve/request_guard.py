"""Check origin, token, size and rate of every request in ASGI middleware, and log and count it.

The log contains no session, id or token.
"""

from __future__ import annotations

import hmac
import json
import sys
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from facelet.pipeline.request_origin import explain_foreign_request
from facelet.pipeline.serve.episode_service import RequestRefusedError
from facelet.pipeline.serve.server_metrics import ServerMetrics

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = "/healthz"
"""The only path that needs no token."""

ROUTES = (
    *("/", "/healthz", "/metrics", "/rows", "/verify", "/sessions", "/ws"),
    *("/seed_session", "/reply"),
)
"""Paths that metrics name unchanged."""

ADDRESSES = 65536
"""Addresses with a tracked rate; the least recent one is dropped first."""


BODIES = 16
"""Bodies of the maximum size that a worker holds in memory at the same time."""


class RequestGuard:
    """Passes permitted requests to an application."""

    def __init__(
        self,
        app: App,
        figures: ServerMetrics,
        *,
        token: str,
        body: int,
        rate: float,
        sockets: int,
        log: bool,
    ) -> None:
        """Wrap an application.

        Args:
            app: the application.
            figures: counts the requests.
            token: the required token; "" for none.
            body: maximum bytes of a request.
            rate: maximum requests per second from one address; 0 for no limit.
            sockets: maximum open WebSockets.
            log: whether each request is logged to stderr.
        """
        self._app, self._figures, self._body, self._rate = app, figures, body, rate
        self._sockets_left = sockets
        self._token, self._log = f"Bearer {token}".encode() if token else b"", log
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._held, self._too_large = 0, f"a request may have at most {body} bytes"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request or a WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = 101
                self._sockets_left -= 1
            await send(message)

        try:
            if (refused := self._refusal_reason(scope)) is not None:
                status = refused[0]
                await _send_refusal(scope, send_and_note, *refused)
            else:
                await self._app(scope, self._limit_receive(scope, receive), send_and_note)
        finally:
            self._held -= scope.pop("facelet.held", 0)
            self._sockets_left += status == 101
            self._figures.record_request(
                _route_name(scope["path"]), status, time.perf_counter() - begun
            )
            if self._log:
                _log_request(scope, status, 1000 * (time.perf_counter() - begun))

    def _refusal_reason(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and reason of a refusal; None for a permitted request."""
        headers = dict(scope["headers"])
        if self._token and scope["path"] != OPEN:
            if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
                return 401, "send the header Authorization: Bearer <token>"
        if not self._token:  # only this machine can reach the server; so can its browser
            said = {name.decode(): value.decode("latin-1") for name, value in headers.items()}
            foreign = explain_foreign_request(said.get("host", ""), said.get("origin"), local=True)
            if foreign is not None:
                return 403, foreign
        if scope["type"] == "websocket" and self._sockets_left <= 0:
            return 503, "too many WebSockets are open; close some"
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._body:
            return 413, self._too_large
        if self._rate and scope["path"] != OPEN and not self._is_within_rate(scope):
            return 429, "too many requests from this address; wait a second"
        return None

    def _is_within_rate(self, scope: Scope) -> bool:
        """Count a request in the token bucket of its address."""
        client = scope.get("client")
        address, now = client[0] if client else "", time.monotonic()
        held, seen = self._buckets.pop(address, (max(1.0, self._rate), now))
        held = min(max(1.0, self._rate), held + (now - seen) * self._rate)
        allowed = held >= 1
        self._buckets[address] = (held - allowed, now)
        while len(self._buckets) > ADDRESSES:
            self._buckets.popitem(last=False)
        return allowed

    def _limit_receive(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that refuses too large bodies and too frequent messages.

        A body can exceed its declared length, and a WebSocket has any number of messages.
        """

        async def receive_counted() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                size = len(message.get("body", b""))
                scope["facelet.held"] = scope.get("facelet.held", 0) + size
                self._held += size
                if scope["facelet.held"] > self._body:
                    raise RequestRefusedError(self._too_large, 413)
                if self._held > BODIES * self._body:
                    raise RequestRefusedError("too many bodies arrive at once; retry later", 503)
            elif (
                message["type"] == "websocket.receive"
                and self._rate
                and not self._is_within_rate(scope)
            ):
                return {"type": "websocket.disconnect", "code": 1008}
            return message

        return receive_counted


def _route_name(path: str) -> str:
    """Return the name of a route for metrics, without sessions and unknown paths."""
    if path in ROUTES:
        return path
    parts = path.split("/")
    if parts[1:2] == ["sessions"] and (len(parts) == 3 or parts[3:] == ["replies"]):
        return "/".join(["", "sessions", "{session}", *parts[3:]])
    return "other"


def _log_request(scope: Scope, status: int, ms: float) -> None:
    record = {
        "time": round(time.time(), 3),
        "method": scope.get("method", "WS"),
        "path": _route_name(scope["path"]),
        "status": status,
        "ms": round(ms, 2),
    }
    sys.stderr.write(json.dumps(record) + "\n")


def log_error(scope: Scope, error: Exception) -> None:
    """Log an internal error to stderr."""
    said = f"{type(error).__name__}: {error}"[:500]
    record = {"time": round(time.time(), 3), "path": _route_name(scope["path"]), "error": said}
    sys.stderr.write(json.dumps(record) + "\n")


async def _send_refusal(scope: Scope, send: Send, status: int, why: str) -> None:
    """Respond with an error."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = json.dumps({"error": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
