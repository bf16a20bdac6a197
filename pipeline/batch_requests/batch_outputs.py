"""Outputs: the output files of batch APIs, by the request that each line answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from facelet.pipeline.rollout.api_completions import finish_reasons
from facelet.pipeline.rollout.progress_bar import FailureReasons
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord
from facelet.pipeline.scoring.ingest.record_formats import detect_format, record_of
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets

BATCHES = frozenset({"openai batch", "anthropic batch"})
"""Formats of records that name a request by its custom_id."""


class BatchReply(NamedTuple):
    """A reply, why it ended (None where nobody says), and whether it is null."""

    text: str
    finish_reason: str | None = None
    null: bool = False


@dataclass
class BatchAnswers:
    """What some output files answer.

    Attributes:
        replies: the reply by custom_id and place among the choices; the first that is no error.
        failed: number of lines that report an error.
        reasons: the errors.
        broken: number of lines that could not be read.
        used: the custom_ids that were asked for and found.
    """

    replies: dict[tuple[str, int], BatchReply] = field(default_factory=dict)
    failed: int = 0
    reasons: FailureReasons = field(default_factory=FailureReasons)
    broken: int = 0
    used: set[str] = field(default_factory=set)

    def take_reply(self, name: str, place: int) -> BatchReply | None:
        """Return a reply, or None if there is none yet.

        Args:
            name: custom_id of the request.
            place: which of its choices.
        """
        reply = self.replies.get((name, place))
        if reply is not None:
            self.used.add(name)
        return reply

    @property
    def count_unused(self) -> int:
        """Number of requests whose answers nothing asked for."""
        return len({name for name, _ in self.replies} - self.used)


def read_answers(files: Sequence[Path]) -> BatchAnswers:
    """Return what output files answer, whatever the order of files and lines.

    Args:
        files: output and error files of batches of any pass.

    Raises:
        ValueError: a record is of another kind.
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
                        f"{path.name}, {located.unit} {located.number}: this is {form.name}, no "
                        "answer of a batch API; each has a custom_id and a response"
                    )
                ends = finish_reasons(_response_body(record))
                for one in form.read(record):
                    if one.failure is not None:
                        found.failed += 1
                        found.reasons.count_failure(secrets.format_error(one.failure))
                    else:
                        reply = BatchReply(one.replies[0], ends.get(one.sample), bool(one.nulls))
                        found.replies.setdefault((str(one.key), one.sample), reply)
            except UnreadableRecord:
                found.broken += 1
    return found


def _response_body(record: Mapping[str, object]) -> object:
    """Return the body that a record of a batch holds; None where it holds none."""
    for path in (("response", "body"), ("result", "message")):
        inside: object = record
        for step in path:
            inside = inside.get(step) if isinstance(inside, Mapping) else None
        if inside is not None:
            return inside
    return record.get("response")
