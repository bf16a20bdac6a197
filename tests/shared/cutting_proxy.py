"""A proxy in front of an HTTP server that counts requests and cuts the connection at some.

    with CuttingProxy(port) as proxy:
        proxy.begin(lambda number: Cut.BEFORE if number == 7 else None)

A request that is cut before it is passed on never reaches the server; of one that is cut after that
the server has done its work, and its answer is lost.
"""

from __future__ import annotations

import enum
import http.client
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOPS = {"connection", "keep-alive", "transfer-encoding", "content-length", "expect"}


class CutMoment(enum.Enum):
    """When a connection is cut."""

    BEFORE = "before"
    AFTER = "after"


class CuttingProxy:
    """The proxy; `count` is the number of requests since `begin`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.count = 0
        self._when: Callable[[int], CutMoment | None] = lambda number: None
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_expect_100(self) -> bool:
                return super().handle_expect_100()

            def log_message(self, *_: object) -> None:
                pass

            def _pass_on(self) -> None:
                body = self._read_body()
                cut = proxy._next_cut()
                if cut is CutMoment.BEFORE:
                    self._end_connection()
                    return
                server = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
                kept = {k: v for k, v in self.headers.items() if k.lower() not in HOPS}
                server.request(self.command, self.path, body, kept)
                answer = server.getresponse()
                data = answer.read()
                server.close()
                if cut is CutMoment.AFTER:
                    self._end_connection()
                    return
                self.send_response_only(answer.status, answer.reason)
                for name, value in answer.getheaders():
                    if name.lower() not in HOPS:
                        self.send_header(name, value)
                length = answer.getheader("Content-Length") if self.command == "HEAD" else None
                self.send_header("Content-Length", length or str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def _read_body(self) -> bytes:
                if "chunked" in self.headers.get("Transfer-Encoding", ""):
                    parts = []
                    while size := int(self.rfile.readline().split(b";")[0], 16):
                        parts.append(self.rfile.read(size))
                        self.rfile.readline()
                    self.rfile.readline()
                    return b"".join(parts)
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            def _end_connection(self) -> None:
                self.close_connection = True
                try:
                    self.connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass_on  # noqa: N815

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # whoever was killed reads no answer

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def begin(self, when: Callable[[int], CutMoment | None] = lambda number: None) -> None:
        """Count from 1 again, and cut where `when` says so; it is asked before each request."""
        with self._lock:
            self.count, self._when = 0, when

    def _next_cut(self) -> CutMoment | None:
        with self._lock:
            self.count += 1
            return self._when(self.count)

    def __enter__(self) -> CuttingProxy:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
