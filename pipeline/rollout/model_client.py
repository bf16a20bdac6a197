"""Call a model on a server through the client `openai`: a function from a chat to an answer.

The client retries failed connections and the statuses 408, 409, 429 and 5xx after increasing
pauses. Redirects are not followed, because they would send the headers of a request to another
address. Messages of the server are redacted here first.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from facelet.pipeline.model_runner.settings import SamplingOptions, ServerSettings
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.api_completions import error_message, read_answer
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.rollout.play_recorder import Answer
from facelet.pipeline.rollout.rollout_runner import ModelError
from facelet.pipeline.secret_redaction import (
    SecretRedactor,
    iterate_address_secrets,
    iterate_header_secrets,
)

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_CLIENTS_OWN = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection"}
)


@dataclass(frozen=True)
class ModelServer:
    """The server of a model, and the headers of requests.

    Attributes:
        base_url: address of the API; "" for OpenAI's.
        key: the API key; "" if there is none.
        headers: further headers of each request.
        retries: retries of one request.
        timeout: maximum seconds of one request.
    """

    base_url: str = ""
    key: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    retries: int = 5
    timeout: int = 600

    @property
    def secret_values(self) -> list[str]:
        """Values that no file and no terminal may show."""
        headers, address = self.headers, self.base_url
        return [
            self.key,
            *iterate_header_secrets(headers),
            *iterate_address_secrets(address),
        ]


def server_of(settings: ServerSettings) -> ModelServer:
    """Return the server from the settings and the environment.

    Raises:
        ValueError: an address, a header, a number or the key is invalid; the message contains
            neither the key nor the value of a header.
    """
    headers = settings.headers
    for name, value in headers.items():
        if not _HEADER.fullmatch(name):
            raise ValueError(
                f"headers: {name[:100]!r} is not the name of a header; use letters, digits and -"
            )
        if name.lower() in _CLIENTS_OWN:
            raise ValueError(f"headers sets {name!r}, which the client sets itself; leave it out")
        if not isinstance(value, str):
            raise ValueError(f"headers: the value of {name!r} is not a text; put it in quotes")
        _check_sent(value, f"headers: the value of {name!r}")
    key = os.environ.get("OPENAI_API_KEY", "")
    _check_sent(key, "OPENAI_API_KEY")
    address = settings.base_url or os.environ.get("OPENAI_BASE_URL", "")
    if address:
        _check_address(address)
    return ModelServer(
        address,
        key,
        headers,
        retries=settings.retries,
        timeout=settings.timeout,
    )


def connect_model(
    server: ModelServer, served: str, sampling: SamplingOptions, secrets: SecretRedactor
) -> tuple[Callable[[Chat], Answer], Callable[[], None]]:
    """Return a model for `facelet.environment.run`, and a function that closes its connections.

    The model raises `ModelError` with the redacted reason if the server sends no reply.

    Args:
        server: the server.
        served: the server's name of the model.
        sampling: further fields of each request.
        secrets: redacts messages of the server.

    Raises:
        ValueError: the client is not installed, or has no key.
    """
    openai = import_optional("openai", "run", "facelet run")
    try:
        client = openai.OpenAI(
            api_key=server.key or ("none" if server.base_url or server.headers else None),
            base_url=server.base_url or None,
            max_retries=server.retries,
            timeout=server.timeout,
            default_headers=server.headers,
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )
    except openai.OpenAIError as error:
        raise ValueError(
            f"{secrets.format_error(str(error))}; or name a server with base_url=..."
        ) from None

    def ask_model(chat: Chat) -> Answer:
        failure = ""
        try:
            answer = read_answer(
                client.post(
                    sampling.endpoint_path, cast_to=object, body=sampling.build_body(served, chat)
                )
            )
        except Exception as error:  # the client and its dependencies raise many kinds
            failure = secrets.format_error(describe_error(error))
        if failure:
            # Raised outside the handler, because the context would contain unredacted text.
            raise ModelError(failure)
        end = answer.finish_reason
        return answer._replace(
            text=secrets.redact_known(answer.text),
            finish_reason=None if end is None else secrets.format_error(end),
        )

    return ask_model, client.close


def describe_error(error: Exception) -> str:
    """Return the class of an error, its status, and the message of the server or the system."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    said = error_message(body)
    if not said and body:
        said = json.dumps(body, default=str)
    said = said or str(error)
    if isinstance(status, int) and 300 <= status < 400:
        headers = getattr(getattr(error, "response", None), "headers", {})
        said = (
            "redirects are not followed; name the right address with base_url=... The server "
            f"names {headers.get('location', 'none')}"
        )
    elif error.__cause__ is not None and str(error.__cause__) and status is None:
        said = f"{said.rstrip('.')}: {error.__cause__}"
    kind = type(error).__name__
    return f"{kind} {status}: {said}" if isinstance(status, int) else f"{kind}: {said}"


def _check_sent(value: str, name: str) -> None:
    """Raise ValueError if a value is not allowed in a header."""
    if value != value.strip() or not all(" " <= sign <= "~" for sign in value):
        raise ValueError(
            f"{name} starts or ends with a blank, or contains a character that headers do not "
            "allow, such as a line break; remove it"
        )


def _check_address(address: str) -> None:
    """Raise ValueError if an address is invalid."""
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        good = good and parts.port != 0 and all("!" <= sign <= "~" for sign in address)
    except ValueError:
        good = False
    if not good:
        shown = SecretRedactor(iterate_address_secrets(address)).format_error(address, 200)
        raise ValueError(
            f"base_url={shown} is not an address; use http or https, such as http://localhost:8000/v1"
        )
