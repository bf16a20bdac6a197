"""Passing: rows as batch files of OpenAI or vLLM; one pass for each turn of a play.

A pass is a function of the dataset and of all answers so far: each play is taken again from its
first prompt with the replies that are there, and asks the first turn that has none. So nothing is
kept between passes but the answer files, and a request that failed is asked again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from facelet.pipeline.rollout.row_episode import Play, open_row
from facelet.pipeline.rollout.row_selection import (
    list_chosen_rows,
    sample_ids,
    select_splits,
)
from facelet.pipeline.rollout.transcript_file import ReplyEndings
from facelet.pipeline.scoring.ingest import file_reader
from facelet.pipeline.scoring.row_index import fold_id
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets
from facelet.pipeline.shell_commands import format_command

TRANSCRIPTS = "transcripts.jsonl"

_MEGA = 1_000_000


@dataclass
class PassCounts:
    """What one pass found.

    Attributes:
        over: number of plays that are over.
        asked: number of plays by the turn that they are asked.
    """

    over: int = 0
    asked: Counter[int] = field(default_factory=Counter)


def write_pass(settings: RequestSettings) -> None:
    """Write the batch files of a pass, and the transcripts of the plays that are over.

    Raises:
        ValueError: a value will not do, or the dataset, the answers or the folder cannot be used.
        OSError: a file cannot be read or written.
    """
    model, folder, samples = settings.model, settings.dataset, settings.samples
    name = settings.name or model
    parts = select_splits(folder, settings.suites, settings.configs, settings.split)
    _check_request_names(dataset_reader.list_splits(folder))
    wanted = {part: sample_ids(part, settings.limit) for part in parts}
    told = file_reader.find_files(settings.answers) if settings.answers else []
    answers = read_answers(told)
    out = settings.out or _next_pass_folder(folder, model)
    settings.check_options()
    recorded = settings.to_record(SecretRedactor(list_environment_secrets()))
    if recorded.get("extra_body", {}) != settings.extra_body:
        raise ValueError(
            "extra_body holds what looks like a key or a password, and batch files would hold it "
            "too; leave it out, as the API takes keys from the upload"
        )
    shared = settings.api == "chat"
    found = PassCounts()
    with BatchWriter(
        out, lines=settings.lines, size=settings.mb * _MEGA, prefix=settings.pictures
    ) as batches:
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
        if told and not answers.used:
            raise ValueError(
                "\n".join(
                    [
                        "none of the answers is a reply to a request of these rows; say the words "
                        "again with which the requests were written",
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
    """Yield the transcripts of a row's plays that are over, and what the others are to be asked.

    What is asked has the keys custom_id, turn and messages.

    Args:
        row: a row as published.
        answers: the answers so far.
        samples: plays of the row.
        found: counts what is found.
        name: the model's name in transcripts.
        shared: whether the samples share one first turn.
    """
    begun: set[str] = set()
    for sample in range(samples):
        play, endings = open_row(row), ReplyEndings()
        asked = advance_play(play, answers, sample, endings, shared=shared)
        if asked is None:
            found.over += 1
            yield endings.annotate_record(play.transcript(name, sample))
            continue
        turn = len(play.replies) + 1
        found.asked[turn] += 1
        if asked not in begun:
            begun.add(asked)
            yield {"custom_id": asked, "turn": turn, "messages": play.messages}


def advance_play(
    play: Play, answers: BatchAnswers, sample: int, endings: ReplyEndings, *, shared: bool = True
) -> str | None:
    """Take a play as far as the answers go; return the custom_id of the turn that is missing.

    Args:
        play: the play, from its first prompt.
        answers: the answers so far.
        sample: which of several plays it is.
        endings: takes how the replies ended.
        shared: whether the samples share one first turn.

    Returns:
        The name of the request, or None if the play is over.
    """
    while not play.done:
        turn = len(play.replies) + 1
        name = format_custom_id(play.id, turn, sample, shared=shared)
        reply = answers.take_reply(name, sample if turn == 1 and shared else 0)
        if reply is None:
            return name
        endings.add_reply(reply.finish_reason, null=reply.null)
        play.reply(reply.text)
    return None


def _check_request_names(parts: Sequence[dataset_reader.SplitFiles]) -> None:
    """Raise ValueError if two rows would have one name in a batch."""
    seen: set[str] = set()
    for part in parts:
        for row in part.iterate_rows(["id"]):
            name = fold_id(row["id"])
            if name in seen:
                raise ValueError(
                    f"the id {row['id']!r} reads {name!r} in a batch file, like that of another "
                    "row; rename one of their configs"
                )
            seen.add(name)


def _next_pass_folder(folder: Path, model: str) -> Path:
    """Return the folder of the first pass that is not there yet."""
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
    """Print what was written and what to do next.

    Args:
        out: the folder.
        folder: the dataset.
        found: what the pass found.
        batches: the files.
        answers: the answers.
        hosted: whether pictures are named by address.
    """
    turns = ", ".join(f"{found.asked[turn]:,} at turn {turn}" for turn in sorted(found.asked))
    print(
        sanitize_text(
            f"{out}: {batches.written:,} requests in {batches.files} files ({turns or 'none'})"
        )
    )
    if answers.failed or answers.broken or answers.count_unused:
        print(
            f"of the answers, {answers.failed:,} report an error, {answers.broken:,} could not be "
            f"read, {answers.count_unused:,} are to other requests"
        )
        for line in answers.reasons.format_lines():
            print(sanitize_text(line))
    if hosted and batches.written:
        print(
            sanitize_text(f"put {out / PICTURES} where the lines look for it, before you send them")
        )
    if batches.written:
        print(
            "next: the same words with answers=..., the API's output files of all passes so far, "
            "and a new out; it asks what is to be asked then, and has the plays that are over"
        )
    if found.over:
        print(f"plays that are over: {found.over:,}")
        path = out / TRANSCRIPTS
        again = format_command("score", dataset=folder, predictions=path, missing="ignore")
        print(sanitize_text(f"score them: {again}"))
