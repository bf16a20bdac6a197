"""`facelet requests`: rows as batch files of OpenAI or vLLM; one pass for each turn of a play.

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
from facelet.pipeline.environment.choosing import (
    CHOICE,
    choose,
    chosen_rows,
    sampled,
    words_of,
)
from facelet.pipeline.environment.play import Play, open_row
from facelet.pipeline.environment.sampling import SAMPLING, sampling_of
from facelet.pipeline.environment.transcripts import Endings
from facelet.pipeline.redaction import Secrets, of_environment
from facelet.pipeline.requests.answers import Answers, read_answers
from facelet.pipeline.requests.lines import PICTURES, Batches, custom_id, request
from facelet.pipeline.scoring.row_index import fold
from facelet.pipeline.scoring.taking import files
from facelet.pipeline.words import Key, check_range, expand, help_table, plain, read_words

TRANSCRIPTS = "transcripts.jsonl"

KEYS = (
    Key("model", "str", "", "a name", "The model, as the API calls it; each line says it."),
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    *CHOICE,
    Key("out", "str", "<dataset>.requests/NAME-PASS", "an empty folder, or none", "The files."),
    Key(
        "answers",
        "str",
        "none",
        "files, folders or patterns, separated by commas",
        "The API's output files of all passes so far, in any order. Say the other words again.",
    ),
    Key(
        "pictures",
        "str",
        "in the lines",
        "an address such as https://host/folder or file:///folder",
        "Where you will put the folder `pictures` of the output; lines then name pictures there. "
        "Else they hold them as data URLs.",
    ),
    Key("lines", "int", "50000", "at least 1", "Most requests of a file; the default is OpenAI's."),
    Key("mb", "int", "200", "at least 1", "Most megabytes of a file; the default is OpenAI's."),
    Key(
        "samples",
        "int",
        "1",
        "at least 1",
        "Plays of each row; sent as n in the first turn. With api=responses, one request each.",
    ),
    Key("name", "str", "the model's", "a name", "What the model is called in transcripts."),
    *SAMPLING,
)

HELP = f"""facelet requests model=NAME dataset=DIR [key=value ...]

Writes the questions of a dataset as batch files, JSON Lines that OpenAI's batch API and
`vllm run-batch` take. The API's answers to single questions score as they are:
`facelet score dataset=DIR predictions=OUTPUT.jsonl`.

A batch asks one turn. For episodes of many turns, hand the answers back with answers=... and the
same words: out then holds {TRANSCRIPTS}, the plays that are over, and requests for the next
turn of the others. Go on until nothing is left to ask; then score {TRANSCRIPTS}, which has
everything, also how the model was asked and why its replies ended. Requests that failed or were
not answered are asked again.

Keys:
{help_table(KEYS)}

Examples:
  facelet requests model=gpt-5 dataset=data/out/facelet-paper limit=50 out=first
  facelet requests model=gpt-5 dataset=data/out/facelet-paper limit=50 out=second answers=out1.jsonl
  vllm run-batch -i first/requests-00001.jsonl -o out1.jsonl --model NAME

Exit status: 0 done, 2 a bad word, dataset or file.
"""

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


def run(words: Sequence[str]) -> int:
    """Write the batch files and return the exit status.

    Raises:
        ValueError: a word is bad, or the dataset, the answers or the folder cannot be used.
        OSError: a file cannot be read or written.
    """
    values = {name: value for name, value in read_words(words, KEYS).items() if value != ""}
    for key in ("model", "dataset"):
        if key not in values:
            raise ValueError(f"{key}=... is needed; `facelet requests --help` explains the keys")
    model, folder = str(values["model"]), expand(str(values["dataset"]))
    lines, megabytes, samples = (
        check_range(name, int(str(values.get(name, default))), 1)
        for name, default in (("lines", 50_000), ("mb", 200), ("samples", 1))
    )
    limit = check_range("limit", int(str(values["limit"])), 1) if "limit" in values else None
    parts = choose(
        folder,
        words_of(values, "suites"),
        words_of(values, "configs"),
        str(values.get("split", "")),
    )
    _check_names(reading.splits(folder))
    wanted = {part: sampled(part, limit) for part in parts}
    told = files.find(str(values["answers"])) if "answers" in values else []
    answers = read_answers(told)
    out = expand(str(values["out"])) if "out" in values else _next(folder, model)
    sampling = sampling_of(values)
    settings = sampling.record(Secrets(of_environment()))
    if settings.get("extra_body", {}) != sampling.extra_body:
        raise ValueError(
            "extra_body holds what looks like a key or a password, and batch files would hold it "
            "too; leave it out, as the API takes keys from the upload"
        )
    shared = sampling.api == "chat"
    found = Pass()
    with Batches(
        out, lines=lines, size=megabytes * _MEGA, prefix=str(values.get("pictures", ""))
    ) as batches:
        with batches.path(TRANSCRIPTS).open("w", encoding="ascii") as transcripts:
            for row in chosen_rows(folder, wanted):
                name = str(values.get("name", model))
                for line in plays_of(row, answers, samples, found, name, shared=shared):
                    if "custom_id" not in line:
                        transcripts.write(json.dumps({**line, "settings": settings}) + "\n")
                        continue
                    choices = samples if line["turn"] == 1 and shared else 1
                    batches.write(
                        request(line["custom_id"], model, line["messages"], sampling, choices)
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
    _tell(out, folder, found, batches, answers, "pictures" in values)
    return 0


def plays_of(
    row: Mapping[str, Any],
    answers: Answers,
    samples: int,
    found: Pass,
    name: str,
    *,
    shared: bool = True,
) -> Iterator[dict[str, Any]]:
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
    base, number = Path(f"{str(folder).rstrip('/')}.requests"), 1
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
