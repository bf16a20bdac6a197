"""Write the prompts of deformation questions (Inf-Bench, figures 9 to 11 and appendix D).

The seven prompt variants are: rules in text (1), in pictures (2), in both (3), simplified (4),
detailed (5), step by step (6), few-shot (7). What a question asks and which format its answer has
is the same in all of them: one letter, which variants 6 and 7 let follow on reasoning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal

from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.letter import choose, read_choice
from facelet.generators.options.deformation.questions import Direction, Question
from facelet.generators.options.deformation.world_protocol import S, World
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.scenes.records import Scene

Input = Literal["picture", "text", "both"]
Variant = Literal[
    "text", "pictures", "text_and_pictures", "simplified", "detailed", "step_by_step", "few_shot"
]
REASONED: tuple[Variant, ...] = ("step_by_step", "few_shot")
"""Variants whose replies may reason before they answer."""
_LEVELS: dict[Variant, int | None] = {"pictures": None, "simplified": 0, "detailed": 2}
_PAIRS = 12
"""Most operations of a picture that explains them."""


@dataclass(frozen=True, slots=True)
class WantedAnswer:
    """Which answer a question asks for.

    Attributes:
        noun: the answer, in words that complete "reply with ...".
        read: from a reply, and whether reasoning may come first, to the answer in it.
        written: whether it is written, so that no options are shown.
    """

    noun: str
    read: Callable[[str, bool], Parsed[str]]
    written: bool = False

    def answer_request(self) -> str:
        """Return the request for the answer alone."""
        return f"Reply with {self.noun}, and with nothing else."

    def build_reasoned_request(self) -> str:
        """Return the request for reasons and the answer."""
        return f"Let's think step by step. End your reply with a line that holds only {self.noun}."


def question_prompt(
    world: World[S],
    question: Question,
    direction: Direction,
    shown: Input,
    variant: Variant,
    letters: bool,
    wanted: WantedAnswer,
    worked: Sequence[tuple[Question, str]] = (),
    ending: str = "",
    *,
    size: int = 0,
    tooled: bool = False,
) -> Prompt:
    """Return a question.

    Args:
        world: the rules.
        question: the question; its answer is not looked at.
        direction: what is asked.
        shown: whether states are shown as pictures, as text, or both.
        variant: the prompt variant.
        letters: whether pictures tell colours by letters too.
        wanted: which answer is asked for.
        worked: examples with the reasoning that solves each.
        ending: how to reply, instead of what the variant says.
        size: edge of a state in pixels; 0 for the usual.
        tooled: whether there is a tool, which is told codes.
    """
    # A player that writes or is told codes is told how they are written, also with pictures.
    codes = bool(worked) or tooled or (wanted.written and direction == "forward")
    head = system_message(world, direction, shown, variant, written=wanted.written, codes=codes)
    parts: list[str | Scene] = []
    if variant in ("pictures", "text_and_pictures"):
        parts += operations_lesson(world, letters=letters, size=size)
    for number, (example, reasoning) in enumerate(worked, 1):
        parts.append(f"Example {number}")
        parts += question_body(
            world, example, direction, shown, letters, size=size, written=wanted.written
        )
        parts.append(f"Reply to example {number}:\n{reasoning}")
    if worked:
        parts.append("Now your question")
    parts += question_body(
        world, question, direction, shown, letters, size=size, written=wanted.written
    )
    parts.append(
        ending
        or (wanted.build_reasoned_request() if variant in REASONED else wanted.answer_request())
    )
    return chat_prompt(head, *_join_texts(parts))


@lru_cache(maxsize=64)
def system_message(
    world: World[Any],
    direction: Direction,
    shown: Input,
    variant: Variant,
    *,
    written: bool = False,
    codes: bool = False,
) -> str:
    """Return the task and its rules.

    Args:
        world: the rules.
        direction: what is asked.
        shown: how states are shown.
        variant: the prompt variant.
        written: whether the answer is written.
        codes: whether the message says how codes are written.
    """
    noun = world.item_noun
    if written:
        asked = (
            f"what the operations make of the {noun}"
            if direction == "forward"
            else f"a list of operations that makes the result of the {noun}"
        )
        only = ""
    else:
        asked = (
            f"which of four results the operations make of the {noun}"
            if direction == "forward"
            else f"which of four lists of operations makes the result of the {noun}"
        )
        only = " Exactly one of the options A to D is right."
    explanation = (
        f"You are given a {noun} that is deformed by operations, one after the other. Say {asked}."
    )
    parts = [explanation + only]
    level = _LEVELS.get(variant, 1)
    if variant == "pictures":
        parts.append(
            "The operations are explained in pictures: each pair shows an example before and after "
            "the operation that is written above it. A list is carried out from left to right."
        )
    if level is not None:
        parts.append(world.rules_text(level))
    if codes:
        parts.append(world.code_description)
    if variant == "simplified":
        return "\n\n".join(parts)
    if variant == "text_and_pictures":
        parts.append(
            "Pictures show an example of each operation, before and after it; the operation is "
            "written above."
        )
    if shown != "picture":
        parts.append(world.reading_description(pictures=False))
    if shown != "text" or variant in ("pictures", "text_and_pictures"):
        parts.append(world.reading_description(pictures=True))
    if shown == "both":
        parts.append("Text and pictures show the same.")
    return "\n\n".join(parts)


def operations_lesson(world: World[S], *, letters: bool, size: int) -> list[str | Scene]:
    """Return the operations in one picture: an example of each, before and after.

    Args:
        world: the rules.
        letters: whether the picture tells colours by letters too.
        size: edge of a state in pixels, where few are shown; 0 for the usual.
    """
    states, labels = [], []
    for before, step, name in world.lesson_steps():
        states += [before, world.apply_step(before, step)]
        labels += [name, "becomes"]
    sheets: list[str | Scene] = ["The operations, before and after:"]
    most = 2 * _PAIRS
    for first in range(0, len(states), most):
        part = slice(first, first + most)
        sheets.append(world.build_scene(states[part], labels[part], letters=letters, size=size))
    return sheets


def question_body(
    world: World[S],
    question: Question,
    direction: Direction,
    shown: Input,
    letters: bool,
    *,
    size: int = 0,
    written: bool = False,
) -> list[str | Scene]:
    """Return the start, what is given and the options, as parts of a message.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        shown: how states are shown.
        letters: whether pictures tell colours by letters too.
        size: edge of a state in pixels; 0 for the usual.
        written: whether the answer is written, so that no options are shown.
    """
    parts: list[str | Scene] = []
    text, picture = shown != "picture", shown != "text"
    noun = world.item_noun
    count = "1 operation" if question.level == 1 else f"{question.level} operations"

    def add_state(title: str, code: str) -> None:
        known = world.read(code)
        parts.append(f"{title}\n{world.format_state(known)}" if text else title)
        if picture:
            parts.append(world.build_scene([known], [""], letters=letters, size=size))

    add_state(f"The {noun} at the start:", question.start)
    if direction == "forward":
        parts.append(f"It is deformed by {count}, in this order:\n{question.given}")
        if written:
            parts.append("What comes out?")
            return parts
        parts.append("Which of the four results comes out?")
        results = [world.read(code) for code in question.results]
        if text:
            parts.append(_option_lines([world.format_state(result) for result in results]))
        if picture:
            parts.append(world.build_scene(results, tuple(LETTERS), letters=letters, size=size))
        return parts
    add_state(f"The {noun} after {count}:", question.given)
    if written:
        parts.append(
            f"Which {count} lead from the start to this result? Any list of so many that does is "
            "right."
        )
        return parts
    parts.append(
        "Which of the four lists of operations leads from the start to this result?\n"
        + _option_lines(question.lists)
    )
    return parts


def _option_lines(texts: Sequence[str]) -> str:
    lines = ("\n" if "\n" in text else " " for text in texts)
    return "\n".join(
        f"{letter}:{gap}{text}" for letter, gap, text in zip(LETTERS, lines, texts, strict=True)
    )


def _join_texts(parts: Sequence[str | Scene]) -> list[str | Scene]:
    """Return the parts with neighbouring texts made one, a blank line between."""
    found: list[str | Scene] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] = f"{found[-1]}\n\n{part}"
        else:
            found.append(part)
    return found


def read_letter(reply: str, reasoned: bool, options: Sequence[str]) -> Parsed[str]:
    """Return the letter that a reply chooses.

    Strict: the letter alone; where reasoning is asked for, a last line that holds the letter alone.
    Lenient: as in `facelet.generators.core.replies.letter`.

    Args:
        reply: any string.
        reasoned: whether reasoning may come first.
        options: what the letters stand for.
    """
    parsed = choose(read_choice(reply), reply, options)
    if parsed.value is None:
        return Parsed(None, strict=False)
    said = visible_text(reply)
    last = said[said.rfind("\n") + 1 :] if reasoned else said
    return Parsed(parsed.value, strict=last == parsed.value)


def want_letter(options: Sequence[str]) -> WantedAnswer:
    """Return what a question with options asks for."""
    return WantedAnswer(
        "the letter of your choice, A, B, C or D", partial(read_letter, options=options)
    )
