"""Answers in the forms in which people and models write them.

written_forms.json holds letters and yes or no with what a careful person reads in each; and for
arrays and records the requested form, other forms of the same answer, and words around it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core.replies.array import read_matrix
from facelet.generators.core.replies.letter import choose, read_choice
from facelet.generators.core.replies.record import read_labelled
from facelet.generators.core.replies.yes_no import yes_no
from facelet.generators.cube.states import state_texts as states
from facelet.generators.cube.tasks.move_effect import EFFECTS, MOVE_TEXT
from facelet.generators.jigsaw.assembly_task import replies as placements
from facelet.generators.jigsaw.tasks import perception
from facelet.generators.labyrinth.tasks import board_parsing, game_state_parsing

DATA = json.loads(Path(__file__).with_name("written_forms.json").read_text(encoding="utf-8"))
VOCABULARIES = (states.COLOUR_WORDS, states.FACE_WORDS)
READERS: dict[str, Callable[[str], Any]] = {
    "matrix": lambda text: read_matrix(text, VOCABULARIES),
    "perception": perception.read_piece_array,
    "board": board_parsing.read_tile_names,
    "state": game_state_parsing.read_elements,
    "place": placements.read_placements,
    "effect": lambda text: read_labelled(text, "ABCD", EFFECTS, echo=MOVE_TEXT),
}


@pytest.mark.parametrize(("kind", "read"), [("letters", read_choice), ("yes or no", yes_no)])
def test_labels_are_read_as_a_person_reads_them(kind: str, read: Callable[[str], Any]) -> None:
    assert {text: read(text).value for text in DATA[kind]} == DATA[kind]


@pytest.mark.parametrize("name", READERS)
def test_all_forms_of_an_answer_are_that_answer(name: str) -> None:
    read, requested = READERS[name], DATA["requested"][name]
    answer = read(requested)
    assert answer.value and answer.strict
    found = {text: read(text).value for text in DATA["written"][name]}
    assert found == dict.fromkeys(found, answer.value)
    around = [requested + tail for tail in DATA["tails"]]
    around += [head + requested for head in DATA["heads"]]
    assert {text: read(text).value for text in around} == dict.fromkeys(around, answer.value)


BESIDE = {
    "Answer: B: F' D": "B",
    "B) F\u2032 D": "B",
    "The answer is C (L2 B').": "C",
    "Option A is R2 U. The answer is B.": "B",
    "Answer: B. R2 U": None,
    "The answer is R2 U, option B.": None,
    "B: R2 U": None,
}


@pytest.mark.parametrize("text", BESIDE)
def test_a_letter_beside_the_content_of_another_option_is_none(text: str) -> None:
    options = ("R2 U", "F' D", "L2 B'", "U R")
    assert choose(read_choice(text), text, options).value == BESIDE[text]


STATE, PIECE = DATA["requested"]["state"], DATA["requested"]["perception"]
SPOILT = {
    "state": (
        STATE.replace("[6, 3]", "[[6, 3]]"),
        STATE.replace("[1, 1]", '{"place": [1, 1]}'),
        f"{STATE}\nPawn: (5, 3)",
        "Target: B\nPawn: {position: (6, 3)}",
    ),
    "perception": (
        f"{PIECE}\nCorrection: row 2 is 0 0 1 1 1",
        f"{PIECE}\n\n1 1 0 1\n1 1 1 1\n0 1 1 1\n1 1 1 1\n0 1 0 1",
    ),
    "place": ('{"A": ["Back", 2, 1], "B": ["Bottom", 1, 2]}',),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_fragment_is_no_answer(name: str) -> None:
    found = {text: READERS[name](text).value for text in SPOILT[name]}
    assert found == dict.fromkeys(found)
