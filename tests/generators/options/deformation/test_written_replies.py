"""Written answers in many ways of writing: each is read whole, or not at all.

written.json has, for each reader, an answer, the replies that give it, and replies that give none.
The readings were written down before any reader was run on them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core.replies.written import read_written
from facelet.generators.cube.deformation.deformation_task import Cubes
from facelet.generators.cube.navigation import replies as navigation
from facelet.generators.shapes.shape_world import Shapes

TABLE = json.loads(Path(__file__).with_name("written.json").read_text(encoding="utf-8"))
SHAPES = Shapes("2.5d", "five", "top", True, True, "any", "piece")
READERS: dict[str, Any] = {
    "shapes/list": (SHAPES.grammar("inverse"), 4),
    "shapes/code": (SHAPES.grammar("forward"), 0),
    "cube/list": (Cubes("scrambled").grammar("inverse"), 4),
    "cube/code": (Cubes("scrambled").grammar("forward"), 0),
}


def heard(reader: str, reply: str) -> str | None:
    if reader == "navigate":
        said = navigation.read_commands(reply).value
        return None if said is None else " ".join(said)
    grammar, count = READERS[reader]
    return read_written(reply, grammar, reasoned=False, count=count).value


@pytest.mark.parametrize("reader", TABLE)
def test_an_answer_is_read_however_it_is_written(reader: str) -> None:
    table = TABLE[reader]
    read = {reply: heard(reader, reply) for reply in table["same"]}
    assert read == dict.fromkeys(read, table["answer"])


@pytest.mark.parametrize("reader", TABLE)
def test_no_fragment_is_read(reader: str) -> None:
    read = {reply: heard(reader, reply) for reply in TABLE[reader]["refused"]}
    assert read == dict.fromkeys(read)


@pytest.mark.parametrize("reader", READERS)
def test_an_answer_alone_is_strict_and_no_other(reader: str) -> None:
    (grammar, count), answer = READERS[reader], TABLE[reader]["answer"]
    assert read_written(answer, grammar, reasoned=False, count=count).strict
    assert read_written(f"So:\n{answer}", grammar, reasoned=True, count=count).strict
    for reply in (f"{answer}.", f"So:\n{answer}", f"**{answer}**"):
        assert not read_written(reply, grammar, reasoned=False, count=count).strict


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "R ",
            "R, ",
            "1. R\n",
            "R\n",
            "cut ",
            "not R. ",
            "or R ",
            "list R ",
            "(",
            "'R ",
            "`",
            "RU'",
        ),
        *("U: [[y, y, y], ", "U:yyy/", "layer 1: ", "CrRg", "--", "stack(", "and then ", '{"a": '),
        *("#", "> ", "\\", "\n ", "   ", "<", "^{", "Move: R\nwhy not\n", ", 'a': "),
    ],
)
def test_long_repeats_take_linear_time(piece: str) -> None:
    """A quadratic expression would need minutes here."""
    for reader in READERS:
        heard(reader, piece * (100_000 // len(piece)))


@pytest.mark.parametrize("lines", ["R\nU'\nF2", "- R\n- U'\n- F2", "1. R\n2. U'\n3. F2"])
def test_a_list_of_another_length_is_read_as_it_is(lines: str) -> None:
    assert heard("cube/list", lines) == "R U' F2"
