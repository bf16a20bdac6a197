"""Kin: one row is judged for all of its kind, and a short reply to it once.

What a paper's rule reads in a reply is short, and most often what was judged before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from facelet.generators.core.remembering import SHORT
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.decoding import BREAKS, damaged
from facelet.pipeline.families import AnyTask
from facelet.pipeline.papers import rooms
from facelet.pipeline.papers.replies import Reading
from facelet.pipeline.scoring.arrays import Ints
from facelet.pipeline.scoring.as_published import read_by
from facelet.pipeline.scoring.judging.verdicts import Verdict, Verdicts
from facelet.pipeline.scoring.packs import Packs

REMEMBERED = 65536
"""Most short replies whose outcomes a process keeps, and most whose verdicts."""


@dataclass(frozen=True, slots=True)
class Examples:
    """The first row of each kind, by the number of the kind.

    Attributes:
        task: the task that made them.
        packs: their columns.
        start: the first number.
    """

    task: AnyTask
    packs: Packs
    start: int = 0

    def rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield some of them as dicts; the numbers ascend."""
        return self.packs.rows(numbers)


@dataclass(slots=True)
class Memory:
    """What is kept of the kinds of all splits together.

    Attributes:
        verdicts: makes verdicts.
        room: short replies that may still be kept.
    """

    verdicts: Verdicts
    room: int = field(default_factory=lambda: 2 * REMEMBERED)

    def keeps(self, text: str) -> bool:
        """Return whether there is room for what a reply comes to, and take it."""
        if len(text) > SHORT or self.room <= 0:
            return False
        self.room -= 1
        return True


class Kin:
    """The rows of a kind."""

    def __init__(self, task: AnyTask, name: str, instance: object, memory: Memory) -> None:
        """Take the task, id and instance of the example, and what is kept of all kinds."""
        self._task, self._name, self._instance = task, name, instance
        self._memory = memory
        self._reading: Reading | None = rooms.reading(task, instance)
        self._verdicts: dict[str, Verdict] = {}
        self._outcomes: dict[str, Outcome] = {}

    def verdict(self, text: str) -> Verdict:
        """Return what a reply comes to.

        Raises:
            ValueError: it cannot be judged; the message names the example.
        """
        found = self._verdicts.get(text)
        if found is not None:
            return found
        try:
            outcome = replay(self._task.open(self._instance), (text,))
            said = read_by(self._reading, (text,), outcome, self._again)
        except BREAKS as error:
            raise damaged(self._name, error, "be judged") from error
        found = self._memory.verdicts.of(outcome, said)
        if self._memory.keeps(text):
            self._verdicts[text] = found
        return found

    def _again(self, replies: list[str]) -> Outcome:
        """Return what replies as a paper's rule reads them come to."""
        (text,) = replies
        outcome = self._outcomes.get(text)
        if outcome is None:
            outcome = replay(self._task.open(self._instance), replies)
            if self._memory.keeps(text):
                self._outcomes[text] = outcome
        return outcome
