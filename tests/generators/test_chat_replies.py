"""Fifty replies and more for each answer grammar, as chat models write them, with a verdict each.

chat_replies.json holds for each grammar a list of replies, what a careful person reads in each of
them (null: no answer), and whether it keeps the requested form; where that is left out, either way
is fair. A thing that people would read and the parser does not is a defect, and so is an answer
that nobody gave.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core.replies import array, letter, yes_no
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.record import read_labelled
from facelet.generators.cube.navigation import replies as commands
from facelet.generators.cube.tasks.move_effect import EFFECTS, MOVE_TEXT
from facelet.generators.jigsaw.assembly_task import replies as placements
from facelet.generators.jigsaw.tasks import perception
from facelet.generators.labyrinth.plan_task import plan_parser as plans
from facelet.generators.labyrinth.tasks import board_parsing, game_state_parsing

COLOURS = ("White", "Yellow", "Green", "Blue", "Orange", "Red")
WORDS = {word.lower(): word for word in COLOURS} | {word[0].lower(): word for word in COLOURS}

Reader = Callable[[str], Parsed[Any]]
READERS: dict[str, tuple[Reader, Callable[[Any], Any]]] = {
    "choice": (letter.read_choice, str),
    "choice_or_idk": (letter.choice_or_idk, str),
    "yes_no": (yes_no.yes_no, str),
    "move_effect": (lambda text: read_labelled(text, "ABCD", EFFECTS, echo=MOVE_TEXT), list),
    "matrix": (
        lambda text: array.read_matrix(text, (WORDS,)),
        lambda value: "".join(word[0] for word in value),
    ),
    "commands": (commands.read_commands, list),
    "placements": (
        placements.read_placements,
        lambda value: list(map(placements.format_placement, value)),
    ),
    "piece": (
        perception.read_piece_array,
        lambda value: "/".join(value[start : start + 5] for start in range(0, 25, 5)),
    ),
    "board": (board_parsing.read_tile_names, "".join),
    "state": (
        game_state_parsing.read_elements,
        lambda value: "|".join(("".join(value[:49]), *value[49:])),
    ),
    "plan": (plans.read_plan, lambda value: list(map(str, value))),
    "act": (plans.read_action, lambda value: [str(value)]),
}
TABLE = json.loads(Path(__file__).with_name("chat_replies.json").read_text(encoding="utf-8"))


def test_every_grammar_has_fifty() -> None:
    assert TABLE.keys() == READERS.keys()
    for grammar, cases in TABLE.items():
        assert len({case["reply"] for case in cases}) == len(cases) >= 50, grammar
        assert sum(case["value"] is None for case in cases) >= 10, grammar


@pytest.mark.parametrize("grammar", TABLE)
def test_the_verdict_is_that_of_a_careful_person(grammar: str) -> None:
    read, shown = READERS[grammar]
    wrong = []
    for case in TABLE[grammar]:
        parsed = read(case["reply"])
        value = None if parsed.value is None else shown(parsed.value)
        strict = case.get("strict", parsed.strict) and case["value"] is not None
        if (value, parsed.strict) != (case["value"], strict):
            wrong.append((case, value, parsed.strict))
    assert not wrong


@pytest.mark.parametrize("grammar", TABLE)
@pytest.mark.some(3)
def test_a_long_preface_makes_no_reply_strict(grammar: str) -> None:
    """Whatever is cut off, a reply is strict only if it is so behind a short preface too."""
    read, _ = READERS[grammar]
    for case in TABLE[grammar]:
        for junk, between in (("word ", ""), ("word ", "\n"), ("\n", ""), ("x", "\n\n")):
            short = read(f"{junk}{between}{case['reply']}").strict
            for length in (5_000, 20_000):
                long = read(f"z{junk * length}{between}{case['reply']}")
                assert short or not long.strict, case["reply"]
