"""Count teeth: how many teeth has an edge of a piece? Four letters to choose from."""

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

LETTERS = "ABCD"
FEWEST = 3
"""How many teeth A stands for; each next letter stands for one more."""


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """The difficulty."""

    level: int = param(1, "the edge has 10 + level places", low=1, high=9, axis="level")


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge, and the letter of its number of teeth."""

    places: str = column("a ^ for each tooth, a - for each gap", role="puzzle")
    letter: str = column("the letter of the right number", role="answer")


class ToothCount(Task[Params, Edge]):
    """The task; see the module."""

    name = "jigsaw/tooth_count"
    version = 1
    params = Params
    instance = Edge

    def capacity(self, params: Params) -> int:
        return len(LETTERS) * comb(10 + params.level, FEWEST)

    def chance_level(self, params: Params) -> Chance:
        return ExactChance(1 / len(LETTERS))

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Edge]:
        letter = draw.deal_card("letter", LETTERS)
        teeth, size = FEWEST + LETTERS.index(letter), 10 + params.level
        places = set(draw.rng.choice(size, teeth, replace=False).tolist())
        return (Edge("".join("-^"[place in places] for place in range(size)), letter),)

    def open(self, instance: Edge) -> SingleTurn[Edge]:
        return SingleTurn(instance, _ask, _judge)

    def reference(self, instance: Edge) -> list[str]:
        return [f"<ANSWER>{instance.letter}</ANSWER>"]

    def find_faults(self, instance: Edge) -> list[str]:
        right = LETTERS[instance.places.count("^") - FEWEST]
        return [] if right == instance.letter else [f"the letter is {right}"]


TASK = ToothCount()


def _ask(edge: Edge) -> Prompt:
    options = "\n".join(f"{letter}) {FEWEST + place}" for place, letter in enumerate(LETTERS))
    asked = f"An edge of a piece, a ^ for each tooth: {edge.places}\nHow many teeth has it?\n"
    return chat_prompt(
        "You count exactly.", f"{asked}{options}\nReply with <ANSWER>letter</ANSWER> alone."
    )


def _judge(edge: Edge, reply: str) -> Outcome:
    said = read_choice(reply)
    if said.value is None:
        return one_label(Status.UNPARSED, False, edge.letter)
    status = Status.CORRECT if said.value == edge.letter else Status.WRONG
    return one_label(status, said.strict, edge.letter, said.value)
