"""Let a model behind an OpenAI-compatible API answer rows of a dataset, and report the run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.dataset.store_address import folder_beside
from facelet.pipeline.model_runner.settings import RunSettings
from facelet.pipeline.rollout import jail, rollout_runner
from facelet.pipeline.rollout.jail import CodePlace
from facelet.pipeline.rollout.model_client import ModelServer, connect_model, server_of
from facelet.pipeline.rollout.rollout_tally import PlayProgress
from facelet.pipeline.rollout.row_selection import (
    estimate_prompts,
    list_chosen_rows,
    sample_ids,
    select_splits,
)
from facelet.pipeline.rollout.transcript_file import open_transcripts
from facelet.pipeline.secret_redaction import (
    SecretRedactor,
    iterate_field_secrets,
    list_environment_secrets,
)
from facelet.pipeline.shell_commands import format_command

PROVIDER = "openai/"
"""Prefix of model names, which names the API as in other tools."""

GIVE_UP = 20
"""Number of consecutive failed plays that ends a run."""


def run_model(settings: RunSettings) -> int:
    """Run the model and return the exit status.

    Raises:
        ValueError: the client is not installed, a setting is missing, or the dataset or the
            transcript file cannot be used. The message contains no key.
    """
    return _run_redacted(settings, _run_requests)


def check_model(settings: RunSettings) -> None:
    """Raise the errors that `run_model` raises before it reads the dataset.

    Raises:
        ValueError: the client is not installed, a setting is missing, or nobody can confirm the
            start. The message contains no key.
    """
    _run_redacted(settings, _check_connection)
    if not settings.yes:
        _check_terminal()


def locate_transcripts(settings: RunSettings) -> Path:
    """Return the transcript file of a run."""
    served = settings.model.removeprefix(PROVIDER)
    return settings.out or folder_beside(settings.dataset, "run") / (
        f"{served.replace('/', '_')}.jsonl"
    )


def _run_redacted(
    settings: RunSettings, act: Callable[[RunSettings, ModelServer, SecretRedactor], int]
) -> int:
    """Do something with the server of some settings; errors contain no secret of theirs."""
    secrets = SecretRedactor(list_environment_secrets())
    try:
        server = server_of(settings)
        settings.check_options()
        secrets = SecretRedactor(
            [*server.secret_values, *iterate_field_secrets(settings.extra_body)]
        )
        return act(settings, server, secrets)
    except ValueError as error:
        failure = secrets.format_error(str(error))
    raise ValueError(failure)


def _served_name(settings: RunSettings) -> str:
    """Return the server's name of the model."""
    served = settings.model.removeprefix(PROVIDER)
    if served in ("", settings.model):
        raise ValueError(
            f"model={settings.model} must be {PROVIDER}NAME, with NAME as the server lists it"
        )
    return served


def _check_connection(settings: RunSettings, server: ModelServer, secrets: SecretRedactor) -> int:
    connect_model(server, _served_name(settings), settings, secrets)[1]()
    return 0


def _run_requests(settings: RunSettings, server: ModelServer, secrets: SecretRedactor) -> int:
    folder, served = settings.dataset, _served_name(settings)
    recorded = settings.to_record(secrets, server.headers)
    if settings.code != "off":
        recorded = {**recorded, "code": settings.code, "code_seconds": settings.code_seconds}
        _try_code(settings.code)
    model, close = connect_model(server, served, settings, secrets)
    name = settings.name or served
    out = locate_transcripts(settings)
    parts = select_splits(folder, settings.suites, settings.configs, settings.split)
    wanted = {part: sample_ids(part, settings.limit) for part in parts}
    finished = _read_finished(out, name, recorded)
    todo = [
        (identifier, sample)
        for ids in wanted.values()
        for identifier in ids
        for sample in range(settings.samples)
        if (identifier, name, sample) not in finished
    ]
    print(
        sanitize_text(
            f"{settings.model}: {estimate_prompts(wanted, [key for key, _ in todo]).format_text()}"
        ),
        file=sys.stderr,
    )
    if todo and not settings.yes and not _confirm_start():
        print("cancelled: no request was sent", file=sys.stderr)
        return 1
    try:
        with closing(PlayProgress(len(todo))) as progress:
            tally = rollout_runner.run(
                list_chosen_rows(folder, wanted),
                model,
                out,
                name=name,
                samples=settings.samples,
                workers=settings.workers,
                time_limit=settings.time_limit,
                code=settings.code,
                code_seconds=settings.code_seconds,
                give_up=GIVE_UP,
                settings=recorded,
                watch=progress.count_record,
            )
    except rollout_runner.TooManyFailures:
        _print_lines(progress.summary_lines())
        print(
            f"facelet run: stopped after {GIVE_UP} failed plays in a row; the same command resumes",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        _print_lines(
            [*progress.summary_lines(), f"transcripts: {out}", "the same command resumes the run"]
        )
        raise
    finally:
        close()
    again = format_command("score", dataset=folder, predictions=out, missing="ignore")
    _print_lines(
        [
            f"{tally.count_finished:,} completed, {tally.skipped:,} already done, "
            f"{tally.errors:,} failed",
            *progress.summary_lines(),
            f"transcripts: {out}",
            *([f"score it: {again}"] if tally.count_finished + tally.skipped else []),
        ]
    )
    return 1 if tally.errors else 0


def _try_code(place: CodePlace) -> None:
    """Run no code where code is to run.

    Raises:
        ValueError: this machine supports no jail.
    """
    try:
        jail.run_code({}, "", jail="namespaces" if place == "jail" else "none")
    except jail.NoJailError as error:
        raise ValueError(f"code={place}: {error}") from error


def _print_lines(lines: Sequence[str]) -> None:
    for line in lines:
        print(sanitize_text(line))


def _read_finished(
    out: Path, name: str, settings: Mapping[str, object]
) -> set[tuple[str, str, int]]:
    """Return the plays that a transcript file contains.

    Raises:
        ValueError: it is no transcript file, or contains plays of this name with other settings.
    """
    if not out.is_file():
        return set()
    with open_transcripts(out) as file:
        file.check_settings(name, settings)
        return file.held


def _confirm_start() -> bool:
    """Ask for confirmation."""
    _check_terminal()
    print("Start? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _check_terminal() -> None:
    if not sys.stdin.isatty():
        raise ValueError("no terminal to ask on: pass yes=true to start")
