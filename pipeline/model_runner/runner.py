"""Running: a model on a server that speaks an API of OpenAI's answers rows of a dataset.

Which rows are asked is chosen in `facelet.pipeline.environment.choosing`, how the server is asked
stands in `environment.server` and `asking.sampling`. Plays and the transcript file are those of
`facelet.environment.run`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from facelet.pipeline.asking.settings import RunSettings
from facelet.pipeline.commands import command
from facelet.pipeline.dataset.addresses import folder_beside
from facelet.pipeline.environment import batch
from facelet.pipeline.environment.choosing import choose, chosen_rows, estimate, sampled
from facelet.pipeline.environment.server import Server, connect, server_of
from facelet.pipeline.environment.telling import Progress
from facelet.pipeline.environment.transcripts import appending
from facelet.pipeline.redaction import Secrets, of_environment, of_fields
from facelet.pipeline.words import plain

PROVIDER = "openai/"
"""How the name of a model begins, as in other tools: whose API its server speaks."""

GIVE_UP = 20
"""How many plays in a row may fail."""


def ask(settings: RunSettings) -> int:
    """Ask the model and return the exit status.

    Raises:
        ValueError: the client is not installed or not told enough, or the dataset or the
            transcript file cannot be used. No key stands in it.
    """
    secrets = Secrets(of_environment())
    try:
        server = server_of(settings)
        settings.check_together()
        secrets = Secrets([*server.secrets, *of_fields(settings.extra_body)])
        return _ask(settings, server, secrets)
    except ValueError as error:
        failure = secrets.tell(str(error))
    raise ValueError(failure)


def _ask(settings: RunSettings, server: Server, secrets: Secrets) -> int:
    folder = settings.dataset
    served = settings.model.removeprefix(PROVIDER)
    if served in ("", settings.model):
        raise ValueError(
            f"model={settings.model} must be {PROVIDER} and the name that the server knows"
        )
    recorded = settings.record(secrets, server.headers)
    model, close = connect(server, served, settings, secrets)
    name = settings.name or served
    out = settings.out or folder_beside(folder, "run") / f"{served.replace('/', '_')}.jsonl"
    parts = choose(folder, settings.suites, settings.configs, settings.split)
    wanted = {part: sampled(part, settings.limit) for part in parts}
    held = _held(out, name, recorded)
    todo = [
        (identifier, sample)
        for ids in wanted.values()
        for identifier in ids
        for sample in range(settings.samples)
        if (identifier, name, sample) not in held
    ]
    print(
        plain(f"{settings.model}: {estimate(wanted, [key for key, _ in todo]).text()}"),
        file=sys.stderr,
    )
    if todo and not settings.yes and not _agreed():
        print("nothing was asked", file=sys.stderr)
        return 1
    try:
        with closing(Progress(len(todo))) as progress:
            tally = batch.run(
                chosen_rows(folder, wanted),
                model,
                out,
                name=name,
                samples=settings.samples,
                workers=settings.workers,
                time_limit=settings.time_limit,
                give_up=GIVE_UP,
                settings=recorded,
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


def _held(out: Path, name: str, settings: Mapping[str, object]) -> set[tuple[str, str, int]]:
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
