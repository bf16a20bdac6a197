"""Toy tasks, one for each kind of measure, and datasets of their rows in the published layout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core.measures import (
    Accuracy,
    Binary,
    Called,
    Confusion,
    Histogram,
    MacroMeanOf,
    MaxOf,
    MeanAmong,
    MeanOf,
    Measure,
    MedianOf,
    Proportion,
    WeightedMeanOf,
)
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies import boundary, letter, yes_no
from facelet.generators.core.replies.record import read_labelled
from facelet.generators.core.task import Column, Episode, Outcome, Status, Traits
from facelet.pipeline.dataset.row_columns import arrow_schema

CLASSES = ("DECREASE", "NO_CHANGE", "INCREASE")


@dataclass
class OneReplyEpisode(Episode):
    judge: Callable[[str], Outcome]

    def prompt(self) -> Prompt:
        return chat_prompt("system", "question")

    def reply(self, text: str) -> Prompt | Outcome:
        return self.judge(text)


class ToyTask:
    """What the toy tasks share: an instance is the published row itself."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    params: ClassVar[type[Any]] = dict
    columns: ClassVar[tuple[Column, ...]] = ()
    measures: ClassVar[tuple[Measure, ...]] = ()
    traits: ClassVar[Traits] = Traits()
    classed_by: ClassVar[str] = ""
    decided_by: ClassVar[tuple[str, ...]] = ()
    cost: ClassVar[str] = ""

    def plays_version(self, version: int) -> bool:
        return version == self.version

    def decode(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        return row

    def judge_text(self, row: Mapping[str, Any], text: str) -> Outcome:
        raise NotImplementedError

    def reply_form(self, row: Mapping[str, Any]) -> str:
        return "letter"

    def open(self, row: Mapping[str, Any]) -> Any:
        return OneReplyEpisode(lambda text: self.judge_text(row, text))


def single_outcome(gold: str, parsed: boundary.Parsed[str]) -> Outcome:
    if parsed.value is None:
        return Outcome(Status.UNPARSED, strict=False, gold=(gold,))
    right = Status.CORRECT if parsed.value == gold else Status.WRONG
    return Outcome(right, parsed.strict, (gold,), (parsed.value,))


class LettersTask(ToyTask):
    name = "toy/letters"
    columns = (Column("right", "string", "letter"), Column("modality", "string", "input"))
    measures = (Accuracy(by=("modality",)),)

    def judge_text(self, row: Mapping[str, Any], text: str) -> Outcome:
        return single_outcome(row["right"], letter.read_choice(text))

    def reference(self, row: Mapping[str, Any]) -> list[str]:
        return [f"<ANSWER>{row['right']}</ANSWER>"]


class YesNoTask(ToyTask):
    name = "toy/yes_no"
    columns = (Column("truth", "bool", "whether the statement holds"),)
    measures = (Binary(),)

    def judge_text(self, row: Mapping[str, Any], text: str) -> Outcome:
        return single_outcome("yes" if row["truth"] else "no", yes_no.yes_no(text))

    def reference(self, row: Mapping[str, Any]) -> list[str]:
        return ["Answer: Yes" if row["truth"] else "Answer: No"]


class ClassesTask(ToyTask):
    name = "toy/classes"
    columns = (Column("effects", "list<string>", "effect of each option"),)
    measures = (Confusion(classes=CLASSES),)

    def judge_text(self, row: Mapping[str, Any], text: str) -> Outcome:
        gold = tuple(row["effects"])
        parsed = read_labelled(text, "ABCD", CLASSES)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False)
        right = Status.CORRECT if parsed.value == gold else Status.WRONG
        return Outcome(right, parsed.strict, gold, parsed.value)

    def reference(self, row: Mapping[str, Any]) -> list[str]:
        return [classes_reply(row["effects"])]


class SharesTask(ToyTask):
    """The reply is a number of right cells out of nine."""

    name = "toy/shares"
    measures = (
        MeanOf(metric="element_accuracy"),
        MeanOf(metric="matrix_accuracy"),
        WeightedMeanOf(metric="corner_accuracy", weight="corners"),
        MacroMeanOf(metric="corner_accuracy", weight="corners"),
    )

    def judge_text(self, row: Mapping[str, Any], text: str) -> Outcome:
        if text not in set("0123456789"):
            return Outcome(Status.UNPARSED, strict=False)
        cells = int(text)
        metrics = {"element_accuracy": cells / 9, "matrix_accuracy": float(cells == 9)}
        if cells:
            metrics |= {"corner_accuracy": 1 / cells, "corners": cells}
        status = Status.CORRECT if cells == 9 else Status.WRONG
        return Outcome(status, strict=True, metrics=metrics)

    def reference(self, row: Mapping[str, Any]) -> list[str]:
        return ["9"]


@dataclass
class TwoReplyEpisode(Episode):
    first: str = ""

    def prompt(self) -> Prompt:
        return chat_prompt("system", "say ping, then pong")

    def reply(self, text: str) -> Prompt | Outcome:
        if not self.first:
            self.first = text or " "
            return self.prompt()
        right = (self.first, text) == ("ping", "pong")
        return Outcome(Status.CORRECT if right else Status.ILLEGAL, strict=True)


class TurnsTask(ToyTask):
    name = "toy/turns"

    def open(self, row: Mapping[str, Any]) -> TwoReplyEpisode:
        return TwoReplyEpisode()

    def reference(self, row: Mapping[str, Any]) -> list[str]:
        return ["ping", "pong"]


class TriesTask(ToyTask):
    """The reply says how it went: "3" solved in three, "x" not solved, "p3" so without a slip."""

    name = "toy/tries"
    columns = (Column("budget", "int8", "tries that there are"),)
    measures = (
        Proportion(metric="solved"),
        Proportion(metric="recovered", among="slipped"),
        MedianOf(metric="tries"),
        MedianOf(metric="late", weight="solved"),
        MaxOf(metric="tries"),
        MaxOf(metric="spent", weight="solved"),
        MeanAmong(metric="spent", default_column="budget", share=False),
        MeanAmong(metric="used", default_column="budget", among="slipped", share=False),
        Histogram(metric="tries"),
        Histogram(metric="spent", values=(1, 2, 7)),
        Histogram(metric="used", up_to_column="budget"),
        Called(names=(("solved_rate", "SR"),)),
    )

    def judge_text(self, row: Mapping[str, Any], text: str) -> Outcome:
        if text not in {"x", "px", *"12345678"} | {f"p{n}" for n in range(1, 9)}:
            return Outcome(Status.UNPARSED, strict=False)
        solved = not text.endswith("x")
        spent = int(text[-1]) if solved else row["budget"]
        metrics: dict[str, float] = {"solved": float(solved), "spent": spent, "late": spent > 3}
        metrics["slipped"] = float(not text.startswith("p"))
        if metrics["slipped"]:
            metrics |= {"recovered": float(solved), "used": spent}
        if solved:
            metrics["tries"] = spent
        return Outcome(Status.CORRECT if solved else Status.WRONG, strict=True, metrics=metrics)

    def reference(self, row: Mapping[str, Any]) -> list[str]:
        return ["1"]


TOYS: dict[str, ToyTask] = {
    toy.name: toy
    for toy in (LettersTask(), YesNoTask(), ClassesTask(), SharesTask(), TurnsTask(), TriesTask())
}


def classes_reply(effects: Iterable[str]) -> str:
    return "\n".join(f"<{k}> {v} </{k}>" for k, v in zip("ABCD", effects, strict=True) if v)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Any]:
    """Have the toy tasks found by name, and return them."""
    for name, toy in TOYS.items():
        family, module = name.split("/")
        path = f"facelet.generators.{family}.tasks.{module}"
        monkeypatch.setitem(sys.modules, path, SimpleNamespace(TASK=toy))
    return TOYS


Rows = Sequence[Mapping[str, Any]]


@pytest.fixture
def publish(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes a dataset: task name -> rows, in the layout and schema of a build."""

    def write_dataset(
        tables: Mapping[str, Rows], folder: str = "data", split: str = "test"
    ) -> Path:
        root = tmp_path / folder
        for name, rows in tables.items():
            task = TOYS[name]
            config = f"toy.{name.rpartition('/')[2]}"
            shape = arrow_schema(task.columns)
            full = []
            prefix = "" if split == "test" else f"{split}-"
            for number, row in enumerate(rows):
                values: dict[str, Any] = dict.fromkeys(shape.names)
                values.update(
                    id=f"{config}/{prefix}d{row.get('difficulty', 1):02d}/{number:06d}",
                    suite="toy",
                    task=name,
                    task_version=task.version,
                    split=split,
                    difficulty_axis="depth",
                    difficulty=1,
                    group=f"g{number}",
                    gold=row.get("right", "gold"),
                    messages=[],
                    images=[],
                    image_hashes=[],
                )
                full.append({**values, **row})
            path = root / config / f"{split}-00000-of-00001.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(full, schema=shape), path)
        describe_folder(root)
        return root

    return write_dataset


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes records, or raw lines, as a JSON Lines file."""

    def write_records(records: Iterable[Any], name: str = "predictions.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in records)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write_records


def make_letter_rows(count: int, modalities: Sequence[str] = ("text",)) -> list[dict[str, Any]]:
    """Return rows of the letter task; the modalities of one puzzle share a group."""
    return [
        {
            "right": "ABCD"[puzzle % 4],
            "modality": modality,
            "group": f"p{puzzle}",
            "difficulty": 1 + puzzle % 3,
        }
        for puzzle in range(count)
        for modality in modalities
    ]


@pytest.fixture
def letter_rows() -> Callable[..., list[dict[str, Any]]]:
    return make_letter_rows
