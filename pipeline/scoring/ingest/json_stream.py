"""Read the JSON values of a stream, whatever their line breaks, and simple lines many at once.

A simple line is an object of the keys `id`, `prediction`, and perhaps `model` and `sample_idx`, in
the order of the first line of its span, with a blank after each sign or none, as `json.dumps`
writes it. Ids and names are ASCII without escapes. A compiled part parses such lines; without it,
and for any other line, the JSON reader does. Both read the same from a simple line
(tests/pipeline/scoring/test_simple_lines.py).

One rule covers JSON Lines, documents and everything in between. A record begins where a line
begins. If the line is JSON by itself, it is the record; in a list and in an inspect_ai log each
element is a record. Otherwise the value may continue over further lines and is read to its end. A
broken value costs itself only: reading continues at the next line that opens a bracket. A text that
ends inside a value was truncated, and `ReadStopped` reports that.

Only the current record is in memory, and blanks are skipped in bulk.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, cast

from facelet.generators.core.compiled_parts import load_compiled
from facelet.pipeline.input_gate import MAX_NAME
from facelet.pipeline.scoring.ingest.ingest_limits import MEBI, IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import (
    BOM,
    BrokenJson,
    JsonWindow,
    LocatedRecord,
    NotOneLine,
    TruncatedJson,
    UnexpectedSign,
    decode_text,
    is_log,
    iterate_elements,
    iterate_log,
    iterate_samples,
    parse_text,
)
from facelet.pipeline.scoring.ingest.prediction import Record, UnreadableRecord

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


_BLANK = re.compile(rb"[ \t\r\n]*+")
_HEAD = 65536
_LOG = re.compile(rb'"eval"\s*+:\s*+\{')
_LOGGED = re.compile(r'"eval"\s*+:\s*+\{')
"""The mark of the beginning of an inspect_ai log."""

_UNKNOWN = 1 << 30

_CLOSERS = b" \t\r\n]},"


class PushbackStream:
    """A stream of bytes that accepts bytes pushed back."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Begin at the stream's place."""
        self._stream = cast(io.BufferedReader, stream)
        self._back, self._size = io.BytesIO(), 0

    def tell(self) -> int:
        """Return the place of the next byte in the stream."""
        return self._stream.tell() - self._size + self._back.tell()

    def seek(self, place: int) -> None:
        """Continue at a place of the stream."""
        self._stream.seek(place)
        self._back, self._size = io.BytesIO(), 0

    def readline(self, most: int) -> bytes:
        """Return the bytes up to and with a line break, or the most allowed without one."""
        line = self._back.readline(most)
        if line.endswith(b"\n") or len(line) == most:
            return line
        return line + self._stream.readline(most - len(line))

    def read(self, size: int) -> bytes:
        """Return up to so many bytes; b"" at the end."""
        return self._back.read(size) or self._stream.read(size)

    def push_back(self, data: bytes) -> None:
        """Take bytes back; they are read next."""
        data += self._back.read()
        self._back, self._size = io.BytesIO(data), len(data)

    def pass_blanks(self) -> int:
        """Pass blanks up to anything else; return how many line breaks were among them."""
        lines = 0
        while True:
            begin = self._back.tell()
            pushed = begin < self._size
            data = self._back.getbuffer() if pushed else self._stream.peek(_HEAD)
            match = _BLANK.match(data, begin if pushed else 0)
            assert match is not None
            lines += match[0].count(b"\n")
            (self._back if pushed else self._stream).read(len(match[0]))
            if match.end() < len(data) or not data:
                return lines

    def pass_line(self) -> None:
        """Pass the rest of a line."""
        while (line := self.readline(MEBI)) and not line.endswith(b"\n"):
            pass


def text_records(
    stream: IO[bytes], limits: IngestLimits, line: int = 0, *, scarred: bool = False
) -> Iterator[LocatedRecord]:
    """Yield the records of a text, and an Unreadable in the place of each that is broken.

    Args:
        stream: the text from its beginning, or from a line that begins an object; buffered.
        limits: the limits.
        line: number of lines before.
        scarred: whether a value was broken there.
    """
    texts = TextRecords(PushbackStream(stream), limits)
    texts.line, texts.scarred = line, scarred
    return texts.iterate_records()


class TextRecords:
    """Reads the records of a text.

    Attributes:
        line: number of the current line.
        objects: whether each line that is not blank began an object, or belongs to one.
        count: number of elements of lists and logs so far.
        inside: how far lines may be indented to begin a record while those of a broken value may
            follow; None where every line begins one.
        scarred: whether a value was broken, so that brackets that close nothing may follow.
        cut: the value that the text ended in, unless lines follow that are records.
    """

    def __init__(
        self, source: PushbackStream, limits: IngestLimits, simple: SimpleLines | None = None
    ) -> None:
        """Begin.

        Args:
            source: the text.
            limits: the limits.
            simple: parses simple lines; they are yielded together, as `Lines`.
        """
        self._source = source
        self._simple = simple
        self._limits = limits
        self.line = self.count = 0
        self.objects = True
        self.inside: int | None = None
        self.scarred = False
        self.cut: LocatedRecord | None = None

    def iterate_records(self, end: int = -1) -> Iterator[LocatedRecord]:
        """Yield the records.

        Args:
            end: where in the stream no further one is begun; -1 at its end.
        """
        most = self._limits.record_bytes
        while end < 0 or self._source.tell() < end:
            if self._simple and self.cut is None:
                begin = self._source.tell()
                taken, place = self._simple.take(begin)
                if taken:
                    self._source.seek(place)
                    yield LocatedRecord("line", self.line + 1, taken)
                    self.line += len(taken)
                    self.inside = None
                    continue
            if not (line := self._source.readline(most + 1)):
                break
            self.line += 1
            if self.line == 1:
                line = line.removeprefix(BOM)
            if (bare := line.lstrip()[:1]) != b"{":
                self.objects = self.objects and not bare
            if not bare:
                self.line += self._source.pass_blanks()
            elif self._is_part(line, bare):
                self._pass_line(line)
            elif bare == b"[" or (
                len(line) > most and bare == b"{" and _LOG.search(line, 0, _HEAD)
            ):
                self._source.push_back(line)
                long, line = len(line) > most, line[:_HEAD]
                yield from self._read_value(line, long)
            elif len(line) > most:
                self._pass_line(line)
                limit = self._limits.record_mb
                reason = f"longer than {limit} MiB (record_mb={limit})"
                yield LocatedRecord("line", self.line, UnreadableRecord(reason))
            else:
                text = decode_text(line)
                line = line[:1]  # Keep a long line in memory once.
                value = (
                    text if isinstance(text, UnreadableRecord) else parse_text(text, self._limits)
                )
                if isinstance(value, NotOneLine) and bare == b"{" and isinstance(text, str):
                    self._source.push_back(text.encode())
                    line, text = text[:_HEAD].encode(), ""
                    yield from self._read_value(line)
                    continue
                del text
                if self.cut is not None and line == b"{":
                    yield self.cut  # Its line was broken, but the text continues.
                    self.cut = None
                self.inside = None
                if not isinstance(value, UnreadableRecord) and is_log(value):
                    yield from iterate_samples(value)
                else:
                    yield LocatedRecord("line", self.line, value)
        if self.cut is not None:
            reason = f"the text ends inside this record: {self.cut.value}"
            yield self.cut._replace(value=ReadStopped(reason))

    def _is_part(self, line: bytes, bare: bytes) -> bool:
        """Return whether a line belongs to a value that was broken before it."""
        if self.inside is not None:
            indent = len(line) - len(line.lstrip(b" \t"))
            return bare not in (b"{", b"[") or indent > self.inside
        return self.scarred and not line.strip(_CLOSERS)

    def _pass_line(self, line: bytes) -> None:
        if not line.endswith(b"\n"):
            self._source.pass_line()

    def _read_value(self, line: bytes, long: bool = False) -> Iterator[LocatedRecord]:
        """Yield the records of the value that begins a line and may continue over others.

        Args:
            line: the beginning of that line, which was pushed back whole.
            long: whether the line is longer than a record may be.
        """
        is_list = line.lstrip()[:1] == b"["
        # Such a line begins a list of several lines; any other that breaks at once is just broken.
        opens = long or line.strip() in (b"[", b"[{")
        begun = self.count
        window = JsonWindow(self._source.read, self._limits)
        many = is_list
        try:
            if many := is_list or window.begins_with(_LOGGED, _HEAD):
                for value in (
                    iterate_elements(window) if is_list else iterate_log(window, self._limits)
                ):
                    self.count += 1
                    yield LocatedRecord("record", self.count, value)
            else:
                yield LocatedRecord("line", self.line, window.read_value())
            self._source.push_back(window.remaining_bytes())
            # What follows in the same line is read as a line of the same number.
            self.line += window.line_count + self._source.pass_blanks() - 1
        except BrokenJson as error:
            many = many and (opens or self.count > begun)
            self.count += many
            if isinstance(error, TruncatedJson):
                self.cut = self._locate_unreadable(many, UnreadableRecord(str(error)))
            elif many:
                reason = f"{error}; reading goes on at the next line that begins a record"
                yield self._locate_unreadable(many, ReadStopped(reason))
            else:
                yield self._locate_unreadable(many, UnreadableRecord(str(error)))
            self.inside, self.scarred = window.next_indent(), True
            self.line += window.line_count
            self._source.push_back(window.remaining_bytes())
            if isinstance(error, UnexpectedSign) and self.inside < _UNKNOWN:
                self.line -= 1  # The current line may be a record.
            else:
                self._source.pass_line()

    def _locate_unreadable(self, many: bool, value: UnreadableRecord) -> LocatedRecord:
        return (
            LocatedRecord("record", self.count, value)
            if many
            else LocatedRecord("line", self.line, value)
        )
