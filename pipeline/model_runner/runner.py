"""Running: a model on a server that speaks an API of OpenAI's answers rows of a dataset.

Which rows are asked is chosen in `facelet.pipeline.rollout.row_selection`, how the server is asked
stands in `environment.server` and `asking.sampling`. Plays and the transcript file are those of
`facelet.environment.run`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.dataset.store_address import folder_beside
from facelet.pipeline.model_runner.settings import RunSettings
from facelet.pipeline.rollout import rollout_runner
from facelet.pipeline.rollout.model_client import ModelServer, connect_model, server_of
from facelet.pipeline.rollout.progress_bar import PlayProgress
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
"""How the name of a model begins, as in other tools: whose API its server speaks."""

GIVE_UP = 20
"""How many plays in a row may fail."""


def run_model(settings: RunSettings) -> int:
    """Ask the model and return the exit status.

    Raises:
        ValueError: the client is not installed or not told enough, or the dataset or the
            transcript file cannot be used. No key stands in it.
    """
    secrets = SecretRedactor(list_environment_secrets())
    try:
        server = server_of(settings)
        settings.check_options()
        secrets = SecretRedactor(
            [*server.secret_values, *iterate_field_secrets(settings.extra_body)]
        )
        return _run_requests(settings, server, secrets)
    except ValueError as error:
        failure = secrets.format_error(str(error))
    raise ValueError(failure)


def _run_requests(settings: RunSettings, server: ModelServer, secrets: SecretRedactor) -> int:
    folder = settings.dataset
    served = settings.model.removeprefix(PROVIDER)
    if served in ("", settings.model):
        raise ValueError(
            f"model={settings.model} must be {PROVIDER} and the name that the server knows"
        )
    recorded = settings.to_record(secrets, server.headers)
    model, close = connect_model(server, served, settings, secrets)
    name = settings.name or served
    out = settings.out or folder_beside(folder, "run") / f"{served.replace('/', '_')}.jsonl"
    parts = select_splits(folder, settings.suites, settings.configs, settings.split)
    wanted = {part: sample_ids(part, settings.limit) for part in parts}
    held = _read_finished(out, name, recorded)
    todo = [
        (identifier, sample)
        for ids in wanted.values()
        for identifier in ids
        for sample in range(settings.samples)
        if (identifier, name, sample) not in held
    ]
    print(
        sanitize_text(
            f"{settings.model}: {estimate_prompts(wanted, [key for key, _ in todo]).format_text()}"
        ),
        file=sys.stderr,
    )
    if todo and not settings.yes and not _confirm_start():
        print("nothing was asked", file=sys.stderr)
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
                give_up=GIVE_UP,
                settings=recorded,
                watch=progress.count_record,
            )
    except rollout_runner.TooManyFailures:
        _print_lines(progress.summary_lines())
        print(
            f"facelet run: stopped, as the last {GIVE_UP} plays all failed; the same words go on",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        _print_lines([*progress.summary_lines(), f"transcripts: {out}", "the same words go on"])
        raise
    finally:
        close()
    again = format_command("score", dataset=folder, predictions=out, missing="ignore")
    _print_lines(
        [
            f"played {tally.count_finished:,}, held already {tally.skipped:,}, "
            f"failed {tally.errors:,}",
            *progress.summary_lines(),
            f"transcripts: {out}",
            *([f"score it: {again}"] if tally.count_finished + tally.skipped else []),
        ]
    )
    return 1 if tally.errors else 0


def _print_lines(lines: Sequence[str]) -> None:
    for line in lines:
        print(sanitize_text(line))


def _read_finished(
    out: Path, name: str, settings: Mapping[str, object]
) -> set[tuple[str, str, int]]:
    """Return what a transcript file holds already.

    Raises:
        ValueError: it is none, or holds plays by this name that were asked with other settings.
    """
    if not out.is_file():
        return set()
    with open_transcripts(out) as file:
        file.check_settings(name, settings)
        return file.held


def _confirm_start() -> bool:
    """Ask whether to begin."""
    if not sys.stdin.isatty():
        raise ValueError("say yes=true to begin where nobody can be asked")
    print("Begin? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
