"""Define the HTTP routes and the WebSocket, each of which calls the service.

Based on Starlette. Calls run one after another in the event loop, because they take well below a
millisecond. If a stream generates rows, calls run in one thread.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from facelet.pipeline.dataset.row_columns import DamagedRowError
from facelet.pipeline.input_gate import parse_object
from facelet.pipeline.serve import nemo_gym
from facelet.pipeline.serve.connection_limits import count_connections_allowed
from facelet.pipeline.serve.episode_service import Answer, EpisodeService, RequestRefusedError
from facelet.pipeline.serve.request_guard import App, RequestGuard, log_error
from facelet.pipeline.serve.row_source import open_source
from facelet.pipeline.serve.server_metrics import render_metrics
from facelet.pipeline.serve.session_store import SessionStore, StoreFullError
from facelet.pipeline.serve.settings import ServeSettings, read_token

SETTINGS_VARIABLE = "FACELET_SERVE"
"""Environment variable with the settings of workers as JSON."""

FLUSH_REQUESTS = 64
"""Number of requests after which a worker saves its counters."""

R = TypeVar("R")


def build_application(service: EpisodeService, settings: ServeSettings, secret: str) -> App:
    """Return the application of a worker.

    Args:
        service: its rows and sessions.
        settings: its limits.
        secret: the required token; "" for none.
    """
    web = _Routes(service)
    app = Starlette(
        routes=[
            Route("/healthz", web.get_health),
            Route("/metrics", web.get_metrics),
            Route("/", web.get_about),
            Route("/rows", web.list_rows, methods=["GET", "POST"]),
            Route("/verify", web.verify_replies, methods=["POST"]),
            Route("/seed_session", web.seed_session, methods=["POST"]),
            Route("/reply", web.call_tool, methods=["POST"]),
            Route("/sessions", web.open_session, methods=["POST"]),
            Route("/sessions/{session}", web.handle_session, methods=["GET", "DELETE"]),
            Route("/sessions/{session}/replies", web.take_reply, methods=["POST"]),
            WebSocketRoute("/ws", web.socket),
        ],
        exception_handlers={HTTPException: _route_error, Exception: _internal_error},
    )
    return RequestGuard(
        app,
        service.figures,
        token=secret,
        body=settings.body,
        rate=settings.rate / settings.workers,
        sockets=count_connections_allowed(),
        log=settings.log == "json",
    )


class _Routes:
    """The routes."""

    def __init__(self, service: EpisodeService) -> None:
        self._service, self._calls = service, 0
        self._thread = ThreadPoolExecutor(1, "facelet") if service.source.endless else None

    async def get_health(self, request: Request) -> Response:
        """Report that the worker and its store respond."""
        sessions = await self._run_on_thread(self._service.store.count_open)
        return _json_response({"status": "ok", "sessions": sessions})

    async def get_metrics(self, request: Request) -> Response:
        """Return the metrics of all workers."""

        def read_counts() -> dict[str, float]:
            store = self._service.store
            store.remove_expired()
            store.save_counters(self._service.figures.worker, self._service.figures.counts)
            gauges = {
                "facelet_sessions": store.count_open(),
                "facelet_sessions_over": store.count_ended(),
            }
            return {**store.read_counters(), **gauges}

        return PlainTextResponse(
            render_metrics(await self._run_on_thread(read_counts)),
            media_type="text/plain; version=0.0.4",
        )

    async def get_about(self, request: Request) -> Response:
        """Describe the rows."""
        return _json_response(self._service.describe_rows())

    async def list_rows(self, request: Request) -> Response:
        """Return ids, or first prompts."""
        if request.method == "POST":
            return await self._send_answer(request, self._service.list_prompts)
        told = request.query_params
        limit = told.get("limit", "1000")
        number = int(limit) if limit.isdecimal() and len(limit) < 9 else 0
        config, split, after = (told.get(name, "") for name in ("config", "split", "after"))
        return await self._send_answer(
            None, lambda _: self._service.list_ids(config, split, after, number)
        )

    async def verify_replies(self, request: Request) -> Response:
        """Grade replies."""

        def run_verify(asked: Mapping[str, Any]) -> Answer:
            if nemo_gym.is_nemo_request(asked):
                session = request.cookies.get(nemo_gym.COOKIE, "")
                return nemo_gym.grade_request(self._service, session, asked)
            return self._service.grade_items(asked)

        return await self._send_answer(request, run_verify)

    async def seed_session(self, request: Request) -> Response:
        """Open a session, and name it in a cookie."""
        session = ""

        def run_seed(asked: Mapping[str, Any]) -> Answer:
            nonlocal session
            session = nemo_gym.seed_session(self._service, asked)
            return {}

        response = await self._send_answer(request, run_seed)
        if session:
            response.set_cookie(nemo_gym.COOKIE, session, httponly=True)
        return response

    async def call_tool(self, request: Request) -> Response:
        """Take a reply of the session in the cookie."""
        session = request.cookies.get(nemo_gym.COOKIE, "")
        return await self._send_answer(
            request, lambda asked: nemo_gym.call_tool(self._service, session, asked)
        )

    async def open_session(self, request: Request) -> Response:
        """Open a session."""
        return await self._send_answer(request, self._service.open_session, 201)

    async def handle_session(self, request: Request) -> Response:
        """Return the state of a session, or close it."""
        session = request.path_params["session"]
        work = (
            self._service.close_session
            if request.method == "DELETE"
            else self._service.session_state
        )
        return await self._send_answer(None, lambda _: work(session))

    async def take_reply(self, request: Request) -> Response:
        """Take a reply of a session."""
        session = request.path_params["session"]
        return await self._send_answer(
            request, lambda asked: self._service.take_reply(session, asked)
        )

    async def socket(self, socket: WebSocket) -> None:
        """Answer messages {"op": ...} of one connection in order."""
        await socket.accept()
        try:
            while True:
                said = await socket.receive_text()
                answer, status = await self._call_service(said.encode(), self._run_operation)
                await socket.send_text(json.dumps({**answer, "code": status}))
        except (WebSocketDisconnect, KeyError):
            return  # the client disconnected, or sent bytes

    def _run_operation(self, asked: Mapping[str, Any]) -> Answer:
        service, session = self._service, str(asked.get("session", ""))
        ops: dict[str, Callable[[], Answer]] = {
            "open": lambda: service.open_session(asked),
            "reply": lambda: service.take_reply(session, asked),
            "state": lambda: service.session_state(session),
            "close": lambda: service.close_session(session),
            "verify": lambda: service.grade_items(asked),
            "rows": lambda: service.list_prompts(asked),
        }
        op = asked.get("op")
        if not isinstance(op, str) or op not in ops:
            raise RequestRefusedError(f"op must be one of {', '.join(ops)}")
        return ops[op]()

    async def _send_answer(
        self,
        request: Request | None,
        work: Callable[[Mapping[str, Any]], Answer],
        status: int = 200,
    ) -> Response:
        try:
            body = b"" if request is None else await request.body()
        except RequestRefusedError as error:
            return _json_response({"error": str(error)}, error.status)
        except ClientDisconnect:
            return Response(status_code=499)  # nobody receives it; the log shows it
        answer, found = await self._call_service(body or b"{}", work)
        return _json_response(answer, status if found == 200 else found)

    async def _call_service(
        self, body: bytes, work: Callable[[Mapping[str, Any]], Answer]
    ) -> tuple[Answer, int]:
        """Return the answer to a request, and its status."""
        try:
            asked = parse_object(body)
        except ValueError as error:
            return {"error": f"the body cannot be read: {error}"[:300]}, 400
        try:
            return await self._run_on_thread(lambda: self._run_and_count(work, asked)), 200
        except RequestRefusedError as error:
            return {"error": str(error)}, error.status
        except DamagedRowError as error:
            return {"error": str(error)[:300]}, 422
        except StoreFullError as error:
            return {"error": str(error)}, 503
        except sqlite3.OperationalError as error:
            log_error({"path": "/"}, error)
            return {"error": f"the store of sessions fails ({error}); retry later"}, 503

    def _run_and_count(
        self, work: Callable[[Mapping[str, Any]], Answer], asked: Mapping[str, Any]
    ) -> Answer:
        """Run a call; save the counters from time to time."""
        self._calls += 1
        if self._calls % FLUSH_REQUESTS == 0:
            with suppress(sqlite3.OperationalError):  # another worker writes; saved next time
                figures = self._service.figures
                self._service.store.save_counters(figures.worker, figures.counts)
        return work(asked)

    async def _run_on_thread(self, work: Callable[[], R]) -> R:
        """Run a call in the thread of calls, or here."""
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


async def _route_error(request: Request, error: Exception) -> Response:
    """Respond to an unknown route or method."""
    assert isinstance(error, HTTPException)
    return _json_response({"error": error.detail}, error.status_code)


async def _internal_error(request: Request, error: Exception) -> Response:
    """Respond to an internal error without details."""
    log_error(request.scope, error)
    return _json_response({"error": "internal error; see the log of the server"}, 500)


def _json_response(answer: object, status: int = 200) -> Response:
    return Response(json.dumps(answer).encode(), status, media_type="application/json")


def application_from_environment() -> App:
    """Return the application that `SETTINGS_VARIABLE` describes; workers call it."""
    from facelet.pipeline.parent_watch import end_with_parent

    settings = json.loads(os.environ[SETTINGS_VARIABLE])
    end_with_parent(settings.pop("leader"))
    return application_from_settings(
        ServeSettings(**{**settings, "apart": tuple(settings["apart"])})
    )


def application_from_settings(settings: ServeSettings) -> App:
    """Return the application that settings describe.

    Raises:
        ValueError: the rows cannot be opened, or the state belongs to other rows.
    """
    source = open_source(settings)
    store = SessionStore(
        Path(settings.state),
        most=settings.sessions,
        idle=settings.idle,
        lifetime=settings.lifetime,
        most_over=settings.over,
        kept=settings.kept,
    )
    store.check_stamp(source.stamp)
    secret = read_token()
    return build_application(EpisodeService(source, store, settings, secret), settings, secret)
