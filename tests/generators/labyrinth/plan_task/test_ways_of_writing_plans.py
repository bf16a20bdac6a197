"""One plan through a labyrinth, written in many ways: each is read as the plain one, or refused.

ways.json holds the ways as [around, each, between]: {p} are the turns, each with its number {n},
its insertion {i} and its move {m}; {i1} to {m2} are those of the first two turns.
"""

from __future__ import annotations

import json
from pathlib import Path

from facelet.generators.labyrinth.board.actions import Action, InsertAction, MoveAction
from facelet.generators.labyrinth.plan_task.plan_parser import read_plan

WAYS = json.loads((Path(__file__).parent / "ways.json").read_text(encoding="utf-8"))
PLAN: tuple[Action, ...] = (
    *(InsertAction("left", 5, 0), MoveAction((2, 4))),
    *(InsertAction("top", 1, 3), MoveAction((2, 5))),
)


def write_plan(way: tuple[str, str, str]) -> str:
    around, each, between = way
    texts = tuple(map(str, PLAN))
    turns = zip(texts[::2], texts[1::2], strict=True)
    lines = [
        each.replace("{n}", str(number)).replace("{i}", insert).replace("{m}", move)
        for number, (insert, move) in enumerate(turns, 1)
    ]
    for name, text in zip(("{i1}", "{m1}", "{i2}", "{m2}"), texts, strict=True):
        around = around.replace(name, text)
    return around.replace("{p}", between.join(lines))


def test_there_are_ways_enough() -> None:
    assert len(set(map(str, WAYS["same"]))) == len(WAYS["same"]) >= 60
    assert len(WAYS["refused"]) >= 15


def test_every_way_to_write_a_plan_is_read_as_the_plain_one() -> None:
    wrong = [text for way in WAYS["same"] if read_plan(text := write_plan(way)).value != PLAN]
    assert not wrong, "\n\n".join(wrong)


def test_who_speaks_of_a_plan_gives_none() -> None:
    wrong = [
        text for way in WAYS["refused"] if read_plan(text := write_plan(way)).value is not None
    ]
    assert not wrong, "\n\n".join(wrong)
