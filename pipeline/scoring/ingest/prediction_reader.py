"""Read all prediction files as one stream of predictions, with a report of each file.

A prediction is yielded as soon as it is read, so no file is ever in memory as a whole. The reports
and the names of the models grow while the stream is read and are complete when it ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from facelet.pipeline.dataset.row_hashes import hash_file
from facelet.pipeline.input_gate import MAX_NAME
from facelet.pipeline.scoring.ingest.csv_reader import TEXTS, lost_in
from facelet.pipeline.scoring.ingest.dataset_match import DatasetMatcher, Questions
from facelet.pipeline.scoring.ingest.file_reader import (
    SUFFIXES,
    LinePlace,
    begins_lines,
    read_records,
)
from facelet.pipeline.scoring.ingest.file_report import EXAMPLES, FileReport, UnusedExample
from facelet.pipeline.scoring.ingest.file_spans import AllTaken, Share, Span, SpanReport, spans
from facelet.pipeline.scoring.ingest.finish_reasons import attach_finish_reasons, mark_failed
from facelet.pipeline.scoring.ingest.id_match import IdMatcher, UnknownRow, harness_task
from facelet.pipeline.scoring.ingest.ingest_limits import MEBI, IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord, parse_record
from facelet.pipeline.scoring.ingest.model_settings import ModelSettings, settings_of
from facelet.pipeline.scoring.ingest.prediction import (
    NEXT,
    Prediction,
    Record,
    UnreadableRecord,
    catch_field_errors,
)
from facelet.pipeline.scoring.ingest.record_formats import (
    BATCHES,
    HARNESSES,
    FieldNames,
    detect_format,
    record_of,
)
from facelet.pipeline.scoring.ingest.token_usage import spent
from facelet.pipeline.scoring.scored_dataset import ScoredDataset

MAX_MODELS = 64
"""Most models of one run; each has its own figures."""

PERSON = "human/"
"""How names begin that are those of people."""

MAX_PEOPLE = 1000
"""Most people of one run."""

ModelFrom = Literal["record", "file"]
"""Where names of models come from: a record's own first, or its file's only."""

FILE_BITS, UNNUMBERED, REPLIED = 40, 1 << 39, 1 << 38
"""A place packs four facts: the number of a file (above FILE_BITS), whether its record numbers no
sample, whether it is no failure, and the number of the record in the file."""


class TooManyModels(ValueError):  # noqa: N818 - it refuses a run
    """The files name more models than one run may have."""


class JoinedPrediction(NamedTuple):
    """A prediction that joined a row.

    Attributes:
        row: number of the row in the dataset.
        model: code of the model: its place among the names.
        prediction: the prediction.
        place: where it was read; see FILE_BITS.
    """

    row: int
    model: int
    prediction: Prediction
    place: int


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How predictions are read, in any process.

    Attributes:
        model: name for predictions that name no model; "" for the name of their file.
        file_models: names of the models by file, or None to use those of the records.
        fields: names of fields for records of unknown formats.
        limits: the limits of a file.
        questions: which questions a record may contain.
    """

    model: str
    file_models: Mapping[Path, str] | None
    fields: FieldNames
    limits: IngestLimits
    questions: Questions


def ingest_files(
    dataset: ScoredDataset,
    files: Sequence[Path],
    model: str = "",
    model_from: ModelFrom = "record",
    *,
    fields: FieldNames = FieldNames(),  # noqa: B008 - frozen
    limits: IngestLimits = IngestLimits(),  # noqa: B008 - frozen
    questions: Questions = "row",
) -> PredictionReader:
    """Return a reader of files, whose `entries` are their predictions in order.

    Args:
        dataset: the dataset that they are predictions for.
        files: the files.
        model: name for predictions that name no model; "" for the name of their file.
        model_from: whether names of models are taken from records or from files.
        fields: names of fields for records of unknown formats.
        limits: the limits of a file.
        questions: which questions a record may contain.
    """
    file_models = name_files(files) if model_from == "file" else None
    how = ReadSettings(model, file_models, fields, limits, questions)
    return PredictionReader(dataset, how, tuple(files))


def is_person(name: str) -> bool:
    """Return whether the name of a model is that of a person."""
    return name.startswith(PERSON)


@dataclass
class PredictionReader:
    """Reads prediction files. It is complete once `entries` has been read to its end.

    Attributes:
        dataset: the dataset.
        how: how predictions are read.
        files: the files.
        models: codes of the models by name, and by file for records of it that name none.
        accounts: the reports of the files, in the order of reading.
        settings: the sampling settings of the models, by their codes.
    """

    dataset: ScoredDataset
    how: ReadSettings
    files: Sequence[Path] = ()
    models: dict[str | Path, int] = field(default_factory=dict)
    accounts: list[FileReport] = field(default_factory=list)
    settings: ModelSettings = field(default_factory=ModelSettings)

    def __post_init__(self) -> None:
        self._joiner = IdMatcher(self.dataset)
        self._own = self.how.fields.to_format()
        self._ended, self._shared = False, True
        self._place = LinePlace(0, 0)
        # If the rows are not verified, a difference proves nothing.
        compared = self.dataset.voucher.depth != "no"
        self._checker = DatasetMatcher(self.dataset, self.how.questions) if compared else None

    @cached_property
    def entries(self) -> Iterator[JoinedPrediction | Share | AllTaken]:
        """The predictions of all files, to be read once, some of them as shares.

        Raises:
            ValueError: while it is read, a file contradicts the dataset or a row is damaged.
            OSError: while it is read, a file cannot be opened.
        """
        return chain.from_iterable(map(self._read_file, self.files))

    @cached_property
    def _file_names(self) -> Mapping[Path, str]:
        return name_files(self.files)

    def _read_file(self, path: Path) -> Iterator[JoinedPrediction | Share | AllTaken]:
        """Yield the predictions of one file, in shares where possible.

        Raises:
            ValueError: the file contradicts the dataset.
            OSError: the file cannot be opened.
        """
        default, number = self._default_model(path), len(self.accounts)
        account = FileReport(path, hash_file(path), path.stat().st_size)
        self.accounts.append(account)
        self._ended, self._shared, self._place = False, True, LinePlace(0, 0)
        names = self.how.fields.list_required_columns
        if begins_lines(path, names):
            for span in spans(path):
                rows = tuple(self._rows_of(span))
                yield Share(span, default, number, rows, partial(self._take_span, account))
                if not self._shared:
                    break
            yield AllTaken()
        if self._place.start < max(1, account.size):
            place = self._place if self._place.start else None
            found = read_records(path, self.how.limits, names, place)
            yield from self.read_entries(found, account, number << FILE_BITS)
        if self._checker is not None:
            self._checker.check_file(path, account.evidence)

    def _rows_of(self, span: Span) -> Iterator[int]:
        """Yield the rows of the first and the last record of a span, if their ids name any."""
        for line in (span.first, span.last):
            record = parse_record(line, self.how.limits)
            key = record.get(self.how.fields.id or "id") if isinstance(record, dict) else None
            row = self.dataset.row_index.find_row(key) if isinstance(key, str) else None
            if row is not None:
                yield row

    def _take_span(self, account: FileReport, report: SpanReport | None) -> Sequence[int] | None:
        """Merge the report of a span, and return the codes of its models; see `Share`."""
        if report is not None:
            keys = [name or account.path for name in report.models]
            models = {key for key in (*self.models, *keys) if isinstance(key, str)}
            place = replace(
                report.place,
                taken=self._place.taken + report.place.taken,
                scarred=self._place.scarred or report.place.scarred,
            )
            allowed = self.how.limits.seconds + account.size / MEBI
            if (
                len(models) < MAX_MODELS
                and place.taken <= allowed
                and not account.may_end(report.account)
            ):
                account.merge_counts(report.account)
                self._place = place
                return [self.models.setdefault(key, len(self.models)) for key in keys]
        self._shared = False
        return None

    def read_entries(
        self, found: Iterable[LocatedRecord], account: FileReport, file: int = 0
    ) -> Iterator[JoinedPrediction]:
        """Yield the predictions of some records.

        Args:
            found: the records, unreadable ones included.
            account: the account of their file.
            file: the place of their file.

        Raises:
            ValueError: one contradicts the dataset, or names one model too many.
        """
        for located in found:
            yield from self._iterate_entries(located, account, file)
            if self._ended:
                break

    def _iterate_entries(
        self, located: LocatedRecord, account: FileReport, file: int
    ) -> Iterator[JoinedPrediction]:
        """Yield the predictions at a place of a file, or stop a file that is not worth reading."""
        yield from self._read_record(located, account, file)
        if (account.broken or account.unknown) and (why := account.stop_reason()):
            account.stopped, self._ended = f"read in part; {why}", True

    def _read_record(
        self, located: LocatedRecord, account: FileReport, file: int
    ) -> Iterator[JoinedPrediction]:
        """Yield the predictions of a record; see `read_entries`."""
        own, done = self._own, 0
        predictions: Sequence[Prediction] = ()
        account.read += 1
        account.unit = located.unit
        try:
            if isinstance(located.value, UnreadableRecord):
                raise located.value
            with catch_field_errors():
                record = record_of(located.value)
                form = detect_format(record) if own is None else own
                filtered = form.name in HARNESSES and "filter" in record
                if filtered and self._is_repeat(record, account):
                    return
                took = spent(record) or None
                said = settings_of(record) if "settings" in record else ""
                predictions = [
                    mark_failed(record, attach_finish_reasons(record, one))
                    for one in form.read(record)
                ]
            if not predictions:
                raise UnreadableRecord("it contains no reply and no reason for its absence")
            account.read += len(predictions) - 1
            for done, one in enumerate(predictions):  # noqa: B007 - counts those left on an error
                marked = self._mark_damaged(one, located, account)
                if (row := self._find_row(marked, account.path, account)) is None:
                    continue
                place = file | located.number | UNNUMBERED * (marked.sample == NEXT)
                checked = self._check_prediction(row, marked, account, located)
                code = self._find_model_code(checked, account, located.number)
                timed = checked if took is None else checked._replace(spent=took)
                yield JoinedPrediction(row, code, timed, place)
                account.predictions += 1
                if said:
                    self.settings.count_prediction(code, said)
            account.formats[form.name] += 1
        except UnreadableRecord as error:
            account.note_unusable(located, error, max(1, len(predictions) - done))
            if isinstance(error, ReadStopped) and not account.stopped:
                account.stopped = f"read in part; {located.unit} {located.number}: {error}"

    def _mark_damaged(
        self, prediction: Prediction, located: LocatedRecord, account: FileReport
    ) -> Prediction:
        """Return a prediction marked if its file may have damaged its reply.

        Raises:
            UnreadableRecord: the reply is lost.
        """
        why = prediction.damage
        if located.damage is not None and prediction.failure is None:
            if lost := next(filter(None, map(lost_in, prediction.replies)), None):
                raise lost
            columns = {*TEXTS, self.how.fields.text}
            why = next((why for name, why in located.damage.items() if name in columns), why)
        if why and len(account.damaged) < EXAMPLES:
            account.damaged.append(UnusedExample(located.unit, located.number, why))
        return prediction._replace(damage=why)

    def _is_repeat(self, record: Record, account: FileReport) -> bool:
        """Return whether a record of a harness repeats a document under another filter."""
        # One record a filter, all with the same raw reply.
        document = hash(repr([record.get(name) for name in ("doc_id", "doc", "resps")]))
        filters = account.filters.setdefault(document, set())
        other = bool(filters) and str(record["filter"]) not in filters
        filters.add(str(record["filter"]))
        account.filtered += other
        return other

    def _find_row(self, prediction: Prediction, path: Path, account: FileReport) -> int | None:
        """Return the number of the row of a prediction; None if it joins none."""
        try:
            return self._joiner.find_row(prediction, path)
        except UnknownRow as error:
            account.unknown += 1
            if len(account.unknown_ids) < EXAMPLES:
                account.unknown_ids.append(str(error)[:100])
            return None

    def _check_prediction(
        self, row: int, prediction: Prediction, account: FileReport, located: LocatedRecord
    ) -> Prediction:
        """Return a prediction for a row, compared with the row."""
        if prediction.sample == NEXT:
            prediction = prediction._replace(sample=0)
        part = self.dataset.parts[self.dataset.part_of(row)]
        if not part.unavailable_reason:
            _check_passes(prediction, part.load_installed_task.traits.passes)
        if prediction.asked is None and prediction.target is None:
            account.evidence.nothing += 1
        elif self._checker is not None:
            self._checker.check_prediction(row, prediction, account.path, account.evidence)
            if self.how.questions == "row":
                prediction = _attach_later_messages(prediction, account, located)
        if prediction.asked is not None:
            prediction = prediction._replace(asked=None)  # It need not stay in memory.
        return prediction

    def _find_model_code(self, prediction: Prediction, account: FileReport, number: int) -> int:
        """Return the code of a prediction's model.

        Raises:
            TooManyModels: it is one more than a run may have.
        """
        files = self.how.file_models
        name = files[account.path] if files else prediction.model
        key = name or account.path
        if name:
            account.models[name] = None
        elif prediction.failure is not None:
            account.unnamed_failure = account.unnamed_failure or number
        else:
            account.unnamed = account.unnamed or number
        if (code := self.models.get(key)) is None:
            code = self.models[key] = len(self.models)
            if code >= MAX_MODELS:
                check_names([one for one in self.models if isinstance(one, str)])
        return code

    def list_provisional_names(self) -> tuple[str, ...]:
        """Return the names of the models by code that are known while files are read."""
        return tuple(
            key if isinstance(key, str) else self._default_model(key) for key in self.models
        )

    def list_model_names(self) -> list[str]:
        """Return the names of the models by code, once all files are read; codes may share one.

        A record without a model belongs to the only model that its file names, else to the model
        that the caller names, else to a model that is named after the file. The failures of a
        batch API never name a model: a file of them belongs to the only model of the run.

        Raises:
            ValueError: a record may belong to several models, or there are too many.
        """
        named = [key for key in self.models if isinstance(key, str)]
        accounts = {account.path: account for account in self.accounts}
        names = [
            key if isinstance(key, str) else self._name_unnamed(accounts[key], named)
            for key in self.models
        ]
        check_names(names)
        return names

    def _name_unnamed(self, account: FileReport, named: Sequence[str]) -> str:
        """Return the name of the model of a file's records that name none."""
        of_batch = not account.unnamed and account.formats.keys() <= BATCHES
        found = list(account.models) or (list(named) if of_batch else [])
        if len(found) == 1:
            return found[0]
        if found and not self.how.model:
            where = f"{account.path.name}: {account.unit}"
            raise ValueError(
                f"{where} {account.unnamed or account.unnamed_failure} names no model, and may "
                f"belong to {', '.join(sorted(found)[:3])}{' or others' if len(found) > 3 else ''};"
                " name its model with model=..., or make each file one model with model_from=file"
            )
        return self._default_model(account.path)

    def _default_model(self, path: Path) -> str:
        """Return the name of the model of a file that names none."""
        if self.how.file_models is not None:
            return self.how.file_models[path]
        if self.how.model:
            return self.how.model
        # The harnesses write a log into a folder that is named after the model.
        if harness_task(path) is not None and path.parent.name:
            return path.parent.name
        table = path.suffix in (".xlsx", ".tsv", ".csv")
        return ((self._joiner.config_prefix(path) if table else "") or self._file_names[path])[
            :MAX_NAME
        ]


def check_names(names: Iterable[str]) -> None:
    """Refuse more models or people than one run may have.

    Raises:
        TooManyModels: there are more.
    """
    if (people := sum(map(is_person, found := set(names)))) > MAX_PEOPLE:
        raise TooManyModels(f"more than {MAX_PEOPLE} different people; score fewer at once")
    if len(found) - people > MAX_MODELS:
        raise TooManyModels(
            f"more than {MAX_MODELS} different models; if files of one model name none, name it "
            "with model=...; if each file is one model, use model_from=file; or score fewer"
        )


def name_files(files: Sequence[Path]) -> dict[Path, str]:
    """Return a name for each file, as short as is unique, with its folder if necessary."""
    names = {path: _file_stem(path) for path in files}
    for longer in (lambda path: f"{path.parent.name}/{_file_stem(path)}", str):
        times = Counter(names.values())
        names = {path: longer(path) if times[name] > 1 else name for path, name in names.items()}
    short = {path: name[-MAX_NAME:] for path, name in names.items()}
    if len(set(short.values())) < len(short):
        raise ValueError("some file names are equal in their last characters; rename the files")
    return short


def _file_stem(path: Path) -> str:
    ending = max((end for end in SUFFIXES if path.name.endswith(end)), key=len, default="")
    return path.name.removesuffix(ending) or path.name


def _check_passes(prediction: Prediction, passes: int) -> None:
    """Raise UnreadableRecord if a prediction has fewer replies than every episode of its row."""
    if (count := len(prediction.replies)) < passes and prediction.failure is None:
        raise UnreadableRecord(
            f"{count} of the {passes} replies of {prediction.key}; its questions follow from its "
            "earlier replies, so give all of them in one record, in order"
        )


def _attach_later_messages(
    prediction: Prediction, account: FileReport, located: LocatedRecord
) -> Prediction:
    """Return a prediction with the users' later messages, which its replay checks."""
    questions = prediction.asked.questions if prediction.asked else ()
    if not (later := next((question.later for question in questions if any(question.later)), ())):
        return prediction
    refuse = partial(account.note_refused, located.unit, located.number)
    return prediction._replace(later=later, refuse=refuse)
