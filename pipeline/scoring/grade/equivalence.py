"""Grade one row for all rows of its kind, and a short reply to it once.

What a paper's rule reads in a reply is short, and most often it was graded before.
"""

from __future__ import annotations

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.row_decoder import DECODE_ERRORS, build_damage_error
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.reply_rules import ReplyRule
from facelet.pipeline.scoring.grade.verdict_table import ReplyVerdict, VerdictCache
from facelet.pipeline.scoring.paper_rule_metrics import read_by


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
