"""Parse JSON Lines of the plainest form, many at once, in a fraction of the time.

A simple line is an object of the keys `id`, `prediction`, and perhaps `model` and `sample_idx`, in
the order of the first line of its span, with a blank after each sign or none, as `json.dumps`
writes it. Ids and names are ASCII without escapes. A compiled part parses such lines; without it,
and for any other line, the JSON reader does. Both read the same from a simple line
(tests/pipeline/scoring/test_simple_lines.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache

from facelet.generators.core.compiled_parts import load_compiled
from facelet.pipeline.scoring.ingest.prediction import MAX_NAME, Record

LONGEST = 32768
"""Longest text of a simple line in bytes, as it is written."""

_part = load_compiled("facelet.pipeline.scoring.ingest._lines")

_TEXT = json.JSONDecoder().raw_decode
_PLAIN = r'[^"\\\x00-\x1f\x80-\xff]'
_VALUES = {
    "id": rf'"(?P<id>{_PLAIN}{{1,{MAX_NAME}}})"',
    "prediction": (r'"(?P<prediction>[^"\\\x00-\x1f]*+(?:\\["\\/bfnrtu][^"\\\x00-\x1f]*+)*+)"'),
    "model": rf'"(?P<model>{_PLAIN}{{1,{MAX_NAME}}})"',
    "sample_idx": r"(?P<sample_idx>0|[1-9][0-9]{0,8})",
}


@dataclass(slots=True)
class Lines:
    """What simple lines that follow each other say, in columns.

    Attributes:
        keys: ids of the rows.
        texts: the replies.
        models: names of the models, None where a line has none.
        samples: the sample indices.
    """

    keys: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    models: list[str | None] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.keys)

    def record(self, place: int) -> Record:
        """Return what a line says as the JSON reader would."""
        told: dict[str, object] = {"id": self.keys[place], "prediction": self.texts[place]}
        if (model := self.models[place]) is not None:
            told["model"] = model
        return told | {"sample_idx": self.samples[place]}


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
        self._fields = _fields(first)

    def take(self, place: int) -> tuple[Lines, int]:
        """Return the simple lines from a place of the file on, and where others begin.

        Args:
            place: number of bytes before the first.
        """
        if self._fields is None or place < self._start:
            return Lines(), place
        begin = place - self._start
        if _part is None:
            lines, end = _scan_lines(self._data, begin, self._fields)
        else:
            letters = "".join(name[0] for name in self._fields)
            *columns, end = _part.taken(self._data, begin, letters, LONGEST, MAX_NAME)
            lines = Lines(*columns)
        return lines, self._start + end


def _fields(first: bytes) -> tuple[str, ...] | None:
    """Return the keys of a first line in their order; None if it is not simple."""
    try:
        keys = json.loads(first, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    except (ValueError, RecursionError):
        return None
    if not isinstance(keys, list) or not {"id", "prediction"} <= set(map(str, keys)):
        return None
    if len(set(map(str, keys))) < len(keys) or not set(map(str, keys)) <= _VALUES.keys():
        return None
    return tuple(keys)


def _scan_lines(data: bytes, begin: int, fields: tuple[str, ...]) -> tuple[Lines, int]:
    """Do what the compiled part does."""
    lines, match = Lines(), _pattern(fields).match
    keys: list[bytes] = []
    models: list[bytes | None] = []
    samples: list[bytes | None] = []
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
        keys.append(key)
        lines.texts.append(text)
        models.append(model)
        samples.append(sample)
        begin = line.end()
    # No id holds the end of a line. Names and numbers are few.
    lines.keys = b"\n".join(keys).decode().split("\n") if keys else []
    names = {model: model.decode() if model else None for model in set(models)}
    lines.models = [names[model] for model in models]
    numbers = {sample: int(sample) if sample else 0 for sample in set(samples)}
    lines.samples = [numbers[sample] for sample in samples]
    return lines, begin


@cache
def _pattern(fields: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return the expression of lines with keys in an order."""
    pairs = ", ?".join(f'"{key}": ?{_VALUES[key]}' for key in fields)
    absent = "".join(f"(?P<{key}>)?" for key in _VALUES if key not in fields)
    return re.compile(rf"\{{{pairs}\}}\r?\n{absent}".encode())
