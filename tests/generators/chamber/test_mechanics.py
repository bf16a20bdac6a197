"""Turrets, pistons, gel, moving panels, beams that run backwards: what gets one past each alone.

A plan says what a rule does. It is found by the compiled search and by its twin in Python, and
played by the twin of the engine, which was written from the words of the prompt.
"""

from dataclasses import replace

import chamber_search
import numpy as np
import pytest
from chamber_jumble import draw_survivable_state, iterate_jumbles
from chamber_pair import both_moments, list_all_steps, state_to_moment, step_both
from chamber_twin import ChamberTwin

from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.presentation import rule_text
from facelet.generators.chamber.world.chamber_records import (
    format_chamber,
    parse_chamber,
    parse_step,
)


def build_hall(middle: str, *fixtures: str) -> str:
    """Return a chamber of one room, three columns deep, from floor F1 to floor F2.

    Args:
        middle: the heights of the columns between, the same in each row.
        fixtures: what is in it.
    """
    wide = len(middle) + 6
    rim, row = "8" * wide, f"8{middle[0]}{middle}{middle[-1] * 3}8"
    lines = "/".join((rim, row, row, row, rim))
    tops = "/".join(5 * [rim])
    last = int(middle[-1])
    return "\n".join(
        (
            f"size {wide},5,8\nroom 1,1,{wide - 1},4\nfloors {lines}\nceilings {tops}",
            f"start A1 1,2,{middle[0]} - - -\nfloor F1 1,1,{middle[0]} - - -",
            f"floor F2 {wide - 2},1,{last} - - -\nexit X1 {wide - 2},3,{last} - - -",
            *fixtures,
        )
    )


TURRET = "turret U1 3,3,1;3,2,1;3,1,1 south {} -"
WAYS = {
    "a turret blinded by a cube on it": (
        build_hall("1111", TURRET.format("-"), "cube C1 1,3,1 - - -"),
        "take C1; put U1; leave",
    ),
    "a turret whose row is cut off by a cube": (
        # The cube's own square is not watched: one walks over it.
        build_hall("1111", TURRET.format("-"), "cube C1 1,3,1 - - -", "spot Q1 3,1,1 - - -"),
        "take C1; put Q1; leave",
    ),
    "a turret behind a raised piston": (
        build_hall("1111", TURRET.format("-"), "piston V1 3,2,1 - S1 1", "switch S1 1,3,1 - - 0"),
        "press S1; leave",
    ),
    "a turret that is switched off": (
        build_hall("1111", TURRET.format("S1"), "switch S1 1,3,1 - - 0"),
        "press S1; leave",
    ),
    "a turret that one flies past": (
        build_hall("1111", TURRET.format("-"), "plate J1 1,3,1 east - 5,2"),
        "enter J1; leave",
    ),
    "a piston that fills a ditch": (
        build_hall(
            "44114",
            "piston V1 4,2,1;5,2,1 - B1 3",
            "button B1 2,3,4 - - -",
            "cube C1 1,3,4 - - -",
            "floor F3 4,1,1 - - -",
            "floor F4 4,3,1 - - -",
        ),
        "take C1; put B1; leave",
    ),
    "a panel behind a moving one": (
        build_hall(
            "11144",
            "panel P1 1,1,1 south - -",
            "panel P2 6,3,6 north - -",
            "cover I1 6,3,6 north S1 -",
            "switch S1 1,3,1 - - 0",
        ),
        "press S1; both F1 P1 P2; enter P1; leave",
    ),
    "a moving panel that carries a cube": (
        # Under the cube it opens at the first step of time after it was pressed; B1 lies below.
        build_hall(
            "1111",
            "button B1 3,3,1 - - -",
            "cover I1 3,3,4 north S1 -",
            "cube C1 3,3,5 - - -",
            "switch S1 1,3,1 - - 2",
            TURRET.format("B1").replace("3,3,1;3,2,1;3,1,1", "4,3,1;4,2,1;4,1,1"),
        ),
        "press S1; leave",
    ),
    "speed gel before a gap": (
        build_hall("444111444", "runway Y1 3,2,4;4,2,4 east - -", "floor F3 5,1,1 - - -"),
        "enter Y1; leave",
    ),
    "bouncing gel below a portal in the ceiling": (
        build_hall(
            "11144",
            "spring Z1 4,2,1 - - -",
            "panel P1 4,2,7 up - -",
            "panel P2 1,1,1 south - -",
        ),
        "both F1 P1 P2; enter P2; leave",
    ),
    "bouncing gel between two ledges": (
        build_hall(
            "44144",
            "spring Z1 4,2,1 - - -",
            "floor F3 4,1,1 - - -",
            "floor F4 4,3,1 - - -",
        ),
        "enter Z1; leave",
    ),
    "a beam that a switch reverses": (
        # It holds the player at its western end, and runs back to its source while S1 is on.
        build_hall(
            "1101",
            "beam T1 5,2,1 west S1 1",
            "switch S1 1,3,1 - - 3",
            "liquid W1 4,1,0;4,2,0;4,3,0 - - -",
        ),
        "press S1; enter T1; leave",
    ),
}
LESS = {
    "a turret whose row is cut off by a cube": ("spot Q1 3,1,1", "spot Q1 4,1,1"),
    "a turret behind a raised piston": ("- S1 1", "- U1 1"),
    "a turret that one flies past": ("5,2", "1,2"),
    "a piston that fills a ditch": ("B1 3", "B1 1"),
    "a panel behind a moving one": ("1,3,1 - - 0", "1,3,1 - - 1"),
    "a moving panel that carries a cube": ("C1 3,3,5", "C1 3,2,1"),
    "speed gel before a gap": ("runway Y1 3,2,4;4,2,4", "runway Y1 4,2,4"),
    "bouncing gel below a portal in the ceiling": ("4,2,7 up", "3,2,7 up"),
    "a beam that a switch reverses": ("west S1 1", "west S1 0"),
}
"""What is changed so that the rule no longer helps."""


@pytest.mark.parametrize("name", WAYS)
def test_the_plan_says_what_the_rule_does(name: str) -> None:
    text, steps = WAYS[name]
    chamber = parse_chamber(text)
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    found = find_shortest_plan(rules)
    assert "; ".join(map(str, found.plan or ())) == steps
    assert found == chamber_search.find_shortest_plan(rules)
    now = twin.first_moment()
    for step in found.plan or ():
        now = twin.apply_step(now, step)


@pytest.mark.parametrize("name", LESS)
def test_without_what_the_rule_needs_there_is_no_such_plan(name: str) -> None:
    text, steps = WAYS[name]
    assert LESS[name][0] in text
    rules = StepRules(StaticTables(parse_chamber(text.replace(*LESS[name]))))
    found = find_shortest_plan(rules)
    assert found == chamber_search.find_shortest_plan(rules)
    assert "; ".join(map(str, found.plan or ())) != steps


@pytest.mark.parametrize("middle", ["44144", "33144", "44155"])
def test_one_bounces_as_high_as_one_fell(middle: str) -> None:
    fixtures = ("spring Z1 4,2,1 - - -", "floor F3 4,1,1 - - -", "floor F4 4,3,1 - - -")
    rules = StepRules(StaticTables(parse_chamber(build_hall(middle, *fixtures))))
    state, step = rules.beginning, parse_step("enter Z1")
    if middle == "44144":
        assert rules.chart.number_to_cell(rules.apply_step(state, step).player)[0] > 4
    else:
        # Both ledges are too low for the other; but on the near one the step began.
        with pytest.raises(StepRefused):
            rules.apply_step(rules.apply_step(state, step), parse_step("leave"))


def test_a_thing_rests_on_no_gel() -> None:
    fixtures = ("spring Z1 3,2,1 - - -", "cube C1 - - N1 -", "switch S1 1,3,1 - - 1")
    rules = StepRules(
        StaticTables(parse_chamber(build_hall("1144", *fixtures, "dispenser N1 3,2,4 - S1 -")))
    )
    with pytest.raises(StepRefused, match="fall back"):
        rules.apply_step(rules.beginning, parse_step("press S1"))


def test_nobody_stays_in_the_row_of_a_turret() -> None:
    """Not even where it sees nothing: the plate throws the player into its row."""
    text = build_hall(
        "1111", TURRET.format("S1"), "switch S1 1,1,1 - - 0", "plate J1 1,3,1 east - 1,2"
    )
    rules = StepRules(StaticTables(parse_chamber(text)))
    state = rules.apply_step(rules.beginning, parse_step("press S1"))
    assert rules.reachable_areas(state) > rules.reachable_areas(rules.beginning)
    with pytest.raises(StepRefused):
        rules.apply_step(state, parse_step("enter J1"))


def test_a_turret_watches_floor_alone() -> None:
    with pytest.raises(ValueError, match="U1 watches"):
        StaticTables(parse_chamber(build_hall("1111", "turret U1 3,3,2;3,2,2 south - -")))


def test_rules_of_rare_devices_are_told_where_there_are_any() -> None:
    rare = parse_chamber(WAYS["speed gel before a gap"][0])
    plain = replace(rare, fixtures=tuple(f for f in rare.fixtures if f.kind != "runway"))
    told = rule_text.describe_rules(format_chamber(rare), "described")
    assert rule_text.MORE["runway"] in told and rule_text.MORE["turret"] not in told
    assert not any(words in rule_text.rules_text(plain) for words in rule_text.MORE.values())


def test_three_machines_agree_in_jumbled_chambers() -> None:
    """Engine, its twin and the compiled search, from states in which all stands just anywhere."""
    done = refused = 0
    for number, chamber in enumerate(iterate_jumbles(24, 26, rare=True)):
        begins = [
            f.first_cell for f in chamber.fixtures if f.kind in ("cube", "mirror") and f.cells
        ]
        if len(set(begins)) < len(begins):
            continue
        rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
        rng, every, moves = (
            np.random.default_rng(number),
            list_all_steps(chamber),
            LegalSteps(rules),
        )
        rare = {f.name for f in chamber.fixtures if f.kind in rule_text.MORE}
        for _ in range(4):
            state = rules.pass_time(draw_survivable_state(rules, rng))
            now = state_to_moment(rules, state)
            legal = [step for step, _ in moves.iterate_successors(state)]
            own = [step for step in legal if rare & set(step.args)]
            for _ in range(6):
                pool = own if own and rng.integers(2) else every
                step = pool[int(rng.integers(len(pool)))]
                both = step_both(rules, twin, state, now, step)
                if both is None:
                    refused += 1
                    continue
                one, two = both_moments(rules, *both)
                assert one == two, (number, step)
                done += bool(rare & set(step.args))
            found = find_shortest_plan(rules, limit=20, start=state)
            assert found == chamber_search.find_shortest_plan(rules, limit=20, start=state)
    assert done > 20 and refused > 100
