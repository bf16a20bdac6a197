"""Base of the deformation tasks whose answers are written instead of chosen.

A forward question asks for the code of the result, an inverse one for any list of so many
operations that leads to it. Both are carried out: another list that leads there is as right as the
one that was drawn. `parts` is the share of places, filled in one result or the other, in which the
answer's result agrees with the right one.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic

from facelet.generators.core.chance_level import BlindLimit
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Accuracy, MeanOf, Measure
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.written import read_written
from facelet.generators.core.row_schema import Column, columns_of
from facelet.generators.core.task import Outcome, Status, Traits
from facelet.generators.options.deformation import reasoning_chains
from facelet.generators.options.deformation.deformation_task import (
    DERIVED,
    Deformation,
    I,
    P,
)
from facelet.generators.options.deformation.question_prompts import WantedAnswer
from facelet.generators.options.deformation.world_protocol import World
from facelet.generators.options.letter_placement import LETTERS

_FEW = "with few operations there are few lists, and one fits many questions"


class WrittenAnswers(Deformation[P, I], Generic[P, I]):
    """Base of the tasks; see the module."""

    traits: ClassVar[Traits] = Traits(simulated=True)
    decided_by: ClassVar[tuple[str, ...]] = ()
    measures: ClassVar[tuple[Measure, ...]] = (Accuracy(by=("live",)), MeanOf(metric="parts"))
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "one of four options is chosen",
            "the code of the result, or a list that leads there, is written",
            "it is not in the paper; part of the work wins nothing here",
        ),
    )

    @classmethod
    def _list_columns(cls) -> tuple[Column, ...]:
        """Return the columns: those of the instances without options, and the answer."""
        said = "code of the result" if cls.direction == "forward" else "the list that was drawn"
        target = Column("target", "string", f"{said}, the answer")
        return (*columns_of(cls._instance_record()), *DERIVED, target)

    def chance_level(self, params: P) -> None:
        """Return None: what guessing scores is unknown."""
        return

    def blind_limit(self, params: P) -> BlindLimit | None:
        """Return what one list wins, where lists are short."""
        if self.direction == "forward" or params.level > 2:
            return None
        return BlindLimit(0.4 if params.level == 1 else 0.2, _FEW)

    def _choose_answer_kind(self, instance: I) -> WantedAnswer:
        world, forward = instance.world, self.direction == "forward"
        grammar, count = world.grammar(self.direction), instance.question.level

        def read(reply: str, reasoned: bool) -> Parsed[str]:
            return read_written(reply, grammar, reasoned=reasoned, count=0 if forward else count)

        if forward:
            return WantedAnswer("the code of the result", read, written=True)
        _, step, _ = world.lesson_steps()[0]
        sample = world.write_steps([step] * 2)
        noun = f"the list of operations on one line, written like {sample}"
        return WantedAnswer(noun, read, written=True)

    def _judge_choice(self, instance: I, chosen: str, strict: bool) -> Outcome:
        world, question = instance.world, instance.question
        gold = (self.gold_answer(instance),)
        if not chosen:
            return Outcome(Status.UNPARSED, False, gold=gold, metrics={"parts": 0.0})
        right = world.read(question.results[LETTERS.index(question.answer)])
        state = world.read(chosen) if self.direction == "forward" else None
        if state is None:
            steps = world.read_steps(chosen)
            if len(steps) != question.level:
                note = f"{len(steps)} operations where {question.level} are asked for"
                return Outcome(
                    Status.WRONG, strict, gold, (chosen,), metrics={"parts": 0.0}, note=note
                )
            state = world.read(question.start)
            for number, step in enumerate(steps, 1):
                state = world.apply_step(state, step)
                try:
                    world.check_lawful(state)
                except ValueError as error:
                    note = f"operation {number}: {error}"
                    return Outcome(
                        Status.ILLEGAL, strict, gold, (chosen,), metrics={"parts": 0.0}, note=note
                    )
        filled = max(1, world.place_count(right, state))
        parts = 1 - world.count_differences(right, state) / filled
        status = Status.CORRECT if state == right else Status.WRONG
        return Outcome(status, strict, gold=gold, answer=(chosen,), metrics={"parts": parts})

    def gold_answer(self, instance: I) -> str:
        """Return the code of the result, or the list that was drawn."""
        question = instance.question
        answers = question.results if self.direction == "forward" else question.lists
        return answers[LETTERS.index(question.answer)]

    def write_reasoned_reply(self, instance: I) -> str:
        """Return the operations carried out one by one, and the answer on a line of its own."""
        world: World[Any] = instance.world
        return reasoning_chains.write_chain(world, instance.question, self.direction, written=True)

    def encode(self, instance: I) -> dict[str, Any]:
        """Return the typed columns."""
        return {**super().encode(instance), "target": self.gold_answer(instance)}
