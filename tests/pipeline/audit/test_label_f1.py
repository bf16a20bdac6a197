"""Floors of a task that is measured by the F1 of a rare label: in that unit, and refused in it."""

from __future__ import annotations

import pytest

from facelet.generators.chamber.tasks.plan_correctness import MEASURE, ROWS, TASK
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.config_floor import ConfigFloor, measure_floor
from facelet.pipeline.audit.row_reading_players import score_row_readers
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.floor_record import DeclaredFloor

CHANCE, LIMIT = TASK.chance_level(TASK.params()), TASK.blind_limit(TASK.params())
DECLARED = DeclaredFloor(CHANCE.value, CHANCE.of, LIMIT.value, LIMIT.reason)


def make_row(group: int, place: int, hint: str) -> AuditedRow:
    gold = "no" if place else "yes"
    # Half of all steps are in both of two plans, as they are where five steps may be mistaken.
    words = " ".join(f"step{2 * bit + (place >> bit & 1)}of{group}" for bit in range(5))
    text = f"Does this plan lead out? {words} {hint if gold == 'yes' else ''}"
    return AuditedRow(
        id=f"marble.plan_correctness/s07/{group * ROWS + place:06d}",
        split="test",
        cell="s07",
        number=group * ROWS + place,
        difficulty=7,
        group=f"map {group}",
        gold=(gold,),
        options=(),
        doublable=(),
        tokens=(),
        puzzle="",
        canonical="",
        family="",
        split_values=(),
        text=text,
        prompt="",
        content="",
        reveals_answer=False,
        faults=(),
    )


def find_floor(maps: int, hint: str = "", declared: DeclaredFloor = DECLARED) -> ConfigFloor:
    rows = [make_row(group, place, hint) for group in range(maps) for place in range(ROWS)]
    tried = score_row_readers(rows, TASK, declared.of, several=False)
    measured = measure_floor("marble.plan_correctness", TASK, tried, (), declared, budget=0.01)
    assert measured is not None
    return measured


@pytest.mark.parametrize("maps", [96, 160])
def test_always_no_is_worth_nothing_and_always_yes_its_f1(maps: int) -> None:
    fair = find_floor(maps)
    players = fair.record["players"]
    assert players["always:no"] == 0 and players["always:yes"] == pytest.approx(2 / 33, abs=1e-6)
    assert not fair.violations and fair.record["of"] == MEASURE.name == "F1 of yes"
    assert "F1 of yes 6.1% (" in floor_record.format_floor(fair.record)
    assert fair.record["items"] >= 48


def test_a_word_that_gives_right_plans_away_is_refused() -> None:
    leaking = find_floor(48, hint="indeed this does surely lead out")
    assert leaking.record["player"] == "learned_words" and leaking.record["value"] > 0.3
    assert (
        "(learned_words) gets F1 of yes" in leaking.violations[0]
        and "6.1%" in leaking.violations[0]
    )


def test_a_large_build_is_not_refused_for_those_who_never_say_yes() -> None:
    """In right answers always:no would get 96.9%, far beyond any limit near a half."""
    assert find_floor(160).record["value"] < find_floor(160).record["limit"] < 0.25


def test_a_coin_is_the_chance_and_reads_so() -> None:
    assert CHANCE.value == pytest.approx(1 / 17)
    assert floor_record.format_chance(floor_record.build_record(CHANCE, None)) == "F1 of yes 5.9%"
