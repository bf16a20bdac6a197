"""Questions with one reply: their base task, their episode, and outcomes with one label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.task import Episode, I, Outcome, P, Status, Task


@dataclass(slots=True)
class SingleTurn(Episode, Generic[I]):
    """A question and its judge.

    The prompt is built only when it is asked for: scoring a million replies needs none. Nor is this
    record frozen, since making a frozen one is many times as slow.

    Attributes:
        instance: the puzzle.
        ask: builds the prompt from the puzzle.
        judge: takes the puzzle and any reply, and returns the outcome.
    """

    instance: I
    ask: Callable[[I], Prompt]
    judge: Callable[[I, str], Outcome]

    @property
    def takes_one_reply(self) -> bool:
        """Return True."""
        return True

    def prompt(self) -> Prompt:
        """Return the question."""
        return self.ask(self.instance)

    def reply(self, text: str) -> Outcome:
        """Judge the reply."""
        return self.judge(self.instance, text)


class QuestionTask(Task[P, I], Generic[P, I], vocabulary=True):
    """A task of questions with one reply: their prompt, and their judge."""

    def open(self, instance: I) -> SingleTurn[I]:
        """Return the question."""
        return SingleTurn(instance, self._question_prompt, self._judge_reply)

    @abstractmethod
    def _question_prompt(self, instance: I) -> Prompt:
        """Return the prompt, from the puzzle alone."""

    @abstractmethod
    def _judge_reply(self, instance: I, reply: str) -> Outcome:
        """Return the outcome of any reply."""


@lru_cache(maxsize=4096)
def one_label(status: Status, strict: bool, gold: str, answer: str | None = None) -> Outcome:
    """Return the outcome of a reply to a question with one label.

    There are few different ones, so equal ones are one object.

    Args:
        status: how it ended.
        strict: whether the reply kept the requested format to the letter.
        gold: the right label.
        answer: the label understood from the reply; None when there is none.
    """
    return Outcome(status, strict, gold=(gold,), answer=() if answer is None else (answer,))
