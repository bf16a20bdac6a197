"""Append transcripts to a JSON Lines file, and read which plays it contains.

One program writes at a time. A line is a record of `Play.transcript`, or another record in the
scorer's native format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypedDict

from facelet.pipeline.dataset.atomic_files import append_line, hold_lock
from facelet.pipeline.scoring.ingest.prediction import name_of, sample_of

Key = tuple[str, str, int]
"""Id of the row, name of the model ("" for none), and number of the sample."""


class Turn(TypedDict):
    """A message of a transcript: a text, or parts with types; None for a reply without text."""

    role: str
    content: object


class PlayEnd(TypedDict):
    """How a play ended."""

    status: str
    strict: bool
    metrics: dict[str, float]


class Transcript(TypedDict, total=False):
    """The line of a play; only id and messages are required. See `Play.transcript`."""

    id: str
    content_hash: str
    model: str
    sample_idx: int
    code: str
    jail: str | None
    jail_limits: list[str]
    code_outputs: list[str | None]
    messages: list[Turn]
    outcome: PlayEnd
    finish_reasons: list[str | None]
    seconds: list[float]
    usage: list[dict[str, int | None]]
    timed_out: bool
    error: str
    settings: dict[str, object]


_BEGIN = b'{"id": "'
"""Start of each line that `TranscriptFile.append_line` writes for a play."""


class TranscriptFile:
    """An open transcript file.

    Attributes:
        held: keys of the plays in the file, without those that report an error.
    """

    def __init__(self, file: IO[bytes], held: set[Key], settings: Mapping[str, str]) -> None:
        """Continue after the last line.

        Args:
            file: the file, at its end.
            held: keys of the plays in the file.
            settings: settings of each model as JSON, from the last line that contains them.
        """
        self._file = file
        self.held = held
        self._settings = settings

    def check_settings(self, model: str, settings: Mapping[str, object] | None) -> None:
        """Refuse plays of a model with other settings: one name stands for one set of settings.

        Args:
            model: name of the model.
            settings: its settings now; None if unknown.

        Raises:
            ValueError: the file contains plays of this name with other settings.
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
                f"the file contains plays of {model!r} with other settings: "
                f"{', '.join(differ)}; name another file (out=...) or another name (name=...)"
            )

    def next_sample(self, identifier: str, model: str) -> int:
        """Return the number after the last sample of a row and a model in the file, from 0."""
        samples = [key[2] for key in self.held if key[:2] == (identifier, model)]
        return max(samples, default=-1) + 1

    def append_line(self, record: Mapping[str, object]) -> None:
        """Append a line, or leave the file as it was."""
        line = json.dumps(record).encode("ascii")
        append_line(Path(self._file.name), self._file.fileno(), line)


def lock_of(path: Path) -> Path:
    """Return the hidden lock file of a transcript file."""
    return path.with_name(f".{path.name}.lock")


@contextmanager
def open_transcripts(path: Path) -> Iterator[TranscriptFile]:
    """Open a transcript file for the length of the block; create it if missing.

    An incomplete last line of a killed program is removed. A last line that only lacks its line
    break is kept.

    Raises:
        ValueError: a line is not a transcript, or another program writes to the file.
    """
    busy = f"another run writes to {str(path)!r}; wait until it ends"
    with hold_lock(lock_of(path), busy), path.open("a+b") as file:
        file.seek(0)
        keys: set[Key] = set()
        settings: dict[str, str] = {}
        whole = 0
        for number, line in enumerate(iter(file.readline, b""), 1):
            broken = not line.endswith(b"\n")
            try:
                found = _read_identity(line, f"{path}, line {number}") if line.strip() else None
            except ValueError:
                if not broken or line[: len(_BEGIN)] != _BEGIN[: len(line)]:
                    raise
                file.truncate(whole)
                break
            if broken:
                append_line(path, file.fileno(), b"")
            whole = file.tell()
            if found:
                keys.add(found.key)
                if found.settings:
                    settings[found.key[1]] = found.settings
        file.seek(0, 2)
        yield TranscriptFile(file, keys, settings)


@dataclass(frozen=True, slots=True)
class _LineIdentity:
    """The key of a line, and the settings of its model as JSON; "" if unknown."""

    key: Key
    settings: str


def _read_identity(line: bytes, place: str) -> _LineIdentity | None:
    """Return the identity of a line; None if it reports an error."""
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
            f"{place} is not a transcript; name another file, or remove that line"
        ) from None
    if record.get("error"):
        return None
    settings = record.get("settings")
    return _LineIdentity(key, _canonical_settings(settings) if isinstance(settings, dict) else "")


def _canonical_settings(settings: Mapping[str, object]) -> str:
    return json.dumps(settings, sort_keys=True)


def _format_setting(settings: Mapping[str, object], name: str) -> str:
    """Return a setting as text of at most 80 characters."""
    if name not in settings:
        return "not set"
    text = json.dumps(settings[name])
    return text if len(text) <= 80 else text[:79] + "…"
