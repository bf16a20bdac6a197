"""Serve rows, rewards and episodes to trainers, over HTTP and WebSocket.

Grades single replies in batches (POST /verify) and plays episodes (POST /sessions, then
/sessions/ID/replies, or everything over the WebSocket /ws), for any trainer in any language. Serves
the rows of a dataset, or an endless stream of a suite. A session consists of its row and its
replies: it survives a worker that dies and, with state=FILE, the server. A reply that names its
turn may be sent again after a broken connection; it counts once. No response contains the right
answer.

/healthz answers while the server is alive, and /metrics exports counters in Prometheus' text form.
If other machines can reach the server, every request must carry the token in the variable
FACELET_SERVE_TOKEN.

Needs the extra serve.

Examples:
  facelet serve dataset=data/out/facelet-paper workers=4
  facelet serve suite=cube/move_effect levels=1-5 port=8001 state=sessions.sqlite

Exit status: 0 stopped, 2 invalid argument, dataset or file.
"""

from __future__ import annotations

from facelet.pipeline.serve.settings import ServeSettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Serve until interrupted, and return the exit status.

    Raises:
        ValueError: the settings contradict each other, a package is missing, or the rows cannot be
            opened.
    """
    from facelet.pipeline.serve.server_process import run_server

    return run_server(settings)
