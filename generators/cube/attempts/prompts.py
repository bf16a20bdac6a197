"""Write the prompts of attempts (after Cube Bench, B.7)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from facelet.generators.core.prompts import Message, Part, PicturePart, Prompt, TextPart
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import Change, Deviates
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine.notation import Maneuver, Metric
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.states import state_texts
from facelet.generators.cube.states.state_texts import Modality, Serialisation
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.scenes.records import CubeNet


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """What one question shows.

    Attributes:
        state: the state, a facelet string.
        options: the four moves.
        number: number of the attempt, from 1; 0 while none is counted.
        after: what the reply before did, and the move that it chose ("" for none); None at the
            beginning.
    """

    state: str
    options: Maneuver
    number: int
    after: tuple[Change, str] | None


_TASK = """\
You are an expert at solving the Rubik's Cube, and you turn this one move by move. Each time you \
are shown the cube {given}, you are told how many moves it is from solved, and you get four \
moves, labeled A to D. Choose the one move that leaves the cube nearest to solved."""

_COURSE = """\
How it goes on
- The move that you choose is carried out, good or bad, and the next question is about the cube as \
it is then, with four moves to choose from.
- A reply in which no letter can be read leaves the cube as it is, and still counts.
{budget}"""

_BUDGET = "- The game ends when the cube is solved, or after {count}."
_RECOVERY_BUDGET = """\
- As long as every move that you choose brings the cube nearer to solved, nothing is counted. From \
the first reply that does not, you have {count} more. The game ends when the cube is solved or \
they are used up."""

_TAUGHT_BUDGET = """\
- A shortest solution of the cube is held ready. As long as every move that you choose is its next \
move, nothing is counted. From the first reply that is not, you have {count} more. The game ends \
when the cube is solved or they are used up."""

_READING = """\
Moves
{moves}
- {counted}

Reading the cube
- Every face is named by the color of its center. The cube is solved when the nine stickers of \
each face have one color.
{reading}"""

_RULES = """\
Rules for the choice
- Work out for each of A, B, C, D the cube after that move, and how many moves that cube is from \
solved. The fewest win.
- Between moves that leave the cube equally far, take the one that comes first in the order A, B, \
C, D.
- Think in silence. Reply with one line that matches ^\\s*<ANSWER>\\s*[ABCD]\\s*</ANSWER>\\s*$ and \
with nothing else: no reasons, no moves, no other words inside or outside the tags."""

_COUNTED: dict[Metric, str] = {
    "htm": "Distances are counted in moves; a turn by 180 degrees is one move.",
    "qtm": "Distances are counted in quarter turns; only those are on offer, and a turn by 180 "
    "degrees takes two.",
}
_GIVEN: dict[Modality, str] = {
    "image_text": "as text, and the same cube as a picture",
    "image": "as a picture",
    "text": "as text",
}
_AUTHORITY: dict[Modality, str] = {
    "image_text": "Text and picture show the same cube. Should they seem to differ, the text is "
    "right: work with the text.",
    "image": "There is no text of the state; read it off the picture, an unfolded cube with "
    "labeled faces.",
    "text": "There is no picture; the text says all there is.",
}


Counted = Literal["all"] | Deviates
"""Which replies are attempts: all, or those after the first deviation of a kind."""

_BUDGETS: dict[Counted, str] = {
    "all": _BUDGET,
    "setback": _RECOVERY_BUDGET,
    "teacher": _TAUGHT_BUDGET,
}


@lru_cache(maxsize=256)
def system_message(
    metric: Metric,
    max_attempts: int,
    modality: Modality,
    serialisation: Serialisation,
    counted: Counted,
) -> str:
    """Return the system message: the task and its rules.

    Args:
        metric: how moves are counted.
        max_attempts: attempts that are counted.
        modality: what a question shows of the state.
        serialisation: how text shows it.
        counted: which replies are attempts.
    """
    reading = [] if modality == "image" else [state_texts.reading_text(serialisation)]
    reading.append(_AUTHORITY[modality])
    count = f"{max_attempts} attempt{'s' if max_attempts > 1 else ''}"
    budget = _BUDGETS[counted].format(count=count)
    parts = (
        _TASK.format(given=_GIVEN[modality]),
        _COURSE.format(budget=budget),
        _READING.format(
            moves=state_texts.MOVES,
            counted=_COUNTED[metric],
            reading="\n".join(f"- {line}" for line in reading),
        ),
        _RULES,
    )
    return "\n\n".join(parts)


def question_prompt(instance: Instance, shown: ShownQuestion, *, recovery: bool) -> Prompt:
    """Return a question; the first one begins with the rules.

    Args:
        instance: the item's row.
        shown: what this question shows.
        recovery: whether attempts are counted only after the first deviation.
    """
    question = Message("user", _question_parts(instance, shown))
    if shown.after is not None:
        return Prompt((question,))
    rules = system_message(
        instance.state.metric,
        instance.max_attempts,
        instance.modality,
        instance.serialisation,
        instance.deviation if recovery else "all",
    )
    return Prompt((Message("system", (TextPart(rules),)), question))


def _question_parts(instance: Instance, shown: ShownQuestion) -> tuple[Part, ...]:
    metric = instance.state.metric
    lines = [] if shown.after is None else [_describe_change(*shown.after)]
    if shown.number:
        lines.append(f"Attempt {shown.number} of {instance.max_attempts}.")
    lines.append(f"The cube is {_describe_distance(metric, shown.state)} from solved.")
    above = " ".join(lines)
    if instance.modality != "image":
        above += f"\n\nCube state:\n{state_texts.state_text(shown.state, instance.serialisation)}"
    moves = "\n".join(f"{x}: {move}" for x, move in zip(LETTERS, shown.options, strict=True))
    below = TextPart(f"Moves:\n{moves}\n\n{move_question.ONE_LINE}")
    if instance.modality == "text":
        return (TextPart(above), below)
    return (TextPart(above), PicturePart(CubeNet(shown.state)), below)


def _describe_change(change: Change, move: str) -> str:
    """Return what the last reply did, in words, without saying whether it was good."""
    if change is Change.UNPARSED:
        return "No letter could be read in your reply; the cube is as it was."
    return f"{move} was carried out."


def _describe_distance(metric: Metric, state: str) -> str:
    distance = distance_oracle.exact_distance(metric, state)
    unit = "move" if metric == "htm" else "quarter turn"
    return f"{distance} {unit}" if distance == 1 else f"{distance} {unit}s"
