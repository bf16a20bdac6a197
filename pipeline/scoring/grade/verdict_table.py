"""Judge equal replies once: intern verdicts, and grade one row for all of its kind.

What a paper's rule reads in a reply is short, and most often it was graded before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.generators.core.memoization import SHORT
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.dataset.row_columns import DECODE_ERRORS, build_damage_error
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.paper import ReplyRule
from facelet.pipeline.scoring.array_types import Ints, expand_rows
from facelet.pipeline.scoring.grade.graded_columns import (
    CODE,
    BlockColumns,
    EntryMetric,
    LabelLists,
)
from facelet.pipeline.scoring.paper_rule_metrics import read_by

_MOST = 16384

REMEMBERED = 65536
"""Most short replies whose outcomes a process keeps, and most whose verdicts."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplyVerdict:
    """The verdict of a prediction's replies; equal verdicts are one object if they are few.

    Attributes:
        outcome: by the task's rules.
        published: the metrics under its paper's rule; see `scoring.paper_rule_metrics`.
    """

    outcome: Outcome
    published: Mapping[str, float]


FAILED = ReplyVerdict(Outcome(Status.API_ERROR, strict=False), {})
"""The verdict of predictions without a reply."""


class VerdictCache:
    """Interns verdicts, and bounds how many short replies of all kinds together are kept."""

    def __init__(self) -> None:
        """Start without verdicts."""
        self._known: dict[tuple[object, ...], ReplyVerdict] = {}
        self._same: dict[tuple[int, int], ReplyVerdict] = {}
        self._room = 2 * REMEMBERED

    def has_room(self, text: str) -> bool:
        """Return whether there is room for the verdict of a reply, and reserve it."""
        if len(text) > SHORT or self._room <= 0:
            return False
        self._room -= 1
        return True

    def intern_verdict(self, outcome: Outcome, published: Mapping[str, float]) -> ReplyVerdict:
        """Return the verdict of an outcome; its note is for players, and is not kept."""
        # Many outcomes are one object, which its verdict keeps, so that its id stays its own.
        place = (id(outcome), id(published))
        if (same := self._same.get(place)) is not None:
            return same
        said = (outcome.status, outcome.strict, outcome.gold, outcome.answer)
        figures = (tuple(outcome.metrics.items()), tuple(published.items()))
        key = (*said, *figures)
        if (found := self._known.get(key)) is None:
            found = ReplyVerdict(outcome, published)
            if len(self._known) < _MOST:
                self._known[key] = self._same[place] = found
        return found


class VerdictTable:
    """The verdicts of entries, as numbers into the different ones, in the order of the entries."""

    def __init__(self, verdicts: Sequence[ReplyVerdict]) -> None:
        """Take the verdict of each entry."""
        numbers: dict[ReplyVerdict, int] = {}
        places = [numbers.setdefault(verdict, len(numbers)) for verdict in verdicts]
        self._places = np.array(places, dtype=np.int64)
        self._verdicts = list(numbers)

    def enter_answers(self, columns: BlockColumns) -> None:
        """Enter the statuses and answers of entries."""
        outcomes = [verdict.outcome for verdict in self._verdicts]
        statuses = np.array([CODE[outcome.status] for outcome in outcomes], dtype=np.int8)
        columns.statuses.frombytes(statuses[self._places].tobytes())
        strict = np.array([outcome.strict for outcome in outcomes], dtype=np.int8)
        columns.strict.frombytes(strict[self._places].tobytes())
        answers = [outcome.answer for outcome in outcomes]
        _enter_lists(columns, columns.answers, answers, self._places)

    def enter_metrics(self, columns: BlockColumns) -> None:
        """Enter the metrics of outcomes."""
        self._enter_metrics(columns, [verdict.outcome.metrics for verdict in self._verdicts])

    def enter_published(self, columns: BlockColumns) -> None:
        """Enter the metrics under the papers' rules."""
        self._enter_metrics(columns, [verdict.published for verdict in self._verdicts])

    def enter_golds(self, columns: BlockColumns, rows: Sequence[int]) -> None:
        """Enter the right labels of rows that outcomes contain.

        Args:
            columns: receive them.
            rows: number of the row of each entry.
        """
        golds = [verdict.outcome.gold for verdict in self._verdicts]
        with_gold = np.flatnonzero(
            np.array([bool(gold) for gold in golds], dtype=bool)[self._places]
        )
        number_of = np.array(rows, dtype=np.int32)[with_gold]
        # Each row once, at its first entry.
        first = np.sort(np.unique(number_of, return_index=True)[1])
        columns.gold_rows.frombytes(number_of[first].tobytes())
        _enter_lists(columns, columns.golds, golds, self._places[with_gold[first]])

    def _enter_metrics(self, columns: BlockColumns, told: Sequence[Mapping[str, float]]) -> None:
        """Enter the metrics of distinct verdicts, entry by entry."""
        found: dict[str, tuple[list[int], list[float]]] = {}
        for number, metrics in enumerate(told):
            for name, value in metrics.items():
                numbers, values = found.setdefault(name, ([], []))
                numbers.append(number)
                values.append(value)
        for name, (numbers, values) in found.items():
            has, value_of = np.zeros(len(told), dtype=bool), np.zeros(len(told))
            has[numbers], value_of[numbers] = True, values
            entries = np.flatnonzero(has[self._places])
            metric = columns.metrics.setdefault(name, EntryMetric())
            metric.entries.frombytes(entries.tobytes())
            metric.values.frombytes(value_of[self._places[entries]].tobytes())


def _enter_lists(
    columns: BlockColumns, into: LabelLists, told: Sequence[tuple[str, ...]], places: Ints
) -> None:
    """Enter lists of labels.

    Args:
        columns: have the vocabulary.
        into: receives the lists.
        told: the lists of distinct verdicts, in order of appearance.
        places: (entries,) the verdict of each.
    """
    # Distinct verdicts are in order of appearance, and so are their labels.
    codes = np.array(columns.encode_lists(told), dtype=np.int32)
    lengths = np.array([len(labels) for labels in told], dtype=np.int32)
    starts = np.cumsum(lengths) - lengths
    into.lengths.frombytes(lengths[places].tobytes())
    verdict, offset = expand_rows(places, lengths)
    into.codes.frombytes(codes[starts[verdict] + offset].tobytes())


class KindJudge:
    """Grades replies to the rows of a kind."""

    def __init__(self, task: AnyTask, name: str, instance: object, memory: VerdictCache) -> None:
        """Take the task, id and instance of the example, and the memory shared by all kinds."""
        self._task, self._name, self._instance = task, name, instance
        self._memory = memory
        self._reading: ReplyRule | None = paper_registry.find_reply_rule(task, instance)
        self._verdicts: dict[str, ReplyVerdict] = {}
        self._outcomes: dict[str, Outcome] = {}

    def judge_text(self, text: str) -> ReplyVerdict:
        """Return the verdict of a reply.

        Raises:
            ValueError: it cannot be graded; the message names the example.
        """
        if (found := self._verdicts.get(text)) is not None:
            return found
        try:
            outcome = replay(self._task.open(self._instance), (text,))
            said = read_by(self._reading, (text,), outcome, self._judge_published)
        except DECODE_ERRORS as error:
            raise build_damage_error(self._name, error, "be judged") from error
        found = self._memory.intern_verdict(outcome, said)
        if self._memory.has_room(text):
            self._verdicts[text] = found
        return found

    def _judge_published(self, replies: list[str]) -> Outcome:
        """Return the outcome of replies as a paper's rule reads them."""
        (text,) = replies
        if (outcome := self._outcomes.get(text)) is None:
            outcome = replay(self._task.open(self._instance), replies)
            if self._memory.has_room(text):
                self._outcomes[text] = outcome
        return outcome
