"""A model's server on this machine that answers as scripted, in the form of chat completions."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from facelet.pipeline import environment

WRONG = "I do not know."


class Server:
    """Answers each chat by a script: the replies of the row whose first prompt it shows."""

    def __init__(self, published, wrong=()):
        self.asked = []
        self.failures = []  # statuses of the next answers
        self.hold = None  # from this request on, answers wait for `release`
        self.release, self.held = threading.Event(), threading.Event()
        self.script = {}
        for row in published.rows:
            first = json.dumps(environment.open_row(row).messages)
            told = [WRONG] if row["id"] in wrong else published.references[row["id"]]
            self.script[first] = (row["id"], told)
        outer, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.asked.append((self.path, body))
                    number = len(outer.asked)
                    status = outer.failures.pop(0) if outer.failures else 200
                if outer.hold is not None and number >= outer.hold:
                    outer.held.set()
                    outer.release.wait(60)
                self.answer(status, outer.reply(body["messages"]))

            def answer(self, status, text):
                message = {"role": "assistant", "content": text}
                whole = {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "m",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
                }
                data = json.dumps(whole if status == 200 else {"error": {"message": "no"}}).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:  # the client was killed
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def reply(self, messages):
        for length in range(1, len(messages) + 1):
            found = self.script.get(json.dumps(messages[:length]))
            if found:
                return found[1][sum(message["role"] == "assistant" for message in messages)]
        raise AssertionError("the chat begins with no row's prompt")


@pytest.fixture
def serve(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    begun = []

    def start(*args, **kwargs):
        begun.append(Server(*args, **kwargs))
        return begun[-1]

    yield start
    for server in begun:
        server.release.set()
        server.http.shutdown()
        server.http.server_close()
