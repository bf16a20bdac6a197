"""Base classes of the spatial tasks: a written answer that is simulated, and a choice of four.

A task defines its puzzle, what the prompt shows and asks, what an answer leads to, and what it
should lead to. Prompts show the puzzle as a picture or as text, under the same rules.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies import letter
from facelet.generators.core.replies.command import Argument, CommandForm, read_command
from facelet.generators.core.single_turn import SingleTurn, one_label
from facelet.generators.core.task import I, Outcome, P, Status, Task, Traits
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.scenes.records import Scene

Shown = tuple[str | Scene, ...]
"""Texts and pictures in reading order."""
Arguments = tuple[Argument, ...]
"""The values of a form."""
Modality = Literal["picture", "text"]

SYSTEM = "You solve spatial puzzles exactly. Think as long as you need, then give one answer."


@dataclass(frozen=True, slots=True)
class SpatialParams(BaseParams):
    """Params of all spatial tasks; a subclass adds the difficulty."""

    modality: Modality = param(
        "picture", "whether the puzzle is shown as a picture or as text", look=True
    )


class SpatialTask(Task[P, I], Generic[P, I], vocabulary=True):
    """A question with one reply."""

    @abstractmethod
    def describe_puzzle(self, instance: I) -> Shown:
        """Return the rules and the puzzle, in reading order, without its answer."""

    @abstractmethod
    def describe_reply(self, instance: I) -> str:
        """Return what is asked for, and in which form."""

    @abstractmethod
    def judge_reply(self, instance: I, reply: str) -> Outcome:
        """Return the outcome of a reply."""

    def list_picture_faults(self, instance: I) -> list[str]:
        """Return why the picture, or the text, does not decide the answer; [] if it does."""
        return []

    def build_prompt(self, instance: I) -> Prompt:
        """Return the prompt."""
        return chat_prompt(SYSTEM, *self.describe_puzzle(instance), self.describe_reply(instance))

    def open(self, instance: I) -> SingleTurn[I]:
        """Return the question."""
        return SingleTurn(instance, self.build_prompt, self.judge_reply)


class WrittenTask(SpatialTask[P, I], Generic[P, I], vocabulary=True):
    """A question whose answer is written, simulated, and right if it leads to the goal.

    The instance has a column `answer`, the text of one right answer.

    Attributes:
        form: how the answer is written.
    """

    traits: ClassVar[Traits] = Traits(simulated=True)
    form: ClassVar[CommandForm]

    @abstractmethod
    def simulate_answer(self, instance: I, args: Arguments) -> str:
        """Return what an answer leads to.

        Raises:
            ValueError: the answer breaks a rule.
        """

    @abstractmethod
    def describe_goal(self, instance: I) -> str:
        """Return what a right answer leads to, as `simulate_answer` writes it."""

    def judge_reply(self, instance: I, reply: str) -> Outcome:
        """Return the outcome of a reply: what its answer leads to."""
        goal = self.describe_goal(instance)
        parsed = read_command(reply, (self.form,))
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=(goal,))
        try:
            found = self.simulate_answer(instance, parsed.value.args)
        except ValueError as error:
            return Outcome(
                Status.ILLEGAL, parsed.strict, gold=(goal,), answer=("",), note=str(error)
            )
        status = Status.CORRECT if found == goal else Status.WRONG
        return Outcome(status, parsed.strict, gold=(goal,), answer=(found,))

    def reference(self, instance: I) -> list[str]:
        """Return the right answer in its form."""
        return [self.form.template.partition("{")[0] + self.gold_answer(instance)]

    def find_faults(self, instance: I) -> list[str]:
        """Simulate the answer again, and prove the picture again."""
        outcome = self.judge_reply(instance, self.reference(instance)[0])
        wrong = outcome.status is not Status.CORRECT
        return [f"the answer leads to {outcome.answer}, not to {outcome.gold}"] * wrong + (
            self.list_picture_faults(instance)
        )


class ChoiceTask(SpatialTask[P, I], Generic[P, I], vocabulary=True):
    """A choice of four, one of which is right.

    The instance has a column `letter`, the right one. `decided_by` is that column, since nothing
    else decides what a letter is worth.
    """

    decided_by = ("letter",)

    @abstractmethod
    def list_right_letters(self, instance: I) -> str:
        """Return the letters of the right options, derived from the puzzle alone."""

    def chance_level(self, params: P) -> Chance:
        """Return one of four."""
        return ExactChance(1 / len(LETTERS))

    def group_key(self, instance: I) -> str:
        """Return all that the prompt shows: the puzzle and its options."""
        row = self.encode(instance)
        shown = [column.name for column in self.columns if column.role in ("puzzle", "options")]
        return json.dumps([row[name] for name in shown])

    def list_shown_keys(self, instance: I) -> tuple[str]:
        """Return the same."""
        return (self.group_key(instance),)

    def reply_form(self, instance: I) -> str:
        """Return "letter"."""
        return "letter"

    def describe_reply(self, instance: I) -> str:
        """Return the form of the answer."""
        return f"Reply with the letter of your choice as {letter.FORM.format('letter')}."

    def judge_reply(self, instance: I, reply: str) -> Outcome:
        """Return the outcome of a reply."""
        gold, said = self.gold_answer(instance), letter.read_choice(reply)
        if said.value is None:
            return one_label(Status.UNPARSED, False, gold)
        status = Status.CORRECT if said.value == gold else Status.WRONG
        return one_label(status, said.strict, gold, said.value)

    def reference(self, instance: I) -> list[str]:
        """Return the right letter in its form."""
        return [letter.FORM.format(self.gold_answer(instance))]

    def find_faults(self, instance: I) -> list[str]:
        """Derive the right letter again, and prove the picture again."""
        gold, right = self.gold_answer(instance), self.list_right_letters(instance)
        return [f"the right options are {right!r}, not {gold!r}"] * (right != gold) + (
            self.list_picture_faults(instance)
        )
