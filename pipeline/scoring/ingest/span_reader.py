"""Alone: a span of a file is read by itself, by a process that knows nothing of the rest.

So are spans whose records are whole, have ids, number their samples, and carry no question, no
answer key and no settings. In any other something depends on what stands before: the number of a
sample, the rows that were compared so far. It is then read in order, with the rest of its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from facelet.pipeline.scoring.dataset import Dataset
from facelet.pipeline.scoring.taking.accounts import FileAccount
from facelet.pipeline.scoring.taking.batches import Batch
from facelet.pipeline.scoring.taking.contradictions import Questions
from facelet.pipeline.scoring.taking.documents import Located
from facelet.pipeline.scoring.taking.files import Place
from facelet.pipeline.scoring.taking.formats import Fields
from facelet.pipeline.scoring.taking.intake import Entry, Intake
from facelet.pipeline.scoring.taking.json_stream import Source, Texts
from facelet.pipeline.scoring.taking.limits import Limits, Stopped
from facelet.pipeline.scoring.taking.predictions import NEXT, Prediction, Record, encodable
from facelet.pipeline.scoring.taking.simple_lines import Lines, SimpleLines
from facelet.pipeline.scoring.taking.spans import Span, Told


class NotAlone(Exception):  # noqa: N818 - an outcome, not a fault
    """A span cannot be read by itself."""


@dataclass(frozen=True, slots=True)
class How:
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
    fields: Fields
    limits: Limits
    questions: Questions

    @staticmethod
    def of(intake: Intake) -> How:
        """Return how an intake reads."""
        return How(intake.model, intake.file_models, intake.fields, intake.limits, intake.questions)


def read_alone(dataset: Dataset, how: How, span: Span) -> tuple[Batch, Told]:
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
    intake = _Alone(dataset, how.model, how.file_models, how.fields, how.limits, how.questions)
    account = FileAccount(span.path, "", 0)
    begun = process_time()
    # Whoever names fields has lines of another kind.
    found, place = _located(span, how.limits, simple=not how.fields.names)
    taken = process_time() - begun
    batch = intake.batch
    for entry in intake.entries(found, account):
        key = entry.prediction.key
        named = isinstance(key, str) and dataset.index.get(key) == entry.row
        batch.add(*entry, str(key) if named else "")
    if intake.settings.counts:
        raise NotAlone
    place = Place(place.start, place.line, place.scarred, taken)
    names = ("" if isinstance(key, Path) else key for key in intake.models)
    return batch, Told(account, tuple(names), place)


def _located(span: Span, limits: Limits, *, simple: bool) -> tuple[list[Located], Place]:
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
        source = Source(raw)
        texts = Texts(source, limits, lines)
        texts.line = span.line
        found: list[Located] = []
        for located in texts.records(span.end):
            if isinstance(located.value, Stopped):
                raise NotAlone
            found.append(located)
        if not texts.objects or texts.count or source.tell() != span.end:
            raise NotAlone
        return found, Place(span.end, texts.line, texts.scarred)


class _Alone(Intake):
    """Takes the records of a span in.

    Attributes:
        batch: takes what is plain of simple lines; whoever reads the entries adds these to it as
            they come, and so all stand in their order.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.batch = Batch()
        self._easy: dict[int, bool] = {}

    def _entries_of(self, located: Located, account: FileAccount, file: int) -> Iterator[Entry]:
        """Take what is plain of simple lines, and yield the rest, which goes the way of all."""
        lines = located.value
        if not isinstance(lines, Lines):
            yield from super()._entries_of(located, account, file)
            return
        place, count = 0, len(lines)
        while not self._ended:
            place = self._plain(lines, located.number, place, account)
            if place == count:
                return
            record = Located("line", located.number + place, lines.record(place))
            yield from super()._entries_of(record, account, file)
            place += 1

    def _plain(self, lines: Lines, number: int, first: int, account: FileAccount) -> int:
        """Take lines up to the first that is not plain here, and return its place.

        Args:
            lines: the lines.
            number: number of the first of them in the file.
            first: place of the first to take.
            account: the account of their file.
        """
        rows: list[int] = []
        codes: list[int] = []
        row_of, code_of = self.dataset.index.get, self.models.get
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
                if part.unavailable or part.task.traits.passes > 1:
                    break
                low, high = part.start, part.start + part.count
            rows.append(row)
            codes.append(code)
        end = first + len(rows)
        if rows:
            texts = [one if one.isascii() else encodable(one) for one in lines.texts[first:end]]
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

    def _repeats(self, record: Record, account: FileAccount) -> bool:
        raise NotAlone

    def _row(self, prediction: Prediction, path: Path, account: FileAccount) -> int | None:
        if isinstance(prediction.key, int):
            raise NotAlone
        return super()._row(prediction, path, account)

    def _checked(
        self, row: int, prediction: Prediction, account: FileAccount, located: Located
    ) -> Prediction:
        if prediction.sample == NEXT or prediction.target is not None:
            raise NotAlone
        if (
            prediction.asked is not None
            or self.dataset.parts[self.dataset.part_of(row)].unavailable
        ):
            raise NotAlone
        return super()._checked(row, prediction, account, located)
