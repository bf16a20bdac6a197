"""Labelled replies are read as a careful person reads them who has seen the prompt.

Two corpora lie in tests/data/replies: written replies in many forms over all tasks, and replies of
a small real model. Each starts with a record about itself. Labels were made before any reader had
read the replies, by someone who had not read the readers; change one only if it was mislabelled.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from making import make_item

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.task import Need, Outcome, Status

FOLDER = Path(__file__).parents[1] / "data" / "replies"
SHOWN = 40
KINDS = (
    *("letter", "yes_no", "number", "list", "array"),
    *("record", "moves", "command", "plan", "code"),
)
MIN_AGREEMENT = 0.98
MAX_MISREAD = 0.01
MAX_UNREAD = 0.02
MAX_TOLERANT = 0.05

Record = dict[str, Any]
Signature = tuple[Any, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of one reply.

    Attributes:
        record: the labelled reply.
        got: the status of a single turn; else "read", "none" or "other".
        agrees: whether that is the label, or a tolerated one.
        misread: whether something was read that the reply does not say, or a right answer was
            graded wrong.
        unread: whether the reply has an answer that was not read.
    """

    record: Record
    got: str
    agrees: bool
    misread: bool
    unread: bool


def load_corpus(name: str) -> tuple[Record, list[Record]]:
    """Return the record about a corpus, and its labelled replies."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    about, *records = map(json.loads, lines)
    return about, records


def sign(result: Prompt | Outcome) -> Signature:
    """Return what tells two results of a reply apart."""
    if isinstance(result, Outcome):
        return (str(result.status), result.answer)
    return ("goes on", result.messages)


def name_status(result: Prompt | Outcome) -> str:
    """Return the status as labels have it: an illegal answer is a wrong one."""
    if not isinstance(result, Outcome):
        return "goes on"
    return "wrong" if result.status == Status.ILLEGAL else str(result.status)


class CorpusPlayer:
    """Plays labelled replies on the rows that they were written for."""

    def __init__(self, path: list[Any], resource: Callable[[Need | None], Any]) -> None:
        self.path, self.resource = path, resource
        self.play_first = cache(self._play_first)
        self.make_rows = cache(self._make_rows)

    def _make_rows(self, name: str, params: str, index: int) -> tuple[Any, ...]:
        task = task_registry.load_task(name)
        knobs = task.params(**json.loads(params))
        return make_item(task, knobs, self.resource(task.needs(knobs)), (*self.path, name), index)

    def _play_first(
        self, name: str, params: str, index: int, row: int, text: str
    ) -> Prompt | Outcome:
        episode = task_registry.load_task(name).open(self.make_rows(name, params, index)[row])
        episode.prompt()
        return episode.reply(text)

    def judge(self, record: Record) -> Verdict:
        """Return what becomes of a reply, and whether its label says so."""
        row = (record["task"], json.dumps(record["params"]), record["index"], record["row"])
        result = self.play_first(*row, record["reply"])
        silent = sign(self.play_first(*row, ""))
        none = sign(result) == silent or name_status(result) == "unparsed"
        if "reading" not in record:
            return self._judge_status(record, name_status(result))
        readings = [record["reading"], *record.get("tolerates", ())]
        if none:
            agrees = None in readings
            got = "unparsed" if "expected" in record else "none"
            return Verdict(record, got, agrees, misread=False, unread=not agrees)
        said = [sign(self.play_first(*row, text)) for text in readings if text is not None]
        agrees = sign(result) in said
        got = name_status(result) if "expected" in record else ("read" if agrees else "other")
        return Verdict(record, got, agrees, misread=not agrees, unread=False)

    @staticmethod
    def _judge_status(record: Record, got: str) -> Verdict:
        due = [record["expected"], *record.get("tolerates", ())]
        agrees = got in due
        unread = not agrees and got == "unparsed"
        return Verdict(record, got, agrees, misread=not agrees and not unread, unread=unread)


def describe_verdicts(verdicts: list[Verdict]) -> str:
    """Return the verdicts that disagree, counted by kind, task and form, and the first of them."""
    off = [verdict for verdict in verdicts if not verdict.agrees]
    counts = Counter(
        (v.record["kind"], v.record["task"], v.record["form"], "misread" if v.misread else "unread")
        for v in off
    )
    table = [f"{number:4} {' '.join(where)}" for where, number in counts.most_common(SHOWN)]
    shown = [
        f"{v.record['task']} {v.record['form']}: {v.record['reply'][:200]!r} "
        f"is {v.record.get('reading', v.record.get('expected'))!r}, got {v.got}"
        for v in off[:SHOWN]
    ]
    return "\n".join([f"{len(off)} of {len(verdicts)} disagree", *table, *shown])


@pytest.fixture(scope="module")
def judge_corpus(resource: Callable[[Need | None], Any]) -> Callable[[str], list[Verdict]]:
    """Return a function that plays a corpus, once."""

    @cache
    def judge(name: str) -> list[Verdict]:
        about, records = load_corpus(name)
        player = CorpusPlayer(about["path"], resource)
        return [player.judge(record) for record in records]

    return judge


Judge = Callable[[str], list[Verdict]]


def test_the_written_corpus_is_wide() -> None:
    about, records = load_corpus("corpus")
    assert len(records) == about["replies"] >= 1000
    assert len({record["form"] for record in records}) >= 40
    assert {record["kind"] for record in records} == set(KINDS)
    assert {record["task"] for record in records} == set(task_registry.tasks())
    tolerant = sum("tolerates" in record for record in records)
    assert tolerant == about["tolerant"] < MAX_TOLERANT * len(records)


def test_canonical_readings_are_read(resource: Callable[[Need | None], Any]) -> None:
    about, records = load_corpus("corpus")
    player = CorpusPlayer(about["path"], resource)
    for record in records:
        for text in (record.get("reading"), *record.get("tolerates", ())):
            if text is None or "reading" not in record:
                continue
            row = (record["task"], json.dumps(record["params"]), record["index"], record["row"])
            result = player.play_first(*row, text)
            assert name_status(result) != "unparsed", (record["task"], text)
            assert sign(result) != sign(player.play_first(*row, "")), (record["task"], text)
            if text == record["reading"] and "expected" in record:
                assert name_status(result) == record["expected"], (record["task"], text)


def test_written_replies_agree(judge_corpus: Judge) -> None:
    verdicts = judge_corpus("corpus")
    agree = sum(verdict.agrees for verdict in verdicts)
    assert agree >= MIN_AGREEMENT * len(verdicts), describe_verdicts(verdicts)


@pytest.mark.parametrize("kind", KINDS)
def test_no_written_reply_is_misread(judge_corpus: Judge, kind: str) -> None:
    misread = [v for v in judge_corpus("corpus") if v.record["kind"] == kind and v.misread]
    assert not misread, describe_verdicts(misread)


def test_the_model_corpus_has_a_hundred_replies_of_each_kind() -> None:
    about, records = load_corpus("smollm2")
    assert about["model"] and about["quantisation"] and about["sampling"]
    assert Counter(record["kind"] for record in records) == dict.fromkeys(KINDS, 100)


def test_replies_of_a_model_are_read(judge_corpus: Judge) -> None:
    verdicts = judge_corpus("smollm2")
    misread = [verdict for verdict in verdicts if verdict.misread]
    unread = [verdict for verdict in verdicts if verdict.unread]
    assert len(misread) < MAX_MISREAD * len(verdicts), describe_verdicts(misread)
    assert len(unread) < MAX_UNREAD * len(verdicts), describe_verdicts(unread)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_a_model_is_read(judge_corpus: Judge, kind: str) -> None:
    verdicts = [v for v in judge_corpus("smollm2") if v.record["kind"] == kind]
    misread = [verdict for verdict in verdicts if verdict.misread]
    unread = [verdict for verdict in verdicts if verdict.unread]
    assert len(misread) <= MAX_MISREAD * len(verdicts), describe_verdicts(misread)
    assert len(unread) <= MAX_UNREAD * len(verdicts), describe_verdicts(unread)
