"""Write the batch files of one pass, which asks one turn of each play that is not over.

A pass depends only on the dataset and all answers so far: it replays each play from its first
prompt and requests the first turn without an answer. So the answer files are the only state between
passes, and failed requests are retried.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.batch_requests.batch_outputs import BatchAnswers, read_answers
from facelet.pipeline.batch_requests.request_lines import (
    PICTURES,
    BatchWriter,
    build_request,
    format_custom_id,
)
from facelet.pipeline.batch_requests.settings import RequestSettings
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.store_address import folder_beside
from facelet.pipeline.dataset.whole_folder import check_new_folder, write_folder
from facelet.pipeline.rollout.play_recorder import PlayRecorder
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.row_selection import (
    list_chosen_rows,
    sample_ids,
    select_splits,
)
from facelet.pipeline.scoring.ingest import file_reader
from facelet.pipeline.scoring.row_index import fold_id
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets
from facelet.pipeline.shell_commands import format_command

TRANSCRIPTS = "transcripts.jsonl"

_MEGA = 1_000_000


@dataclass
class PassCounts:
    """Counts of one pass.

    Attributes:
        over: number of finished plays.
        asked: number of requested plays by turn.
    """

    over: int = 0
    asked: Counter[int] = field(default_factory=Counter)


def write_pass(settings: RequestSettings) -> None:
    """Write the batch files of a pass and the transcripts of finished plays.

    Raises:
        ValueError: a value is invalid, or the dataset, the answers or the folder cannot be used.
        OSError: a file cannot be read or written.
    """
    model, folder, samples = settings.model, settings.dataset, settings.samples
    name = settings.name or model
    parts = select_splits(folder, settings.suites, settings.configs, settings.split)
    _check_request_names(dataset_reader.list_splits(folder))
    wanted = {part: sample_ids(part, settings.limit) for part in parts}
    files = file_reader.find_files(settings.answers) if settings.answers else []
    answers = read_answers(files)
    out = settings.out or _next_pass_folder(folder, model)
    settings.check_options()
    recorded = settings.to_record(SecretRedactor(list_environment_secrets()))
    if recorded.get("extra_body", {}) != settings.extra_body:
        raise ValueError(
            "extra_body contains what looks like a key or a password, which batch files would "
            "reveal; leave it out, because the API reads keys from the upload"
        )
    shared = settings.api == "chat"
    found = PassCounts()
    check_new_folder(out)
    size = settings.mb * _MEGA
    with (
        write_folder(out) as work,
        closing(
            BatchWriter(work, lines=settings.lines, size=size, prefix=settings.pictures)
        ) as batches,
    ):
        with batches.next_file_path(TRANSCRIPTS).open("w", encoding="ascii") as transcripts:
            for row in list_chosen_rows(folder, wanted):
                for line in iterate_transcripts(row, answers, samples, found, name, shared=shared):
                    if "custom_id" not in line:
                        transcripts.write(json.dumps({**line, "settings": recorded}) + "\n")
                        continue
                    choices = samples if line["turn"] == 1 and shared else 1
                    batches.write_line(
                        build_request(line["custom_id"], model, line["messages"], settings, choices)
                    )
        if files and not answers.used:
            raise ValueError(
                "\n".join(
                    [
                        "no answer belongs to a request of these rows; repeat the arguments that "
                        "wrote the requests",
                        *answers.reasons.format_lines(),
                    ]
                )
            )
        if not found.over:
            batches.next_file_path(TRANSCRIPTS).unlink()
    _print_summary(out, folder, found, batches, answers, bool(settings.pictures))


def iterate_transcripts(
    row: Mapping[str, object],
    answers: BatchAnswers,
    samples: int,
    found: PassCounts,
    name: str,
    *,
    shared: bool = True,
) -> Iterator[Mapping[str, Any]]:
    """Yield the transcripts of a row's finished plays, and the requests of the others.

    A request has the keys custom_id, turn and messages.

    Args:
        row: a row as published.
        answers: the answers so far.
        samples: number of plays of the row.
        found: counts the plays.
        name: name of the model in transcripts.
        shared: whether all samples share one first request.
    """
    requested: set[str] = set()
    for sample in range(samples):
        recorder = PlayRecorder(open_row(row))
        if (request := advance_play(recorder, answers, sample, shared=shared)) is None:
            found.over += 1
            yield recorder.build_transcript(name, sample, live=False)
            continue
        turn = len(recorder.answers) + 1
        found.asked[turn] += 1
        if request not in requested:
            requested.add(request)
            yield {"custom_id": request, "turn": turn, "messages": recorder.play.messages}


def advance_play(
    recorder: PlayRecorder, answers: BatchAnswers, sample: int, *, shared: bool = True
) -> str | None:
    """Replay a play as far as there are answers.

    Args:
        recorder: the play, at its first prompt.
        answers: the answers so far.
        sample: number of the play among those of the row.
        shared: whether all samples share one first request.

    Returns:
        The custom_id of the missing answer, or None if the play is over.
    """
    while not recorder.play.done:
        turn = len(recorder.answers) + 1
        name = format_custom_id(recorder.play.id, turn, sample, shared=shared)
        if (answer := answers.take_reply(name, sample if turn == 1 and shared else 0)) is None:
            return name
        recorder.take_answer(answer)
    return None


def _check_request_names(parts: Sequence[dataset_reader.SplitFiles]) -> None:
    """Raise ValueError if two rows have the same name in a batch."""
    seen: set[str] = set()
    for part in parts:
        for row in part.iterate_rows(["id"]):
            if (name := fold_id(row["id"])) in seen:
                raise ValueError(
                    f"the id {row['id']!r} becomes {name!r} in a batch file, as does that of "
                    "another row; rename one of their configs"
                )
            seen.add(name)


def _next_pass_folder(folder: Path, model: str) -> Path:
    """Return the folder of the first pass that does not exist yet."""
    base, number = folder_beside(folder, "requests"), 1
    name = model.replace("/", "_")
    while (base / f"{name}-{number}").exists():
        number += 1
    return base / f"{name}-{number}"


def _print_summary(
    out: Path,
    folder: Path,
    found: PassCounts,
    batches: BatchWriter,
    answers: BatchAnswers,
    hosted: bool,
) -> None:
    """Print what was written and the next step.

    Args:
        out: the folder.
        folder: the dataset.
        found: counts of the pass.
        batches: the files.
        answers: the answers.
        hosted: whether requests contain addresses of pictures.
    """
    turns = ", ".join(f"{found.asked[turn]:,} at turn {turn}" for turn in sorted(found.asked))
    print(
        sanitize_text(
            f"{out}: {_format_count(batches.written, 'request')} in "
            f"{_format_count(batches.files, 'file')} ({turns or 'none'})"
        )
    )
    if answers.failed or answers.broken or answers.count_unused:
        print(
            f"of the answers, {answers.failed:,} report an error, {answers.broken:,} could not be "
            f"read, {answers.count_unused:,} belong to other requests"
        )
        for line in answers.reasons.format_lines():
            print(sanitize_text(line))
    if hosted and batches.written:
        print(sanitize_text(f"upload {out / PICTURES} to the address in the lines before sending"))
    if batches.written:
        print(
            "next: repeat the command with answers=..., the API's output files of all passes so "
            "far, and a new out=...; it writes the next requests and the finished plays"
        )
    if found.over:
        print(f"finished plays: {found.over:,}")
        path = out / TRANSCRIPTS
        again = format_command("score", dataset=folder, predictions=path, missing="ignore")
        print(sanitize_text(f"score them: {again}"))


def _format_count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
