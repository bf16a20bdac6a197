"""A server on this machine that sends back what it was sent, in the way that it is told to."""

from __future__ import annotations

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

WAYS = (
    "error",
    "text",
    "header",
    "redirect",
    "reply",
    "choices",
    "end",
    "bare",
    "broken",
    "encoded",
)


class EchoServer:
    """Repeats headers, address and body of each request.

    Attributes:
        way: one of WAYS.
        asked: path and headers of the requests.
    """

    def __init__(self):
        self.way = "error"
        self.asked = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                outer.asked.append((self.path, dict(self.headers)))
                told = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
                seen = f"{told}\n{self.path}\n{body}"
                status, headers, sent = outer.build_answer(seen)
                data = sent.encode()
                self.send_response(status, seen.replace("\n", " ") if outer.way == "text" else "x")
                self.send_header("Content-Type", "application/json")
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                self.do_POST()

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        self.port = self.http.server_address[1]

    def build_answer(self, seen):
        """Return status, headers and body."""
        line = " ".join(seen.split())[:3000]
        message = {"role": "assistant", "content": seen}
        whole = {"choices": [{"finish_reason": "stop", "message": message}], "object": "x"}
        error = json.dumps({"error": {"message": seen, "type": "bad"}})
        hexed = f"{seen.encode().hex()} {urllib.parse.quote(seen)} {json.dumps(json.dumps(seen))}"
        bare = seen.partition("Bearer ")[2].partition("\n")[0]
        end = {"finish_reason": line, "message": {"role": "assistant", "content": ""}}
        return {
            "error": (401, {}, error),
            "text": (400, {}, seen),
            "header": (400, {"X-Echo": line, "WWW-Authenticate": line}, error),
            "redirect": (307, {"Location": f"http://127.0.0.1:9/{urllib.parse.quote(line)}"}, ""),
            "reply": (200, {}, json.dumps(whole)),
            "choices": (200, {}, json.dumps({"choices": [], "error": {"message": seen}})),
            "end": (200, {}, json.dumps({"choices": [end]})),
            "bare": (200, {}, json.dumps({"choices": [{**end, "finish_reason": bare}]})),
            "broken": (200, {}, seen),
            "encoded": (400, {}, json.dumps({"error": {"message": hexed}})),
        }[self.way]


@pytest.fixture
def echo(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    server = EchoServer()
    yield server
    server.http.shutdown()
    server.http.server_close()
