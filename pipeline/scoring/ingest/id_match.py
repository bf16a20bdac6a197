"""Find the row that a prediction answers, by its key.

A key is one of three: the id of a row; the id as a batch API allows it to be spelled; the document
number of a harness log whose file name contains the config.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from facelet.pipeline.scoring.ingest.prediction import Prediction, UnreadableRecord
from facelet.pipeline.scoring.scored_dataset import ScoredDataset, ScoredSplit

_HARNESS_NAME = re.compile(
    r"(?:samples_(?P<lm>.+)_\d{4}-\d\d-\d\dT[0-9.-]+|[0-9_T.-]{8,40}_samples_(?P<lmms>.+))\.jsonl(?:\.gz)?"
)


class UnknownRow(ValueError):  # noqa: N818 - an outcome, not a fault
    """A key that names no row of the dataset."""


def harness_task(path: Path) -> str | None:
    """Return the task in the file name of a sample log of lm-eval or lmms-eval, or None."""
    match = _HARNESS_NAME.fullmatch(path.name)
    return (match["lm"] or match["lmms"]) if match else None


def file_stem(path: Path) -> str:
    """Return the name of a file without the endings of tables."""
    return re.sub(r"\.(?:xlsx|csv|tsv|jsonl?|gz|zst)", "", path.name)


@dataclass
class IdMatcher:
    """Finds the rows of the predictions of one dataset."""

    dataset: ScoredDataset
    _numbered: dict[str, ScoredSplit | str] = field(default_factory=dict)

    def find_row(self, prediction: Prediction, path: Path) -> int:
        """Return the number of the row that a prediction answers.

        Args:
            prediction: the prediction.
            path: the file it came from.

        Raises:
            UnknownRow: the key names no row.
            UnreadableRecord: a document number cannot be joined; the message says why.
        """
        key = prediction.key
        if isinstance(key, int):
            return self._by_number(key, path)
        if (row := self.dataset.row_index.find_row(key)) is None:
            row = self.dataset.row_index.get_spelled(key)
        if row is None:
            raise UnknownRow(key)
        return row

    def _by_number(self, number: int, path: Path) -> int:
        if path.name not in self._numbered:
            self._numbered[path.name] = self._find_part(path)
        part = self._numbered[path.name]
        if isinstance(part, str):
            raise UnreadableRecord(part)
        if number >= part.count:
            raise UnknownRow(f"doc_id {number} of {'/'.join(part.split_name)} ({part.count} rows)")
        return part.first_number + number

    def config_prefix(self, path: Path) -> str | None:
        """Return the part of a file name before a config's name, or None.

        VLMEvalKit calls its files <model>_<dataset>.xlsx.
        """
        name = file_stem(path)
        for part in self.dataset.parts:
            config = part.split_name[0]
            before, end = name[: -len(config)], name[-len(config) :]
            if before.endswith("_") and _fold_name(end) == _fold_name(config):
                return before.removesuffix("_")
        return None

    def _find_part(self, path: Path) -> ScoredSplit | str:
        if (task := harness_task(path)) is None and self.config_prefix(path) is None:
            return (
                "the record has a number and no id, and the file's name does not say which config "
                "was run; put the column id into the documents, or keep the harness's file name"
            )
        task = task or file_stem(path)
        named = _fold_name(task)
        exact: list[ScoredSplit] = []
        loose: list[ScoredSplit] = []
        for part in self.dataset.parts:
            config, split = (_fold_name(name) for name in part.split_name)
            names = [f"{config}_{split}"] if split != "test" else [config, f"{config}_{split}"]
            if named in names:
                exact.append(part)
            elif any(named.endswith(f"_{name}") for name in names):
                loose.append(part)
        found = exact or loose
        if len(found) != 1:
            known = ", ".join(sorted({part.split_name[0] for part in self.dataset.parts}))
            return (
                f"the task {task[:80]!r} names {len(found) or 'none'} of the configs; name it "
                f"after one of {known}, or put the column id into the documents"
            )
        return found[0]


def _fold_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())
