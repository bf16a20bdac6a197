"""The player of prompt fields: what it reads, what it learns, and what it wins of labyrinths."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.labyrinth.tasks import plan
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.blind_episode_players import PlayCase, score_field_player
from facelet.pipeline.audit.prompt_fields import (
    read_fields,
    score_common_answers,
    score_field_readers,
    select_fields,
)

PROMPT = """\
Rules of a board of 7 x 7 tiles.
Only its first 4 turns count, of 9.
Target: owl, letter M
Row: a
Row: b
Pawn:
"""


def make_row(number: int, text: str, gold: tuple[str, ...], **more: Any) -> AuditedRow:
    told = {"group": f"g{number}", "options": (), "doublable": (), "tokens": (), **more}
    return AuditedRow(
        id=f"demo/d01/{number:06d}",
        split="test",
        cell="d01",
        number=number,
        difficulty=1,
        gold=gold,
        puzzle=f"p{number}",
        canonical="",
        family="",
        split_values=(),
        text=text,
        prompt=f"x{number}",
        content=f"c{number}",
        reveals_answer=False,
        faults=(),
        **told,
    )


def test_fields_are_labelled_values_and_the_numbers_of_a_line() -> None:
    assert read_fields(PROMPT) == {
        "Rules of a board of N x N tiles.": "7 7",
        "Only its first N turns count, of N.": "4 9",
        "Target": "owl, letter M",
    }
    assert read_fields("") == {}


def test_fields_vary_and_their_values_repeat() -> None:
    shown = [
        read_fields(f"Rules 7\nTarget: {'abc'[k % 3]}\nNumber: {k}\nCount: {k % 2}")
        for k in range(24)
    ]
    assert select_fields(shown) == ["Count", "Target"]
    assert select_fields([*shown[:3], *({} for _ in range(21))]) == []


@pytest.mark.parametrize("options", [(), ("left", "right")])
def test_a_field_that_tells_the_answer_is_found_and_noise_is_not(options: tuple[str, ...]) -> None:
    rng = make_generator("tests", "fields")
    rows = []
    for k in range(200):
        right = int(rng.integers(2))
        shown = options if rng.integers(2) else options[::-1]
        gold = "AB"[shown.index(options[right])] if options else str(right)
        text = f"Sign: {'xy'[right]}\nNoise: {int(rng.integers(4))}"
        rows.append(make_row(k, text, (gold,), options=shown))
    found = {one.name: one.overall_share().value for one in score_field_readers(rows, "answers")}
    assert found["prompt_field:Sign"] == 1.0 and found["prompt_field:Noise"] < 0.62


def test_rows_of_the_same_puzzle_teach_nothing() -> None:
    names = itertools.cycle("ABCDEFGH")
    rows = [
        make_row(k, f"Sign: {k // 4}", (f"{k // 4}{next(names)}",), group=f"g{k // 4}")
        for k in range(64)
    ]
    assert {one.overall_share().value for one in score_field_readers(rows, "answers")} == {0.0}


def test_fields_with_the_same_first_words_keep_their_names_apart() -> None:
    rows = [
        make_row(k, f"{'word ' * 9}one {k % 2}\n{'word ' * 9}two {k % 2}", (str(k % 2),))
        for k in range(40)
    ]
    found = score_field_readers(rows, "answers")
    assert len({one.name for one in found}) == len(found) == 2


def test_elements_are_counted_one_by_one() -> None:
    rows = [make_row(k, "", ("a", "ab"[k % 2])) for k in range(40)]
    (one,) = score_common_answers(rows, "elements", ["commonest"], lambda row: [""])
    assert 0.5 <= one.overall_share().value <= 0.8
    (one,) = score_common_answers(rows, "answers", ["commonest"], lambda row: [""])
    assert one.overall_share().value <= 0.6


def list_cases(count: int, **params: Any) -> list[PlayCase]:
    found = []
    for index in range(count):
        (made,) = plan.TASK.generate(plan.PlanParams(**params), Draw(("fields",), index), None)
        found.append(PlayCase(str(index), made, tuple(plan.TASK.reference(made))))
    return found


def test_a_reply_for_each_name_of_a_target_wins_where_treasures_never_move() -> None:
    for turns, least, most in ((0, 0.4, 0.1), (1, 0.05, 0.02)):
        for targets in ("any", "loose"):
            cases = list_cases(200, turns=turns, targets=targets, shifted="any")
            found = score_field_player(plan.TASK, cases)
            assert found is not None
            share = found.hits / found.plays
            assert share >= least if targets == "any" else share <= most, (turns, targets, share)
