"""Intake: all prediction files into the ledger, with an account of what each file held.

Nothing stops at a bad record: it is counted, its place and reason are kept for the first few, and
reading goes on.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from facelet.pipeline.dataset.hashing import hash_file
from facelet.pipeline.scoring.asking import Settings, settings_of
from facelet.pipeline.scoring.contradictions import Checker, Evidence, OtherQuestion, Questions
from facelet.pipeline.scoring.dataset import Dataset
from facelet.pipeline.scoring.documents import Located, Unit
from facelet.pipeline.scoring.endings import told_in
from facelet.pipeline.scoring.files import SUFFIXES, read
from facelet.pipeline.scoring.formats import HARNESSES, Fields, detect
from facelet.pipeline.scoring.joining import Joiner, Unknown, harness_task
from facelet.pipeline.scoring.ledger import Ledger
from facelet.pipeline.scoring.limits import STRANGE, USELESS, Limits, Stopped
from facelet.pipeline.scoring.patterns import Analyser
from facelet.pipeline.scoring.predictions import MAX_NAME, NEXT, Prediction, Unreadable
from facelet.pipeline.scoring.spending import spent

MAX_MODELS = 64
"""Most models of one run; each has its own figures."""

EXAMPLES = 10
"""How many broken records and unknown ids of a file are named."""

UNNAMED = "predictions"
"""Name of the model of predictions that do not name one."""

ModelFrom = Literal["record", "file"]


@dataclass
class FileAccount:
    """What one file held.

    Attributes:
        path: the file.
        sha256: hash of its bytes.
        size: its length in bytes.
        formats: number of records by format.
        predictions: number of predictions that joined a row.
        broken: number of records that could not be used.
        examples: place and reason of the first of them.
        unknown: number of predictions whose id names no row.
        unknown_ids: the first of those ids.
        filtered: number of harness records that repeat a document under another filter.
        models: the models that its records name.
        others: number of them that carry another question than their row's.
        evidence: what its predictions show of the build that they answer.
        stopped: where and why the file was read in part; "" if all of it was read.
        numbered: number of samples, by row and model, of records that number none.
        orphans: row, sample, nulls and reasons of failures that name no model, as API errors
            never do.
    """

    path: Path
    sha256: str
    size: int
    formats: Counter[str] = field(default_factory=Counter)
    predictions: int = 0
    broken: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)
    unknown: int = 0
    unknown_ids: list[str] = field(default_factory=list)
    filtered: int = 0
    models: dict[str, None] = field(default_factory=dict)
    others: int = 0
    evidence: Evidence = field(default_factory=Evidence)
    stopped: str = ""
    numbered: Counter[tuple[int, str | None]] = field(default_factory=Counter)
    orphans: list[tuple[int, int, int, tuple[str, ...]]] = field(default_factory=list)

    @property
    def useful(self) -> int:
        """Number of records that were used, or could be with another dataset or filter."""
        return self.predictions + self.unknown + self.filtered

    def report(self) -> dict[str, Any]:
        """Return the account as plain JSON values."""
        return {
            "file": self.path.name,
            "sha256": self.sha256,
            "bytes": self.size,
            "formats": dict(sorted(self.formats.items())),
            "predictions": self.predictions,
            "broken": self.broken,
            "broken_examples": self.examples,
            "unknown_ids": self.unknown,
            "unknown_examples": self.unknown_ids,
            "other_filters": self.filtered,
            "other_questions": self.others,
            "evidence": self.evidence.report(),
            "stopped": self.stopped,
        }


@dataclass
class Intake:
    """Takes prediction files in.

    Attributes:
        ledger: where predictions go.
        model: name for predictions that name no model.
        file_models: names of the models by file, or None to believe the records.
        models: names of the models by code, as they came.
        accounts: the files, as they came.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        compared: whether predictions are held against their rows.
        settings: how the models were asked.
        questions: which questions a record may carry.
    """

    ledger: Ledger
    model: str = UNNAMED
    file_models: Mapping[Path, str] | None = None
    models: dict[str, int] = field(default_factory=dict)
    accounts: list[FileAccount] = field(default_factory=list)
    fields: Fields = field(default_factory=Fields)
    limits: Limits = field(default_factory=Limits)
    compared: bool = True
    settings: Settings = field(default_factory=Settings)
    questions: Questions = "row"

    def __post_init__(self) -> None:
        self._joiner = Joiner(self.ledger.dataset)
        dataset = self.ledger.dataset
        self._checker = Checker(dataset, self.questions) if self.compared else None

    def take(self, path: Path) -> None:
        """Take one file in.

        Raises:
            ValueError: a row of the dataset cannot be read back, or the file contradicts it.
            OSError: the file cannot be opened.
        """
        account = FileAccount(path, hash_file(path), path.stat().st_size)
        self.accounts.append(account)
        default = self._default_model(path)
        filter_name: Any = None
        own = self.fields.format()
        for located in read(path, self.limits, self.fields.names):
            try:
                if isinstance(located.value, Unreadable):
                    raise located.value
                record = located.value
                form = detect(record) if own is None or not isinstance(record, dict) else own
                if form.name in HARNESSES and "filter" in record:
                    # One row a filter, all with the same raw reply: the first filter's rows do.
                    filter_name = record["filter"] if filter_name is None else filter_name
                    if record["filter"] != filter_name:
                        account.filtered += 1
                        continue
                took = spent(record) or None
                said = settings_of(record) if "settings" in record else ""
                for prediction in form.read(record):
                    told = told_in(record, prediction)
                    told = told if took is None else told._replace(spent=took)
                    name = self._one(told, path, default, account, located)
                    if said and name:
                        self.settings.add(name, said)
                account.formats[form.name] += 1
            except Unreadable as error:
                _note(account, located, error)
                if isinstance(error, Stopped) and not account.stopped:
                    account.stopped = f"read in part; {located.unit} {located.number}: {error}"
            if why := _hopeless(account):
                account.stopped = f"read in part; {why}"
                break
        if self._checker is not None:
            self._checker.finish(path, account.evidence)

    def finish(self) -> None:
        """Give failures that name no model to a model, and judge what is left.

        They belong to the one model that their file names, else to the one model of all files,
        else to the model of predictions that name none.
        """
        for account in self.accounts:
            names = list(account.models or self.models)
            name = names[0] if len(names) == 1 else self.model
            for row, sample, nulls, reasons in account.orphans:
                lost = Prediction("", (), sample, failure="no reply", nulls=nulls, reasons=reasons)
                self._add(row, name, lost)
            account.orphans.clear()
        self.ledger.flush()
        self.ledger.forget()

    def _one(
        self,
        prediction: Prediction,
        path: Path,
        default: str,
        account: FileAccount,
        located: Located,
    ) -> str:
        """Take one prediction; return its model's name, "" if it joined no row or names none."""
        try:
            row = self._joiner.row(prediction, path)
        except Unknown as error:
            account.unknown += 1
            if len(account.unknown_ids) < EXAMPLES:
                account.unknown_ids.append(str(error)[:100])
            return ""
        if prediction.sample == NEXT:
            prediction = prediction._replace(sample=account.numbered[row, prediction.model])
            account.numbered[row, prediction.model] += 1
        part = self.ledger.dataset.parts[self.ledger.dataset.part_of(row)]
        if not part.unavailable:
            _check_passes(prediction, part.task.traits.passes)
        if prediction.asked is None and prediction.target is None:
            account.evidence.nothing += 1
        elif self._checker is not None:
            self._checker.check(row, prediction, path, account.evidence)
            if self.questions == "row":
                prediction = _to_compare(prediction, account, located)
        if prediction.asked is not None:
            prediction = prediction._replace(asked=None)  # It is not held until it is judged.
        if self.file_models is None and prediction.model is None and prediction.failure:
            name = ""
            account.orphans.append((row, prediction.sample, prediction.nulls, prediction.reasons))
        else:
            name = default if self.file_models else prediction.model or default
            self._add(row, name, prediction)
            account.models[name] = None
        account.predictions += 1
        return name

    def _add(self, row: int, name: str, prediction: Prediction) -> None:
        # One place is kept for predictions that name no model.
        if name not in self.models and len(self.models) >= MAX_MODELS and name != self.model:
            raise Unreadable(
                f"more than {MAX_MODELS} different models; use model_from=file, or score fewer "
                "models at once"
            )
        self.ledger.add(row, self.models.setdefault(name, len(self.models)), prediction)

    def _default_model(self, path: Path) -> str:
        if self.file_models is not None:
            return self.file_models[path]
        # The harnesses write a log into a folder that is named after the model.
        if harness_task(path) is not None and self.model == UNNAMED and path.parent.name:
            return path.parent.name
        if self.model == UNNAMED and path.suffix in (".xlsx", ".tsv", ".csv"):
            return (self._joiner.suffixed(path) or self.model)[:MAX_NAME]
        return self.model


def take_all(
    dataset: Dataset,
    files: Sequence[Path],
    model: str = "",
    model_from: ModelFrom = "record",
    *,
    fields: Fields = Fields(),  # noqa: B008 - frozen
    limits: Limits = Limits(),  # noqa: B008 - frozen
    analyse: Analyser | None = None,
    questions: Questions = "row",
) -> Intake:
    """Return the intake of all files, in their order.

    Args:
        dataset: the dataset that they are predictions for.
        files: the files.
        model: name for predictions that name no model.
        model_from: whether names of models are taken from records or from files.
        fields: names of fields for records of other kinds.
        limits: what is allowed of a file.
        analyse: counts patterns of reasoning in replies; None for nobody.
        questions: which questions a record may carry.

    Raises:
        ValueError: no prediction joins a row, a file contradicts the dataset, or a row of the
            dataset cannot be read back.
        OSError: a file cannot be opened.
    """
    file_models = name_files(files) if model_from == "file" else None
    intake = Intake(
        Ledger(dataset, analyse=analyse),
        model or UNNAMED,
        file_models,
        fields=fields,
        limits=limits,
        compared=dataset.voucher.depth != "no",
        questions=questions,
    )
    with _no_collector():
        for path in files:
            intake.take(path)
        intake.finish()
    if not len(intake.ledger.rows):
        raise ValueError(_nothing(intake.accounts))
    return intake


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


@contextmanager
def _no_collector() -> Iterator[None]:
    # A block of decoded rows is tens of thousands of objects without a cycle among them; looking
    # for cycles takes as long as judging them.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check_passes(prediction: Prediction, passes: int) -> None:
    """Raise Unreadable if a prediction has fewer replies than every play of its row has."""
    said = len(prediction.replies)
    if said < passes and prediction.failure is None:
        raise Unreadable(
            f"{said} of the {passes} replies of {prediction.key}; its questions follow from its "
            "earlier replies, so give all of them in one record, in order"
        )


def _hopeless(account: FileAccount) -> str:
    """Return why the rest of a file is not worth reading; "" if it may be."""
    if account.broken >= USELESS and account.broken > account.useful:
        return f"reading stopped: {account.broken:,} of its first records are no predictions"
    if account.unknown >= STRANGE and not account.predictions:
        return f"reading stopped: its first {account.unknown:,} predictions name no row"
    return ""


def _to_compare(prediction: Prediction, account: FileAccount, located: Located) -> Prediction:
    """Return a prediction with what the users said later, which its replay shows to be right."""
    questions = prediction.asked.questions if prediction.asked else ()
    later = next((question.later for question in questions if any(question.later)), ())
    if not later:
        return prediction
    return prediction._replace(
        later=later, refuse=partial(_refused, account, located.unit, located.number)
    )


def _refused(account: FileAccount, unit: Unit, number: int, why: str) -> None:
    """Count a prediction out again whose replay shows another question."""
    account.predictions -= 1
    error = OtherQuestion(
        f"its question is not that of {why}; score it all the same with questions=any"
    )
    _note(account, Located(unit, number, error), error)


def _note(account: FileAccount, located: Located, error: Unreadable) -> None:
    account.broken += 1
    account.others += isinstance(error, OtherQuestion)
    if len(account.examples) < EXAMPLES:
        account.examples.append(
            {located.unit: located.number, "reason": str(error).encode("utf-8", "replace").decode()}
        )


def _nothing(accounts: Sequence[FileAccount]) -> str:
    others = any(account.others for account in accounts)
    lines = [f"no prediction {'answers' if others else 'names'} a row of this dataset"]
    for account in accounts:
        line = (
            f"{account.path.name}: {account.broken} broken records, {account.unknown} unknown ids"
        )
        if account.unknown_ids:
            line += f" such as {account.unknown_ids[0]!r}"
        if account.examples:
            first = account.examples[0]
            place = " ".join(str(part) for part in next(iter(first.items())))
            line += f"; {place}: {first['reason']}"
        if account.stopped:
            line += f"; {account.stopped}"
        lines.append(line)
    return "\n  ".join(lines)
