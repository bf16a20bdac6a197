"""A server of chat completions on this machine that always says the same; it needs no library."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SAID = "I do not know."


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
        if self.path.endswith("/responses"):
            said = {"type": "output_text", "text": SAID, "annotations": []}
            message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
            whole = {
                "id": "r",
                "object": "response",
                "created_at": 0,
                "model": "m",
                "status": "completed",
                "output": [{**message, "content": [said]}],
                "parallel_tool_calls": False,
                "tool_choice": "none",
                "tools": [],
                "usage": {
                    "input_tokens": 5,
                    "input_tokens_details": {"cached_tokens": 0},
                    "output_tokens": 3,
                    "output_tokens_details": {"reasoning_tokens": 0},
                    "total_tokens": 8,
                },
            }
        else:
            message = {"role": "assistant", "content": SAID}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
            whole |= {"choices": [choice], "usage": usage}
        data = json.dumps(whole).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def chat_server() -> Iterator[str]:
    """Serve; give the address that clients are told, which ends in /v1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
