"""Start the processes of the server; uvicorn replaces workers that crash."""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import ExitStack
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from facelet.pipeline.dataset.atomic_files import open_scratch_folder
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.serve.settings import ServeSettings, check_settings, read_token

BACKLOG = 4096
"""Maximum number of connections that wait for acceptance."""


def run_server(settings: ServeSettings) -> int:
    """Serve until interrupted.

    Raises:
        ValueError: the settings contradict each other, a package is missing, or the rows cannot be
            opened.
    """
    check_settings(settings)
    uvicorn = import_optional("uvicorn", "serve", "facelet serve")
    for name in ("httptools", "starlette", "websockets"):
        import_optional(name, "serve", "facelet serve")
    from facelet.pipeline.serve.connection_limits import BoundedProtocol
    from facelet.pipeline.serve.http_app import SETTINGS_VARIABLE, application_from_settings

    with ExitStack() as stack:
        if not settings.state:
            folder = stack.enter_context(open_scratch_folder("serve"))
            settings = replace(settings, state=str(folder / "sessions.sqlite"))
        else:
            path = Path(settings.state).expanduser()
            path.parent.mkdir(parents=True, exist_ok=True)
            settings = replace(settings, state=str(path))
        app = application_from_settings(settings)  # errors appear before the port opens
        listening = stack.enter_context(_open_socket(settings.host, settings.port))
        port = listening.getsockname()[1]
        print(
            f"serving at http://{settings.host}:{port}; "
            f"{'requests need the token' if read_token() else 'no token required'}; Ctrl-C ends it",
            file=sys.stderr,
            flush=True,
        )
        many = settings.workers > 1
        os.environ[SETTINGS_VARIABLE] = json.dumps({**asdict(settings), "leader": os.getpid()})
        config = uvicorn.Config(
            "facelet.pipeline.serve.http_app:application_from_environment" if many else app,
            factory=many,
            workers=settings.workers,
            http=BoundedProtocol,
            backlog=BACKLOG,
            log_level="warning",
            access_log=False,
            ws_max_size=settings.body,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=10,
            timeout_worker_healthcheck=60,  # reading a large dataset takes time
        )
        if many:
            _build_supervisor(config, listening).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])
        return 0


def _build_supervisor(config: Any, listening: socket.socket) -> Any:
    """Return a supervisor of workers that notices at once when a worker crashes.

    uvicorn checks the health of each worker over a pipe, but keeps the worker's end open itself. So
    it would wait for a worker that crashed before its answer as long as for one that reads its
    rows, without replacing it or reacting to Ctrl-C.
    """

    class WorkerSupervisor(import_module("uvicorn.supervisors").Multiprocess):  # type: ignore[misc]
        def keep_subprocess_alive(self) -> None:
            for process in self.processes:
                process.child_conn.close()
            super().keep_subprocess_alive()

    return WorkerSupervisor(config, sockets=[listening])


def _open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        ValueError: the port is in use, or the address does not belong to this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ValueError(
            f"cannot listen at host={host} port={port}: {error.strerror}; choose another port"
        ) from None
