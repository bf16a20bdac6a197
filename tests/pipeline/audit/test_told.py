"""The player that repeats what a prompt tells: it wins where the answer is told, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from facelet.generators.core.prompts import Message, Prompt, TextPart
from facelet.generators.core.seeding import Draw
from facelet.generators.cube.tasks.reflection import TASK, Params
from facelet.pipeline.audit.baseline_players import read_revealed_letter
from facelet.pipeline.audit.blind_episode_players import PlayCase, score_blind_players


def cases(pools: Any, **values: Any) -> list[PlayCase]:
    params = Params(depth=3, **values)
    pool = pools("htm", 3)
    made = [TASK.generate(params, Draw((0, "told"), index), pool)[0] for index in range(24)]
    return [PlayCase(str(k), one, tuple(TASK.reference(one))) for k, one in enumerate(made)]


def test_who_copies_what_is_told_is_always_right_and_the_task_says_so(pools: Any) -> None:
    found = score_blind_players(TASK, cases(pools, condition="unredacted"))
    assert found["copying"].hits == found["copying"].plays == 24
    limit = TASK.blind_limit(Params(condition="unredacted"))
    assert limit is not None and limit.value == 1.0


def test_where_nothing_is_told_there_is_no_such_player(pools: Any) -> None:
    assert "copying" not in score_blind_players(TASK, cases(pools, condition="redacted"))
    assert TASK.blind_limit(Params()) is None


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The option that solves the cube is B.", "B"),
        ("The right answer is **C**", "C"),
        ("Someone says that the correct choice is: D", "D"),
        ("The option that solves the cube is [REDACTED]", ""),
        ("You chose the option: A", ""),
        ("Which option is right? A: U", ""),
    ],
)
def test_what_counts_as_told(text: str, letter: str) -> None:
    assert read_revealed_letter(Prompt((Message("user", (TextPart(text),)),))) == letter
