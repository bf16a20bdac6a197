"""A model's server on this machine that answers as scripted: chat completions and Responses."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from facelet.pipeline import rollout

WRONG = "I do not know."


def completion_body(text, end):
    """Return the body of a chat completion."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": end, "message": message}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
    }


def response_body(text, end):
    """Return the body of a response, with a reasoning item before the message."""
    half = len(text) // 2
    parts = [{"type": "output_text", "text": part} for part in (text[:half], text[half:])]
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    return {
        "id": "r",
        "object": "response",
        "status": "incomplete" if end in reasons else "completed",
        "incomplete_details": {"reason": reasons[end]} if end in reasons else None,
        "error": None,
        "output": [
            {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]},
            {"type": "message", "role": "assistant", "content": parts},
        ],
        "usage": {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8},
    }


def items_to_chat(items):
    """Return the chat that input items of the Responses API spell."""
    chat = []
    for item in items:
        content = item["content"]
        if not isinstance(content, str):
            content = [
                {"type": "text", "text": part["text"]}
                if part["type"] == "input_text"
                else {"type": "image_url", "image_url": {"url": part["image_url"]}}
                for part in content
            ]
            if len(content) == 1 and content[0]["type"] == "text":
                content = content[0]["text"]
        chat.append({"role": item["role"], "content": content})
    return chat


class ModelServer:
    """Answers each chat by a script: the replies of the row whose first prompt it shows."""

    def __init__(self, published, wrong=()):
        self.asked = []
        self.failures = []  # statuses of the next answers
        self.failure_message = "no"  # what failures say
        self.ends = []  # why the next replies end
        self.headers = []  # those of each request
        self.hold = None  # from this request on, answers wait for `release`
        self.release, self.held = threading.Event(), threading.Event()
        self.script = {}
        for row in published.rows:
            first = json.dumps(rollout.open_row(row).messages)
            told = [WRONG] if row["id"] in wrong else published.references[row["id"]]
            self.script[first] = (row["id"], told)
        outer, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.asked.append((self.path, body))
                    outer.headers.append(dict(self.headers))
                    end = outer.ends.pop(0) if outer.ends else "stop"
                    number = len(outer.asked)
                    status = outer.failures.pop(0) if outer.failures else 200
                if outer.hold is not None and number >= outer.hold:
                    outer.held.set()
                    outer.release.wait(60)
                if self.path.endswith("/responses"):
                    self.send_answer(
                        status, response_body(outer.reply(items_to_chat(body["input"])), end)
                    )
                else:
                    self.send_answer(status, completion_body(outer.reply(body["messages"]), end))

            def send_answer(self, status, whole):
                error = {"error": {"message": outer.failure_message}}
                data = json.dumps(whole if status == 200 else error).encode()
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
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
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

    def start_server(*args, **kwargs):
        begun.append(ModelServer(*args, **kwargs))
        return begun[-1]

    yield start_server
    for server in begun:
        server.release.set()
        server.http.shutdown()
        server.http.server_close()
