"""The application: routes of HTTP and the WebSocket, each a call of the service.

Knows Starlette. A call is carried out in the event loop, as it takes well below a millisecond;
where a stream makes rows, one thread does it. A worker carries out one call after the other.
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
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from facelet.pipeline.serve import nemo_gym
from facelet.pipeline.serve.figures import Figures, text
from facelet.pipeline.serve.guard import App, Guard, TooLargeError, tell_error
from facelet.pipeline.serve.service import Answer, RefusedError, Service
from facelet.pipeline.serve.settings import ServeSettings, token
from facelet.pipeline.serve.source import source_of
from facelet.pipeline.serve.store import FullError, Store

TOLD = "FACELET_SERVE"
"""The variable by which workers are told the settings, as JSON."""

FLUSHED_EVERY = 64
"""Requests after which a worker hands its counters to the store."""

R = TypeVar("R")


def application(service: Service, settings: ServeSettings, secret: str) -> App:
    """Return the application of a worker.

    Args:
        service: its rows and sessions.
        settings: its bounds.
        secret: the token that requests must bring; "" for none.
    """
    figures = Figures()
    web = _Web(service, figures)
    app = Starlette(
        routes=[
            Route("/healthz", web.health),
            Route("/metrics", web.metrics),
            Route("/", web.about),
            Route("/rows", web.rows, methods=["GET", "POST"]),
            Route("/verify", web.verify, methods=["POST"]),
            Route("/seed_session", web.seed, methods=["POST"]),
            Route("/reply", web.tool, methods=["POST"]),
            Route("/sessions", web.open, methods=["POST"]),
            Route("/sessions/{session}", web.session, methods=["GET", "DELETE"]),
            Route("/sessions/{session}/replies", web.reply, methods=["POST"]),
            WebSocketRoute("/ws", web.socket),
        ],
        exception_handlers={HTTPException: _refused, Exception: _broken},
    )
    return Guard(
        app,
        figures,
        token=secret,
        body=settings.body,
        rate=settings.rate / settings.workers,
        log=settings.log == "json",
    )


class _Web:
    """The routes."""

    def __init__(self, service: Service, figures: Figures) -> None:
        self._service, self._figures, self._calls = service, figures, 0
        self._thread = ThreadPoolExecutor(1, "facelet") if service.source.endless else None

    async def health(self, request: Request) -> Response:
        """Say that the worker answers and its store is there."""
        return _json({"status": "ok", "sessions": await self._run(self._service.store.sessions)})

    async def metrics(self, request: Request) -> Response:
        """Return the figures of all workers."""

        def counts() -> dict[str, float]:
            store = self._service.store
            store.keep_figures(self._figures.worker, self._figures.counts)
            gauges = {"facelet_sessions": store.sessions(), "facelet_sessions_over": store.over()}
            return {**store.figures(), **gauges}

        return PlainTextResponse(
            text(await self._run(counts)), media_type="text/plain; version=0.0.4"
        )

    async def about(self, request: Request) -> Response:
        """Say what is served."""
        return _json(self._service.about())

    async def rows(self, request: Request) -> Response:
        """Return ids, or first prompts."""
        if request.method == "POST":
            return await self._answer(request, self._service.prompts)
        told = request.query_params
        limit = told.get("limit", "1000")
        number = int(limit) if limit.isdecimal() and len(limit) < 9 else 0
        config, split, after = (told.get(name, "") for name in ("config", "split", "after"))
        return await self._answer(None, lambda _: self._service.ids(config, split, after, number))

    async def verify(self, request: Request) -> Response:
        """Judge single replies."""

        def verify(asked: Mapping[str, Any]) -> Answer:
            if nemo_gym.is_meant(asked):
                session = request.cookies.get(nemo_gym.COOKIE, "")
                return nemo_gym.verify(self._service, session, asked)
            found = self._service.verify(asked)
            self._figures.add("facelet_replies_judged_total", len(found["results"]))
            return found

        return await self._answer(request, verify)

    async def seed(self, request: Request) -> Response:
        """Open a session that a cookie names."""
        session = ""

        def seed(asked: Mapping[str, Any]) -> Answer:
            nonlocal session
            session = nemo_gym.seed(self._service, asked)
            self._figures.add("facelet_sessions_opened_total")
            return {}

        response = await self._answer(request, seed)
        if session:
            response.set_cookie(nemo_gym.COOKIE, session, httponly=True)
        return response

    async def tool(self, request: Request) -> Response:
        """Take a reply of the session that the cookie names."""
        session = request.cookies.get(nemo_gym.COOKIE, "")

        def tool(asked: Mapping[str, Any]) -> Answer:
            found = nemo_gym.reply(self._service, session, asked)
            self._figures.add("facelet_steps_total")
            return found

        return await self._answer(request, tool)

    async def open(self, request: Request) -> Response:
        """Open a session."""
        return await self._answer(request, self._open, 201)

    async def session(self, request: Request) -> Response:
        """Tell where a session stands, or close it."""
        session = request.path_params["session"]
        work = self._service.close if request.method == "DELETE" else self._service.state
        return await self._answer(None, lambda _: work(session))

    async def reply(self, request: Request) -> Response:
        """Take a reply of a session."""
        session = request.path_params["session"]
        return await self._answer(request, lambda asked: self._reply(session, asked))

    async def socket(self, socket: WebSocket) -> None:
        """Do all of it over one connection: a message {"op": ...} in, an answer out, in order."""
        await socket.accept()
        try:
            while True:
                said = await socket.receive_text()
                answer, status = await self._call(said.encode(), self._op)
                await socket.send_text(json.dumps({**answer, "code": status}))
        except (WebSocketDisconnect, KeyError):
            return  # the client went, or sent bytes

    def _op(self, asked: Mapping[str, Any]) -> Answer:
        service, session = self._service, str(asked.get("session", ""))
        ops: dict[str, Callable[[], Answer]] = {
            "open": lambda: self._open(asked),
            "reply": lambda: self._reply(session, asked),
            "state": lambda: service.state(session),
            "close": lambda: service.close(session),
            "verify": lambda: service.verify(asked),
            "rows": lambda: service.prompts(asked),
        }
        op = asked.get("op")
        if not isinstance(op, str) or op not in ops:
            raise RefusedError(f"op must be one of {', '.join(ops)}")
        return ops[op]()

    def _open(self, asked: Mapping[str, Any]) -> Answer:
        found = self._service.open(asked)
        self._figures.add("facelet_sessions_opened_total")
        return found

    def _reply(self, session: str, asked: Mapping[str, Any]) -> Answer:
        found = self._service.reply(session, asked)
        self._figures.add("facelet_steps_total")
        return found

    async def _answer(
        self,
        request: Request | None,
        work: Callable[[Mapping[str, Any]], Answer],
        status: int = 200,
    ) -> Response:
        try:
            body = b"" if request is None else await request.body()
        except TooLargeError as error:
            return _json({"error": str(error)}, 413)
        answer, found = await self._call(body or b"{}", work)
        return _json(answer, status if found == 200 else found)

    async def _call(
        self, body: bytes, work: Callable[[Mapping[str, Any]], Answer]
    ) -> tuple[Answer, int]:
        """Return the answer to a request, and its status."""
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            return {"error": "the body is no JSON"}, 400
        if not isinstance(asked, dict):
            return {"error": "the body must be a JSON object"}, 400
        try:
            return await self._run(lambda: self._counted(work, asked)), 200
        except RefusedError as error:
            return {"error": str(error)}, error.status
        except FullError as error:
            return {"error": str(error)}, 503
        except sqlite3.OperationalError as error:
            tell_error({"path": "/"}, error)
            return {"error": "the store of sessions is busy; ask again"}, 503

    def _counted(
        self, work: Callable[[Mapping[str, Any]], Answer], asked: Mapping[str, Any]
    ) -> Answer:
        """Carry out a call; from time to time, hand the counters to the store."""
        self._calls += 1
        if self._calls % FLUSHED_EVERY == 0:
            with suppress(sqlite3.OperationalError):  # others write; the next time will do
                self._service.store.keep_figures(self._figures.worker, self._figures.counts)
        return work(asked)

    async def _run(self, work: Callable[[], R]) -> R:
        """Carry out a call where calls are carried out."""
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer where no route or method is meant."""
    assert isinstance(error, HTTPException)
    return _json({"error": error.detail}, error.status_code)


async def _broken(request: Request, error: Exception) -> Response:
    """Answer where something went wrong here, without a word of what."""
    tell_error(request.scope, error)
    return _json({"error": "this went wrong here; it stands in the server's log"}, 500)


def _json(answer: object, status: int = 200) -> Response:
    return Response(json.dumps(answer).encode(), status, media_type="application/json")


def of_environment() -> App:
    """Return the application that the variable TOLD describes; workers call it."""
    from facelet.pipeline.leader import end_with

    told = json.loads(os.environ[TOLD])
    leader = told.pop("leader")
    if leader:
        end_with(leader)
    told["apart"] = tuple(told["apart"])
    return build(ServeSettings(**told))


def build(settings: ServeSettings) -> App:
    """Return the application that settings describe.

    Raises:
        ValueError: its rows cannot be had, or its state is of others.
    """
    source = source_of(settings)
    store = Store(
        Path(settings.state),
        most=settings.sessions,
        idle=settings.idle,
        lifetime=settings.lifetime,
        most_over=settings.over,
        kept=settings.kept,
    )
    store.check_stamp(source.stamp)
    service = Service(source, store, settings.weights, settings.items)
    return application(service, settings, token())
