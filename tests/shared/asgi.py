"""A client of an ASGI application in this process: a request in, status and JSON out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class AsgiClient:
    """Asks an application.

    Attributes:
        app: the application.
        headers: what every request brings.
        host: address that requests seem to come from.
    """

    app: Any
    headers: Mapping[str, str]
    host: str = "10.0.0.1"

    def request_bytes(
        self, method: str, path: str, body: bytes | Sequence[bytes] = b"", **headers: str
    ) -> tuple[int, bytes]:
        """Return status and body of the answer; a sequence of bytes is a body in chunks."""
        return self.whole(method, path, body, **headers)[:2]

    def whole(
        self, method: str, path: str, body: bytes | Sequence[bytes] = b"", **headers: str
    ) -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
        """Return the headers of the answer too."""
        chunks = [body] if isinstance(body, bytes) else list(body)
        path, _, query = path.partition("?")
        told = {"host": "localhost:80", **self.headers, **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "client": (self.host, 1),
            "server": ("test", 80),
            "headers": [(k.lower().encode(), v.encode()) for k, v in told.items()],
        }
        sent: list[dict[str, Any]] = []
        waiting = list(enumerate(chunks, 1))

        async def receive_message() -> dict[str, Any]:
            if not waiting:
                return {"type": "http.disconnect"}
            k, chunk = waiting.pop(0)
            return {"type": "http.request", "body": chunk, "more_body": k < len(chunks)}

        async def send_message(message: dict[str, Any]) -> None:
            sent.append(message)

        async def call_app() -> None:
            try:
                await self.app(scope, receive_message, send_message)
            except Exception:  # what a server would log: the answer is sent before
                if not sent:
                    raise

        asyncio.run(call_app())
        whole = b"".join(part.get("body", b"") for part in sent[1:])
        return sent[0]["status"], whole, list(sent[0]["headers"])

    def ask(self, method: str, path: str, asked: object = None) -> tuple[int, Any]:
        """Return status and JSON of the answer."""
        status, body = self.request_bytes(
            method, path, b"" if asked is None else json.dumps(asked).encode()
        )
        return status, json.loads(body)
