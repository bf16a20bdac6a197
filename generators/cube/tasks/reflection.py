"""Reflection: draft, reflect, answer again. Cube Bench, 4.3.4, A.4, B.4.

An item is a move question in text and picture, and five rows linked by `item`:

    draft       both         the question itself
    reflection  redacted     look back at the draft; the right option is withheld
    reanswer    redacted     the question again, with that reflection
    reflection  unredacted   look back at the draft; the right option is told
    reanswer    unredacted   the question again, with that reflection

The later prompts show the player what it said before. That is not known when a row is made, so they
hold placeholders, to be replaced before a prompt is sent:

    {draft_choice}           the letter that the draft chose, or "none" without a valid answer
    {redacted_reflection}    the text of that reflection, thoughts removed
    {unredacted_reflection}  the same of the other one

No other braces in these prompts mean anything. The two re-answers are the same but for the name of
the placeholder, so that only the reflection can make a difference.

Unlike the paper's, the reflection prompts do not tell the player that its draft was wrong: right
drafts are reflected on too, and a prompt must not say what is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from facelet.generators.core.chance import Chance, Exact
from facelet.generators.core.measures import Accuracy, Measure, Revision
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.records import maker
from facelet.generators.core.seeding import Draw, digest
from facelet.generators.core.single_turn import SingleTurn
from facelet.generators.core.task import (
    Claim,
    Column,
    Need,
    Outcome,
    Status,
    Task,
    Traits,
)
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.questions.move_question import MoveQuestion
from facelet.generators.cube.states import appearance, certified, text
from facelet.generators.cube.states.appearance import Variant
from facelet.generators.cube.states.certified import CertifiedStates, need
from facelet.generators.cube.states.depths import CubeParams
from facelet.generators.cube.states.text import Serialisation

DRAFT_CHOICE = "{draft_choice}"
REDACTED_REFLECTION = "{redacted_reflection}"
UNREDACTED_REFLECTION = "{unredacted_reflection}"

Stage = Literal["draft", "reflection", "reanswer"]
Condition = Literal["both", "redacted", "unredacted"]

STEPS: tuple[tuple[Stage, Condition], ...] = (
    ("draft", "both"),
    ("reflection", "redacted"),
    ("reanswer", "redacted"),
    ("reflection", "unredacted"),
    ("reanswer", "unredacted"),
)
"""Stage and condition of the rows of an item."""


@dataclass(frozen=True, slots=True)
class Params(CubeParams):
    """Params of the task; the depth is the length of the options too."""

    variant: Variant = param("clean", "how the pictures look")
    patches: int = appearance.patches_param()
    state_text: Serialisation = param("net", text.STATE_TEXT)


@dataclass(frozen=True, slots=True)
class Instance:
    """One step of an item.

    Attributes:
        question: the move question.
        stage: which step.
        condition: whether the reflection is told the right option; "both" for the draft.
        item: links the steps of one item; unique in a dataset.
    """

    question: MoveQuestion
    stage: Stage
    condition: Condition
    item: str


_made = maker(Instance)


class Reflection(Task[Params, Instance]):
    """The task; see the module."""

    name: ClassVar[str] = "cube/reflection"
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *move_question.COLUMNS,
        Column("item", "string", "equal in the five rows of one item"),
        Column("stage", "string", "draft, reflection (free text, not graded) or reanswer"),
        Column("condition", "string", "redacted, unredacted (right option told), both (draft)"),
    )
    traits: ClassVar[Traits] = Traits(telling=("condition", "unredacted"))
    measures: ClassVar[tuple[Measure, ...]] = (
        Accuracy(by=("stage", "condition")),
        Revision(by=("condition",)),
    )

    def needs(self, params: Params) -> Need:
        """Return the pool of the depth."""
        return need(params.metric, params.depth)

    def rows_per_item(self, params: Params) -> int:
        """Return the number of steps, five."""
        return len(STEPS)

    def chance(self, params: Params) -> Chance:
        """Return one option of four."""
        return Exact(1 / 4)

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the steps of the item."""
        question = move_question.make(
            resource.states[draw.index], params.variant, params.patches, params.state_text, draw
        )
        item = digest(*draw.path, "item", draw.index).hex()[:16]
        return tuple(Instance(question, stage, condition, item) for stage, condition in STEPS)

    def open(self, instance: Instance) -> SingleTurn[Instance]:
        """Return the step as an episode of one reply."""
        return SingleTurn(instance, _ask, _judge)

    def gold(self, instance: Instance) -> str:
        """Return the letter of the option that solves; "" for a reflection."""
        return "" if instance.stage == "reflection" else instance.question.answer

    def group(self, instance: Instance) -> str:
        """Return the state."""
        return certified.group(instance.question.state)

    def reference(self, instance: Instance) -> list[str]:
        """Return the right letter in the requested format, or some reflection."""
        if instance.stage == "reflection":
            return ["I will apply each candidate to the whole cube before I choose."]
        return [f"<ANSWER>{instance.question.answer}</ANSWER>"]

    def check(self, instance: Instance) -> list[str]:
        """Return what is false about the question or the step."""
        wrong = move_question.faults(instance.question)
        if (instance.stage, instance.condition) not in STEPS:
            wrong.append(f"there is no step {instance.stage!r} in {instance.condition!r}")
        return wrong

    def claims(self, instance: Instance) -> tuple[Claim, ...]:
        """Return the depth of the state."""
        return certified.claims(instance.question.state)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **move_question.encode(instance.question),
            "item": instance.item,
            "stage": instance.stage,
            "condition": instance.condition,
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return _made(move_question.decode(row), row["stage"], row["condition"], row["item"])


_REFLECT = """\
You are an expert at solving the Rubik's Cube. The cube has six faces: Front (F), Back (B), \
Left (L), Right (R), Up (U) and Down (D). Each has nine stickers in three rows of three, read from \
left to right and from the top row to the bottom row.

{basics}

You have answered the multiple-choice question below before. Look back at your choice and learn \
from it, in short and clear words:
1. Explain how one comes to choose that option, and where the reasoning can go wrong.
2. List keywords for the kind of mistake, from the most general to the most specific.
3. Work through the question once more, step by step{using}.
4. Write instructions for yourself on how to avoid such mistakes, in at most 200 words.
5. Add general advice on how to do better on questions of this kind."""

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


def _ask(instance: Instance) -> Prompt:
    question = instance.question
    if instance.stage == "draft":
        return move_question.prompt(question, with_text=True, with_picture=True)
    parts = move_question.puzzle(question, with_text=True, with_picture=True)
    if instance.stage == "reflection":
        told = instance.condition == "unredacted"
        length = move_question.count(question.state.optimal_depth, question.state.metric)
        verdict = _TOLD.format(answer=question.answer) if told else _WITHHELD
        using = ", with the right option that you are told" if told else ""
        basics = move_question.basics(question, with_text=True, with_picture=True)
        return chat(
            _REFLECT.format(basics=basics, using=using),
            *parts[:-1],
            f"The cube can be solved in exactly {length}, and exactly one candidate does it.\n\n"
            f"{parts[-1]}\n\nYou chose the option: {DRAFT_CHOICE}.\n{verdict}",
        )
    said = UNREDACTED_REFLECTION if instance.condition == "unredacted" else REDACTED_REFLECTION
    rules = move_question.system(question, with_text=True, with_picture=True)
    again = _AGAIN.format(reflection=said)
    return chat(rules, *parts[:-1], f"{parts[-1]}\n\n{again}\n\n{move_question.ONE_LINE}")


def _judge(instance: Instance, text: str) -> Outcome:
    if instance.stage == "reflection":
        said = bool(text.strip())
        return Outcome(Status.UNGRADED if said else Status.UNPARSED, strict=said)
    return move_question.judge(instance.question, text)


TASK = Reflection()
