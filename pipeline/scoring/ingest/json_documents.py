"""Parse one JSON value from bytes, or the elements of a long value one at a time.

A long value is a list of records, or an inspect_ai log with its samples. It is never in memory as a
whole: text is read as far as the current element needs, up to the largest allowed record, and the
number of values in a text is bounded before any of them is built.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeGuard

from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

BOM = b"\xef\xbb\xbf"


Unit = Literal["line", "record", "row"]
"""The unit of a file."""


class LocatedRecord(NamedTuple):
    """A record, or why it is unreadable, and its place in the file.

    Attributes:
        unit: the unit of the file.
        number: its place in the file, from 1.
        value: the record, or an Unreadable.
        damage: how a table may have damaged cells, by their column; None for no table.
    """

    unit: Unit
    number: int
    value: object
    damage: Mapping[str, str] | None = None


class BrokenJson(ValueError):  # noqa: N818 - an outcome, not a fault
    """A text is no JSON document, or exceeds a limit; the message says how."""


class UnexpectedSign(BrokenJson):
    """An unexpected sign between two elements; it was not passed."""


class TruncatedJson(BrokenJson):
    """A text ends inside a value."""


class NotOneLine(UnreadableRecord):
    """A line is not JSON by itself; it may begin a value of several lines."""


_BROKEN = object()
_DECODER = json.JSONDecoder()
_HUGE = json.JSONDecoder(parse_int=float)
"""Reads integers of more digits than Python reads; no field that is used has any."""

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A string, or its part before the end of the text: each text is scanned once."""

_BLANK = re.compile(r"[ \t\n\r]*+")
_CHUNK = 65536
_SMALL = 32768
"""Shorter texts are stripped as a copy; longer ones are not copied."""

_TAIL = 32
"""An error this near to the end of the text may only mean that more must be read."""


def parse_record(data: bytes, limits: IngestLimits) -> object:
    """Return the JSON value of some bytes, or an UnreadableRecord with the reason."""
    text = decode_text(data)
    return text if isinstance(text, UnreadableRecord) else parse_text(text, limits)


def decode_text(data: bytes) -> str | UnreadableRecord:
    """Return the text of some bytes, or why they are none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return UnreadableRecord(f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}")


def parse_text(text: str, limits: IngestLimits) -> object:
    """Return the JSON value of a text, or an UnreadableRecord with the reason."""
    try:
        # A value takes a character at least.
        if len(text) > limits.value_limit and (count := count_values(text)) > limits.value_limit:
            return UnreadableRecord(_too_many(count, limits))
        return json.loads(text) if (value := _parse_json(text)) is _BROKEN else value
    except RecursionError:
        return UnreadableRecord("JSON is nested too deeply")
    except ValueError as error:
        return NotOneLine(f"not valid JSON: {str(error)[:200]}")


def _parse_json(text: str) -> object:
    """Return the JSON value of a text, or _BROKEN; `json.loads` then reports why.

    It is `json.loads` without its overhead, which is half of the time of a short line.
    """
    if len(text) < _SMALL:
        text = text.strip(" \t\n\r")
    begin = _BLANK.match(text)  # A long text is not copied.
    assert begin is not None
    try:
        value, end = _decode(text, begin.end())
    except json.JSONDecodeError:
        return _BROKEN
    if end == len(text):
        return value
    rest = _BLANK.match(text, end)
    return value if rest is not None and rest.end() == len(text) else _BROKEN


def _decode(text: str, place: int) -> tuple[object, int]:
    """Return the JSON value at a place of a text, and its end.

    Raises:
        json.JSONDecodeError: there is none.
    """
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _HUGE.raw_decode(text, place)


def count_values(text: str) -> int:
    """Return an upper bound of the number of JSON values in a text; cut strings are left out."""
    bare = _STRING.sub("", text)
    return 1 + sum(bare.count(sign) for sign in ",[{")


def _too_many(count: int, limits: IngestLimits) -> str:
    return (
        f"it contains about {count:,} values; a record may contain {limits.value_limit:,} "
        f"(record_mb={limits.record_mb})"
    )


def _too_long(what: str, limits: IngestLimits) -> str:
    return f"{what} is longer than {limits.record_mb} MiB (record_mb={limits.record_mb})"


def _is_cut(rest: str, error: json.JSONDecodeError) -> bool:
    """Return whether the text from an error on may only be truncated."""
    bare = rest.strip(" \t\n\r")
    if error.msg.startswith(("Unterminated", "Invalid \\u", "Invalid \\escape")):
        return "\n" not in bare
    return any(word.startswith(bare) for word in ("true", "false", "null", "NaN", "-Infinity"))


class JsonWindow:
    """The part of a long value in memory: from the current element to the last read."""

    def __init__(self, read: Callable[[int], bytes], limits: IngestLimits) -> None:
        """Begin at the place of a stream, from which up to so many bytes are read at a time."""
        self._read = read
        self._limits = limits
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._place = 0
        self._before = 0
        self._lines = 0
        self._ended = False
        self._strange = b""  # What is not UTF-8, and all that was read behind it.

    @property
    def line_count(self) -> int:
        """Number of line breaks that were passed."""
        return self._lines + self._text.count("\n", 0, self._place)

    def begins_with(self, pattern: re.Pattern[str], size: int) -> bool:
        """Return whether a pattern matches in the next characters."""
        self.peek_sign()
        while len(self._text) - self._place < size and self._read_more(_CHUNK):
            pass
        return pattern.search(self._text, self._place, self._place + size) is not None

    def next_indent(self) -> int:
        """Return how far the next value is indented; beyond all where that is not known."""
        start = self._text.rfind("\n", 0, self._place) + 1
        before = self._text[start : self._place]
        return len(before) if before.isspace() or not before else 1 << 30

    def remaining_bytes(self) -> bytes:
        """Return the bytes that were read and not passed."""
        return self._text[self._place :].encode() + self._decoder.getstate()[0] + self._strange

    def count_passed(self) -> int:
        """Return the number of characters that were passed."""
        return self._before + self._place

    def peek_sign(self) -> str:
        """Return the next sign that is no blank, "" at the end; it is not passed."""
        while True:
            match = _BLANK.match(self._text, self._place)
            assert match is not None
            self._place = match.end()
            if self._place < len(self._text) or not self._read_more(_CHUNK):
                return self._text[self._place : self._place + 1]

    def skip_sign(self, sign: str) -> None:
        """Pass a sign.

        Raises:
            BrokenJson: another one is next.
        """
        if (found := self.peek_sign()) != sign:
            place = self._before + self._place
            kind = UnexpectedSign if found else TruncatedJson
            raise kind(f"not valid JSON: {found or 'its end'!r} at character {place:,}")
        self._place += 1

    def read_value(self) -> object:
        """Return the next value and pass it.

        Raises:
            BrokenJson: there is none, or it is too large.
        """
        self.peek_sign()
        sure = 0  # So many characters are known to be this value's.
        while True:
            if sure and (count := count_values(self.peek_text(sure))) > self._limits.value_limit:
                raise BrokenJson(_too_many(count, self._limits))
            if (found := self._try_value()) is not _BROKEN:
                return found
            if (sure := len(self._text) - self._place) > self._limits.record_bytes:
                place = self._before + self._place
                raise BrokenJson(_too_long(f"the record at character {place:,}", self._limits))
            self._read_more(max(_CHUNK, sure))

    def peek_text(self, size: int) -> str:
        """Return the next characters in memory; for a negative size, the previous ones."""
        place = self._place
        return self._text[place : place + size] if size > 0 else self._text[place + size : place]

    def _try_value(self) -> object:
        """Return the next value, or _BROKEN if it continues beyond the text in memory.

        Raises:
            BrokenJson: it is no JSON.
        """
        try:
            value, end = _decode(self._text, self._place)
        except RecursionError:
            raise BrokenJson("JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            near = error.pos >= len(self._text) - _TAIL or error.msg.startswith("Unterminated")
            if self._ended or not near:
                place = self._before + error.pos
                kind = (
                    TruncatedJson
                    if self._ended and _is_cut(self._text[error.pos :], error)
                    else BrokenJson
                )
                raise kind(f"not valid JSON: {error.msg} at character {place:,}") from None
            return _BROKEN
        if end == len(self._text) and not self._ended:
            return _BROKEN  # A number may go on.
        self._place = end
        return value

    def _read_more(self, size: int) -> bool:
        """Read on; return whether there was anything.

        Raises:
            BrokenJson: what comes next is not UTF-8.
        """
        if self._strange:
            raise BrokenJson(f"not UTF-8: byte {self._strange[0]:#04x}")
        if self._ended:
            return False
        data = self._read(size)
        self._ended = not data
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            text = error.object[: error.start].decode()
            self._strange = error.object[error.start :]
            self._decoder.reset()
        self._before += self._place
        self._lines += self._text.count("\n", 0, self._place)
        self._text = self._text[self._place :] + text
        self._place = 0
        return bool(text) or self._read_more(size) if self._strange else not self._ended


def iterate_log(window: JsonWindow, limits: IngestLimits) -> Iterator[object]:
    """Yield the samples of an inspect_ai log, or the object that is none.

    Raises:
        BrokenJson: it is no JSON, or too large.
    """
    window.skip_sign("{")
    pairs: dict[str, object] = {}
    count, begun, seen = 0, window.count_passed(), False
    while window.peek_sign() != "}":
        if pairs:
            window.skip_sign(",")
            window.peek_sign()
        name = window.read_value() if window.peek_sign() == '"' else None
        if not isinstance(name, str):
            raise BrokenJson("not valid JSON: a name must be a string")
        window.skip_sign(":")
        if name == "samples" and isinstance(pairs.get("eval"), dict) and window.peek_sign() == "[":
            seen, pairs["samples"] = True, None
            yield from (with_model(sample, pairs["eval"]) for sample in iterate_elements(window))
            begun = window.count_passed()  # What follows the samples counts by itself.
            continue
        before = window.count_passed()
        pairs[name] = window.read_value()
        if window.count_passed() - begun > limits.value_limit:
            count += count_values(window.peek_text(before - window.count_passed()))
        if count > limits.value_limit:
            raise BrokenJson(_too_many(count, limits))
        if window.count_passed() - begun > limits.record_bytes:
            raise BrokenJson(_too_long("the record", limits))
    window.skip_sign("}")
    if not seen:
        yield UnreadableRecord(NO_SAMPLES) if is_log(pairs) else pairs


def iterate_elements(window: JsonWindow) -> Iterator[object]:
    """Yield the elements of a list.

    Raises:
        BrokenJson: it is no JSON, or an element is too large.
    """
    window.skip_sign("[")
    if window.peek_sign() == "]":
        window.skip_sign("]")
        return
    yield window.read_value()
    while window.peek_sign() != "]":
        window.skip_sign(",")
        yield window.read_value()
    window.skip_sign("]")


NO_SAMPLES = "an inspect_ai log without samples"


def is_log(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a value is an inspect_ai log."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def iterate_samples(log: Mapping[str, object]) -> Iterator[LocatedRecord]:
    """Yield the samples of an inspect_ai log in memory."""
    found = log.get("samples")
    if not isinstance(found, list):
        yield LocatedRecord("record", 1, UnreadableRecord(NO_SAMPLES))
        return
    yield from (
        LocatedRecord("record", number, with_model(sample, log["eval"]))
        for number, sample in enumerate(found, 1)
    )


def with_model(sample: object, spec: object) -> object:
    """Return a sample of an inspect_ai log with the model that the log's head names."""
    model = spec.get("model") if isinstance(spec, dict) else None
    if isinstance(sample, dict) and isinstance(model, str):
        return {**sample, "model": model}
    return sample
