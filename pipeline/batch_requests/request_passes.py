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

from facelet.pipeline.commands import command
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.addresses import folder_beside
from facelet.pipeline.environment.choosing import (
    choose,
    chosen_rows,
    sampled,
)
from facelet.pipeline.environment.play import Play, open_row
from facelet.pipeline.environment.transcripts import Endings
from facelet.pipeline.redaction import Secrets, of_environment
from facelet.pipeline.requests.lines import PICTURES, Batches, custom_id, request
from facelet.pipeline.requests.outputs import Answers, read_answers
from facelet.pipeline.requests.settings import RequestSettings
from facelet.pipeline.scoring.row_index import fold
from facelet.pipeline.scoring.taking import files
from facelet.pipeline.words import plain

TRANSCRIPTS = "transcripts.jsonl"

_MEGA = 1_000_000


@dataclass
class Pass:
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
    parts = choose(folder, settings.suites, settings.configs, settings.split)
    _check_names(reading.splits(folder))
    wanted = {part: sampled(part, settings.limit) for part in parts}
    told = files.find(settings.answers) if settings.answers else []
    answers = read_answers(told)
    out = settings.out or _next(folder, model)
    settings.check_together()
    recorded = settings.record(Secrets(of_environment()))
    if recorded.get("extra_body", {}) != settings.extra_body:
        raise ValueError(
            "extra_body holds what looks like a key or a password, and batch files would hold it "
            "too; leave it out, as the API takes keys from the upload"
        )
    shared = settings.api == "chat"
    found = Pass()
    with Batches(
        out, lines=settings.lines, size=settings.mb * _MEGA, prefix=settings.pictures
    ) as batches:
        with batches.path(TRANSCRIPTS).open("w", encoding="ascii") as transcripts:
            for row in chosen_rows(folder, wanted):
                for line in plays_of(row, answers, samples, found, name, shared=shared):
                    if "custom_id" not in line:
                        transcripts.write(json.dumps({**line, "settings": recorded}) + "\n")
                        continue
                    choices = samples if line["turn"] == 1 and shared else 1
                    batches.write(
                        request(line["custom_id"], model, line["messages"], settings, choices)
                    )
        if told and not answers.used:
            raise ValueError(
                "\n".join(
                    [
                        "none of the answers is a reply to a request of these rows; say the words "
                        "again with which the requests were written",
                        *answers.reasons.lines(),
                    ]
                )
            )
        if not found.over:
            batches.path(TRANSCRIPTS).unlink()
    _tell(out, folder, found, batches, answers, bool(settings.pictures))


def plays_of(
    row: Mapping[str, object],
    answers: Answers,
    samples: int,
    found: Pass,
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
        play, endings = open_row(row), Endings()
        asked = taken(play, answers, sample, endings, shared=shared)
        if asked is None:
            found.over += 1
            yield endings.noted(play.transcript(name, sample))
            continue
        turn = len(play.replies) + 1
        found.asked[turn] += 1
        if asked not in begun:
            begun.add(asked)
            yield {"custom_id": asked, "turn": turn, "messages": play.messages}


def taken(
    play: Play, answers: Answers, sample: int, endings: Endings, *, shared: bool = True
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
        name = custom_id(play.id, turn, sample, shared=shared)
        reply = answers.take(name, sample if turn == 1 and shared else 0)
        if reply is None:
            return name
        endings.add(reply.finish_reason, null=reply.null)
        play.reply(reply.text)
    return None


def _check_names(parts: Sequence[reading.Split]) -> None:
    """Raise ValueError if two rows would have one name in a batch."""
    seen: set[str] = set()
    for part in parts:
        for row in part.rows(["id"]):
            name = fold(row["id"])
            if name in seen:
                raise ValueError(
                    f"the id {row['id']!r} reads {name!r} in a batch file, like that of another "
                    "row; rename one of their configs"
                )
            seen.add(name)


def _next(folder: Path, model: str) -> Path:
    """Return the folder of the first pass that is not there yet."""
    base, number = folder_beside(folder, "requests"), 1
    name = model.replace("/", "_")
    while (base / f"{name}-{number}").exists():
        number += 1
    return base / f"{name}-{number}"


def _tell(
    out: Path, folder: Path, found: Pass, batches: Batches, answers: Answers, hosted: bool
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
        plain(f"{out}: {batches.written:,} requests in {batches.files} files ({turns or 'none'})")
    )
    if answers.failed or answers.broken or answers.unused:
        print(
            f"of the answers, {answers.failed:,} report an error, {answers.broken:,} could not be "
            f"read, {answers.unused:,} are to other requests"
        )
        for line in answers.reasons.lines():
            print(plain(line))
    if hosted and batches.written:
        print(plain(f"put {out / PICTURES} where the lines look for it, before you send them"))
    if batches.written:
        print(
            "next: the same words with answers=..., the API's output files of all passes so far, "
            "and a new out; it asks what is to be asked then, and has the plays that are over"
        )
    if found.over:
        print(f"plays that are over: {found.over:,}")
        path = out / TRANSCRIPTS
        again = command("score", dataset=folder, predictions=path, missing="ignore")
        print(plain(f"score them: {again}"))
