"""The episode of a question with one reply, and outcomes with one label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.task import Episode, Outcome, Status

I = TypeVar("I")  # noqa: E741 - an instance, as in facelet.generators.core.task


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
