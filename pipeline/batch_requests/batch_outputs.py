"""Read the output files of batch APIs and match their answers to requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from facelet.pipeline.rollout.api_completions import finish_reasons
from facelet.pipeline.rollout.play_recorder import Answer
from facelet.pipeline.rollout.rollout_tally import FailureReasons
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord, mapping_at
from facelet.pipeline.scoring.ingest.record_formats import detect_format, record_of
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets

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
