"""The step question: which of four moves brings this cube closer? Cube Bench, 4.3.5, A.6, B.5.

What the closed loop and its tree share: the params, conditions and columns of an item, the reading
of replies, and the prompts. The system message says nothing about the state, so a question that
stands alone and the same one inside an episode differ in that message only.

The paper's prompt breaks ties by letter, but its teacher does not: where two options are optimal, a
player that follows the prompt could be counted wrong. So this prompt leaves the choice free.
Teacher adherence credits the teacher's move alone; the figures named "optimal" credit both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from facelet.generators.core.params import check_range, param
from facelet.generators.core.prompts import Message, PicturePart, Prompt, TextPart, chat_prompt
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.letter import FORM, choice_or_idk, choose, read_choice
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Column
from facelet.generators.cube.closed_loop.decision_graph import MAX_DEPTH, DecisionNode
from facelet.generators.cube.engine.notation import Metric
from facelet.generators.cube.questions.distinct_options import draws_param
from facelet.generators.cube.questions.move_question import format_move_count
from facelet.generators.cube.states import appearance, state_texts
from facelet.generators.cube.states.appearance import Appearance
from facelet.generators.cube.states.state_task import ItemParams, depth_param
from facelet.generators.cube.states.state_texts import MODALITIES, Modality, Serialisation
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.scenes.records import Scene

Look = Literal["clean", "recoloured", "dimmed"]

Abstain = Literal["off", "teacher_on_abstain", "skip_item"]
POLICIES: tuple[Abstain, ...] = ("off", "teacher_on_abstain", "skip_item")


@dataclass(frozen=True, slots=True)
class Params(ItemParams):
    """Params of the task.

    An item has about one decision for each move, with `abstain` a tenth more. A decision takes less
    than half a millisecond up to depth 10, and about ten times as long at 12 in htm. With `abstain`
    the options hold exactly one optimal move beside the teacher's, if there is another.
    """

    depth: int = depth_param(3, "optimal depth of the start; at most 12 in htm, 14 in qtm")
    modality: Literal["image_text", "text", "image"] = param("image_text", "what shows the state")
    state_text: Serialisation = param("net", state_texts.STATE_TEXT)
    variant: Look = param("clean", "how the pictures look", look=True)
    abstain: Abstain = param(
        "off", "whether IDK is allowed: the teacher's move is made then, or the episode ends"
    )
    idk_credit: int = param(
        25, "worth of IDK in abstention-penalised accuracy (lambda)", low=0, high=100, unit="%"
    )
    confidence: int = param(
        0, "confidence below which the prompt permits IDK; 0 for any", low=0, high=100, unit="%"
    )

    draws: int = draws_param()

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        ItemParams.validate(self)
        check_range("depth", self.depth, 1, MAX_DEPTH[self.metric])
        if self.confidence and self.abstain == "off":
            raise ValueError(
                f"confidence={self.confidence!r} is for players that may abstain; use 0, or "
                "abstain=teacher_on_abstain"
            )


@dataclass(frozen=True, slots=True)
class Conditions:
    """How all questions of an item are asked; the fields are as in Params.

    Attributes:
        metric: how moves are counted.
        modality: what shows the state.
        serialisation: how text shows it.
        look: how the pictures look.
        abstain: the policy on abstentions.
        credit: what an abstention is worth, 0 to 1.
        confidence: threshold in percent, or 0.
    """

    metric: Metric
    modality: Modality
    serialisation: Serialisation
    look: Appearance
    abstain: Abstain
    credit: float
    confidence: int

    @property
    def idk_credit(self) -> float | None:
        """What an abstention is worth, or None if the player may not abstain."""
        return None if self.abstain == "off" else self.credit


COLUMNS: tuple[Column, ...] = (
    Column("modality", "string", "what the prompt shows of the state: image_text, text, image"),
    Column("state_text", "string", "how the prompt writes the state: net or facelets"),
    *appearance.COLUMNS,
    Column("abstain", "string", "policy on IDK: off, teacher_on_abstain or skip_item"),
    Column("idk_credit", "float64", "worth of IDK in abstention-penalised accuracy (lambda)"),
    Column("confidence", "int8", "percent below which the prompt permits IDK; 0 = no threshold"),
)


def draw_conditions(params: Params, draw: Draw) -> Conditions:
    """Return how the questions of an item are asked.

    `draw_appearance` is the item's shared draw.
    """
    rng = make_generator(*draw.path, "item", draw.index, "look")
    look = appearance.draw_appearance(params.variant, 1, rng, ())
    return Conditions(
        metric=params.metric,
        modality=params.modality,
        serialisation=params.state_text,
        look=look,
        abstain=params.abstain,
        credit=params.idk_credit / 100,
        confidence=params.confidence,
    )


def encode_conditions(conditions: Conditions) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        "modality": conditions.modality,
        "state_text": conditions.serialisation,
        **appearance.encode_appearance(conditions.look),
        "abstain": conditions.abstain,
        "idk_credit": conditions.credit,
        "confidence": conditions.confidence,
    }


def decode_conditions(row: Mapping[str, Any]) -> Conditions:
    """Return the conditions that a row holds."""
    return Conditions(
        metric=row["metric"],
        modality=row["modality"],
        serialisation=row["state_text"],
        look=appearance.decode_appearance(row),
        abstain=row["abstain"],
        credit=row["idk_credit"],
        confidence=row["confidence"],
    )


def find_condition_faults(conditions: Conditions) -> list[str]:
    """Return what is false about the conditions, in words; empty if nothing."""
    wrong = appearance.find_appearance_faults(conditions.look)
    if conditions.modality not in MODALITIES:
        wrong.append(f"unknown modality {conditions.modality!r}")
    if conditions.abstain not in POLICIES:
        wrong.append(f"unknown policy on abstentions {conditions.abstain!r}")
    return wrong


def read_step_choice(conditions: Conditions, node: DecisionNode, reply: str) -> Parsed[str]:
    """Return what a reply says: a letter, or IDK where the player may abstain."""
    letter = read_choice if conditions.abstain == "off" else choice_or_idk
    return choose(letter(reply), reply, node.options)


_SYSTEM = """\
You are an expert at solving the Rubik's Cube, and you solve one move at a time. Each question \
tells how many moves a cube is from solved, {counted}, shows the cube {given}, and gives four \
candidates for the next move, labeled A to D. Choose the one after which the cube is closest to \
solved. A move that brings it closer is made, and the next question is about the cube as it is \
then; any other move ends the attempt.

Moves
{moves}

Reading the cube
- Every face is named by the color of its center. The cube is solved when the nine stickers of \
each face have one color.
{reading}

Rules for the answer
- Make each candidate in your mind and work out the least number of moves that is left after it. \
Take a candidate with the least; of equally good ones any is made.
{abstaining}- Think in silence. Reply with one line that matches \
^\\s*<ANSWER>\\s*{pattern}\\s*</ANSWER>\\s*$ and with nothing else: no reasons, no moves, no other \
words inside or outside the tags."""

_COUNTED: dict[Metric, str] = {
    "htm": "where a half turn counts as one move",
    "qtm": "where every move is a quarter turn",
}
_GIVEN: dict[Modality, str] = {
    "image_text": "as text and as a picture",
    "text": "as text",
    "image": "as a picture",
}
_AUTHORITY: dict[Modality, str] = {
    "image_text": "The picture shows the same cube. Should it seem to differ, the text is right.",
    "text": "There is no picture; the text says all there is.",
    "image": "There is no text of the state; read it off the picture, an unfolded cube with "
    "labeled faces.",
}
_MAY_ABSTAIN: dict[Abstain, str] = {
    "off": "",
    "teacher_on_abstain": "- {when}, reply IDK in place of a letter. Then a good move is made for "
    "you and the next question follows; the step is not counted as yours.\n",
    "skip_item": "- {when}, reply IDK in place of a letter. Then the attempt ends.\n",
}


def system_message(conditions: Conditions) -> str:
    """Return the task and its rules."""
    reading = (
        []
        if conditions.modality == "image"
        else [state_texts.reading_text(conditions.serialisation)]
    )
    reading.append(_AUTHORITY[conditions.modality])
    if conditions.modality != "text" and conditions.look.prompt_remark:
        reading.append(conditions.look.prompt_remark)
    when = "If you do not know"
    if sure := conditions.confidence:
        when = f"If you are less than {sure} percent sure of your choice, and only then"
    return _SYSTEM.format(
        counted=_COUNTED[conditions.metric],
        given=_GIVEN[conditions.modality],
        moves=state_texts.MOVES,
        reading="\n".join(f"- {line}" for line in reading),
        abstaining=_MAY_ABSTAIN[conditions.abstain].format(when=when),
        pattern="[ABCD]" if conditions.abstain == "off" else "([ABCD]|IDK)",
    )


def node_prompt(conditions: Conditions, node: DecisionNode) -> Prompt:
    """Return the question about a node with the rules before it."""
    return chat_prompt(system_message(conditions), *_state_parts(conditions, node))


@lru_cache(maxsize=1024)
def next_question(conditions: Conditions, node: DecisionNode) -> Prompt:
    """Return the question about a node without the rules.

    It is remembered: scoring replays the transcripts of an item one after the other.
    """
    parts = (
        TextPart(part) if isinstance(part, str) else PicturePart(part)
        for part in _state_parts(conditions, node)
    )
    return Prompt((Message("user", tuple(parts)),))


def _state_parts(conditions: Conditions, node: DecisionNode) -> list[str | Scene]:
    """Return the state and the candidates, as parts of a message."""
    parts: list[str | Scene] = []
    distance_text = f"Distance to solved: {format_move_count(node.distance, conditions.metric)}."
    if conditions.modality == "image":
        parts.append(distance_text)
    else:
        state = state_texts.state_text(node.state, conditions.serialisation)
        parts.append(f"{distance_text}\n\nCube state:\n{state}")
    if conditions.modality != "text":
        parts.append(conditions.look.build_scene(node.state))
    lines = (f"{letter}: {move}" for letter, move in zip(LETTERS, node.options, strict=True))
    idk = "" if conditions.abstain == "off" else ", or IDK,"
    parts.append(
        "Candidates:\n"
        + "\n".join(lines)
        + f"\n\nReply with exactly one line, with the letter of your choice{idk} for X:\n"
        + FORM.format("X")
    )
    return parts


def reply_form(conditions: Conditions) -> str:
    """Return the form of the reply that is asked for, by whether the player may abstain."""
    return "letter" if conditions.abstain == "off" else "letter_or_idk"
