"""Parse JSON Lines of the plainest form, many at once, in a fraction of the time.

A simple line is an object of the keys `id`, `prediction`, and perhaps `model` and `sample_idx`, in
the order of the first line of its span, with a blank after each sign or none, as `json.dumps`
writes it. Ids and names are ASCII without escapes. A compiled part parses such lines; without it,
and for any other line, the JSON reader does. Both read the same from a simple line
(tests/pipeline/scoring/test_simple_lines.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from facelet.generators.core.compiled_parts import load_compiled
from facelet.pipeline.scoring.ingest.prediction import MAX_NAME, Record

LONGEST = 32768
"""Longest text of a simple line in bytes, as it is written."""

KEYS = frozenset({"id", "prediction", "model", "sample_idx"})
"""The keys that a simple line may have."""

_part = load_compiled("facelet.pipeline.scoring.ingest._lines")


@dataclass(slots=True)
class Lines:
    """The content of consecutive simple lines, in columns.

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
        """Return a line as the JSON reader would."""
        line: dict[str, object] = {"id": self.keys[place], "prediction": self.texts[place]}
        if (model := self.models[place]) is not None:
            line["model"] = model
        return line | {"sample_idx": self.samples[place]}


class SimpleLines:
    """Parses the simple lines of a span of a file."""

    def __init__(self, data: bytes, start: int, first: bytes) -> None:
        """Learn the form of the lines from the first.

        Args:
            data: the span.
            start: number of bytes before it.
            first: its first line.
        """
        self._data, self._start = data, start
        self._letters = _list_key_letters(first)

    def take(self, place: int) -> tuple[Lines, int]:
        """Return the simple lines from a place of the file, and where others begin.

        Args:
            place: number of bytes before the first.
        """
        if _part is None or not self._letters or place < self._start:
            return Lines(), place
        begin = place - self._start
        *columns, end = _part.taken(self._data, begin, self._letters, LONGEST, MAX_NAME)
        return Lines(*columns), self._start + end


def _list_key_letters(first: bytes) -> str:
    """Return the first letters of a first line's keys, in their order; "" if it is not simple."""
    try:
        keys = json.loads(first, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    except (ValueError, RecursionError):
        return ""
    known = set(map(str, keys)) if isinstance(keys, list) else set()
    simple = {"id", "prediction"} <= known <= KEYS and len(known) == len(keys)
    return "".join(key[0] for key in keys) if simple else ""
