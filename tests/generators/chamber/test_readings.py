"""Readings: chambers in which one decides whether a plan leads out, and lines that touch cells."""

from fractions import Fraction
from itertools import product

import chamber_search
import numpy as np
import pytest
from chamber_jumble import draw_survivable_state, iterate_jumbles

from facelet.generators.chamber.engine.static_tables import (
    OTHERS,
    SAID,
    StaticTables,
    cells_between,
    is_in_front,
)
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.maps import map_generator
from facelet.generators.chamber.maps.map_columns import Knobs
from facelet.generators.chamber.maps.map_generator import find_disputed_readings
from facelet.generators.chamber.plans import plan_mistakes
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.world.chamber_records import DELTAS, parse_chamber, parse_step
from facelet.generators.core.task import Reject

DISPUTED = {
    # The ceiling hangs low over the liquid: who looks from above it does not see P1.
    "an eye one cell higher": (
        """\
size 8,3,5
room 1,1,7,2
floors 55555555/51100115/55555555
ceilings 55555555/55522555/55555555
start A1 1,1,1 - - -
floor F1 1,1,1 - - -
floor F2 6,1,1 - - -
liquid W1 3,1,0;4,1,0 - - -
panel P1 6,1,1 east - -
panel P2 1,1,1 west - -
exit X1 5,1,1 - - -""",
        "both F1 P1 P2; leave",
    ),
    # P1 is seen past the edge of the ledge below it, and from every cell of F1 just so.
    "no grazing of edges": (
        """\
size 5,4,7
room 1,1,4,3
floors 77777/71117/73337/77777
ceilings 77777/77777/77777/77777
start A1 2,1,1 - - -
floor F1 1,1,1 - - -
floor F2 1,2,3 - - -
panel P1 3,2,4 east - -
panel P2 1,1,1 west - -
exit X1 2,2,3 - - -""",
        "both F1 P1 P2; enter P2; leave",
    ),
    # The panels are on two sides of a wall, and the second is seen across the liquid.
    "both portals from one place": (
        """\
size 7,5,5
room 1,1,6,4
floors 5555555/5111115/5115005/5555115/5555555
ceilings 5555555/5555555/5555555/5555555/5555555
start A1 1,1,1 - - -
floor F1 1,1,1 - - -
floor F2 5,3,1 - - -
liquid W1 4,2,0;5,2,0 - - -
panel P1 2,2,1 east - -
panel P2 4,3,1 west - -
exit X1 5,3,1 - - -""",
        "both F1 P1 P2; leave",
    ),
    "no jump onto a device": (
        """\
size 5,3,7
room 1,1,4,2
floors 77777/74117/77777
ceilings 77777/77777/77777
start A1 1,1,4 - - -
button B1 2,1,1 - - -
floor F1 1,1,4 - - -
floor F2 3,1,1 - - -
exit X1 3,1,1 - - -""",
        "stand B1; leave",
    ),
    # The beam brings the player to F2, and turns back to F1 as the step ends.
    "a beam carries a player on a floor": (
        """\
size 9,4,5
room 1,1,8,3
floors 555555555/511001115/511001115/555555555
ceilings 555555555/555555555/555555555/555555555
start A1 1,2,1 - - -
switch S1 1,2,1 - - 1
floor F1 1,1,1 - - -
floor F2 5,1,1 - - -
liquid W1 3,1,0;4,1,0;3,2,0;4,2,0 - - -
beam T1 7,1,1 west S1 1
exit X1 7,2,1 - - -""",
        "press S1; enter T1; leave",
    ),
    # The beam takes the player to its source, above liquid, and then turns to F1.
    "a beam carries no player at rest": (
        """\
size 9,5,5
room 1,1,8,2
room 5,3,7,4
floors 555555555/511001105/555551555/555551155/555555555
ceilings 555555555/555555555/555553555/555555555/555555555
start A1 6,3,1 - - -
switch S1 6,3,1 - - 1
door D1 5,2,1;5,2,2 north S1 -
floor F1 1,1,1 - - -
floor F2 5,1,1 - - -
floor F3 5,3,1 - - -
liquid W1 3,1,0;4,1,0;7,1,0 - - -
beam T1 7,1,1 west S1 1
exit X1 1,1,1 - - -""",
        "press S1; enter T1; leave",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_chamber_whose_label_hangs_on_a_reading_is_disputed(name: str) -> None:
    """As the rules are said the plan leads out; under that reading alone it fails."""
    text, steps = DISPUTED[name]
    chamber, plan = parse_chamber(text), tuple(map(parse_step, steps.split("; ")))
    assert plan_mistakes.plan_succeeds(StepRules(StaticTables(chamber, reading=SAID)), plan)
    assert find_disputed_readings(StepRules(StaticTables(chamber)), plan, ()) == (name,)


def test_a_reading_that_makes_a_mistake_right_is_a_dispute() -> None:
    """Who looks from above sees P1 over a ledge: the mistaken plan leads out as well."""
    text = """\
size 8,3,8
room 1,1,7,2
floors 88888888/81133448/88888888
ceilings 88888888/88888888/88888888
start A1 1,1,1 - - -
floor F1 1,1,1 - - -
floor F2 3,1,3 - - -
panel P1 6,1,{height} east - -
panel P2 1,1,1 west - -
panel P3 6,1,7 east - -
exit X1 4,1,3 - - -"""
    plan = tuple(map(parse_step, ("both F1 P3 P2", "enter P2", "leave")))
    wrong = plan_mistakes.Mistake(0, parse_step("both F1 P1 P2"), "panel")
    told = {}
    for height in (4, 5, 6):
        chamber = parse_chamber(text.format(height=height))
        mistaken = plan_mistakes.apply_mistakes(plan, [wrong])
        if not plan_mistakes.plan_succeeds(StepRules(StaticTables(chamber)), mistaken):
            told[height] = find_disputed_readings(StepRules(StaticTables(chamber)), plan, [wrong])
    assert told and any("an eye one cell higher" in found for found in told.values())


def test_the_search_takes_each_reading_as_the_engine_does() -> None:
    """From states in which all stands just anywhere, as its twin in Python plays them."""
    told = 0
    for number, chamber in enumerate(iterate_jumbles(16, 7)):
        for reading in (SAID, *OTHERS.values()):
            rules, rng = (
                StepRules(StaticTables(chamber, reading=reading)),
                np.random.default_rng(number),
            )
            for start in (rules.beginning, draw_survivable_state(rules, rng)):
                found = find_shortest_plan(rules, limit=12, start=start)
                assert found == chamber_search.find_shortest_plan(rules, limit=12, start=start), (
                    number
                )
                told += found != find_shortest_plan(
                    StepRules(StaticTables(chamber)), limit=12, start=start
                )
    assert told > 4


def test_a_shorter_plan_under_a_reading_is_a_dispute() -> None:
    """The plan leads out under every reading, with a step that it does not need."""
    text, _ = DISPUTED["both portals from one place"]
    plan = tuple(map(parse_step, ("shoot F1 blue P1", "shoot F1 orange P2", "leave")))
    others = set(OTHERS) - {"both portals from one place"}
    assert (
        set(find_disputed_readings(StepRules(StaticTables(parse_chamber(text))), plan, ()))
        == others
    )


def test_no_map_is_made_whose_labels_hang_on_a_reading() -> None:
    """Whoever judges a chamber while it is composed rejects it, and only then."""
    knobs, rng = Knobs(steps=7).resolve_knobs(), np.random.default_rng(1)
    judge = map_generator._MapJudge(knobs, (), 5, rng, lambda _key: True)
    for name, (text, _) in DISPUTED.items():
        with pytest.raises(Reject, match=name):
            judge(parse_chamber(text), 1, ())
    ledge = DISPUTED["no jump onto a device"][0]
    judge(parse_chamber(ledge.replace("74117", "72117").replace("1,1,4", "1,1,2")), 1, ())
    assert judge.rules is not None


def test_a_line_touches_just_the_cells_that_it_has_a_point_in_common_with() -> None:
    """Held to closed boxes and exact fractions; the wall behind the face is left out."""
    rng = np.random.default_rng(26)
    more = 0
    for _ in range(60):
        eye, target = (tuple(map(int, rng.integers(0, 5, 3))) for _ in range(2))
        side = int(rng.integers(6))
        if not is_in_front(eye, target, side):
            continue
        found = set(cells_between(eye, target, side, touched=True))
        more += found != set(cells_between(eye, target, side))
        end = [Fraction(2 * c + 1 + d, 2) for c, d in zip(target, DELTAS[side], strict=True)]
        begin = [Fraction(2 * c + 1, 2) for c in eye]
        assert found == {
            cell for cell in product(range(-1, 6), repeat=3) if _meets_box(cell, begin, end)
        } - {tuple(c + d for c, d in zip(target, DELTAS[side], strict=True))}
    assert more > 5


def _meets_box(cell: tuple[int, ...], begin: list[Fraction], end: list[Fraction]) -> bool:
    """Return whether a line has a point before its end in a closed box."""
    low, high = Fraction(0), Fraction(1)
    for place, one, other in zip(cell, begin, end, strict=True):
        if one == other:
            if not place <= one <= place + 1:
                return False
            continue
        times = sorted([(place - one) / (other - one), (place + 1 - one) / (other - one)])
        low, high = max(low, times[0]), min(high, times[1])
    return low <= high
