"""Write the batch files of one pass, and match the answers of earlier passes to requests.

OpenAI's batch API and vLLM's `run-batch` read lines of {"custom_id", "method", "url", "body"}, with
the body of a chat completion or of the Responses API. A custom_id has at most 64 letters, digits, -
and _:

    mine-move_prediction-d01-000042     the first turn of a row
    mine-reflection-d01-000042--t2      its second turn
    mine-reflection-d01-000042--t2-s1   its second turn, sample 1
    mine-reflection-d01-000042--t1-s1   its first turn, sample 1, with the Responses API,
                                        which returns one answer per request

The scorer reads the first form, so it scores the answers to single questions directly. Files are
split by the limits of the API.

A pass depends only on the dataset and all answers so far: it replays each play from its first
prompt and requests the first turn without an answer. So the answer files are the only state between
passes, and failed requests are retried.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from io import BufferedWriter
from pathlib import Path
from typing import Any

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.batch_requests.settings import RequestSettings
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import check_new_folder, write_folder
from facelet.pipeline.dataset.store_address import folder_beside
from facelet.pipeline.model_runner.settings import SamplingOptions
from facelet.pipeline.rollout.api_completions import finish_reasons
from facelet.pipeline.rollout.chat_messages import Chat, Part
from facelet.pipeline.rollout.play_recorder import Answer, PlayRecorder
from facelet.pipeline.rollout.rollout_tally import FailureReasons
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.row_selection import list_chosen_rows, sample_ids, select_splits
from facelet.pipeline.scoring.ingest.file_reader import find_files, read_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord, mapping_at
from facelet.pipeline.scoring.ingest.record_formats import detect_format, record_of
from facelet.pipeline.scoring.row_index import fold_id
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets
from facelet.pipeline.shell_commands import format_command

BATCHES = frozenset({"openai batch", "anthropic batch"})
"""Record formats that identify a request by its custom_id."""


@dataclass
class BatchAnswers:
    """The answers in some output files.

    Attributes:
        replies: the first successful answer by custom_id and index among the choices.
        failed: number of lines that report an error.
        reasons: the errors.
        broken: number of lines that could not be read.
        used: the custom_ids that were looked up and found.
    """

    replies: dict[tuple[str, int], Answer] = field(default_factory=dict)
    failed: int = 0
    reasons: FailureReasons = field(default_factory=FailureReasons)
    broken: int = 0
    used: set[str] = field(default_factory=set)

    def take_reply(self, name: str, place: int) -> Answer | None:
        """Return an answer, or None if it is missing.

        Args:
            name: custom_id of the request.
            place: index of the choice.
        """
        if (reply := self.replies.get((name, place))) is not None:
            self.used.add(name)
        return reply

    @property
    def count_unused(self) -> int:
        """Number of answered requests that were never looked up."""
        return len({name for name, _ in self.replies} - self.used)


def read_answers(files: Sequence[Path]) -> BatchAnswers:
    """Return the answers in output files; the order of files and lines is irrelevant.

    Args:
        files: output and error files of the batches of all passes.

    Raises:
        ValueError: a record has another format.
        OSError: a file cannot be opened.
    """
    found, secrets = BatchAnswers(), SecretRedactor(list_environment_secrets())
    for path in files:
        for located in read_records(path):
            try:
                if isinstance(located.value, UnreadableRecord):
                    raise located.value
                record = record_of(located.value)
                form = detect_format(record)
                if form.name not in BATCHES:
                    raise ValueError(
                        f"{path.name}, {located.unit} {located.number}: this is {form.name}, not "
                        "an answer of a batch API, which has a custom_id and a response"
                    )
                inside = mapping_at(record, "response", "body") or mapping_at(
                    record, "result", "message"
                )
                ends = finish_reasons(inside or record.get("response"))
                for one in form.read(record):
                    if one.failure is not None:
                        found.failed += 1
                        found.reasons.count_failure(secrets.format_error(one.failure))
                    else:
                        reply = Answer(
                            one.replies[0],
                            finish_reason=ends.get(one.sample),
                            null=bool(one.nulls),
                        )
                        found.replies.setdefault((str(one.key), one.sample), reply)
            except UnreadableRecord:
                found.broken += 1
    return found


MAX_CUSTOM_ID = 64
"""Maximum length of a custom_id in characters."""

PICTURES = "pictures"
"""Folder of the pictures that requests name by their address."""

_SIGN = re.compile(r"[^A-Za-z0-9_-]")
_HASH_LETTERS = 16


def format_custom_id(
    identifier: str, turn: int = 1, sample: int = 0, *, shared: bool = True
) -> str:
    """Return the custom_id of a request; see the module.

    Args:
        identifier: id of the row.
        turn: number of the requested turn, from 1.
        sample: number of the play among those of the row, from 0.
        shared: whether all samples share one request at turn 1, as in chat completions.
    """
    name, end = _SIGN.sub("-", identifier), ""
    if turn > 1 or (sample and not shared):
        end = f"--t{turn}" + (f"-s{sample}" if sample else "")
    if len(name) + len(end) > MAX_CUSTOM_ID:
        mark = hashlib.blake2b(identifier.encode(), digest_size=_HASH_LETTERS // 2).hexdigest()
        name = f"{name[: MAX_CUSTOM_ID - len(end) - _HASH_LETTERS - 1]}-{mark}"
    return name + end


def build_request(
    name: str, model: str, chat: Chat, sampling: SamplingOptions, choices: int = 1
) -> dict[str, object]:
    """Return one line of a batch file.

    Args:
        name: its custom_id.
        model: the API's name of the model.
        chat: the messages, with pictures as addresses.
        sampling: further fields of the body.
        choices: number of answers to the request; more than 1 only with chat completions.
    """
    body = {**sampling.build_body(model, chat), **({"n": choices} if choices > 1 else {})}
    return {
        "custom_id": name,
        "method": "POST",
        "url": f"/v1{sampling.endpoint_path}",
        "body": body,
    }


class BatchWriter:
    """Writes the files of one batch into a folder.

    Attributes:
        written: number of lines so far.
        files: number of files so far.
    """

    def __init__(self, folder: Path, *, lines: int, size: int, prefix: str = "") -> None:
        """Store the limits.

        Args:
            folder: an empty folder for the files.
            lines: maximum number of lines of a file.
            size: maximum number of bytes of a file.
            prefix: address of the folder of pictures; "" writes them into the lines.
        """
        self._folder, self._lines, self._size, self._prefix = folder, lines, size, prefix
        self.written = self.files = 0
        self._left = self._room = 0
        self._file: BufferedWriter | None = None

    def close(self) -> None:
        """Close the last file."""
        if self._file is not None:
            self._file.close()

    def next_file_path(self, name: str) -> Path:
        """Return the path of another file of the folder."""
        return self._folder / name

    def write_line(self, line: Mapping[str, Any]) -> None:
        """Append a line; start the next file if this one is full.

        Raises:
            ValueError: the line alone exceeds the maximum size of a file.
        """
        data = (
            json.dumps({**line, "body": self._host_pictures(line["body"])}).encode("ascii") + b"\n"
        )
        if len(data) > self._size:
            raise ValueError(
                f"the request {line['custom_id']} has {len(data):,} bytes; a file may have at most "
                f"{self._size:,}. Allow more with mb=..., or host the pictures with pictures=URL"
            )
        if not self._left or len(data) > self._room:
            self.files += 1
            self.close()
            self._file = self.next_file_path(f"requests-{self.files:05d}.jsonl").open("wb")
            self._left, self._room = self._lines, self._size
        assert self._file is not None
        self._file.write(data)
        self._left, self._room = self._left - 1, self._room - len(data)
        self.written += 1

    def _host_pictures(self, body: Mapping[str, Any]) -> dict[str, object]:
        """Return a body with addresses for pictures, if the batch hosts them."""
        if not self._prefix:
            return dict(body)
        field = "messages" if "messages" in body else "input"
        chat = [
            message
            if isinstance(message["content"], str)
            else {**message, "content": [self._host_part(part) for part in message["content"]]}
            for message in body[field]
        ]
        return {**body, field: chat}

    def _host_part(self, part: Part) -> Part:
        """Return a part of a message; write a picture to a file named by the hash of its bytes."""
        if part["type"] not in ("image_url", "input_image"):
            return part
        nested = part["type"] == "image_url"
        url = part["image_url"]["url"] if nested else part["image_url"]
        data = base64.b64decode(url.partition(",")[2])
        name = f"{hashlib.sha256(data).hexdigest()[:32]}.png"
        path = self.next_file_path(PICTURES) / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        hosted = f"{self._prefix.rstrip('/')}/{name}"
        return {**part, "image_url": {"url": hosted} if nested else hosted}


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
    files = find_files(settings.answers) if settings.answers else []
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
