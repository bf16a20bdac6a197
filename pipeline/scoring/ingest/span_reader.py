"""Read one byte range of a JSONL file in a worker.

A span can be read by itself if its records are complete, have ids, number their samples, and
contain no question, no answer key and no settings. In any other span something depends on what
comes before: the number of a sample, the rows compared so far. Such a span is read in order with
the rest of its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from facelet.pipeline.scoring.ingest.dataset_match import Questions
from facelet.pipeline.scoring.ingest.fast_jsonl import Lines, SimpleLines
from facelet.pipeline.scoring.ingest.file_reader import LinePlace
from facelet.pipeline.scoring.ingest.file_report import FileReport
from facelet.pipeline.scoring.ingest.file_spans import Span, Told
from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord
from facelet.pipeline.scoring.ingest.json_stream import PushbackStream, TextRecords
from facelet.pipeline.scoring.ingest.prediction import NEXT, Prediction, Record, replace_surrogates
from facelet.pipeline.scoring.ingest.prediction_batch import PredictionBatch
from facelet.pipeline.scoring.ingest.prediction_reader import JoinedPrediction, PredictionReader
from facelet.pipeline.scoring.ingest.record_formats import FieldNames
from facelet.pipeline.scoring.scored_dataset import ScoredDataset


class NeedsWholeFile(Exception):  # noqa: N818 - an outcome, not a fault
    """A span cannot be read by itself."""


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How predictions are read, for any process.

    Attributes:
        model: name for predictions that name no model; "" for the name of their file.
        file_models: names of the models by file, or None to believe the records.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        questions: which questions a record may carry.
    """

    model: str
    file_models: Mapping[Path, str] | None
    fields: FieldNames
    limits: IngestLimits
    questions: Questions

    @staticmethod
    def from_intake(intake: PredictionReader) -> ReadSettings:
        """Return how an intake reads."""
        return ReadSettings(
            intake.model, intake.file_models, intake.fields, intake.limits, intake.questions
        )


def read_alone(
    dataset: ScoredDataset, how: ReadSettings, span: Span
) -> tuple[PredictionBatch, Told]:
    """Return the predictions of a span, and what it told beside them.

    Args:
        dataset: the dataset that they are predictions for.
        how: how they are read.
        span: the span.

    Raises:
        NotAlone: it cannot be read by itself.
        TooManyModels: it names more models than a run may have.
        OSError: the file cannot be opened.
    """
    intake = _SpanIntake(dataset, how.model, how.file_models, how.fields, how.limits, how.questions)
    account = FileReport(span.path, "", 0)
    begun = process_time()
    # Whoever names fields has lines of another kind.
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
    return batch, Told(account, tuple(names), place)


def _span_records(
    span: Span, limits: IngestLimits, *, simple: bool
) -> tuple[list[LocatedRecord], LinePlace]:
    """Return the records of a span, and where it ends.

    Raises:
        NotAlone: it is not all objects and what is broken, or they do not end with it.
    """
    with span.path.open("rb") as raw:
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


class _SpanIntake(PredictionReader):
    """Takes the records of a span in.

    Attributes:
        batch: takes what is plain of simple lines; whoever reads the entries adds these to it as
            they come, and so all stand in their order.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.batch = PredictionBatch()
        self._easy: dict[int, bool] = {}

    def _entries_of(
        self, located: LocatedRecord, account: FileReport, file: int
    ) -> Iterator[JoinedPrediction]:
        """Take what is plain of simple lines, and yield the rest, which goes the way of all."""
        lines = located.value
        if not isinstance(lines, Lines):
            yield from super()._entries_of(located, account, file)
            return
        place, count = 0, len(lines)
        while not self._ended:
            place = self._take_plain_lines(lines, located.number, place, account)
            if place == count:
                return
            record = LocatedRecord("line", located.number + place, lines.record(place))
            yield from super()._entries_of(record, account, file)
            place += 1

    def _take_plain_lines(self, lines: Lines, number: int, first: int, account: FileReport) -> int:
        """Take lines up to the first that is not plain here, and return its place.

        Args:
            lines: the lines.
            number: number of the first of them in the file.
            first: place of the first to take.
            account: the account of their file.
        """
        rows: list[int] = []
        codes: list[int] = []
        row_of, code_of = self.dataset.row_index.find_row, self.models.get
        one = None if self.file_models is None else self.file_models[account.path]
        names = lines.models if one is None else [one] * len(lines)
        unnamed = code_of(account.path)
        low = high = 0
        pairs = zip(lines.keys[first:], names[first:], strict=True)
        for key, name in pairs:
            row, code = row_of(key), code_of(name) if name else unnamed
            if row is None or code is None:
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
            texts = [
                one if one.isascii() else replace_surrogates(one) for one in lines.texts[first:end]
            ]
            ids = lines.keys[first:end]
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
        if prediction.sample == NEXT or prediction.target is not None:
            raise NeedsWholeFile
        if (
            prediction.asked is not None
            or self.dataset.parts[self.dataset.part_of(row)].unavailable_reason
        ):
            raise NeedsWholeFile
        return super()._check_prediction(row, prediction, account, located)
