"""The compiled planner where it remembers too much or too little, and in jumbled chambers.

Chambers that are composed for players rarely tell: there a beam crosses no other, and a thing that
changes a laser changes a button as well. Each chamber here is made for one rule; its plan says what
the rule does, and a planner that forgets the rule finds another one or none.
"""

import chamber_search
import numpy as np
import pytest
from chamber_jumble import draw_jumble, draw_survivable_state
from chamber_twin import ChamberTwin, ImpossibleStep

from facelet.generators.chamber.engine.state import AWAY
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.world.chamber_records import Step, parse_chamber

HALL = """\
size 12,7,5
room 1,1,11,6
floors 555555555555/511111115115/511111111115/511111115115/511111115115/511111115115/555555555555
ceilings 555555555555/544444445445/544444443445/544444445445/544444445445/544444445445/555555555555
start A1 1,5,1 - - -
exit X1 10,5,1 - - -
floor F1 1,3,1 - - -
floor F2 10,3,1 - - -
"""
"""Two rooms, and a doorway of two cells between them at 8,2,1."""
DOOR = "door D1 8,2,1;8,2,2 - {} -\n"
LASERS = "laser L1 1,1,1 east - -\nreceiver R1 7,1,1 east - -\n"
BEAMS = "beam T1 1,3,1 east - 0\nbeam T2 4,1,1 north - 0\nbutton B1 {} - - -\n"
GIVEN = "switch S1 2,5,1 - - 1\ncube C1 - - N1 -\ndispenser N1 {} - S1 -\n"

WORLDS = {
    "a thing that is taken out of a laser": (
        LASERS + "cube C1 3,1,1 - - -\n" + DOOR.format("R1"),
        ["take C1", "leave"],
    ),
    # With empty hands only one gets past the shield, so the cube has to leave the first laser for
    # somewhere: the spot is in the second.
    "a thing that goes from one laser to another": (
        LASERS
        + "laser L2 1,4,1 east - -\nreceiver R2 7,4,1 east - -\nspot Q1 5,4,1 - - -\n"
        + "cube C1 3,1,1 - - -\nshield H1 7,2,1;7,2,2 - - -\n"
        + DOOR.format("R1"),
        ["take C1", "put Q1", "leave"],
    ),
    "a mirror that is turned": (
        LASERS
        + "receiver R2 4,5,1 north - -\nspot Q1 4,1,1 - - -\nmirror M1 2,3,1 east - -\n"
        + DOOR.format("R2"),
        ["take M1", "put Q1 north", "leave"],
    ),
    # While all comes on, the first laser lights the receiver for a moment, and with it the third
    # laser, which then keeps it lit; by that time the stairs cut the first one short. So a cube
    # matters where at last no laser passes.
    "a thing where a laser passed for a moment": (
        LASERS
        + "laser L2 1,4,1 east - -\nreceiver R2 7,4,1 east - -\nstairs K1 2,1,1 - R2 -\n"
        + "laser L3 4,1,1 east R1 -\ncube C1 3,1,1 - - -\n"
        + DOOR.format("R1"),
        ["take C1", "leave"],
    ),
    "a laser that passes two portals": (
        LASERS
        + "panel P1 7,4,1 east - -\npanel P2 1,4,3 west - -\nreceiver R2 7,4,3 east - -\n"
        + "laser L2 1,4,1 east - -\n"
        + DOOR.format("R1&R2"),
        ["both F1 P1 P2", "leave"],
    ),
    "a thing that hangs where two beams cross": (
        BEAMS.format("4,3,1") + GIVEN.format("4,3,3") + DOOR.format("B1"),
        ["press S1", "leave"],
    ),
    "a thing in two beams of one line": (
        BEAMS.format("7,3,1")
        + "beam T3 3,3,1 east - 0\n"
        + GIVEN.format("5,3,3")
        + DOOR.format("B1"),
        ["press S1", "leave"],
    ),
    "a thing between two beams that run towards each other": (
        BEAMS.format("6,3,1")
        + "beam T3 7,3,1 west - 0\n"
        + GIVEN.format("6,3,3")
        + DOOR.format("B1"),
        ["press S1", "leave"],
    ),
    "a thing where one beam ends and another passes": (
        "beam T1 1,3,1 east - 0\nbeam T2 7,1,1 north - 0\nbutton B1 7,3,1 - - -\n"
        + GIVEN.format("7,3,3")
        + DOOR.format("B1"),
        ["press S1", "leave"],
    ),
    # The cube falls from the bridge onto the other button, which nobody gets to, as soon as the
    # player steps off; nothing else is there to be done.
    "a step off a button, and no more": (
        "button B1 5,3,1 - - -\nliquid W1 4,3,1;6,3,1;5,2,1;5,4,1 - - -\nbutton B2 2,4,1 - - -\n"
        "bridge G1 1,3,2 east B2 -\ncube C1 - - N1 -\ndispenser N1 5,3,3 - B2 -\n"
        + DOOR.format("B1"),
        ["stand B2", "wait F1", "leave"],
    ),
}


TELLING = (
    *(7, 11, 16, 33, 36, 44, 49, 56, 84, 90, 108, 140, 177, 246, 250, 274, 309, 347, 357, 458),
    *(505, 517, 522, 561, 679, 823, 907, 1214, 1296, 1307),
)
"""Seeds of jumbled chambers that tell of rules which others rarely come to: chains of flights, the
speed of what a plate throws through a portal, beams that catch what is flung or rises out of a
floor, steps under a low ceiling, things that dispensers drop into shields or onto each other."""


WET = [(x, y) for y in (1, 2, 3) for x in (5, 6, 7, 8) if (x, y) not in ((8, 2), (7, 3))]
POOL = f"""\
size 12,5,5
room 1,1,11,4
floors 555555555555/511110000115/511110005115/511110050115/555555555555
ceilings {"/".join(5 * ["5" * 12])}
start A1 1,1,1 - - -
exit X1 10,3,1 - - -
floor F1 2,3,1 - - -
floor F2 9,3,1 - - -
liquid W1 {";".join(f"{x},{y},0" for x, y in WET)} - - -
bridge G1 1,2,1 east - -
panel P1 7,2,1 north - -
panel P2 10,1,1 east - -"""


def test_one_walks_over_a_bridge_into_a_portal() -> None:
    """The portal is beside the bridge, above the pool: nothing else leads there."""
    rules = StepRules(StaticTables(parse_chamber(POOL)))
    found = find_shortest_plan(rules)
    assert list(map(str, found.plan or ())) == ["both F1 P1 P2", "leave"]
    assert found == chamber_search.find_shortest_plan(rules)


@pytest.mark.parametrize("name", WORLDS)
def test_the_plan_says_what_the_rule_does(name: str) -> None:
    fixtures, plan = WORLDS[name]
    rules = StepRules(StaticTables(parse_chamber(f"{HALL}{fixtures}".rstrip("\n"))))
    found = find_shortest_plan(rules)
    assert list(map(str, found.plan or ())) == plan
    assert found == chamber_search.find_shortest_plan(rules)


CHASE = (
    LASERS
    + "stairs K1 3,1,1 - R1 -\nstairs K2 4,1,1 - B1 -\nstairs K3 5,1,1 - S1 -\n"
    + "cube C1 2,1,1 - - -\nbutton B1 2,4,1 - - -\nswitch S1 3,5,1 - - 3\n"
    + "button B2 4,4,1 - - -\ndoor D1 8,2,1;8,2,2 - B2 -"
)
"""The first stairs rise where they cut off the light that lifts them, and fall again, for ever,
unless the laser is kept out: by the cube, by the switch, or by the player on the button."""


def test_nobody_is_left_where_stepping_off_would_settle_nothing() -> None:
    """When the switch goes off, only the player on the button keeps the laser out."""
    chamber = parse_chamber(HALL + CHASE)
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    state, now = rules.beginning, twin.first_moment()
    for step in (Step("press", ("S1",)), Step("take", ("C1",)), Step("stand", ("B1",))):
        state, now = rules.apply_step(state, step), twin.apply_step(now, step)
    with pytest.raises(StepRefused, match="stepped off"):
        rules.apply_step(state, Step("wait", ("B1",)))
    with pytest.raises(ImpossibleStep):
        twin.apply_step(now, Step("wait", ("B1",)))
    assert find_shortest_plan(rules) == chamber_search.find_shortest_plan(rules)


def test_a_search_does_not_begin_where_nothing_settles() -> None:
    chamber = parse_chamber(HALL + CHASE)
    rules = StepRules(StaticTables(chamber))
    lasting = rules.beginning._replace(things=(AWAY,))
    on = rules.chart.cell_to_number(next(f for f in chamber.fixtures if f.name == "B1").first_cell)
    for player in (lasting.player, on):
        rules.beginning = lasting._replace(player=player)
        with pytest.raises(ValueError, match="for ever"):
            find_shortest_plan(rules)
    # Here the laser shines as long as the player stands on the button.
    lit = LASERS.replace("east - -\nreceiver", "east B1 -\nreceiver")
    stairs = "stairs K1 3,1,1 - R1 -\nbutton B1 2,4,1 - - -\ndoor D1 8,2,1;8,2,2 - R1 -"
    rules = StepRules(StaticTables(parse_chamber(HALL + lit + stairs)))
    rules.beginning = rules.beginning._replace(player=on)
    with pytest.raises(ValueError, match="for ever"):
        find_shortest_plan(rules)


def test_the_compiled_search_does_what_its_twin_does_in_jumbled_chambers() -> None:
    """From anywhere, some steps on; so steps that no sensible search comes to are tried as well."""
    visited = 0
    for seed in TELLING:
        chamber = draw_jumble(np.random.default_rng([1, seed]))
        assert chamber is not None
        rules, rng = StepRules(StaticTables(chamber)), np.random.default_rng(seed)
        for start in (rules.beginning, *(draw_survivable_state(rules, rng) for _ in range(20))):
            rules.beginning = start
            found = find_shortest_plan(rules, limit=10)
            assert found == chamber_search.find_shortest_plan(rules, limit=10), (seed, start)
            visited += found.visited
    assert visited > 4_000
