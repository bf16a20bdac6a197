"""Cut a JSON Lines file into spans that processes read in parallel.

A span begins where a line begins an object, and ends where another one does or at the end of the
file. Its end follows from the file alone. Each span is read as the whole file would be, beyond its
end if necessary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.dataset.input_files import open_input_file
from facelet.pipeline.scoring.ingest.file_reader import LinePlace
from facelet.pipeline.scoring.ingest.file_report import FileReport

SPAN = 2 << 20
"""Most bytes of a span."""

LINES = 8192
"""About how many lines a span has, at most."""

_NEXT = b"\n{"


@dataclass(frozen=True, slots=True)
class Span:
    """A byte range of a file.

    Attributes:
        path: the file.
        start: number of bytes before it.
        end: number of bytes up to its end.
        line: number of lines before it.
        first: its first line.
        last: its last line.
    """

    path: Path
    start: int
    end: int
    line: int
    first: bytes
    last: bytes


@dataclass(frozen=True, slots=True)
class SpanReport:
    """What is known of a span beside its predictions.

    Attributes:
        account: the report of its records alone.
        models: names of its models, by the code that its predictions have; "" for those that name
            none.
        place: where it ends.
    """

    account: FileReport
    models: tuple[str, ...]
    place: LinePlace


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """A span of a file to be read by the process that grades it.

    Attributes:
        span: the span.
        default: name of the model of a file that names none.
        file: number of the file.
        rows: some of the rows that its predictions answer.
        take: receives the report of the span, None if it cannot be read by itself, and returns the
            codes of its models; None if its predictions will be yielded again, one by one, and
            nothing of it or of a later share may be used.
    """

    span: Span
    default: str
    file: int
    rows: tuple[int, ...]
    take: Callable[[SpanReport | None], Sequence[int] | None]


class AllTaken:
    """Marks a place in the stream before which all shares must be graded."""


def spans(path: Path) -> Iterator[Span]:
    """Yield the spans of a file that begins with a line that begins an object.

    They end before a line that is longer than a span, or a span whose lines begin no object.

    Args:
        path: the file.
    """
    start = line = 0
    with open_input_file(path) as file:
        while data := file.read(SPAN):
            whole = len(data) < SPAN
            if (count := data.count(b"\n")) > LINES:
                whole, data = False, data[: len(data) * LINES // count]
            if not whole:
                # The next byte is unknown.
                end = data.rfind(_NEXT) + 1
                if not end:
                    return
                data = data[:end]
            first = data[: data.find(b"\n") + 1] or data
            last = data.rstrip()
            last = last[last.rfind(b"\n") + 1 :]
            end = start + len(data)
            yield Span(path, start, end, line, first, last)
            start, line = end, line + data.count(b"\n")
            file.seek(start)
