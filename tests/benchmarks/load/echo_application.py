"""An application that returns what it receives; run by uvicorn beside the server."""

import json

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def echo_body(request: Request) -> Response:
    """Parse a body and return it."""
    body = json.dumps(await request.json())
    return Response(body.encode(), media_type="application/json")


async def get_health(request: Request) -> Response:
    """Report that the application responds."""
    return Response(b"{}", media_type="application/json")


app = Starlette(
    routes=[
        Route("/echo", echo_body, methods=["POST"]),
        Route("/health", get_health),
    ]
)
