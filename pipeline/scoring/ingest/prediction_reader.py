"""Read all prediction files as one stream of predictions, with a report of each file.

A prediction is yielded as soon as it is read, so no file is ever in memory as a whole. The reports
and the names of the models grow while the stream is read and are complete when it ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from facelet.pipeline.dataset.content_hash import hash_file
from facelet.pipeline.scoring.ingest.csv_reader import TEXTS, lost_in
from facelet.pipeline.scoring.ingest.dataset_match import DatasetMatcher, Questions
from facelet.pipeline.scoring.ingest.file_reader import (
    SUFFIXES,
    LinePlace,
    begins_lines,
    read_records,
)
from facelet.pipeline.scoring.ingest.file_report import EXAMPLES, FileReport, UnusedExample
from facelet.pipeline.scoring.ingest.file_spans import AllTaken, Share, Span, Told, spans
from facelet.pipeline.scoring.ingest.finish_reasons import attach_finish_reasons, mark_failed
from facelet.pipeline.scoring.ingest.id_match import IdMatcher, UnknownRow, harness_task
from facelet.pipeline.scoring.ingest.ingest_limits import MEBI, IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord, parse_record
from facelet.pipeline.scoring.ingest.model_settings import ModelSettings, settings_of
from facelet.pipeline.scoring.ingest.prediction import (
    MAX_NAME,
    NEXT,
    Prediction,
    Record,
    UnreadableRecord,
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
"""A place is the number of a file above so many bits, whether its record numbers no sample, whether
it is no failure, and the number of a record in the file."""


class TooManyModels(ValueError):  # noqa: N818 - it refuses a run
    """Files hold more models than one run may have."""


class JoinedPrediction(NamedTuple):
    """A prediction that joined a row.

    Attributes:
        row: number of the row in the dataset.
        model: code of the model: its place among the names.
        prediction: what was predicted.
        place: where it was read; see FILE_BITS.
    """

    row: int
    model: int
    prediction: Prediction
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class Ingested:
    """What prediction files hold. All but the dataset is whole once `read_entries` has been read.

    Attributes:
        dataset: the dataset that they are predictions for.
        entries: the predictions in the order of the files, to be read once, some of them as
            shares. Reading them raises
            ValueError where a file contradicts the dataset or a row cannot be read back, and
            OSError where a file cannot be opened.
        intake: reads them; whoever reads a share does as it does.
        accounts: what each file held, in the order of the files.
        settings: how the models were asked, by their codes.
    """

    dataset: ScoredDataset
    entries: Iterator[JoinedPrediction | Share | AllTaken]
    intake: PredictionReader
    accounts: Sequence[FileReport]
    settings: ModelSettings


def ingest_files(
    dataset: ScoredDataset,
    files: Sequence[Path],
    model: str = "",
    model_from: ModelFrom = "record",
    *,
    fields: FieldNames = FieldNames(),  # noqa: B008 - frozen
    limits: IngestLimits = IngestLimits(),  # noqa: B008 - frozen
    questions: Questions = "row",
) -> Ingested:
    """Return what files hold, in their order.

    Args:
        dataset: the dataset that they are predictions for.
        files: the files.
        model: name for predictions that name no model; "" for the name of their file.
        model_from: whether names of models are taken from records or from files.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        questions: which questions a record may carry.
    """
    intake = PredictionReader(
        dataset,
        model,
        name_files(files) if model_from == "file" else None,
        fields,
        limits,
        questions,
    )
    return Ingested(dataset, intake.read_all(files), intake, intake.accounts, intake.settings)


def is_person(name: str) -> bool:
    """Whether the name of a model is that of a person."""
    return name.startswith(PERSON)


@dataclass
class PredictionReader:
    """Takes prediction files in.

    Attributes:
        dataset: the dataset.
        model: name for predictions that name no model; "" for the name of their file.
        file_models: names of the models by file, or None to believe the records.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        questions: which questions a record may carry.
        models: codes of the models by name, and by file for records of it that name none.
        accounts: the files, as they came.
        settings: how the models were asked.
    """

    dataset: ScoredDataset
    model: str
    file_models: Mapping[Path, str] | None
    fields: FieldNames
    limits: IngestLimits
    questions: Questions
    models: dict[str | Path, int] = field(default_factory=dict)
    accounts: list[FileReport] = field(default_factory=list)
    settings: ModelSettings = field(default_factory=ModelSettings)

    def __post_init__(self) -> None:
        self._joiner = IdMatcher(self.dataset)
        self._own = self.fields.to_format()
        self._ended = False
        # Where nobody vouches for the rows, a difference shows nothing.
        compared = self.dataset.voucher.depth != "no"
        self._checker = DatasetMatcher(self.dataset, self.questions) if compared else None

    def read_all(self, files: Sequence[Path]) -> Iterator[JoinedPrediction | Share | AllTaken]:
        """Yield the predictions of all files."""
        self._named = name_files(files)
        for path in files:
            yield from self._read_file(path)

    def _read_file(self, path: Path) -> Iterator[JoinedPrediction | Share | AllTaken]:
        """Yield the predictions of one file, in shares as far as that can be.

        Raises:
            ValueError: the file contradicts the dataset.
            OSError: the file cannot be opened.
        """
        default, number = self._default_model(path), len(self.accounts)
        account = FileReport(path, hash_file(path), path.stat().st_size)
        self.accounts.append(account)
        self._begin_file()
        names = self.fields.list_required_columns
        if begins_lines(path, names):
            for span in spans(path):
                rows = tuple(self._rows_of(span))
                yield Share(span, default, number, rows, partial(self._take_span, account))
                if not self._shared:
                    break
            yield AllTaken()
        if self._place is None or self._place.start < account.size:
            found = read_records(path, self.limits, names, self._place)
            yield from self.read_entries(found, account, number << FILE_BITS)
        if self._checker is not None:
            self._checker.check_file(path, account.evidence)

    def _begin_file(self) -> None:
        """Begin a file."""
        self._ended = False
        self._place: LinePlace | None = None
        self._shared = True

    def _rows_of(self, span: Span) -> Iterator[int]:
        """Yield the rows that the first and the last record of a span ask for, if that is plain."""
        for line in (span.first, span.last):
            record = parse_record(line, self.limits)
            key = record.get(self.fields.id or "id") if isinstance(record, dict) else None
            row = self.dataset.row_index.find_row(key) if isinstance(key, str) else None
            if row is not None:
                yield row

    def _take_span(self, account: FileReport, told: Told | None) -> Sequence[int] | None:
        """Take what a span told; see `Share`."""
        if told is not None:
            keys = [name or account.path for name in told.models]
            models = {key for key in (*self.models, *keys) if isinstance(key, str)}
            before = self._place.taken if self._place else 0.0
            place = replace(told.place, taken=before + told.place.taken)
            if self._place and self._place.scarred:
                place = replace(place, scarred=True)
            allowed = self.limits.seconds + account.size / MEBI
            if (
                len(models) < MAX_MODELS
                and place.taken <= allowed
                and not account.may_end(told.account)
            ):
                account.merge_counts(told.account)
                self._place = place
                return [self.models.setdefault(key, len(self.models)) for key in keys]
        self._shared = False
        return None

    def read_entries(
        self, found: Iterable[LocatedRecord], account: FileReport, file: int = 0
    ) -> Iterator[JoinedPrediction]:
        """Yield the predictions of some records.

        Args:
            found: the records, and what is wrong with some.
            account: the account of their file.
            file: the place of their file.

        Raises:
            ValueError: one contradicts the dataset, or names one model too many.
        """
        for located in found:
            yield from self._entries_of(located, account, file)
            if self._ended:
                break

    def _entries_of(
        self, located: LocatedRecord, account: FileReport, file: int
    ) -> Iterator[JoinedPrediction]:
        """Yield the predictions of what stands at a place of a file; see `read_entries`."""
        yield from self._read_record(located, account, file)
        self._check_worth(account)

    def _check_worth(self, account: FileReport) -> None:
        """Stop reading a file that is not worth it."""
        if (account.broken or account.unknown) and (why := account.stop_reason()):
            account.stopped, self._ended = f"read in part; {why}", True

    def _read_record(
        self, located: LocatedRecord, account: FileReport, file: int
    ) -> Iterator[JoinedPrediction]:
        """Yield the predictions of a record; see `read_entries`."""
        own, done = self._own, 0
        predictions: list[Prediction] = []
        account.read += 1
        account.unit = located.unit
        try:
            if isinstance(located.value, UnreadableRecord):
                raise located.value
            record = record_of(located.value)
            form = detect_format(record) if own is None else own
            if form.name in HARNESSES and "filter" in record and self._is_repeat(record, account):
                return
            took = spent(record) or None
            said = settings_of(record) if "settings" in record else ""
            predictions += form.read(record)
            if not predictions:
                raise UnreadableRecord("it holds no reply, and no reason why there is none")
            account.read += len(predictions) - 1
            for done, prediction in enumerate(predictions):  # noqa: B007 - for what is left
                told = attach_finish_reasons(record, prediction)
                told = told if took is None else told._replace(spent=took)
                told = self._mark_damaged(mark_failed(record, told), located, account)
                row = self._find_row(told, account.path, account)
                if row is None:
                    continue
                place = file | located.number | UNNUMBERED * (told.sample == NEXT)
                told = self._check_prediction(row, told, account, located)
                code = self._code(told, account, located.number)
                yield JoinedPrediction(row, code, told, place)
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
        """Return a prediction marked if what carried its reply may have damaged it.

        Raises:
            Unreadable: the reply is lost.
        """
        if located.damage is None or prediction.failure is not None:
            return prediction
        if lost := next(filter(None, map(lost_in, prediction.replies)), None):
            raise lost
        columns = {*TEXTS, self.fields.text}
        why = next((why for name, why in located.damage.items() if name in columns), "")
        if why and len(account.damaged) < EXAMPLES:
            account.damaged.append(UnusedExample(located.unit, located.number, why))
        return prediction._replace(damage=why)

    def _is_repeat(self, record: Record, account: FileReport) -> bool:
        """Return whether a record of a harness repeats a document under another filter."""
        # One record a filter, all with the same raw reply.
        said = hash(repr([record.get(name) for name in ("doc_id", "doc", "resps")]))
        filters = account.filters.setdefault(said, set())
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
        """Return a prediction for a row, held against the row."""
        if prediction.sample == NEXT:
            prediction = prediction._replace(sample=0)
        part = self.dataset.parts[self.dataset.part_of(row)]
        if not part.unavailable_reason:
            _check_passes(prediction, part.load_installed_task.traits.passes)
        if prediction.asked is None and prediction.target is None:
            account.evidence.nothing += 1
        elif self._checker is not None:
            self._checker.check_prediction(row, prediction, account.path, account.evidence)
            if self.questions == "row":
                prediction = _to_compare(prediction, account, located)
        if prediction.asked is not None:
            prediction = prediction._replace(asked=None)  # It is not held until it is judged.
        return prediction

    def _code(self, prediction: Prediction, account: FileReport, number: int) -> int:
        """Return the code of a prediction's model.

        Raises:
            TooManyModels: it is one more than a run may have.
        """
        name = self.file_models[account.path] if self.file_models else prediction.model
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

    def provisional_names(self) -> tuple[str, ...]:
        """Return names of the models by code, as far as they are known while files are read."""
        return tuple(
            key if isinstance(key, str) else self._default_model(key) for key in self.models
        )

    def names(self) -> list[str]:
        """Return the names of the models by code, once all files are read; several may be one.

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
        """Return the name of the model of a file's records that name none.

        See `list_required_columns`.
        """
        of_batch = not account.unnamed and account.formats.keys() <= BATCHES
        found = list(account.models) or (list(named) if of_batch else [])
        if len(found) == 1:
            return found[0]
        if found and not self.model:
            where = f"{account.path.name}: {account.unit}"
            raise ValueError(
                f"{where} {account.unnamed or account.unnamed_failure} names no model, and may be "
                f"of {', '.join(sorted(found)[:3])}{' or others' if len(found) > 3 else ''}; name "
                "its model with model=..., or take each file for one model with model_from=file"
            )
        return self._default_model(account.path)

    def _default_model(self, path: Path) -> str:
        """Return the name of the model of a file that names none."""
        if self.file_models is not None:
            return self.file_models[path]
        if self.model:
            return self.model
        # The harnesses write a log into a folder that is named after the model.
        if harness_task(path) is not None and path.parent.name:
            return path.parent.name
        table = path.suffix in (".xlsx", ".tsv", ".csv")
        return ((self._joiner.config_prefix(path) if table else "") or self._named[path])[:MAX_NAME]


def check_names(names: Iterable[str]) -> None:
    """Refuse more models or people than one run may have.

    Raises:
        TooManyModels: there are more.
    """
    people = sum(map(is_person, found := set(names)))
    if people > MAX_PEOPLE:
        raise TooManyModels(f"more than {MAX_PEOPLE} different people; score fewer at once")
    if len(found) - people > MAX_MODELS:
        raise TooManyModels(
            f"more than {MAX_MODELS} different models; where files name none and are of one model, "
            "name it with model=...; where each file is one, use model_from=file; or score fewer"
        )


def name_files(files: Sequence[Path]) -> dict[Path, str]:
    """Return a name for each file, as short as tells them apart: with its folder if need be."""
    names = {path: _file_stem(path) for path in files}
    for longer in (lambda path: f"{path.parent.name}/{_file_stem(path)}", str):
        times = Counter(names.values())
        names = {path: longer(path) if times[name] > 1 else name for path, name in names.items()}
    short = {path: name[-MAX_NAME:] for path, name in names.items()}
    if len(set(short.values())) < len(short):
        raise ValueError("the names of some files are too long to tell them apart; rename them")
    return short


def _file_stem(path: Path) -> str:
    ending = max((end for end in SUFFIXES if path.name.endswith(end)), key=len, default="")
    return path.name.removesuffix(ending) or path.name


def _check_passes(prediction: Prediction, passes: int) -> None:
    """Raise Unreadable if a prediction has fewer replies than every play of its row has."""
    said = len(prediction.replies)
    if said < passes and prediction.failure is None:
        raise UnreadableRecord(
            f"{said} of the {passes} replies of {prediction.key}; its questions follow from its "
            "earlier replies, so give all of them in one record, in order"
        )


def _to_compare(prediction: Prediction, account: FileReport, located: LocatedRecord) -> Prediction:
    """Return a prediction with what the users said later, which its replay shows to be right."""
    questions = prediction.asked.questions if prediction.asked else ()
    later = next((question.later for question in questions if any(question.later)), ())
    if not later:
        return prediction
    refuse = partial(account.note_refused, located.unit, located.number)
    return prediction._replace(later=later, refuse=refuse)
