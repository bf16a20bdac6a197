"""Read one byte range of a JSONL file in a worker.

A span can be read by itself if its records are complete, have ids, number their samples, and
contain no question, no answer key and no settings. In any other span something depends on what
comes before: the number of a sample, the rows compared so far. Such a span is read in order with
the rest of its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time

from facelet.pipeline.dataset.input_files import open_input_file
from facelet.pipeline.input_gate import has_surrogate
from facelet.pipeline.scoring.ingest.file_reader import LinePlace
from facelet.pipeline.scoring.ingest.file_report import FileReport
from facelet.pipeline.scoring.ingest.file_spans import Span, SpanReport
from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord
from facelet.pipeline.scoring.ingest.json_stream import (
    Lines,
    PushbackStream,
    SimpleLines,
    TextRecords,
)
from facelet.pipeline.scoring.ingest.prediction import NEXT, Prediction, Record
from facelet.pipeline.scoring.ingest.prediction_batch import PredictionBatch
from facelet.pipeline.scoring.ingest.prediction_reader import (
    JoinedPrediction,
    PredictionReader,
    ReadSettings,
)
from facelet.pipeline.scoring.scored_dataset import ScoredDataset


class NeedsWholeFile(Exception):  # noqa: N818 - an outcome, not a fault
    """A span cannot be read by itself."""


def read_span(
    dataset: ScoredDataset, how: ReadSettings, span: Span
) -> tuple[PredictionBatch, SpanReport]:
    """Return the predictions of a span, and the report of its records.

    Args:
        dataset: the dataset that they are predictions for.
        how: how they are read.
        span: the span.

    Raises:
        NeedsWholeFile: it cannot be read by itself.
        TooManyModels: it names more models than a run may have.
        OSError: the file cannot be opened.
    """
    intake = _SpanReader(dataset, how)
    account = FileReport(span.path, "", 0)
    begun = process_time()
    # With field names from the caller, lines have another format.
    found, place = _span_records(span, how.limits, simple=not how.fields.list_required_columns)
    taken = process_time() - begun
    batch = intake.batch
    for entry in intake.read_entries(found, account):
        key = entry.prediction.key
        named = isinstance(key, str) and dataset.row_index.find_row(key) == entry.row
        batch.add_prediction(*entry, str(key) if named else "")
    if intake.settings.counts:
        raise NeedsWholeFile
    place = LinePlace(place.start, place.line, place.scarred, taken)
    names = ("" if isinstance(key, Path) else key for key in intake.models)
    return batch, SpanReport(account, tuple(names), place)


def _span_records(
    span: Span, limits: IngestLimits, *, simple: bool
) -> tuple[list[LocatedRecord], LinePlace]:
    """Return the records of a span, and its end.

    Raises:
        NeedsWholeFile: it contains more than objects and broken lines, or does not end with one.
    """
    with open_input_file(span.path) as raw:
        raw.seek(span.start)
        lines = None
        if simple:
            lines = SimpleLines(raw.read(span.end - span.start), span.start, span.first)
            raw.seek(span.start)
        source = PushbackStream(raw)
        texts = TextRecords(source, limits, lines)
        texts.line = span.line
        found: list[LocatedRecord] = []
        for located in texts.iterate_records(span.end):
            if isinstance(located.value, ReadStopped):
                raise NeedsWholeFile
            found.append(located)
        if not texts.objects or texts.count or source.tell() != span.end:
            raise NeedsWholeFile
        return found, LinePlace(span.end, texts.line, texts.scarred)


class _SpanReader(PredictionReader):
    """Reads the records of a span.

    Attributes:
        batch: receives the plain predictions of simple lines; the caller adds all other entries as
            they are yielded, so all are in their order.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.batch = PredictionBatch()

    def _iterate_entries(
        self, located: LocatedRecord, account: FileReport, file: int
    ) -> Iterator[JoinedPrediction]:
        """Add the plain predictions of simple lines to the batch, and yield the rest."""
        lines = located.value
        if not isinstance(lines, Lines):
            yield from super()._iterate_entries(located, account, file)
            return
        place, count = 0, len(lines)
        while not self._ended:
            place = self._add_plain_lines(lines, located.number, place, account)
            if place == count:
                return
            record = LocatedRecord("line", located.number + place, lines.record(place))
            yield from super()._iterate_entries(record, account, file)
            place += 1

    def _add_plain_lines(self, lines: Lines, number: int, first: int, account: FileReport) -> int:
        """Add lines up to the first that is not plain here, and return its place.

        Args:
            lines: the lines.
            number: number of the first of them in the file.
            first: place of the first to add.
            account: the account of their file.
        """
        rows: list[int] = []
        codes: list[int] = []
        row_of, code_of = self.dataset.row_index.find_row, self.models.get
        files = self.how.file_models
        names = [files[account.path]] * len(lines) if files else lines.models
        unnamed = code_of(account.path)
        low = high = 0
        plain = zip(lines.keys[first:], names[first:], lines.texts[first:], strict=True)
        for key, name, text in plain:
            row, code = row_of(key), code_of(name) if name else unnamed
            if row is None or code is None or has_surrogate(text):
                break
            if not low <= row < high:
                part = self.dataset.parts[self.dataset.part_of(row)]
                if part.unavailable_reason or part.load_installed_task.traits.passes > 1:
                    break
                low, high = part.first_number, part.first_number + part.count
            rows.append(row)
            codes.append(code)
        end = first + len(rows)
        if rows:
            texts, ids = lines.texts[first:end], lines.keys[first:end]
            places = range(number + first, number + end)
            self.batch.add_plain(rows, codes, lines.samples[first:end], texts, places, ids)
            account.read += len(rows)
            if not account.unnamed and unnamed in codes:
                account.unnamed = places[codes.index(unnamed)]
            account.formats["native"] += len(rows)
            account.predictions += len(rows)
            account.evidence.nothing += len(rows)
        return end

    def _is_repeat(self, record: Record, account: FileReport) -> bool:
        raise NeedsWholeFile

    def _find_row(self, prediction: Prediction, path: Path, account: FileReport) -> int | None:
        if isinstance(prediction.key, int):
            raise NeedsWholeFile
        return super()._find_row(prediction, path, account)

    def _check_prediction(
        self, row: int, prediction: Prediction, account: FileReport, located: LocatedRecord
    ) -> Prediction:
        if (
            prediction.sample == NEXT
            or prediction.target is not None
            or prediction.asked is not None
            or self.dataset.parts[self.dataset.part_of(row)].unavailable_reason
        ):
            raise NeedsWholeFile
        return super()._check_prediction(row, prediction, account, located)
