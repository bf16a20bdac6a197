"""Reflection: draft, reflect, answer again. Cube Bench, 4.3.4, A.4, B.4.

A play has three turns, each a chat of its own, as in the paper; what a turn shows of the earlier
ones is taken from the player's own replies:

    draft       the move question in text and picture, as in cube/move_prediction
    reflection  the question, the letter that the draft chose, and words on what was right: withheld
                (redacted) or told (unredacted)
    re-answer   the question again, with the text of the reflection, thoughts removed

The items are those of cube/move_prediction. The two conditions differ in one sentence of the second
turn and in nothing else, so only the reflection can make a difference. Unredacted is an upper
bound, not a measure of skill: a player that repeats the letter that it was told is always right.

Unlike the paper's, the reflection prompt does not say that the draft was wrong: right drafts are
reflected on too, and a prompt should not say what is false. With verdict=incorrect it says so of
all drafts, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.measures import (
    READ_REPLIES,
    Called,
    MeanOf,
    Measure,
    WeightedMeanOf,
    read_replies,
)
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.boundary import visible_text
from facelet.generators.core.replies.letter import FORM, choose, read_choice
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import (
    Column,
    Episode,
    Outcome,
    Status,
    Traits,
)
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.questions.distinct_options import draws_param
from facelet.generators.cube.questions.move_question import MoveQuestion
from facelet.generators.cube.states import appearance, state_texts
from facelet.generators.cube.states.appearance import Variant
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.states.state_task import DEALT, SCRAMBLES, ItemParams, StateTask
from facelet.generators.cube.states.state_texts import Serialisation

Condition = Literal["redacted", "unredacted"]
Verdict = Literal["none", "incorrect"]

TURNS = 3
"""Draft, reflection, re-answer."""

NO_CHOICE = "none"
"""What a reflection prompt says of a draft without a readable answer."""

NO_WORDS = "(nothing was written)"
"""What a re-answer prompt shows of an empty reflection."""

LONGEST = 16_384
"""Characters of a reflection that the re-answer prompt shows; of a longer one, the end."""


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task; the depth is the length of the options too."""

    variant: Variant = param("clean", "how the pictures look", look=True)
    patches: int = appearance.patches_param()
    state_text: Serialisation = param("net", state_texts.STATE_TEXT)
    draws: int = draws_param()
    condition: Condition = param("redacted", "whether the reflection is told the right option")
    verdict: Verdict = param(
        "none",
        "what it is told of the draft: nothing, or that it was incorrect, even if it was not",
    )


@dataclass(frozen=True, slots=True)
class Instance:
    """One item.

    Attributes:
        question: the move question.
        condition: whether the reflection is told the right option.
        verdict: what the reflection is told of the draft.
    """

    question: MoveQuestion
    condition: Condition
    verdict: Verdict


_made = fast_constructor(Instance)


class Reflection(StateTask[Params, Instance]):
    """The task; see the module.

    Metrics of an outcome, each 0 or 1 but for gain and those of replies (draft and re-answer):
    initial_accuracy and final_accuracy, whether draft and re-answer are right; gain, their
    difference; draft_wrong and draft_right; and, where the draft was wrong, error_fix_rate, where
    it was right, overthink_rate. An answer that cannot be read is wrong. Accuracy is that of the
    re-answer.
    """

    name: ClassVar[str] = "cube/reflection"
    version: ClassVar[int] = 3
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *move_question.COLUMNS,
        Column("condition", "string", "redacted, or unredacted: the reflection is told the answer"),
        Column("verdict", "string", "what it is told of the draft: none (nothing) or incorrect"),
    )
    traits: ClassVar[Traits] = Traits(passes=TURNS, leaks=("condition", "unredacted"))
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="initial_accuracy"),
        MeanOf(metric="final_accuracy"),
        MeanOf(metric="gain", share=False),
        # Where there is no prediction, the draft counts as wrong and as not corrected.
        WeightedMeanOf(metric="error_fix_rate", weight="draft_wrong", default_weight=1),
        WeightedMeanOf(metric="overthink_rate", weight="draft_right"),
        READ_REPLIES,
        Called(
            names=(
                ("initial_accuracy", "Initial Acc."),
                ("final_accuracy", "Final Acc. (All)"),
                ("gain", "Gain"),
                ("error_fix_rate", "EFR"),
                ("overthink_rate", "OTR"),
            )
        ),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "the player is told that its draft was wrong, right or not",
            "it is asked to check its draft",
            "giving up a right draft that is called wrong measures obedience",
            "verdict=incorrect",
        ),
        SCRAMBLES,
        DEALT,
        move_question.DEEPER,
    )

    def reply_form(self, instance: Instance) -> str:
        """Return that letters are asked for, with thoughts between."""
        return "reflected_letter"

    def chance_level(self, params: Params) -> Chance:
        """Return one option of four: what a player scores that looks at nothing it is shown."""
        return ExactChance(1 / 4)

    def blind_limit(self, params: Params) -> BlindLimit | None:
        """Return that who copies what is told is always right; chance where nothing is told."""
        if params.condition == "redacted":
            return None
        return BlindLimit(
            1.0,
            "the reflection is told the right option; the accuracy shows who copies it, and the "
            "drafts that are mended or spoilt what the telling is worth",
        )

    def _certified_state(self, instance: Instance) -> CertifiedState:
        return instance.question.state

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the question about the item's state."""
        question = move_question.of_item(
            resource,
            params.variant,
            params.patches,
            params.state_text,
            move_question.derive_shared_draw(draw, self),
        )
        return (Instance(question, params.condition, params.verdict),)

    def open(self, instance: Instance) -> ReflectionEpisode:
        """Return an episode of three replies."""
        return ReflectionEpisode(instance)

    def gold_answer(self, instance: Instance) -> str:
        """Return the letter of the option that solves."""
        return instance.question.answer

    def reference(self, instance: Instance) -> list[str]:
        """Return the right letter, some reflection, and the letter again."""
        answer = FORM.format(instance.question.answer)
        return [answer, "I will apply each candidate to the whole cube before I choose.", answer]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the question or the condition."""
        wrong = move_question.find_question_faults(instance.question)
        if instance.condition not in get_args(Condition):
            wrong.append(f"unknown condition {instance.condition!r}")
        if instance.verdict not in get_args(Verdict):
            wrong.append(f"unknown verdict {instance.verdict!r}")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **move_question.encode_question(instance.question),
            "condition": instance.condition,
            "verdict": instance.verdict,
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(move_question.decode_question(row), row["condition"], row["verdict"])


class ReflectionEpisode(Episode):
    """The episode."""

    __slots__ = ("_draft", "_instance", "_said", "_strict")

    def __init__(self, instance: Instance) -> None:
        """Begin with the draft."""
        self._instance = instance
        self._said: list[str] = []
        self._draft: str | None = None
        self._strict = True

    def prompt(self) -> Prompt:
        """Return the question of the turn that is due, filled from the replies so far."""
        question = self._instance.question
        if not self._said:
            return move_question.question_prompt(question, with_text=True, with_picture=True)
        asked = (
            _reflection_prompt(self._instance, self._draft or NO_CHOICE)
            if len(self._said) == 1
            else _second_prompt(question, visible_text(self._said[1], LONGEST) or NO_WORDS)
        )
        return replace(asked, fresh=True)

    def reply(self, text: str) -> Prompt | Outcome:
        """Take the draft, the reflection or the re-answer."""
        self._said.append(text)
        if len(self._said) == 1:
            parsed = choose(read_choice(text), text, self._instance.question.options)
            self._draft, self._strict = parsed.value, parsed.strict
        elif len(self._said) == TURNS:
            return self._build_outcome(text)
        return self.prompt()

    def outcome_when_halted(self) -> Outcome:
        """Return what a play came to that has no re-answer: nothing that counts."""
        return Outcome(Status.UNPARSED, strict=False, note=f"{len(self._said)} of {TURNS} replies")

    def _build_outcome(self, text: str) -> Outcome:
        question = self._instance.question
        final = move_question.judge_reply(question, text)
        before = float(
            self._draft is not None and move_question.is_right_letter(question, self._draft)
        )
        after = float(final.status is Status.CORRECT)
        metrics = {
            "initial_accuracy": before,
            "final_accuracy": after,
            "gain": after - before,
            "draft_wrong": 1 - before,
            "draft_right": before,
            **read_replies(
                (self._draft is not None) + (final.status is not Status.UNPARSED), TURNS - 1
            ),
            ("overthink_rate" if before else "error_fix_rate"): 1 - after if before else after,
        }
        return replace(final, strict=final.strict and self._strict, metrics=metrics)


_REFLECT = """\
You are an expert at solving the Rubik's Cube. The cube has six faces: Front (F), Back (B), \
Left (L), Right (R), Up (U) and Down (D). Each has nine stickers in three rows of three, read from \
left to right and from the top row to the bottom row.

{basics}

You have answered the multiple-choice question below before{how}. Look back at your choice and \
learn from it, in short and clear words:
1. Explain {why}.
2. List keywords for the kind of mistake, from the most general to the most specific.
3. Work through the question once more, step by step{using}.
4. Write instructions for yourself on how to avoid such mistakes, in at most 200 words.
5. Add general advice on how to do better on questions of this kind."""

_HOW: dict[Verdict, str] = {"none": "", "incorrect": ", and your answer was incorrect"}
_WHY: dict[Verdict, str] = {
    "none": "how one comes to choose that option, and where the reasoning can go wrong",
    "incorrect": "why your answer was incorrect",
}
_CHOSE: dict[Verdict, str] = {"none": "", "incorrect": ", which does not solve the cube"}

_TOLD = "The option that solves the cube is {answer}."
_WITHHELD = (
    "The option that solves the cube is [REDACTED]: it is withheld, so that the reflection cannot "
    "give it away."
)

_AGAIN = """\
You have seen this question before and wrote this reflection on your first choice:
--- reflection ---
{reflection}
--- end of reflection ---
Now answer again. Should the reflection leave the choice open, take the option that comes first in \
the order A > B > C > D."""


def _reflection_prompt(instance: Instance, draft: str) -> Prompt:
    """Return the prompt that asks for a reflection on a draft's letter."""
    question, verdict = instance.question, instance.verdict
    unredacted = instance.condition == "unredacted"
    parts = move_question.puzzle_parts(question, with_text=True, with_picture=True)
    length = move_question.format_move_count(question.state.optimal_depth, question.state.metric)
    right = _TOLD.format(answer=question.answer) if unredacted else _WITHHELD
    return chat_prompt(
        _REFLECT.format(
            basics=move_question.notation_text(question, with_text=True, with_picture=True),
            how=_HOW[verdict],
            why=_WHY[verdict],
            using=", with the right option that you are told" if unredacted else "",
        ),
        *parts[:-1],
        f"The cube can be solved in exactly {length}, and exactly one candidate does it.\n\n"
        f"{parts[-1]}\n\nYou chose the option: {draft}{_CHOSE[verdict]}.\n{right}",
    )


def _second_prompt(question: MoveQuestion, reflection: str) -> Prompt:
    """Return the question again, with a reflection."""
    rules = move_question.system_message(question, with_text=True, with_picture=True)
    parts = move_question.puzzle_parts(question, with_text=True, with_picture=True)
    again = _AGAIN.format(reflection=reflection)
    return chat_prompt(rules, *parts[:-1], f"{parts[-1]}\n\n{again}\n\n{move_question.ONE_LINE}")


TASK = Reflection()
