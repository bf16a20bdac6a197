"""`facelet run`: a model on a server that speaks an API of OpenAI's answers rows of a dataset.

Which rows are asked is chosen in facelet.pipeline.environment.choosing, how the server is asked
stands in `server` and `sampling`. Plays and the transcript file are those of
`facelet.environment.run`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from facelet.pipeline.commands import command
from facelet.pipeline.environment import batch
from facelet.pipeline.environment.choosing import (
    CHOICE,
    choose,
    chosen_rows,
    estimate,
    sampled,
    words_of,
)
from facelet.pipeline.environment.sampling import SAMPLING, Sampling, sampling_of
from facelet.pipeline.environment.server import Server, connect, server_of
from facelet.pipeline.environment.telling import Progress
from facelet.pipeline.environment.transcripts import appending
from facelet.pipeline.redaction import Secrets, of_environment, of_fields
from facelet.pipeline.words import Key, check_range, expand, help_table, plain, read_words

PROVIDER = "openai/"
"""How the name of a model begins, as in other tools: whose API its server speaks."""

GIVE_UP = 20
"""How many plays in a row may fail."""

KEYS = (
    Key("model", "str", "", "openai/NAME", "The model, as the server calls it, behind openai/."),
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    Key(
        "base_url",
        "str",
        "OPENAI_BASE_URL, else api.openai.com",
        "an address such as http://localhost:8000/v1",
        "The server: anything that speaks chat completions, or Responses (api=responses). The key "
        "is OPENAI_API_KEY; a server that is named here may need none.",
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
        "Seconds that a play may take, such as 1800; it ends after the reply that "
        "is under way, which still counts.",
    ),
    *SAMPLING,
    Key(
        "headers",
        "str",
        "{}",
        'a JSON object of texts, such as \'{"X-Title": "facelet"}\'',
        "Further headers of each request. Their names are written, their values never.",
    ),
    Key("yes", "bool", "false", "true or false", "Begin without asking."),
)

HELP = f"""facelet run model=openai/NAME dataset=DIR [key=value ...]

Asks a model on any OpenAI-compatible server (OpenAI, vLLM, Ollama, llama.cpp): single questions and
episodes of many turns, with their pictures. First it says how many requests that takes, and asks.
Every finished play is appended to the transcript file at once. Stop it with Ctrl-C and start it
again with the same words: what is in the file is not asked again; what had failed is. After Ctrl-C,
replies that are under way are waited for; an episode that is not over then begins anew next time.

How the model was asked stands in each transcript. A file that holds plays by the same name with
other settings is refused: say another name=... or out=... What a play failed of is told at the end,
each reason once. Keys, passwords and values of headers are written nowhere, and hidden in what
servers say.

Needs the client: pip install 'facelet[run]'.

Keys:
{help_table(KEYS)}

Examples:
  facelet run model=openai/gpt-5 dataset=data/out/facelet-paper limit=50
  facelet run model=openai/qwen base_url=http://localhost:8000/v1 dataset=DIR suites=SUITE yes=true

Exit status: 0 all is answered, 1 plays failed or nobody said yes, 2 a bad word, dataset or file.
"""


def run(words: Sequence[str]) -> int:
    """Ask the model and return the exit status.

    Raises:
        ValueError: a word is bad, the client is not installed or not told enough, or the dataset
            or the transcript file cannot be used. No key stands in it.
    """
    secrets = Secrets(of_environment())
    try:
        values = {name: value for name, value in read_words(words, KEYS).items() if value != ""}
        server = server_of(values)
        sampling = sampling_of(values)
        secrets = Secrets([*server.secrets, *of_fields(sampling.extra_body)])
        return _run(values, server, sampling, secrets)
    except ValueError as error:
        failure = secrets.tell(str(error))
    raise ValueError(failure)


def _run(values: Mapping[str, Any], server: Server, sampling: Sampling, secrets: Secrets) -> int:
    for key in ("model", "dataset"):
        if key not in values:
            raise ValueError(f"{key}=... is needed; `facelet run --help` explains the keys")
    said, folder = str(values["model"]), expand(str(values["dataset"]))
    served = said.removeprefix(PROVIDER)
    if served in ("", said):
        raise ValueError(f"model={said} must be {PROVIDER} and the name that the server knows")
    workers, samples = (
        check_range(key, int(str(values.get(key, default))), 1)
        for key, default in (("workers", 8), ("samples", 1))
    )
    limit, seconds = (
        check_range(key, int(str(values[key])), 1) if key in values else None
        for key in ("limit", "time_limit")
    )
    settings = sampling.record(secrets, server.headers)
    model, close = connect(server, served, sampling, secrets)
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
    held = _held(out, name, settings)
    todo = [
        (identifier, sample)
        for ids in wanted.values()
        for identifier in ids
        for sample in range(samples)
        if (identifier, name, sample) not in held
    ]
    print(plain(f"{said}: {estimate(wanted, [key for key, _ in todo]).text()}"), file=sys.stderr)
    if todo and not values.get("yes", False) and not _agreed():
        print("nothing was asked", file=sys.stderr)
        return 1
    try:
        with closing(Progress(len(todo))) as progress:
            tally = batch.run(
                chosen_rows(folder, wanted),
                model,
                out,
                name=name,
                samples=samples,
                workers=workers,
                time_limit=seconds,
                give_up=GIVE_UP,
                settings=settings,
                watch=progress.see,
            )
    except batch.GaveUp:
        _print(progress.lines())
        print(
            f"facelet run: stopped, as the last {GIVE_UP} plays all failed; the same words go on",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        _print([*progress.lines(), f"transcripts: {out}", "the same words go on"])
        raise
    finally:
        close()
    again = command("score", dataset=folder, predictions=out, missing="ignore")
    _print(
        [
            f"played {tally.played:,}, held already {tally.skipped:,}, failed {tally.errors:,}",
            *progress.lines(),
            f"transcripts: {out}",
            *([f"score it: {again}"] if tally.played + tally.skipped else []),
        ]
    )
    return 1 if tally.errors else 0


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        print(plain(line))


def _held(out: Path, name: str, settings: Mapping[str, Any]) -> set[tuple[str, str, int]]:
    """Return what a transcript file holds already.

    Raises:
        ValueError: it is none, or holds plays by this name that were asked with other settings.
    """
    if not out.is_file():
        return set()
    with appending(out) as file:
        file.check_settings(name, settings)
        return file.held


def _agreed() -> bool:
    """Ask whether to begin."""
    if not sys.stdin.isatty():
        raise ValueError("say yes=true to begin where nobody can be asked")
    print("Begin? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
