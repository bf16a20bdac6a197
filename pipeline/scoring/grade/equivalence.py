"""Grade one row for all rows of its kind, and a short reply to it once.

What a paper's rule reads in a reply is short, and most often it was graded before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from facelet.generators.core.memoization import SHORT
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.row_decoder import DECODE_ERRORS, build_damage_error
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.reply_rules import ReplyRule
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.column_cache import ColumnPacks
from facelet.pipeline.scoring.grade.verdict_table import ReplyVerdict, VerdictCache
from facelet.pipeline.scoring.paper_rule_metrics import read_by

REMEMBERED = 65536
"""Most short replies whose outcomes a process keeps, and most whose verdicts."""


@dataclass(frozen=True, slots=True)
class KindExamples:
    """The first row of each kind, by the number of the kind.

    Attributes:
        load_installed_task: the task that made them.
        packs: their columns.
        first_number: the first number.
    """

    load_installed_task: AnyTask
    packs: ColumnPacks
    first_number: int = 0

    def iterate_rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield some of them as dicts; the numbers ascend."""
        return self.packs.iterate_rows(numbers)


@dataclass(slots=True)
class VerdictMemory:
    """The verdicts kept of the kinds of all splits together.

    Attributes:
        verdicts: interns verdicts.
        room: number of short replies that may still be kept.
    """

    verdicts: VerdictCache
    room: int = field(default_factory=lambda: 2 * REMEMBERED)

    def has_room(self, text: str) -> bool:
        """Return whether there is room for the verdict of a reply, and reserve it."""
        if len(text) > SHORT or self.room <= 0:
            return False
        self.room -= 1
        return True


class KindJudge:
    """Grades replies to the rows of a kind."""

    def __init__(self, task: AnyTask, name: str, instance: object, memory: VerdictMemory) -> None:
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
        found = self._memory.verdicts.intern_verdict(outcome, said)
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
