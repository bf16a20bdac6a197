"""Move prediction: which of four maneuvers solves the cube? Cube Bench, 4.3.3, A.3, B.3.

Every item is asked in matched modalities: text and picture, picture only, text only, with the same
state and options, so that a difference between them is a difference of modality alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.measures import Accuracy, Measure
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.letter import FORM
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Column, Outcome
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.questions.distinct_options import draws_param
from facelet.generators.cube.questions.move_question import MoveQuestion
from facelet.generators.cube.states import appearance, state_texts
from facelet.generators.cube.states.appearance import Variant
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.states.state_task import DEALT, SCRAMBLES, ItemParams, StateTask
from facelet.generators.cube.states.state_texts import MODALITIES, Modality, Serialisation


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task; the depth is the length of the options too."""

    variant: Variant = param("clean", "how the pictures look", look=True)
    patches: int = appearance.patches_param()
    modality: Literal["matched", "image_text", "image", "text"] = param(
        "matched", "what shows the state; matched for all three, a row each"
    )
    state_text: Serialisation = param("net", state_texts.STATE_TEXT)
    draws: int = draws_param()

    def row_modalities(self) -> tuple[Modality, ...]:
        """Return the modality of each row of an item."""
        return MODALITIES if self.modality == "matched" else (self.modality,)


@dataclass(frozen=True, slots=True)
class Instance:
    """A question in one modality."""

    question: MoveQuestion
    modality: Modality


_made = fast_constructor(Instance)


class MovePrediction(QuestionTask[Params, Instance], StateTask[Params, Instance]):
    """The task; see the module."""

    name: ClassVar[str] = "cube/move_prediction"
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *move_question.COLUMNS,
        Column("modality", "string", "what the prompt shows of the state: image_text, image, text"),
    )
    decided_by: ClassVar[tuple[str, ...]] = ("answer",)
    measures: ClassVar[tuple[Measure, ...]] = (Accuracy(by=("modality",)),)
    deviations: ClassVar[tuple[Deviation, ...]] = (
        move_question.DEEPER,
        SCRAMBLES,
        DEALT,
    )

    def rows_per_item(self, params: Params) -> int:
        """Return one row a modality."""
        return len(params.row_modalities())

    def reply_form(self, instance: Instance) -> str:
        """Return that a letter is asked for."""
        return "letter"

    def chance_level(self, params: Params) -> Chance:
        """Return one option of four."""
        return ExactChance(1 / 4)

    def _certified_state(self, instance: Instance) -> CertifiedState:
        return instance.question.state

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the question about the item's state, in each modality."""
        question = move_question.of_item(
            resource,
            params.variant,
            params.patches,
            params.state_text,
            move_question.derive_shared_draw(draw, self),
        )
        return tuple(Instance(question, modality) for modality in params.row_modalities())

    def gold_answer(self, instance: Instance) -> str:
        """Return the letter of the option that solves."""
        return instance.question.answer

    def reference(self, instance: Instance) -> list[str]:
        """Return the right letter in the requested format."""
        return [FORM.format(instance.question.answer)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, the options, the answer or the picture."""
        wrong = move_question.find_question_faults(instance.question)
        if instance.modality not in MODALITIES:
            wrong.append(f"unknown modality {instance.modality!r}")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {**move_question.encode_question(instance.question), "modality": instance.modality}

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(move_question.decode_question(row), row["modality"])

    def _question_prompt(self, instance: Instance) -> Prompt:
        return move_question.question_prompt(
            instance.question,
            with_text=instance.modality != "image",
            with_picture=instance.modality != "text",
        )

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        return move_question.judge_reply(instance.question, reply)


TASK = MovePrediction()
