"""JSON: one value from bytes, and the elements of a long value one at a time.

A long value is a list of records, or an inspect_ai log with its samples. It is never held as a
whole: text is read as far as the element at hand needs it, up to the largest record that is
allowed, and the number of values in a text is bounded before any of them is made.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, Protocol, TypeGuard

from facelet.pipeline.scoring.taking.limits import Limits
from facelet.pipeline.scoring.taking.predictions import Unreadable

BOM = b"\xef\xbb\xbf"


Unit = Literal["line", "record", "row"]
"""What a file is made of."""


class Located(NamedTuple):
    """A record, or what is wrong with it, and where it stands in its file.

    Attributes:
        unit: what the file is made of.
        number: its place in the file, from 1.
        value: the record, or an Unreadable.
        damage: how a table may have damaged cells, by their column; None for no table.
    """

    unit: Unit
    number: int
    value: object
    damage: Mapping[str, str] | None = None


class Broken(ValueError):  # noqa: N818 - an outcome, not a fault
    """A text is no JSON document, or goes beyond a limit; the message says how."""


class Between(Broken):
    """What stands between two elements is none of the signs that may; it was not passed."""


class Cut(Broken):
    """A text ends inside a value."""


class NoJSON(Unreadable):
    """A line is not JSON by itself; it may begin a value of several lines."""


_BROKEN = object()
_DECODER = json.JSONDecoder()
_HUGE = json.JSONDecoder(parse_int=float)
"""Reads integers of more digits than Python reads; no field that is used has any."""

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A string, or what of one stands before the end: each text is read once."""

_BLANK = re.compile(r"[ \t\n\r]*+")
_CHUNK = 65536
_SMALL = 32768
"""No record of so few bytes holds more values than the smallest limit allows."""

_TAIL = 32
"""An error so near to the end of what was read may only mean that more must be read."""


def parse(data: bytes, limits: Limits) -> object:
    """Return the JSON value of some bytes, or an Unreadable that says why there is none."""
    text = decoded(data)
    return text if isinstance(text, Unreadable) else parse_text(text, limits)


def decoded(data: bytes) -> str | Unreadable:
    """Return the text of some bytes, or why they are none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}")


def parse_text(text: str, limits: Limits) -> object:
    """Return the JSON value of a text, or an Unreadable that says why there is none."""
    try:
        if len(text) > _SMALL and (count := _surplus(text, limits)):
            return Unreadable(_too_many(count, limits))
        return json.loads(text) if (value := _parse(text)) is _BROKEN else value
    except RecursionError:
        return Unreadable("JSON is nested too deeply")
    except ValueError as error:
        return NoJSON(f"not valid JSON: {str(error)[:200]}")


def _parse(text: str) -> object:
    """Return the JSON value of a text; of a broken one _BROKEN, for `json.loads` to say why.

    It is `json.loads` without what that does beside parsing, which for a short line is half of it.
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
    """Return the JSON value at a place of a text, and where it ends.

    Raises:
        json.JSONDecodeError: there is none.
    """
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _HUGE.raw_decode(text, place)


def values(text: str) -> int:
    """Return an upper bound of the number of JSON values in a text; cut strings are left out."""
    bare = _STRING.sub("", text)
    return 1 + sum(bare.count(sign) for sign in ",[{")


def _surplus(text: str, limits: Limits) -> int:
    """Return the number of values in a text if it is more than allowed, else 0."""
    if len(text) <= limits.values:
        return 0
    return count if (count := values(text)) > limits.values else 0


def _too_many(count: int, limits: Limits) -> str:
    return (
        f"it holds about {count:,} values; a record may hold {limits.values:,} "
        f"(record_mb={limits.record_mb})"
    )


def _too_long(what: str, limits: Limits) -> str:
    return f"{what} is longer than {limits.record_mb} MiB (record_mb={limits.record_mb})"


def _is_cut(rest: str, error: json.JSONDecodeError) -> bool:
    """Return whether what stands from an error on may only lack what follows."""
    bare = rest.strip(" \t\n\r")
    if error.msg.startswith(("Unterminated", "Invalid \\u", "Invalid \\escape")):
        return "\n" not in bare
    return any(word.startswith(bare) for word in ("true", "false", "null", "NaN", "-Infinity"))


class Readable(Protocol):
    """What a window reads from."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; b"" at the end."""


class Window:
    """The part of a long value that is held: from the element at hand to where was read last."""

    def __init__(self, stream: Readable, limits: Limits) -> None:
        """Begin at the stream's place."""
        self._stream = stream
        self._limits = limits
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._place = 0
        self._before = 0
        self._lines = 0
        self._ended = False
        self._strange = b""  # What is not UTF-8, and all that was read behind it.

    @property
    def ended(self) -> bool:
        """Whether the stream has no more."""
        return self._ended

    @property
    def lines(self) -> int:
        """Number of line breaks that were passed."""
        return self._lines + self._text.count("\n", 0, self._place)

    def begins_with(self, pattern: re.Pattern[str], size: int) -> bool:
        """Return whether the next so many characters hold what a pattern finds."""
        self.next()
        while len(self._text) - self._place < size and self._more(_CHUNK):
            pass
        return pattern.search(self._text, self._place, self._place + size) is not None

    def indent(self) -> int:
        """Return how far the next value is indented; beyond all where that is not known."""
        start = self._text.rfind("\n", 0, self._place) + 1
        before = self._text[start : self._place]
        return len(before) if before.isspace() or not before else 1 << 30

    def rest(self) -> bytes:
        """Return what was read and not passed."""
        return self._text[self._place :].encode() + self._decoder.getstate()[0] + self._strange

    def taken(self) -> int:
        """Return the number of characters that were passed."""
        return self._before + self._place

    def next(self) -> str:
        """Return the next sign that is no blank, "" at the end; it is not passed."""
        while True:
            match = _BLANK.match(self._text, self._place)
            assert match is not None
            self._place = match.end()
            if self._place < len(self._text) or not self._more(_CHUNK):
                return self._text[self._place : self._place + 1]

    def skip(self, sign: str) -> None:
        """Pass a sign.

        Raises:
            Broken: another one is next.
        """
        if (found := self.next()) != sign:
            place = self._before + self._place
            kind = Between if found else Cut
            raise kind(f"not valid JSON: {found or 'its end'!r} at character {place:,}")
        self._place += 1

    def value(self) -> object:
        """Return the next value and pass it.

        Raises:
            Broken: there is none, or it is too large.
        """
        self.next()
        sure = 0  # So many characters are known to be this value's.
        while True:
            if sure and (count := values(self.ahead(sure))) > self._limits.values:
                raise Broken(_too_many(count, self._limits))
            if (found := self._one()) is not _BROKEN:
                return found
            sure = len(self._text) - self._place
            if sure > self._limits.record:
                place = self._before + self._place
                raise Broken(_too_long(f"the record at character {place:,}", self._limits))
            self._more(max(_CHUNK, sure))

    def ahead(self, size: int) -> str:
        """Return so many characters as far as they are held; a negative number, those behind."""
        place = self._place
        return self._text[place : place + size] if size > 0 else self._text[place + size : place]

    def _one(self) -> object:
        """Return the next value, or _BROKEN when it goes on behind what was read.

        Raises:
            Broken: it is no JSON.
        """
        try:
            value, end = _decode(self._text, self._place)
        except RecursionError:
            raise Broken("JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            near = error.pos >= len(self._text) - _TAIL or error.msg.startswith("Unterminated")
            if self._ended or not near:
                place = self._before + error.pos
                kind = Cut if self._ended and _is_cut(self._text[error.pos :], error) else Broken
                raise kind(f"not valid JSON: {error.msg} at character {place:,}") from None
            return _BROKEN
        if end == len(self._text) and not self._ended:
            return _BROKEN  # A number may go on.
        self._place = end
        return value

    def _more(self, size: int) -> bool:
        """Read on; return whether there was anything.

        Raises:
            Broken: what comes next is not UTF-8.
        """
        if self._strange:
            raise Broken(f"not UTF-8: byte {self._strange[0]:#04x}")
        if self._ended:
            return False
        data = self._stream.read(size)
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
        return bool(text) or self._more(size) if self._strange else not self._ended


def logged(window: Window, limits: Limits) -> Iterator[object]:
    """Yield the samples of an inspect_ai log, or the object that is none.

    Raises:
        Broken: it is no JSON, or too large.
    """
    window.skip("{")
    pairs: dict[str, object] = {}
    count, begun, seen = 0, window.taken(), False
    while window.next() != "}":
        if pairs:
            window.skip(",")
            window.next()
        name = window.value() if window.next() == '"' else None
        if not isinstance(name, str):
            raise Broken("not valid JSON: a name must be a string")
        window.skip(":")
        if name == "samples" and isinstance(pairs.get("eval"), dict) and window.next() == "[":
            seen, pairs["samples"] = True, None
            yield from (with_model(sample, pairs["eval"]) for sample in elements(window))
            begun = window.taken()  # What follows the samples counts by itself.
            continue
        before = window.taken()
        pairs[name] = window.value()
        if window.taken() - begun > limits.values:
            count += values(window.ahead(before - window.taken()))
        if count > limits.values:
            raise Broken(_too_many(count, limits))
        if window.taken() - begun > limits.record:
            raise Broken(_too_long("the record", limits))
    window.skip("}")
    if not seen:
        yield Unreadable(NO_SAMPLES) if is_log(pairs) else pairs


def elements(window: Window) -> Iterator[object]:
    """Yield the elements of a list.

    Raises:
        Broken: it is no JSON, or an element is too large.
    """
    window.skip("[")
    if window.next() == "]":
        window.skip("]")
        return
    yield window.value()
    while window.next() != "]":
        window.skip(",")
        yield window.value()
    window.skip("]")


NO_SAMPLES = "an inspect_ai log without samples"


def is_log(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a value is an inspect_ai log."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def samples(log: Mapping[str, object]) -> Iterator[Located]:
    """Yield the samples of an inspect_ai log that is held as a whole."""
    found = log.get("samples")
    if not isinstance(found, list):
        yield Located("record", 1, Unreadable(NO_SAMPLES))
        return
    for number, sample in enumerate(found, 1):
        yield Located("record", number, with_model(sample, log["eval"]))


def with_model(sample: object, spec: object) -> object:
    """Return a sample of an inspect_ai log with the model that the log's head names."""
    model = spec.get("model") if isinstance(spec, dict) else None
    if isinstance(sample, dict) and isinstance(model, str):
        return {**sample, "model": model}
    return sample
