"""JSON: one value from bytes, and the elements of a document one at a time.

A document is a list of records, one record, or an inspect_ai log with its samples. It is never
held as a whole: text is read as far as the element at hand needs it, up to the largest record that
is allowed, and the number of values in a text is bounded before any of them is made.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, Literal, NamedTuple

from facelet.pipeline.scoring.limits import MEBI, Limits
from facelet.pipeline.scoring.predictions import Unreadable

BOM = b"\xef\xbb\xbf"


class Located(NamedTuple):
    """A record, or what is wrong with it, and where it stands in its file."""

    unit: Literal["line", "record", "row"]
    number: int
    value: Any


class Broken(ValueError):  # noqa: N818 - an outcome, not a fault
    """A text is no JSON document, or goes beyond a limit; the message says how."""


class NoDocument(Broken):
    """It is none from its beginning on, so it may be read as lines."""


_BROKEN = object()
_DECODER = json.JSONDecoder()
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BLANK = re.compile(r"[ \t\n\r]*+")
_CHUNK = MEBI
_SMALL = 32768
"""No record of so few bytes holds more values than the smallest limit allows."""

_TAIL = 32
"""An error so near to the end of what was read may only mean that more must be read."""


def parse(data: bytes, limits: Limits) -> Any:
    """Return the JSON value of some bytes, or an Unreadable that says why there is none."""
    try:
        text = data.decode("utf-8")
        if len(data) > _SMALL and (count := _surplus(text, limits)):
            return Unreadable(_too_many(count, limits))
        return json.loads(text) if (value := _parse(text)) is _BROKEN else value
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}")
    except RecursionError:
        return Unreadable("JSON is nested too deeply")
    except ValueError as error:
        return Unreadable(f"not valid JSON: {str(error)[:200]}")


def _parse(text: str) -> Any:
    """Return the JSON value of a text; of a broken one _BROKEN, for `json.loads` to say why.

    It is `json.loads` without what that does beside parsing, which for a short line is half of it.
    """
    bare = text.strip(" \t\n\r")
    try:
        value, end = _DECODER.raw_decode(bare)
    except json.JSONDecodeError:
        return _BROKEN
    return value if end == len(bare) else _BROKEN


def values(text: str) -> int:
    """Return an upper bound of the number of JSON values in a text; cut strings are left out."""
    bare = _STRING.sub("", text).partition('"')[0]
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


class Window:
    """The part of a document that is held: from the element at hand to where was read last."""

    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        """Begin at the stream's place."""
        self._stream = stream
        self._limits = limits
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._place = 0
        self._before = 0
        self._ended = False

    @property
    def fresh(self) -> bool:
        """Whether all that was read yet is the first chunk."""
        return self._before + len(self._text) <= _CHUNK

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
            raise Broken(f"not valid JSON: {found or 'its end'!r} at character {place:,}")
        self._place += 1

    def value(self) -> Any:
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

    def _one(self) -> Any:
        """Return the next value, or _BROKEN when it goes on behind what was read.

        Raises:
            Broken: it is no JSON.
        """
        try:
            value, end = _DECODER.raw_decode(self._text, self._place)
        except RecursionError:
            raise Broken("JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            near = error.pos >= len(self._text) - _TAIL or error.msg.startswith("Unterminated")
            if self._ended or not near:
                place = self._before + error.pos
                raise Broken(f"not valid JSON: {error.msg} at character {place:,}") from None
            return _BROKEN
        except ValueError as error:
            raise Broken(f"not valid JSON: {str(error)[:200]}") from None
        if end == len(self._text) and not self._ended:
            return _BROKEN  # A number may go on.
        self._place = end
        return value

    def _more(self, size: int) -> bool:
        """Read on; return whether there was anything."""
        if self._ended:
            return False
        data = self._stream.read(size)
        self._ended = not data
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise Broken(f"not UTF-8: byte {error.object[error.start]:#04x}") from None
        self._before += self._place
        self._text = self._text[self._place :] + text
        self._place = 0
        return not self._ended


def document(stream: IO[bytes], limits: Limits) -> Iterator[Located]:
    """Yield the records of a document.

    What is broken further on is yielded as an Unreadable, and ends it.

    Args:
        stream: the document from its beginning.
        limits: what is allowed.

    Raises:
        NoDocument: it is no document from its beginning on; nothing was yielded.
    """
    window = Window(stream, limits)
    held: list[Located] | None = []
    number = 0
    try:
        for value in _records(window, limits):
            number += 1
            found = Located("record", number, value)
            if held is None:
                yield found
                continue
            held.append(found)
            if not window.fresh:
                yield from held
                held = None
    except Broken as error:
        if held is not None and window.fresh:
            raise NoDocument(str(error)) from None
        yield from held or ()
        yield Located("record", number + 1, Unreadable(f"reading stops here: {error}"))
        return
    yield from held or ()


def _records(window: Window, limits: Limits) -> Iterator[Any]:
    if window.next() == "[":
        yield from _elements(window)
    else:
        window.skip("{")
        pairs: dict[str, Any] = {}
        count = 0
        while window.next() != "}":
            if pairs:
                window.skip(",")
                window.next()
            name = window.value()
            if not isinstance(name, str):
                raise Broken("not valid JSON: a name must be a string")
            window.skip(":")
            if name == "samples" and isinstance(pairs.get("eval"), dict) and window.next() == "[":
                # What follows the samples of a log is not needed.
                yield from (with_model(sample, pairs["eval"]) for sample in _elements(window))
                return
            before = window.taken()
            pairs[name] = window.value()
            if window.taken() > limits.values:
                count += values(window.ahead(before - window.taken()))
            if count > limits.values:
                raise Broken(_too_many(count, limits))
            if window.taken() > limits.record:
                raise Broken(_too_long("the record", limits))
        window.skip("}")
        yield from ([Unreadable(NO_SAMPLES)] if is_log(pairs) else [pairs])
    if rest := window.next():
        raise Broken(f"not valid JSON: {rest!r} behind its end")


def _elements(window: Window) -> Iterator[Any]:
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


def is_log(value: Any) -> bool:
    """Return whether a value is an inspect_ai log."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def samples(log: Mapping[str, Any]) -> Iterator[Located]:
    """Yield the samples of an inspect_ai log that is held as a whole."""
    found = log.get("samples")
    if not isinstance(found, list):
        yield Located("record", 1, Unreadable(NO_SAMPLES))
        return
    for number, sample in enumerate(found, 1):
        yield Located("record", number, with_model(sample, log["eval"]))


def with_model(sample: Any, spec: Mapping[str, Any]) -> Any:
    """Return a sample of an inspect_ai log with the model that the log's head names."""
    if isinstance(sample, dict) and isinstance(spec.get("model"), str):
        return {**sample, "model": spec["model"]}
    return sample
