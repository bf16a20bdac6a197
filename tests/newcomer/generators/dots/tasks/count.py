"""Count: how many squares of a sheet are filled? Four letters to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.letter import read_choice
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import SingleTurn, one_label
from facelet.generators.core.task import Outcome, Status, Task
from facelet.renderers.scenes.dots import DotSheet

LETTERS = "ABCD"
FEWEST = 3
"""What A stands for; the next letters stand for one more each."""


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """The difficulty."""

    level: int = param(1, "the sheet has 3 + level rows of four", low=1, high=9, axis="level")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet, and the letter of its number of filled squares."""

    squares: str = column("a 1 for each filled square, row by row", role="puzzle")
    letter: str = column("the letter of the right number", role="answer")


class Count(Task[Params, Sheet]):
    """The task; see the module."""

    name = "dots/count"
    version = 1
    params = Params
    instance = Sheet

    def capacity(self, params: Params) -> int:
        return len(LETTERS) * comb(12 + 4 * params.level, FEWEST)

    def chance_level(self, params: Params) -> Chance:
        return ExactChance(1 / len(LETTERS))

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Sheet]:
        letter = draw.deal_card("letter", LETTERS)
        filled, size = FEWEST + LETTERS.index(letter), 12 + 4 * params.level
        places = set(draw.rng.choice(size, filled, replace=False).tolist())
        return (Sheet("".join("01"[place in places] for place in range(size)), letter),)

    def open(self, instance: Sheet) -> SingleTurn[Sheet]:
        return SingleTurn(instance, _ask, _judge)

    def reference(self, instance: Sheet) -> list[str]:
        return [f"<ANSWER>{instance.letter}</ANSWER>"]

    def find_faults(self, instance: Sheet) -> list[str]:
        right = LETTERS[instance.squares.count("1") - FEWEST]
        return [] if right == instance.letter else [f"the letter is {right}"]


TASK = Count()


def _ask(sheet: Sheet) -> Prompt:
    options = "\n".join(f"{letter}) {FEWEST + place}" for place, letter in enumerate(LETTERS))
    asked = f"How many squares are dark?\n{options}\nReply with <ANSWER>letter</ANSWER> alone."
    return chat_prompt("You read pictures exactly.", DotSheet(sheet.squares), asked)


def _judge(sheet: Sheet, reply: str) -> Outcome:
    said = read_choice(reply)
    if said.value is None:
        return one_label(Status.UNPARSED, False, sheet.letter)
    status = Status.CORRECT if said.value == sheet.letter else Status.WRONG
    return one_label(status, said.strict, sheet.letter, said.value)
