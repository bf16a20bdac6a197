"""The episode of a question that one reply ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from generators.core.prompts import Prompt
from generators.core.task import Outcome

I = TypeVar("I")  # noqa: E741 - an instance, as in generators.core.task


@dataclass(frozen=True, slots=True)
class SingleTurn(Generic[I]):
    """A question and its judge.

    The prompt is built only when it is asked for: scoring a million replies needs none.

    Attributes:
        instance: the puzzle.
        ask: builds the prompt from the puzzle.
        judge: takes the puzzle and any reply, and returns the outcome.
    """

    instance: I
    ask: Callable[[I], Prompt]
    judge: Callable[[I, str], Outcome]

    def prompt(self) -> Prompt:
        """Return the question."""
        return self.ask(self.instance)

    def reply(self, text: str) -> Outcome:
        """Judge the reply."""
        return self.judge(self.instance, text)
