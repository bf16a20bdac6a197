"""`facelet run`: a model on a server that speaks chat completions answers rows of a dataset.

Knows how the client `openai` is called; which rows are asked is chosen in
facelet.pipeline.environment.choosing. Plays and the transcript file are those of
`facelet.environment.run`. Retries with growing pauses (of connections that fail, and of the
statuses 408, 409, 429 and 5xx) are the client's own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tqdm import tqdm

from facelet.pipeline.commands import command
from facelet.pipeline.environment import batch
from facelet.pipeline.environment.chats import Chat
from facelet.pipeline.environment.choosing import (
    CHOICE,
    choose,
    chosen_rows,
    estimate,
    sampled,
    words_of,
)
from facelet.pipeline.environment.transcripts import appending
from facelet.pipeline.words import (
    Key,
    check_range,
    expand,
    help_table,
    plain,
    read_words,
    shows_progress,
)

PROVIDER = "openai/"
"""Keys that say which rows are asked; `choose` and `sampled` read them."""

SAMPLING = (
    Key("temperature", "str", "the server's", "a number", "Sent as it is."),
    Key("max_tokens", "int", "the server's", "at least 1", "Longest reply. Sent as max_tokens."),
    Key(
        "max_completion_tokens",
        "int",
        "the server's",
        "at least 1",
        "The same, by the name that models with hidden reasoning take.",
    ),
)
"""Keys that say what each request says beside the chat; `sampling_of` reads them."""

KEYS = (
    Key("model", "str", "", "openai/NAME", "The model, as the server calls it, behind openai/."),
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    Key(
        "base_url",
        "str",
        "OPENAI_BASE_URL, else api.openai.com",
        "an address such as http://localhost:8000/v1",
        "The server: anything that speaks chat completions. The key is OPENAI_API_KEY; a server "
        "that is named here may need none.",
    ),
    *CHOICE,
    Key("out", "str", "<dataset>.run/NAME.jsonl", "a file", "Transcripts; resumed if it is there."),
    Key("name", "str", "the model's", "a name", "What the model is called in transcripts."),
    Key("workers", "int", "8", "at least 1", "Plays at the same time."),
    Key("samples", "int", "1", "at least 1", "Plays of each row."),
    Key("retries", "int", "5", "at least 0", "Tries again of one request, after growing pauses."),
    Key("timeout", "int", "600", "at least 1", "Seconds that one request may take."),
    Key(
        "time_limit",
        "int",
        "none",
        "at least 1",
        "Seconds that a play may take, such as the 1800 of CubeBench; it ends after the reply that "
        "is under way, which still counts.",
    ),
    *SAMPLING,
    Key("yes", "bool", "false", "true or false", "Begin without asking."),
)

HELP = f"""facelet run model=openai/NAME dataset=DIR [key=value ...]

Asks a model on any OpenAI-compatible server (OpenAI, vLLM, Ollama, llama.cpp): single questions and
episodes of many turns, with their pictures. First it says how many requests that takes, and asks.
Every finished play is appended to the transcript file at once. Stop it with Ctrl-C and start it
again with the same words: what is in the file is not asked again; what had failed is. After Ctrl-C,
replies that are under way are waited for; an episode that is not over then begins anew next time.

Needs the client: pip install 'facelet[run]'.

Keys:
{help_table(KEYS)}

Examples:
  facelet run model=openai/gpt-5 dataset=data/out/facelet-paper limit=50
  facelet run model=openai/qwen base_url=http://localhost:8000/v1 dataset=DIR suites=marble yes=true

Exit status: 0 all is answered, 1 plays failed or nobody said yes, 2 a bad word, dataset or file.
"""


def run(words: Sequence[str]) -> int:
    """Ask the model and return the exit status.

    Raises:
        ValueError: a word is bad, the client is not installed or not told enough, or the dataset
            or the transcript file cannot be used.
    """
    values = {name: value for name, value in read_words(words, KEYS).items() if value != ""}
    for key in ("model", "dataset"):
        if key not in values:
            raise ValueError(f"{key}=... is needed; `facelet run --help` explains the keys")
    said, folder = str(values["model"]), expand(str(values["dataset"]))
    served = said.removeprefix(PROVIDER)
    if served in ("", said):
        raise ValueError(f"model={said} must be {PROVIDER} and the name that the server knows")
    numbers = {
        key: check_range(key, int(str(values.get(key, default))), low)
        for key, default, low in (
            ("workers", 8, 1),
            ("samples", 1, 1),
            ("retries", 5, 0),
            ("timeout", 600, 1),
        )
    }
    limit, seconds = (
        check_range(key, int(str(values[key])), 1) if key in values else None
        for key in ("limit", "time_limit")
    )
    model, close = client(
        served,
        str(values.get("base_url", "")),
        retries=numbers["retries"],
        timeout=numbers["timeout"],
        sampling=sampling_of(values),
    )
    name = str(values.get("name", served))
    fallback = f"{str(folder).rstrip('/')}.run/{served.replace('/', '_')}.jsonl"
    out = expand(str(values.get("out", fallback)))
    parts = choose(
        folder,
        words_of(values, "suites"),
        words_of(values, "configs"),
        str(values.get("split", "")),
    )
    wanted = {part: sampled(part, limit) for part in parts}
    held = _held(out)
    todo = [
        (identifier, sample)
        for ids in wanted.values()
        for identifier in ids
        for sample in range(numbers["samples"])
        if (identifier, name, sample) not in held
    ]
    print(plain(f"{said}: {estimate(wanted, [key for key, _ in todo]).text()}"), file=sys.stderr)
    if todo and not values.get("yes", False) and not _agreed():
        print("nothing was asked", file=sys.stderr)
        return 1
    try:
        with closing(_Progress(len(todo))) as progress:
            tally = batch.run(
                chosen_rows(folder, wanted),
                model,
                out,
                name=name,
                samples=numbers["samples"],
                workers=numbers["workers"],
                time_limit=seconds,
                watch=progress.see,
            )
    except RuntimeError as error:
        print(plain(f"facelet run: {error}"), file=sys.stderr)
        return 1
    finally:
        close()
    print(f"played {tally.played:,}, held already {tally.skipped:,}, failed {tally.errors:,}")
    print(plain(f"transcripts: {out}"))
    again = command("score", dataset=folder, predictions=out, missing="ignore")
    print(plain(f"score it: {again}"))
    return 1 if tally.errors else 0


def client(
    served: str, base_url: str, *, retries: int, timeout: int, sampling: Mapping[str, Any]
) -> tuple[batch.Model, Callable[[], None]]:
    """Return a model for `facelet.environment.run`, and what closes its connections.

    Args:
        served: the name that the server knows.
        base_url: its address; "" for what the client takes by itself.
        retries: tries again of one request.
        timeout: seconds that one request may take.
        sampling: what else each request says.

    Raises:
        ValueError: the client is not installed, or has no key.
    """
    try:
        import openai
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise ValueError(
            "the package 'openai' is needed; install it with `pip install 'facelet[run]'`"
        ) from None
    key = os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
    try:
        server = openai.OpenAI(
            api_key=key, base_url=base_url or None, max_retries=retries, timeout=timeout
        )
    except openai.OpenAIError as error:
        raise ValueError(f"{error}; or name a server with base_url=...") from None

    def model(messages: Chat) -> batch.Answer:
        chat: Any = messages
        answer = server.chat.completions.create(model=served, messages=chat, **sampling)
        if not answer.choices:
            raise ValueError("the server sent no choice")
        (choice, *_), usage = answer.choices, answer.usage
        content = choice.message.content
        ended = "refusal" if getattr(choice.message, "refusal", None) else choice.finish_reason
        made = batch.Answer(content or "", finish_reason=ended, null=content is None)
        if usage is None:
            return made
        return made._replace(
            prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens
        )

    return model, server.close


class _Progress:
    """A bar with the share of plays that were right, where a person sees it."""

    def __init__(self, total: int) -> None:
        self._bar = tqdm(total=total, unit="play", disable=not shows_progress())
        self._right = self._ended = 0

    def see(self, record: Mapping[str, Any]) -> None:
        """Count one more line of the transcript file."""
        if not record.get("error"):
            self._ended += 1
            self._right += record.get("outcome", {}).get("status") == "correct"
            self._bar.set_postfix_str(f"correct {self._right / self._ended:.1%}", refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()


def _held(out: Path) -> set[tuple[str, str, int]]:
    """Return what a transcript file holds already."""
    if not out.is_file():
        return set()
    with appending(out) as file:
        return file.held


def _agreed() -> bool:
    """Ask whether to begin."""
    if not sys.stdin.isatty():
        raise ValueError("say yes=true to begin where nobody can be asked")
    print("Begin? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def sampling_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each request says beside the model and the chat.

    Raises:
        ValueError: a number is out of range, or none.
    """
    told: dict[str, Any] = {
        name: check_range(name, int(str(values[name])), 1)
        for name in ("max_tokens", "max_completion_tokens")
        if name in values
    }
    if "temperature" in values:
        try:
            told["temperature"] = float(str(values["temperature"]))
        except ValueError:
            raise ValueError(f"temperature={values['temperature']} is no number") from None
        if not 0 <= told["temperature"] < float("inf"):
            raise ValueError(f"temperature={values['temperature']} must be at least 0")
    return told
