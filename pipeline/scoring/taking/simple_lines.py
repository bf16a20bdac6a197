r"""Simple lines: JSON Lines of the plainest form, many at once, in a fraction of the time.

A simple line is an object of the keys `id`, `prediction`, and perhaps `model` and `sample_idx`, in
the order of the first line of its span, with a blank behind each sign or none, as `json.dumps`
writes it. Ids and names are ASCII without escapes. One expression takes such a line apart. What it
says is what the JSON reader says of it (tests/pipeline/scoring/test_score_shares.py); any other
line is left to that reader.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from facelet.pipeline.scoring.taking.predictions import MAX_NAME, Record

LONGEST = 32768
"""Longest text of a simple line in bytes, as it is written."""

_TEXT = json.JSONDecoder().raw_decode
_PLAIN = r'[^"\\\x00-\x1f\x80-\xff]'
_VALUES = {
    "id": rf'"(?P<id>{_PLAIN}{{1,{MAX_NAME}}})"',
    "prediction": (r'"(?P<prediction>[^"\\\x00-\x1f]*+(?:\\["\\/bfnrtu][^"\\\x00-\x1f]*+)*+)"'),
    "model": rf'"(?P<model>{_PLAIN}{{1,{MAX_NAME}}})"',
    "sample_idx": r"(?P<sample_idx>0|[1-9][0-9]{0,8})",
}


class Simple(NamedTuple):
    """What a simple line says: id of the row, reply, name of the model if any, sample index."""

    key: str
    text: str
    model: str | None
    sample: int

    def record(self) -> Record:
        """Return it as the JSON reader would."""
        told: dict[str, object] = {"id": self.key, "prediction": self.text}
        if self.model is not None:
            told["model"] = self.model
        return told | {"sample_idx": self.sample}


class Lines(list[Simple]):
    """What simple lines that follow each other say."""


class SimpleLines:
    """Takes the simple lines of a stretch of a file."""

    def __init__(self, data: bytes, start: int, first: bytes) -> None:
        """Learn what is simple here.

        Args:
            data: the stretch.
            start: number of bytes before it.
            first: its first line.
        """
        self._data, self._start = data, start
        self._pattern = _pattern(first)

    def take(self, place: int) -> tuple[Lines, int]:
        """Return the simple lines from a place of the file on, and where others begin.

        Args:
            place: number of bytes before the first.
        """
        found = Lines()
        if self._pattern is None or place < self._start:
            return found, place
        data, begin, match = self._data, place - self._start, self._pattern.match
        while line := match(data, begin):
            key, said, model, sample = line.group("id", "prediction", "model", "sample_idx")
            if len(said) > LONGEST:
                break
            try:
                text = said.decode()
                if "\\" in text:
                    text = _TEXT(f'"{text}"')[0]
            except ValueError:
                break  # It is not UTF-8, or an escape is broken; the JSON reader says how.
            name = model.decode() if model else None
            found.append(Simple(key.decode(), text, name, int(sample) if sample else 0))
            begin = line.end()
        return found, self._start + begin


def _pattern(first: bytes) -> re.Pattern[bytes] | None:
    """Return the expression of lines with the keys of a first one; None if it is not simple."""
    try:
        keys = json.loads(first, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    except (ValueError, RecursionError):
        return None
    if not isinstance(keys, list) or not {"id", "prediction"} <= set(map(str, keys)):
        return None
    if len(set(map(str, keys))) < len(keys) or not set(map(str, keys)) <= _VALUES.keys():
        return None
    pairs = ", ?".join(f'"{key}": ?{_VALUES[key]}' for key in keys)
    absent = "".join(f"(?P<{key}>)?" for key in _VALUES if key not in keys)
    return re.compile(rf"\{{{pairs}\}}\r?\n{absent}".encode())
