"""Transcript files: JSON Lines that are only ever appended to, by one program at a time.

A line is what `Play.transcript` makes, or another record in the scorer's own format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypedDict

from facelet.pipeline.dataset.file_lock import hold_lock
from facelet.pipeline.scoring.ingest.prediction import name_of, sample_of

Key = tuple[str, str, int]
"""Id of the row, name of the model ("" for none), and which of several samples it is."""


class Turn(TypedDict):
    """A message of a transcript: a text, or parts by their type; None for a reply without text."""

    role: str
    content: object


class PlayEnd(TypedDict):
    """How a play ended."""

    status: str
    strict: bool
    metrics: dict[str, float]


class Transcript(TypedDict, total=False):
    """The line of a play; all keys but id and messages may be missing. See `Play.transcript`."""

    id: str
    content_hash: str
    model: str
    sample_idx: int
    code: str
    jail: str | None
    messages: list[Turn]
    outcome: PlayEnd
    finish_reasons: list[str | None]
    seconds: list[float]
    usage: list[dict[str, int | None]]
    timed_out: bool
    error: str
    settings: dict[str, object]


_BEGIN = b'{"id": "'
"""How each line begins that `Transcripts.append` writes of a play."""


class TranscriptFile:
    """An open transcript file.

    Attributes:
        held: what its lines are transcripts of, those aside that report an error.
    """

    def __init__(self, file: IO[bytes], held: set[Key], settings: Mapping[str, str]) -> None:
        """Go on behind the last line.

        Args:
            file: the file, at its end.
            held: what its lines are transcripts of.
            settings: how each model was asked, as JSON; of the last line that says it.
        """
        self._file = file
        self.held = held
        self._settings = settings

    def check_settings(self, model: str, settings: Mapping[str, object] | None) -> None:
        """Refuse to go on with plays that were asked otherwise: one name is one way of asking.

        Args:
            model: name of the model.
            settings: how it is asked now; None where nobody says.

        Raises:
            ValueError: plays by this name that are held were asked with other settings.
        """
        if not settings or model not in self._settings:
            return
        before, now = json.loads(self._settings[model]), json.loads(_canonical_settings(settings))
        differ = [
            f"{name} was {_format_setting(before, name)} and is now {_format_setting(now, name)}"
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
        ]
        if differ:
            raise ValueError(
                f"the file holds plays of {model!r} that were asked with other settings: "
                f"{', '.join(differ)}; name another file (out=...) or another name (name=...)"
            )

    def next_sample(self, identifier: str, model: str) -> int:
        """Return the number after the last sample that is held of a row and a model, from 0."""
        samples = [key[2] for key in self.held if key[:2] == (identifier, model)]
        return max(samples, default=-1) + 1

    def append_line(self, record: Mapping[str, object]) -> None:
        """Append a line, and hand it to the operating system at once."""
        self._file.write(json.dumps(record).encode("ascii") + b"\n")
        self._file.flush()


@dataclass
class ReplyEndings:
    """How the replies of a play ended, as its line says it to the scorer.

    Attributes:
        reasons: of each reply, as its server wrote it; None where it did not say.
        nulls: whether each is null: the server sent no text.
    """

    reasons: list[str | None] = field(default_factory=list)
    nulls: list[bool] = field(default_factory=list)

    def add_reply(self, reason: str | None, *, null: bool = False) -> None:
        """Take the next reply.

        Args:
            reason: why it ended.
            null: whether it is null.
        """
        self.reasons.append(reason)
        self.nulls.append(null)

    def annotate_record(self, record: Transcript) -> Transcript:
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
def open_transcripts(path: Path) -> Iterator[TranscriptFile]:
    """Open a transcript file, made if missing, for the length of the block.

    A last line that a killed program left without its end is dropped. One that only the line break
    is missing from is kept.

    Raises:
        ValueError: a line is no transcript, or another program writes to the file.
    """
    busy = f"another run writes to {str(path)!r}; wait for it to end"
    with hold_lock(lock_of(path), busy), path.open("a+b") as file:
        file.seek(0)
        held: set[Key] = set()
        settings: dict[str, str] = {}
        whole = 0
        for number, line in enumerate(iter(file.readline, b""), 1):
            broken = not line.endswith(b"\n")
            try:
                told = _read_identity(line, f"{path}, line {number}") if line.strip() else None
            except ValueError:
                if not broken or line[: len(_BEGIN)] != _BEGIN[: len(line)]:
                    raise
                file.truncate(whole)
                break
            if broken:
                file.write(b"\n")
            whole = file.tell()
            if told:
                held.add(told.key)
                if told.settings:
                    settings[told.key[1]] = told.settings
        file.seek(0, 2)
        yield TranscriptFile(file, held, settings)


@dataclass(frozen=True, slots=True)
class _LineIdentity:
    """What a line is the transcript of, and how its model was asked, as JSON; "" for unknown."""

    key: Key
    settings: str


def _read_identity(line: bytes, place: str) -> _LineIdentity | None:
    """Return what a line tells; None if it reports an error."""
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
    if record.get("error"):
        return None
    settings = record.get("settings")
    return _LineIdentity(key, _canonical_settings(settings) if isinstance(settings, dict) else "")


def _canonical_settings(settings: Mapping[str, object]) -> str:
    return json.dumps(settings, sort_keys=True)


def _format_setting(settings: Mapping[str, object], name: str) -> str:
    """Return a setting in words, at most 80 characters of it."""
    if name not in settings:
        return "not set"
    text = json.dumps(settings[name])
    return text if len(text) <= 80 else text[:79] + "…"
