"""Answers: the output files of batch APIs, by the request that each line answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from facelet.pipeline.scoring.files import read
from facelet.pipeline.scoring.formats import detect
from facelet.pipeline.scoring.predictions import Unreadable

BATCHES = frozenset({"openai batch", "anthropic batch"})
"""Formats of records that name a request by its custom_id."""


class Reply(NamedTuple):
    """A reply, why it ended ("" where that is not told), and whether it is null."""

    text: str
    reason: str = ""
    null: bool = False


@dataclass
class Answers:
    """What some output files answer.

    Attributes:
        replies: the reply by custom_id and place among the choices; the first that is no error.
        failed: number of lines that report an error.
        broken: number of lines that could not be read.
        used: the custom_ids that were asked for and found.
    """

    replies: dict[tuple[str, int], Reply] = field(default_factory=dict)
    failed: int = 0
    broken: int = 0
    used: set[str] = field(default_factory=set)

    def take(self, name: str, place: int) -> Reply | None:
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
    def unused(self) -> int:
        """Number of requests whose answers nothing asked for."""
        return len({name for name, _ in self.replies} - self.used)


def read_answers(files: Sequence[Path]) -> Answers:
    """Return what output files answer, whatever the order of files and lines.

    Args:
        files: output and error files of batches of any pass.

    Raises:
        ValueError: a record is of another kind.
        OSError: a file cannot be opened.
    """
    found = Answers()
    for path in files:
        for located in read(path):
            try:
                if isinstance(located.value, Unreadable):
                    raise located.value
                form = detect(located.value)
                if form.name not in BATCHES:
                    raise ValueError(
                        f"{path.name}, {located.unit} {located.number}: this is {form.name}, no "
                        "answer of a batch API; each has a custom_id and a response"
                    )
                for one in form.read(located.value):
                    if one.failure is not None:
                        found.failed += 1
                    else:
                        reply = Reply(one.replies[0], "".join(one.reasons[:1]), bool(one.nulls))
                        found.replies.setdefault((str(one.key), one.sample), reply)
            except Unreadable:
                found.broken += 1
    return found
