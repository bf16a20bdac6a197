"""Define the settings of the verb `run`, and build request bodies from its sampling options.

`facelet run` and `facelet requests` share the bodies of chat completions and of the Responses API.
Options are checked before the first request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from facelet.pipeline.command.setting_keys import key, list_suite_names
from facelet.pipeline.secret_redaction import SecretRedactor

if TYPE_CHECKING:
    from facelet.pipeline.rollout.chat_messages import Chat, Message, Part


Api = Literal["chat", "responses"]

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]

GROUP = "Sampling"

_RESERVED_FIELDS = frozenset(
    {"model", "messages", "input", "n", "stream", "background", "conversation"}
    | {"previous_response_id", "prompt"}
)
"""Fields that extra_body may not set, because they are set here or change the response format."""

_SERVERS = "the server's"
_ESCAPE = "set other values with extra_body, if the server allows them"


@dataclass(frozen=True, kw_only=True)
class SamplingOptions:
    """Fields of each request besides the model and the chat; None leaves them to the server."""

    api: Api = key(
        "API of the server: chat completions, or OpenAI's Responses. Each turn sends the whole "
        "conversation, which the server does not store.",
        "chat",
        fix="most servers support chat",
        group=GROUP,
    )
    temperature: float | None = key(
        "Sent unchanged.", None, low=0, high=2, shown=_SERVERS, fix=_ESCAPE, group=GROUP
    )
    top_p: float | None = key(
        "Sent unchanged.", None, low=0, above=True, high=1, shown=_SERVERS, fix=_ESCAPE, group=GROUP
    )
    seed: int | None = key(
        "Sent unchanged, the same for each sample. The Responses API has no seed.",
        None,
        shown="none",
        group=GROUP,
    )
    reasoning_effort: Effort | None = key(
        "Sent as reasoning_effort, or as reasoning.effort to the Responses API.",
        None,
        shown=_SERVERS,
        fix='set other values with extra_body={"reasoning_effort": ...}, or with api=responses '
        'extra_body={"reasoning": {"effort": ...}}',
        group=GROUP,
    )
    max_tokens: int | None = key(
        "Maximum tokens of a reply, hidden reasoning included. Sent as max_tokens, or as "
        "max_output_tokens to the Responses API.",
        None,
        low=1,
        shown=_SERVERS,
        group=GROUP,
    )
    max_completion_tokens: int | None = key(
        "The same for OpenAI's reasoning models in chat completions.",
        None,
        low=1,
        shown=_SERVERS,
        group=GROUP,
    )
    extra_body: Mapping[str, object] = key(
        "Further fields of each request body, as the server calls them.",
        {},
        allowed="a JSON object, such as '{\"top_k\": 20}'",
        group=GROUP,
    )

    def check_options(self) -> None:
        """Raise ValueError if options contradict each other or the API."""
        if self.max_tokens and self.max_completion_tokens:
            raise ValueError(
                "max_tokens and max_completion_tokens are two names of one limit; set the one that "
                "the server supports"
            )
        if self.api == "responses":
            if self.seed is not None:
                raise ValueError(
                    f"seed={self.seed}: the Responses API has no seed; leave it out, or use "
                    "api=chat"
                )
            if self.max_completion_tokens is not None:
                raise ValueError(
                    f"max_completion_tokens={self.max_completion_tokens}: the Responses API calls "
                    "it max_output_tokens; use max_tokens, which is sent under that name"
                )
        for name in self.extra_body:
            if name in _RESERVED_FIELDS:
                raise ValueError(
                    f"extra_body sets {name!r}, which facelet sets itself; take it out of "
                    "extra_body"
                )
            if name in self.body_fields():
                raise ValueError(f"extra_body and a key both set {name!r}; set it in one place")

    @property
    def endpoint_path(self) -> str:
        """Path of requests after the base address of the server."""
        return "/responses" if self.api == "responses" else "/chat/completions"

    def build_body(self, model: str, chat: Chat) -> dict[str, object]:
        """Return the body of a request.

        Args:
            model: the server's name of the model.
            chat: the whole conversation in the form "openai".
        """
        if self.api == "chat":
            return {"model": model, "messages": chat, **self.body_fields(), **self.extra_body}
        return {
            "model": model,
            "input": [_to_input_item(message) for message in chat],
            "store": False,
            **self.body_fields(),
            **self.extra_body,
        }

    def to_record(
        self, secrets: SecretRedactor, headers: Mapping[str, str] | None = None
    ) -> dict[str, object]:
        """Return the options that are set for a transcript, and the names of headers.

        Args:
            secrets: redacts extra_body.
            headers: further headers of each request.
        """
        record: dict[str, object] = {"api": self.api, **self._explicit_options()}
        if self.extra_body:
            record["extra_body"] = secrets.redact_json(self.extra_body)
        if headers:
            record["headers"] = sorted(headers, key=str.lower)
        return record

    def _explicit_options(self) -> dict[str, object]:
        """Return the options that are set, under their own names."""
        options = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "reasoning_effort": self.reasoning_effort,
            "max_tokens": self.max_tokens,
            "max_completion_tokens": self.max_completion_tokens,
        }
        return {name: value for name, value in options.items() if value is not None}

    def body_fields(self) -> dict[str, object]:
        """Return the options that are set as fields of the API's body."""
        fields = self._explicit_options()
        if self.api == "responses":
            if "max_tokens" in fields:
                fields["max_output_tokens"] = fields.pop("max_tokens")
            if "reasoning_effort" in fields:
                fields["reasoning"] = {"effort": fields.pop("reasoning_effort")}
        return fields


def _to_input_item(message: Message) -> dict[str, object]:
    """Return a message of a chat as an input item of the Responses API."""
    content = message["content"]
    if message["role"] == "assistant":
        return {"role": "assistant", "content": content}
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {"role": message["role"], "content": [_to_input_part(part) for part in parts]}


def _to_input_part(part: Part) -> dict[str, object]:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    return {"type": "input_image", "image_url": part["image_url"]["url"], "detail": "auto"}


ROWS, SERVER = "Rows", "Server"


@dataclass(frozen=True, kw_only=True)
class RowSelection:
    """Selects rows of a dataset."""

    suites: tuple[str, ...] = key(
        "Suites to ask.",
        (),
        allowed="names of suites; [] for all",
        known=list_suite_names,
        group=ROWS,
    )
    configs: tuple[str, ...] = key(
        "Configs to ask.", (), allowed="names of configs; [] for all", group=ROWS
    )
    split: str = key("Split to ask.", "", allowed="name of a split", shown="all", group=ROWS)
    limit: int | None = key(
        "Maximum number of rows of each config and split, spread over its difficulties. A larger "
        "limit later includes the rows of a smaller one.",
        None,
        low=1,
        shown="all",
        group=ROWS,
    )


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Describes the server and the headers of requests."""

    base_url: str = key(
        "Address of a server with the chat completions API, or the Responses API "
        "(api=responses). The key is OPENAI_API_KEY; a server that is named here may need none.",
        "",
        allowed="an address such as http://localhost:8000/v1",
        shown="OPENAI_BASE_URL, else api.openai.com",
        group=SERVER,
    )
    headers: Mapping[str, str] = key(
        "Further headers of each request. Transcripts contain their names, never their values.",
        {},
        allowed='a JSON object of texts, such as \'{"X-Title": "facelet"}\'',
        group=SERVER,
    )
    retries: int = key("Retries of one request, after increasing pauses.", 5, low=0, group=SERVER)
    timeout: int = key("Maximum seconds of one request.", 600, low=1, group=SERVER)


@dataclass(frozen=True, kw_only=True)
class RunSettings(SamplingOptions, ServerSettings, RowSelection):
    """Selects the model, the rows and the transcript file."""

    model: str = key(
        "The model, as the server calls it, after openai/.", allowed="openai/NAME", place=True
    )
    dataset: Path = key(
        "The dataset.", allowed="a folder with a built or downloaded dataset", place=True
    )
    out: Path | None = key(
        "Transcript file; resumed if it exists.",
        None,
        allowed="a file",
        shown="<dataset>.run/NAME.jsonl",
    )
    name: str = key("Name of the model in transcripts.", "", allowed="a name", shown="the model's")
    workers: int = key("Number of concurrent plays.", 8, low=1)
    samples: int = key("Number of plays of each row.", 1, low=1)
    time_limit: int | None = key(
        "Maximum seconds of a play, such as 1800; it ends after the current reply, which still "
        "counts.",
        None,
        low=1,
        shown="none",
    )
    code: Literal["off", "jail", "none"] = key(
        "Where Python of replies runs if a row offers functions (cube/navigate): in the jail, or "
        "with none in a process with your rights. Its output is in the next prompt.",
        "off",
    )
    code_seconds: int = key("Maximum seconds of the code of a reply.", 10, low=1, high=86_400)
    yes: bool = key("Start without confirmation.", False)
