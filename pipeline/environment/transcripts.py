"""Transcript files: JSON Lines that are only ever appended to, by one program at a time.

A line is what `Play.transcript` makes, or another record in the scorer's own format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from facelet.pipeline.dataset.locks import only_one
from facelet.pipeline.scoring.predictions import name_of, sample_of

Key = tuple[str, str, int]
"""Id of the row, name of the model ("" for none), and which of several samples it is."""


_BEGIN = b'{"id": "'
"""How each line begins that `Transcripts.append` writes of a play."""


class Transcripts:
    """An open transcript file.

    Attributes:
        held: what its lines are transcripts of, those aside that report an error.
    """

    def __init__(self, file: IO[bytes], held: set[Key]) -> None:
        """Go on behind the last line."""
        self._file = file
        self.held = held

    def next_sample(self, identifier: str, model: str) -> int:
        """Return the number after the last sample that is held of a row and a model, from 0."""
        samples = [key[2] for key in self.held if key[:2] == (identifier, model)]
        return max(samples, default=-1) + 1

    def append(self, record: dict[str, Any]) -> None:
        """Append a line, and hand it to the operating system at once."""
        self._file.write(json.dumps(record).encode("ascii") + b"\n")
        self._file.flush()


@dataclass
class Endings:
    """How the replies of a play ended, as its line says it to the scorer.

    Attributes:
        reasons: of each reply, as its server wrote it; None where it did not say.
        nulls: whether each is null: the server sent no text.
    """

    reasons: list[str | None] = field(default_factory=list)
    nulls: list[bool] = field(default_factory=list)

    def add(self, reason: str | None, *, null: bool = False) -> None:
        """Take the next reply.

        Args:
            reason: why it ended.
            null: whether it is null.
        """
        self.reasons.append(reason)
        self.nulls.append(null)

    def noted(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a play's record with `finish_reasons`, and null for each reply that is null."""
        replies = iter(self.nulls)
        record["messages"] = [
            {**message, "content": None}
            if message["role"] == "assistant" and next(replies, False)
            else message
            for message in record["messages"]
        ]
        return {**record, "finish_reasons": self.reasons} if any(self.reasons) else record


def lock_of(path: Path) -> Path:
    """Return the hidden file whose lock a program holds that writes to a transcript file."""
    return path.with_name(f".{path.name}.lock")


@contextmanager
def appending(path: Path) -> Iterator[Transcripts]:
    """Open a transcript file, made if missing, for the length of the block.

    A last line that a killed program left without its end is dropped. One that only the line break
    is missing from is kept.

    Raises:
        ValueError: a line is no transcript, or another program writes to the file.
    """
    busy = f"another run writes to {str(path)!r}; wait for it to end"
    with only_one(lock_of(path), busy), path.open("a+b") as file:
        file.seek(0)
        held: set[Key] = set()
        whole = 0
        for number, line in enumerate(iter(file.readline, b""), 1):
            broken = not line.endswith(b"\n")
            try:
                key = _key(line, f"{path}, line {number}") if line.strip() else None
            except ValueError:
                if not broken or line[: len(_BEGIN)] != _BEGIN[: len(line)]:
                    raise
                file.truncate(whole)
                break
            if broken:
                file.write(b"\n")
            whole = file.tell()
            if key:
                held.add(key)
        file.seek(0, 2)
        yield Transcripts(file, held)


def _key(line: bytes, place: str) -> Key | None:
    """Return what a line is the transcript of; None if it reports an error."""
    try:
        record = json.loads(line)
        key = (
            name_of(record["id"], "id"),
            record.get("model") or "",
            sample_of(record.get("sample_idx", 0), "sample_idx"),
        )
        if not isinstance(key[1], str):
            raise ValueError("model must be a string")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError(
            f"{place} is no transcript; name another file, or remove that line"
        ) from None
    return None if record.get("error") else key
