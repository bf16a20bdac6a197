"""Serve rows, rewards and episodes over HTTP and WebSocket.

    settings -> server_process -> http_app {request_guard} -> episode_service {row_source,
    session_store, server_metrics}

`episode_service` is independent of HTTP. A session is its row and its replies, stored in one file
that all workers share; workers recompute everything else from it.
"""
