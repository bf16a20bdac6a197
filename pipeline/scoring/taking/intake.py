"""Intake: all prediction files as one stream of predictions, with an account of what each held.

A prediction is handed on as soon as it is read, so that no file is ever held as a whole. The
accounts and the models' names grow while the stream is read, and are whole when it has ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from facelet.pipeline.dataset.hashing import hash_file
from facelet.pipeline.scoring.dataset import Dataset
from facelet.pipeline.scoring.taking.accounts import EXAMPLES, FileAccount, Orphan
from facelet.pipeline.scoring.taking.contradictions import Checker, Questions
from facelet.pipeline.scoring.taking.documents import Located, parse
from facelet.pipeline.scoring.taking.files import SUFFIXES, Place, begins_lines, read
from facelet.pipeline.scoring.taking.finish_reasons import told_in
from facelet.pipeline.scoring.taking.formats import HARNESSES, Fields, detect, record_of
from facelet.pipeline.scoring.taking.joining import Joiner, Unknown, harness_task
from facelet.pipeline.scoring.taking.limits import MEBI, Limits, Stopped
from facelet.pipeline.scoring.taking.model_settings import Settings, settings_of
from facelet.pipeline.scoring.taking.predictions import (
    MAX_NAME,
    NEXT,
    Prediction,
    Record,
    Unreadable,
)
from facelet.pipeline.scoring.taking.spans import AllTaken, Share, Span, Told, spans
from facelet.pipeline.scoring.taking.spending import spent

MAX_MODELS = 64
"""Most models of one run; each has its own figures."""

PERSON = "human/"
"""How names begin that are those of people."""

MAX_PEOPLE = 1000
"""Most people of one run."""

UNNAMED = "predictions"
"""Name of the model of predictions that do not name one."""

ModelFrom = Literal["record", "file"]
"""Where names of models come from."""


class Entry(NamedTuple):
    """A prediction that joined a row.

    Attributes:
        row: number of the row in the dataset.
        model: code of the model: its place among the names.
        prediction: what was predicted.
    """

    row: int
    model: int
    prediction: Prediction


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """What prediction files hold. All but the dataset is whole once `entries` has been read.

    Attributes:
        dataset: the dataset that they are predictions for.
        entries: the predictions in the order of the files, to be read once, some of them as
            shares. Reading them raises
            ValueError where a file contradicts the dataset or a row cannot be read back, and
            OSError where a file cannot be opened.
        intake: reads them; whoever reads a share does as it does.
        models: codes of the models by name, in the order in which they came.
        accounts: what each file held, in the order of the files.
        settings: how the models were asked.
    """

    dataset: Dataset
    entries: Iterator[Entry | Share | AllTaken]
    intake: Intake
    models: Mapping[str, int]
    accounts: Sequence[FileAccount]
    settings: Settings


def take(
    dataset: Dataset,
    files: Sequence[Path],
    model: str = "",
    model_from: ModelFrom = "record",
    *,
    fields: Fields = Fields(),  # noqa: B008 - frozen
    limits: Limits = Limits(),  # noqa: B008 - frozen
    questions: Questions = "row",
) -> Taken:
    """Return what files hold, in their order.

    Args:
        dataset: the dataset that they are predictions for.
        files: the files.
        model: name for predictions that name no model.
        model_from: whether names of models are taken from records or from files.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        questions: which questions a record may carry.
    """
    intake = Intake(
        dataset,
        model or UNNAMED,
        name_files(files) if model_from == "file" else None,
        fields,
        limits,
        questions,
    )
    every = intake.all(files)
    return Taken(dataset, every, intake, intake.models, intake.accounts, intake.settings)


def is_person(name: str) -> bool:
    """Whether the name of a model is that of a person."""
    return name.startswith(PERSON)


@dataclass
class Intake:
    """Takes prediction files in.

    Attributes:
        dataset: the dataset.
        model: name for predictions that name no model.
        file_models: names of the models by file, or None to believe the records.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        questions: which questions a record may carry.
        models: codes of the models by name, as they came.
        accounts: the files, as they came.
        settings: how the models were asked.
    """

    dataset: Dataset
    model: str
    file_models: Mapping[Path, str] | None
    fields: Fields
    limits: Limits
    questions: Questions
    models: dict[str, int] = field(default_factory=dict)
    accounts: list[FileAccount] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self._joiner = Joiner(self.dataset)
        self._own = self.fields.format()
        self._ended = False
        # Where nobody vouches for the rows, a difference shows nothing.
        compared = self.dataset.voucher.depth != "no"
        self._checker = Checker(self.dataset, self.questions) if compared else None

    def all(self, files: Sequence[Path]) -> Iterator[Entry | Share | AllTaken]:
        """Yield the predictions of all files, and then the failures that name no model."""
        for path in files:
            yield from self._file(path)
        for account in self.accounts:
            yield from self._orphans(account)

    def _file(self, path: Path) -> Iterator[Entry | Share | AllTaken]:
        """Yield the predictions of one file, in shares as far as that can be.

        Raises:
            ValueError: the file contradicts the dataset.
            OSError: the file cannot be opened.
        """
        default = self._default_model(path)
        account = FileAccount(path, hash_file(path), path.stat().st_size)
        self.accounts.append(account)
        self._begin()
        names = self.fields.names
        if begins_lines(path, names):
            for span in spans(path):
                rows = tuple(self._rows_of(span))
                yield Share(span, default, rows, partial(self._take, account))
                if not self._shared:
                    break
            yield AllTaken()
        if self._place is None or self._place.start < account.size:
            found = read(path, self.limits, names, self._place)
            yield from self.entries(found, default, account)
        if self._checker is not None:
            self._checker.finish(path, account.evidence)

    def _begin(self) -> None:
        """Begin a file."""
        self._ended = False
        self._filter: object = None
        self._place: Place | None = None
        self._shared = True

    def _rows_of(self, span: Span) -> Iterator[int]:
        """Yield the rows that the first and the last record of a span ask for, if that is plain."""
        for line in (span.first, span.last):
            record = parse(line, self.limits)
            key = record.get(self.fields.id or "id") if isinstance(record, dict) else None
            row = self.dataset.index.get(key) if isinstance(key, str) else None
            if row is not None:
                yield row

    def _take(self, account: FileAccount, told: Told | None) -> Sequence[int] | None:
        """Take what a span told; see `Share`."""
        if told is not None:
            models = [*self.models, *(name for name in told.models if name not in self.models)]
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
                account.absorb(told.account)
                self._place = place
                return [self.models.setdefault(name, len(self.models)) for name in told.models]
        self._shared = False
        return None

    def entries(
        self, found: Iterable[Located], default: str, account: FileAccount
    ) -> Iterator[Entry]:
        """Yield the predictions of some records.

        Args:
            found: the records, and what is wrong with some.
            default: name of the model of predictions that name none.
            account: the account of their file.

        Raises:
            ValueError: one contradicts the dataset.
        """
        for located in found:
            yield from self._entries_of(located, default, account)
            if self._ended:
                break

    def _entries_of(self, located: Located, default: str, account: FileAccount) -> Iterator[Entry]:
        """Yield the predictions of what stands at a place of a file; see `entries`."""
        yield from self._record(located, default, account)
        self._look(account)

    def _look(self, account: FileAccount) -> None:
        """Stop reading a file that is not worth it."""
        if (account.broken or account.unknown) and (why := account.hopeless()):
            account.stopped, self._ended = f"read in part; {why}", True

    def _record(self, located: Located, default: str, account: FileAccount) -> Iterator[Entry]:
        """Yield the predictions of a record; see `entries`."""
        own = self._own
        try:
            if isinstance(located.value, Unreadable):
                raise located.value
            record = record_of(located.value)
            form = detect(record) if own is None else own
            if form.name in HARNESSES and "filter" in record and self._repeats(record, account):
                return
            took = spent(record) or None
            said = settings_of(record) if "settings" in record else ""
            for prediction in form.read(record):
                told = told_in(record, prediction)
                told = told if took is None else told._replace(spent=took)
                row = self._row(told, account.path, account)
                if row is None:
                    continue
                told = self._checked(row, told, account, located)
                name = self._name(row, told, default, account)
                if name:
                    yield self._entry(row, name, told)
                    account.models[name] = None
                account.predictions += 1
                if said and name:
                    self.settings.add(name, said)
            account.formats[form.name] += 1
        except Unreadable as error:
            account.note(located, error)
            if isinstance(error, Stopped) and not account.stopped:
                account.stopped = f"read in part; {located.unit} {located.number}: {error}"

    def _repeats(self, record: Record, account: FileAccount) -> bool:
        """Return whether a record of a harness repeats a document under another filter."""
        # One row a filter, all with the same raw reply: the first filter's rows do.
        self._filter = record["filter"] if self._filter is None else self._filter
        other = record["filter"] != self._filter
        account.filtered += other
        return other

    def _orphans(self, account: FileAccount) -> Iterator[Entry]:
        """Yield the failures of a file that name no model, given to one.

        They belong to the one model that their file names, else to the one model of all files,
        else to the model of predictions that name none.
        """
        names = list(account.models or self.models)
        name = names[0] if len(names) == 1 else self.model
        for row, sample, nulls, reasons in account.orphans:
            lost = Prediction("", (), sample, failure="no reply", nulls=nulls, reasons=reasons)
            yield self._entry(row, name, lost)
        account.orphans.clear()

    def _row(self, prediction: Prediction, path: Path, account: FileAccount) -> int | None:
        """Return the number of the row of a prediction; None if it joins none."""
        try:
            return self._joiner.row(prediction, path)
        except Unknown as error:
            account.unknown += 1
            if len(account.unknown_ids) < EXAMPLES:
                account.unknown_ids.append(str(error)[:100])
            return None

    def _checked(
        self, row: int, prediction: Prediction, account: FileAccount, located: Located
    ) -> Prediction:
        """Return a prediction for a row with its sample's number, held against the row."""
        if prediction.sample == NEXT:
            prediction = prediction._replace(sample=account.numbered[row, prediction.model])
            account.numbered[row, prediction.model] += 1
        part = self.dataset.parts[self.dataset.part_of(row)]
        if not part.unavailable:
            _check_passes(prediction, part.task.traits.passes)
        if prediction.asked is None and prediction.target is None:
            account.evidence.nothing += 1
        elif self._checker is not None:
            self._checker.check(row, prediction, account.path, account.evidence)
            if self.questions == "row":
                prediction = _to_compare(prediction, account, located)
        if prediction.asked is not None:
            prediction = prediction._replace(asked=None)  # It is not held until it is judged.
        return prediction

    def _name(self, row: int, prediction: Prediction, default: str, account: FileAccount) -> str:
        """Return the name of a prediction's model; "" for a failure that names none."""
        if self.file_models is None and prediction.model is None and prediction.failure:
            lost = Orphan(row, prediction.sample, prediction.nulls, prediction.reasons)
            account.orphans.append(lost)
            return ""
        return default if self.file_models else prediction.model or default

    def _entry(self, row: int, name: str, prediction: Prediction) -> Entry:
        known = len(self.models)
        if name not in self.models and is_person(name) and known >= MAX_PEOPLE:
            raise Unreadable(f"more than {MAX_PEOPLE} different people; score fewer at once")
        models = sum(not is_person(one) for one in self.models) if known >= MAX_MODELS else known
        # One place is kept for predictions that name no model.
        if (
            name not in self.models
            and not is_person(name)
            and models >= MAX_MODELS
            and name != self.model
        ):
            raise Unreadable(
                f"more than {MAX_MODELS} different models; use model_from=file, or score fewer "
                "models at once"
            )
        return Entry(row, self.models.setdefault(name, len(self.models)), prediction)

    def _default_model(self, path: Path) -> str:
        if self.file_models is not None:
            return self.file_models[path]
        # The harnesses write a log into a folder that is named after the model.
        if harness_task(path) is not None and self.model == UNNAMED and path.parent.name:
            return path.parent.name
        if self.model == UNNAMED and path.suffix in (".xlsx", ".tsv", ".csv"):
            return (self._joiner.suffixed(path) or self.model)[:MAX_NAME]
        return self.model


def name_files(files: Sequence[Path]) -> dict[Path, str]:
    """Return a name for each file, as short as tells them apart: with its folder if need be."""
    names = {path: _stem(path) for path in files}
    for longer in (lambda path: f"{path.parent.name}/{_stem(path)}", str):
        times = Counter(names.values())
        names = {path: longer(path) if times[name] > 1 else name for path, name in names.items()}
    return {path: name[-MAX_NAME:] for path, name in names.items()}


def _stem(path: Path) -> str:
    ending = max((end for end in SUFFIXES if path.name.endswith(end)), key=len, default="")
    return path.name.removesuffix(ending) or path.name


def _check_passes(prediction: Prediction, passes: int) -> None:
    """Raise Unreadable if a prediction has fewer replies than every play of its row has."""
    said = len(prediction.replies)
    if said < passes and prediction.failure is None:
        raise Unreadable(
            f"{said} of the {passes} replies of {prediction.key}; its questions follow from its "
            "earlier replies, so give all of them in one record, in order"
        )


def _to_compare(prediction: Prediction, account: FileAccount, located: Located) -> Prediction:
    """Return a prediction with what the users said later, which its replay shows to be right."""
    questions = prediction.asked.questions if prediction.asked else ()
    later = next((question.later for question in questions if any(question.later)), ())
    if not later:
        return prediction
    refuse = partial(account.refuse, located.unit, located.number)
    return prediction._replace(later=later, refuse=refuse)
