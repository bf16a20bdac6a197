"""Sampling: what a request says beside the model and the chat, and how each API spells it.

Knows the request bodies of chat completions and of the Responses API, for `facelet run` and
`facelet requests` alike. Values are checked here, before anything is asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from facelet.pipeline.environment.chats import Chat
from facelet.pipeline.redaction import Secrets
from facelet.pipeline.words import Key, check_range, json_object, nearest

Api = Literal["chat", "responses"]
APIS: tuple[Api, ...] = get_args(Api)

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_OWN = frozenset(
    {"model", "messages", "input", "n", "stream", "background", "conversation"}
    | {"previous_response_id", "prompt"}
)
"""Names that extra_body may not have: what they say is decided here, or answers would not fit."""

_ESCAPE = "a server that allows more is told with extra_body"

SAMPLING = (
    Key(
        "api",
        "str",
        "chat",
        "chat, responses",
        "Which API is asked: chat completions, or OpenAI's Responses. The whole conversation is "
        "sent each turn, and is not stored.",
    ),
    Key("temperature", "str", "the server's", "a number from 0 to 2", "Sent as it is."),
    Key("top_p", "str", "the server's", "a number above 0, at most 1", "Sent as it is."),
    Key(
        "seed",
        "int",
        "none",
        "a whole number",
        "Sent as it is, the same for each sample. The Responses API takes none.",
    ),
    Key(
        "reasoning_effort",
        "str",
        "the server's",
        ", ".join(EFFORTS),
        "Sent as reasoning_effort, or as reasoning.effort to the Responses API.",
    ),
    Key(
        "max_tokens",
        "int",
        "the server's",
        "at least 1",
        "Longest reply. Sent as max_tokens, or as max_output_tokens to the Responses API.",
    ),
    Key(
        "max_completion_tokens",
        "int",
        "the server's",
        "at least 1",
        "The same, by the name that OpenAI's reasoning models take in chat completions.",
    ),
    Key(
        "extra_body",
        "str",
        "{}",
        "a JSON object, such as '{\"top_k\": 20}'",
        "Fields that are added to the body of each request, as the server calls them.",
    ),
)
"""Keys that say what each request says beside the chat; `sampling_of` reads them."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """What each request says beside the model and the chat; None is left to the server.

    Attributes:
        api: which API is asked.
        temperature: from 0 to 2.
        top_p: above 0, at most 1.
        seed: any whole number.
        reasoning_effort: one of EFFORTS.
        max_tokens: longest reply in tokens, hidden reasoning included.
        max_completion_tokens: the same by its other name.
        extra_body: further fields of the body.
    """

    api: Api = "chat"
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where requests are posted, behind the server's base address."""
        return "/responses" if self.api == "responses" else "/chat/completions"

    def body(self, model: str, chat: Chat) -> dict[str, Any]:
        """Return the body of a request.

        Args:
            model: the name that the server knows.
            chat: the whole conversation, in the form "openai".
        """
        if self.api == "chat":
            return {"model": model, "messages": chat, **self.fields(), **self.extra_body}
        return {
            "model": model,
            "input": [_item(message) for message in chat],
            "store": False,
            **self.fields(),
            **self.extra_body,
        }

    def record(self, secrets: Secrets, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return what a transcript says of it: what was set, and of headers the names only.

        Args:
            secrets: what is hidden in extra_body.
            headers: further headers of each request.
        """
        told: dict[str, Any] = {"api": self.api, **self._said()}
        if self.extra_body:
            told["extra_body"] = secrets.hide_in(self.extra_body)
        if headers:
            told["headers"] = sorted(headers, key=str.lower)
        return told

    def _said(self) -> dict[str, Any]:
        """Return the options that are set, by their own names."""
        options = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "reasoning_effort": self.reasoning_effort,
            "max_tokens": self.max_tokens,
            "max_completion_tokens": self.max_completion_tokens,
        }
        return {name: value for name, value in options.items() if value is not None}

    def fields(self) -> dict[str, Any]:
        """Return the options that are set, as fields of the body by the names of the API."""
        told = self._said()
        if self.api == "responses":
            if "max_tokens" in told:
                told["max_output_tokens"] = told.pop("max_tokens")
            if "reasoning_effort" in told:
                told["reasoning"] = {"effort": told.pop("reasoning_effort")}
        return told


def _item(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message of a chat as an input item of the Responses API."""
    content = message["content"]
    if message["role"] == "assistant":
        return {"role": "assistant", "content": content}
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {"role": message["role"], "content": [_part(part) for part in parts]}


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    return {"type": "input_image", "image_url": part["image_url"]["url"], "detail": "auto"}


def sampling_of(values: Mapping[str, Any]) -> Sampling:
    """Return what the words say.

    Raises:
        ValueError: a value is out of range, or goes not with another.
    """
    api = values.get("api", "chat")
    if api not in APIS:
        raise ValueError(
            f"api={api} is not one of {', '.join(APIS)}{nearest(str(api), APIS)}; most servers "
            "speak chat"
        )
    effort = values.get("reasoning_effort")
    if effort is not None and effort not in EFFORTS:
        raise ValueError(
            f"reasoning_effort={effort} is not one of {', '.join(EFFORTS)}"
            f"{nearest(str(effort), EFFORTS)}; another word is sent with "
            + (
                'extra_body={"reasoning": {"effort": ...}}'
                if api == "responses"
                else 'extra_body={"reasoning_effort": ...}'
            )
        )
    sampling = Sampling(
        api=api,
        temperature=_number(values, "temperature", "from 0 to 2", lambda x: 0 <= x <= 2),
        top_p=_number(values, "top_p", "above 0 and at most 1", lambda x: 0 < x <= 1),
        seed=values.get("seed"),
        reasoning_effort=effort,
        max_tokens=_tokens(values, "max_tokens"),
        max_completion_tokens=_tokens(values, "max_completion_tokens"),
        extra_body=_extra_body(values),
    )
    _check_together(sampling)
    return sampling


def _check_together(sampling: Sampling) -> None:
    """Raise ValueError if options contradict each other or the API."""
    if sampling.max_tokens and sampling.max_completion_tokens:
        raise ValueError(
            "max_tokens and max_completion_tokens say the same by two names; set the one that the "
            "server takes"
        )
    if sampling.api == "responses":
        if sampling.seed is not None:
            raise ValueError(
                f"seed={sampling.seed}: the Responses API takes no seed; leave it out, or use "
                "api=chat"
            )
        if sampling.max_completion_tokens is not None:
            raise ValueError(
                f"max_completion_tokens={sampling.max_completion_tokens}: the Responses API calls "
                "it max_output_tokens; say max_tokens, which is sent by that name"
            )
    for name in sampling.extra_body:
        if name in _OWN:
            raise ValueError(
                f"extra_body sets {name!r}, which facelet sets itself; take it out of extra_body"
            )
        if name in sampling.fields():
            raise ValueError(
                f"extra_body sets {name!r}, and so does a key; say it in one of the two places"
            )


def _number(
    values: Mapping[str, Any], name: str, allowed: str, fits: Callable[[float], bool]
) -> float | None:
    """Return a number that the words say; None where they say none."""
    if name not in values:
        return None
    text = str(values[name])
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{name}={text} is no number; use one {allowed}") from None
    if not math.isfinite(value) or not fits(value):
        raise ValueError(f"{name}={text} is out of range; use a number {allowed} ({_ESCAPE})")
    return value


def _tokens(values: Mapping[str, Any], name: str) -> int | None:
    return check_range(name, int(str(values[name])), 1) if name in values else None


def _extra_body(values: Mapping[str, Any]) -> dict[str, Any]:
    return json_object(str(values["extra_body"]), "extra_body") if "extra_body" in values else {}
