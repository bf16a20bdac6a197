"""Bound the connections of a worker: how many there are, and how long one waits for its client.

uvicorn closes an idle connection only after its first response. Here a connection whose client
sends no whole request is dropped in time, and a new connection replaces the oldest one that waits
for its client when file descriptors become few. So nobody can keep others out by opening many.
"""

from __future__ import annotations

import asyncio
import os

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PERIOD, PERIODS = 4.0, 3
"""A connection is dropped after this many checks, so many seconds apart, that found no progress."""

SPARE_FILES = 128
"""File descriptors that connections leave to the rest of a worker."""


def count_connections_allowed() -> int:
    """Return how many HTTP connections a worker may have; as many WebSockets come in addition."""
    if os.name == "nt":
        return 8192
    import resource  # Unix only

    return max(16, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE_FILES) // 2)


class BoundedProtocol(HttpToolsProtocol):
    """An HTTP connection that does not wait for its client forever."""

    _open: dict[BoundedProtocol, None] = {}  # noqa: RUF012  shared, the oldest first
    _waits = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the checks; drop the oldest waiting connection if there are too many."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(PERIOD, self._check_progress)
        self._open[self] = None
        if len(self._open) > count_connections_allowed():
            oldest = next(one for one in self._open if one._awaits_request or one.flow.write_paused)
            del self._open[oldest]
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Count a part of a body as progress; a part of a header is none."""
        if self.cycle is not None and self.cycle.more_body:
            self._waits = 0
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._waits = 0
        super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to the WebSocket, which pings its client."""
        self._end_checks()
        super().handle_websocket_upgrade()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the checks."""
        self._end_checks()
        super().connection_lost(exc)

    @property
    def _awaits_request(self) -> bool:
        """Whether the rest of a request has not arrived."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _check_progress(self) -> None:
        """Drop the connection if the checks in a row found that its client sends nothing.

        Between two checks the loop reads what has arrived, however long a call blocked it.
        """
        self._waits = self._waits + 1 if self._awaits_request else 0
        if self._waits >= PERIODS:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(PERIOD, self._check_progress)

    def _end_checks(self) -> None:
        self._timer.cancel()
        self._open.pop(self, None)
