"""Corners of the rules that composed chambers never come to, each in a chamber of its own.

In each the compiled planner, its twin in Python and the plan that is written here agree; a planner
that forgets the rule finds another plan, or one where there is none.
"""

import chamber_search
import pytest

from facelet.generators.chamber.engine.state import UNSET
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.plan_search import PlanSearchResult, find_shortest_plan
from facelet.generators.chamber.world.chamber_records import parse_chamber


def chamber_text(
    ground: str, fixtures: str, ceilings: dict[tuple[int, int], int] | None = None
) -> str:
    """Return the text of a chamber.

    Args:
        ground: the rows of columns from the south, joined by "/": the height of each floor, where 0
            is liquid, ":" a doorway at height 1, "." rock; a rim of rock is added.
        fixtures: their lines.
        ceilings: the height of the ceiling of some columns; all others have the top.
    """
    rows = [f".{row}." for row in ground.split("/")]
    rows = ["." * len(rows[0]), *rows, "." * len(rows[0])]
    tops = [
        [(ceilings or {}).get((x, y), HIGH) for x in range(len(rows[0]))] for y in range(len(rows))
    ]
    pool = []
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign == ":":
                tops[y][x] = 3
            if sign == "0":
                pool.append(f"{x},{y},0")
    lines = [
        f"size {len(rows[0])},{len(rows)},{HIGH}",
        f"room 1,1,{len(rows[0]) - 1},{len(rows) - 1}",
        f"floors {'/'.join(rows).replace('.', str(HIGH)).replace(':', '1')}",
        f"ceilings {'/'.join(''.join(map(str, row)) for row in tops)}",
    ]
    if pool:
        lines.append(f"liquid W1 {';'.join(pool)} - - -")
    return "\n".join((*lines, fixtures.strip()))


HIGH = 6
LEDGE = "3330111.11/3330111:11/3330111.11"
"""A ledge, the ground below it, and a doorway to more ground."""
LEDGE_BEAM = (
    "start A1 1,1,3 - - -\nfloor F1 1,3,3 - - -\nfloor F2 5,3,1 - - -\n"
    "floor F3 9,3,1 - - -\n"
    "switch S1 2,1,3 - - 1\nbeam T1 1,2,3 east S1 0\nshield H1 7,2,2 - - -\n"
    "door D1 8,2,1;8,2,2 - B1 -\nbutton B1 6,1,1 - - -\ncube C1 2,3,3 - - -\n"
)

WORLDS = {
    "with empty hands one falls through a shield": (
        chamber_text(LEDGE, LEDGE_BEAM + "exit X1 5,1,1 - - -"),
        ["press S1", "enter T1", "leave"],
    ),
    "with a burden one does not fall through a shield": (
        chamber_text(LEDGE, LEDGE_BEAM + "exit X1 9,1,1 - - -"),
        [],
    ),
    "a trapdoor closes the way down to a button": (
        chamber_text(
            "3330111/3331111/3330111",
            "start A1 1,1,3 - - -\nfloor F1 1,3,3 - - -\nfloor F2 5,3,1 - - -\n"
            "exit X1 6,1,1 - - -\n"
            "button B1 4,2,1 - - -\nswitch S1 2,1,3 - - 1\ndoor D1 4,2,2 - S1 -",
        ),
        ["press S1", "stand B1", "leave"],
    ),
    # From the west one would come down from higher, but for the closed door at that height.
    "one jumps onto a panel from as high as is open": (
        chamber_text(
            "3333200000111/3331200000111/3330......111/3330......111/33333.....111",
            "start A1 1,1,3 - - -\nfloor F1 1,2,3 - - -\nfloor F2 12,2,1 - - -\n"
            "exit X1 11,1,1 - - -\npanel P1 4,2,1 down - -\npanel P2 13,2,1 east - -\n"
            "button B1 13,1,1 - - -\ndoor D1 4,2,3 - B1 -",
        ),
        ["both F1 P1 P2", "enter P1", "leave"],
    ),
    "one climbs off a bridge only where there is head room": (
        chamber_text(
            "1100000222/1100000222/1100000222",
            "start A1 1,1,1 - - -\nfloor F1 1,3,1 - - -\nfloor F2 9,3,2 - - -\n"
            "exit X1 10,3,2 - - -\n"
            "bridge G1 1,2,1 east - -\npanel P1 1,1,1 west - -\npanel P2 10,1,2 east - -",
            {(7, 2): 2},
        ),
        ["both F1 P1 P2", "leave"],
    ),
    # The pillar touches the end of the bridge, and nothing else; the portal is at its other end.
    "one walks from a pillar over a bridge into a portal": (
        chamber_text(
            "1100000011/1100100011/11000000..",
            "start A1 1,1,1 - - -\nfloor F1 1,3,1 - - -\nfloor F2 9,1,1 - - -\n"
            "exit X1 10,1,1 - - -\n"
            "button B1 5,2,1 - - -\nplate J1 2,2,1 east - 2,1\nbridge G1 5,3,1 east - -\n"
            "panel P1 8,3,1 east - -\npanel P2 9,2,1 north - -",
        ),
        ["both F1 P1 P2", "enter J1", "leave"],
    ),
    "one walks off a bridge of one cell into a portal": (
        chamber_text(
            "1100000011/11000.0011/1100000011",
            "start A1 1,1,1 - - -\nfloor F1 1,3,1 - - -\nfloor F2 9,1,1 - - -\n"
            "exit X1 10,1,1 - - -\n"
            "plate J1 2,2,1 east - 2,1\nbridge G1 5,2,1 east - -\n"
            "panel P1 5,2,1 east - -\npanel P2 9,3,1 north - -",
        ),
        ["both F1 P1 P2", "enter J1", "leave"],
    ),
    # Two cells down, and out at that speed: one cell lower after three.
    "what is flung comes down onto a bridge": (
        chamber_text(
            "33333333000000/33310003000333/........000333/"
            "........000.../........000.../........000...",
            "start A1 1,1,3 - - -\nfloor F1 1,2,3 - - -\nfloor F2 13,2,3 - - -\n"
            "exit X1 14,2,3 - - -\n"
            "panel P1 4,2,1 down - -\npanel P2 11,6,3 north - -\n"
            "bridge G1 11,3,3 south - -",
        ),
        ["both F1 P1 P2", "enter P1", "leave"],
    ),
    "one steps down from a portal where no door hangs in the way": (
        chamber_text(
            "22002111",
            "start A1 1,1,2 - - -\nfloor F1 1,1,2 - - -\nfloor F2 7,1,1 - - -\n"
            "exit X1 8,1,1 - - -\n"
            "panel P1 1,1,2 west - -\npanel P2 5,1,2 down - -\n"
            "switch S1 2,1,2 - - 2\ndoor D1 6,1,2 - S1 -",
        ),
        ["both F1 P1 P2", "press S1", "enter P1", "leave"],
    ),
    "one steps down from a portal only where there is head room": (
        chamber_text(
            "22002111",
            "start A1 1,1,2 - - -\nfloor F1 1,1,2 - - -\nfloor F2 7,1,1 - - -\n"
            "exit X1 8,1,1 - - -\n"
            "panel P1 1,1,2 west - -\npanel P2 5,1,2 down - -",
            {(6, 1): 2},
        ),
        [],
    ),
    "a closed door above a portal keeps one down": (
        chamber_text(
            "33333333000/33310003001/........033",
            "start A1 1,1,3 - - -\nfloor F1 1,2,3 - - -\nfloor F2 11,3,3 - - -\n"
            "exit X1 10,3,3 - - -\n"
            "panel P1 4,2,1 down - -\npanel P2 11,2,1 down - -\n"
            "switch S1 2,1,3 - - 2\ndoor D1 11,2,2 - S1 -",
        ),
        ["both F1 P1 P2", "press S1", "enter P1", "leave"],
    ),
    # The cube would have to weigh down the button beyond.
    "with a burden one does not step out of a portal into a shield": (
        chamber_text(
            "110010011:11",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 8,1,1 - - -\n"
            "floor F3 11,1,1 - - -\n"
            "exit X1 12,1,1 - - -\npanel P1 1,1,1 west - -\npanel P2 5,1,1 down - -\n"
            "bridge G1 6,1,1 east - -\nshield H1 6,1,1 - - -\ncube C1 2,1,1 - - -\n"
            "button B1 9,1,1 - - -\ndoor D1 10,1,1;10,1,2 - B1 -",
        ),
        [],
    ),
    "with a burden one does not walk over a bridge through a shield": (
        chamber_text(
            "111:111:1",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 5,1,1 - - -\n"
            "floor F3 9,1,1 - - -\n"
            "exit X1 9,1,1 - - -\nbridge G1 1,1,1 east - -\nshield H1 4,1,1;4,1,2 - - -\n"
            "cube C1 2,1,1 - - -\nbutton B1 7,1,1 - - -\ndoor D1 8,1,1;8,1,2 - B1 -",
        ),
        [],
    ),
    "with empty hands one walks over a bridge through a shield": (
        chamber_text(
            "1110111",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 5,1,1 - - -\n"
            "exit X1 7,1,1 - - -\nbridge G1 1,1,1 east - -\nshield H1 4,1,1;4,1,2 - - -",
        ),
        ["leave"],
    ),
    "one climbs from a bridge onto stairs where no door hangs in the way": (
        chamber_text(
            "11001333",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 6,1,3 - - -\n"
            "exit X1 8,1,3 - - -\nbridge G1 1,1,1 east - -\nstairs K1 5,1,1 - - -\n"
            "switch S1 2,1,1 - - 2\ndoor D1 4,1,2 - S1 -",
        ),
        ["press S1", "leave"],
    ),
    # The line crosses an edge between two columns of rock.
    "one sees past a corner": (
        chamber_text(
            "1.../.111",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 2,2,1 - - -\n"
            "exit X1 4,2,1 - - -\n"
            "panel P1 2,2,5 up - -\npanel P2 1,1,1 west - -",
        ),
        ["both F1 P1 P2", "enter P2", "leave"],
    ),
    # After five of its four cells it is a quarter more than a cell too low, so it goes down by two.
    "what is thrown too far is lower by whole cells": (
        chamber_text(
            "33000020000",
            "start A1 1,1,3 - - -\nfloor F1 1,1,3 - - -\nfloor F2 7,1,2 - - -\n"
            "exit X1 7,1,2 - - -\n"
            "plate J1 2,1,3 east - 4,1",
        ),
        ["enter J1", "leave"],
    ),
    "what hits the ceiling falls from there": (
        chamber_text(
            "111000000300000",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 10,1,3 - - -\n"
            "exit X1 10,1,3 - - -\n"
            "plate J1 2,1,1 east - 4,4\npanel P1 3,1,1 down - -\npanel P2 15,1,4 east - -",
            dict.fromkeys(((x, 1) for x in range(1, 16)), 5),
        ),
        ["both F1 P1 P2", "enter J1", "leave"],
    ),
    "with a burden one does not leave a portal into a shield": (
        chamber_text(
            "11000111:1",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 7,1,1 - - -\n"
            "floor F3 10,1,1 - - -\n"
            "exit X1 10,1,1 - - -\npanel P1 1,1,1 west - -\npanel P2 8,1,4 east - -\n"
            "shield H1 8,1,4 - - -\n"
            "cube C1 2,1,1 - - -\nbutton B1 6,1,1 - - -\ndoor D1 9,1,1;9,1,2 - B1 -",
        ),
        [],
    ),
    # The beam carries over liquid, but only while the player stands on the button.
    "one has stepped off a button when one goes into a portal": (
        chamber_text(
            "110001110111/...........0",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 11,1,1 - - -\n"
            "floor F3 7,1,1 - - -\n"
            "exit X1 11,1,1 - - -\nplate J1 2,1,1 east - 3,1\nbutton B1 6,1,1 - - -\n"
            "beam T1 12,1,3 north B1 0\npanel P1 7,1,1 north - -\n"
            "panel P2 12,1,3 east - -",
        ),
        ["both F1 P1 P2", "enter J1", "enter P1", "leave"],
    ),
    "with a burden one does not jump down through a shield": (
        chamber_text(
            "3311:11",
            "start A1 1,1,3 - - -\nfloor F1 1,1,3 - - -\nfloor F2 3,1,1 - - -\n"
            "floor F3 7,1,1 - - -\n"
            "exit X1 7,1,1 - - -\nshield H1 3,1,2 - - -\ncube C1 2,1,3 - - -\n"
            "button B1 4,1,1 - - -\ndoor D1 5,1,1;5,1,2 - B1 -",
        ),
        [],
    ),
    # Once the portals face each other the light goes round and ends nowhere.
    "a laser that goes round lights nothing": (
        chamber_text(
            "111111:1",
            "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 8,1,1 - - -\n"
            "exit X1 8,1,1 - - -\n"
            "laser L1 3,1,3 east - -\nreceiver R1 3,1,3 east - -\n"
            "panel P1 1,1,3 west - -\n"
            "panel P2 6,1,3 east - -\ndoor D1 7,1,1;7,1,2 - R1 -",
        ),
        [],
    ),
}


def plan_chamber(text: str) -> tuple[list[str], PlanSearchResult]:
    """Return the plan of a chamber in words, and what the twin of the planner finds."""
    rules = StepRules(StaticTables(parse_chamber(text)))
    found = find_shortest_plan(rules)
    assert found == chamber_search.find_shortest_plan(rules)
    return list(map(str, found.plan or ())), found


@pytest.mark.parametrize("name", WORLDS)
def test_the_plan_says_what_the_rule_does(name: str) -> None:
    text, plan = WORLDS[name]
    assert plan_chamber(text)[0] == plan


@pytest.mark.parametrize("plates", [12, 13])
def test_a_flight_takes_a_dozen_plates(plates: int) -> None:
    """Each throws onto the next; the thirteenth would be one too many."""
    lines = [f"plate J{k:02} {2 + 2 * k},1,1 east - 1,1" for k in range(plates)]
    far = 2 + 2 * plates
    ends = (
        f"start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 {far},1,1 - - -\n"
        f"exit X1 {far},1,1 - - -\n"
    )
    text = chamber_text(f"1{'10' * plates}11", ends + "\n".join(lines))
    assert plan_chamber(text)[0] == (["enter J00", "leave"] if plates == 12 else [])


@pytest.mark.parametrize("lasers", [62, 63])
def test_devices_settle_within_64_rounds(lasers: int) -> None:
    """Each laser lights what turns the next one on, which takes a round; two more begin and end."""
    lines = []
    for k in range(lasers):
        y, z = 2 + k % 14, 1 + k // 14
        driver = f"R{k - 1:02}" if k else "S1"
        lines.append(f"laser L{k:02} 1,{y},{z} east {driver} -")
        lines.append(f"receiver R{k:02} 3,{y},{z} east - -")
    ends = (
        "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 5,1,1 - - -\n"
        "exit X1 5,1,1 - - -\n"
        f"switch S1 2,1,1 - - 2\ndoor D1 4,1,1;4,1,2 - R{lasers - 1:02} -\n"
    )
    text = chamber_text("111:1/" + "/".join(["111.."] * 14), ends + "\n".join(lines))
    assert plan_chamber(text)[0] == (["press S1", "leave"] if lasers == 62 else [])


@pytest.mark.parametrize("cubes", [63, 64])
def test_all_comes_to_rest_within_64_moves(cubes: int) -> None:
    """The last of them falls onto the button that opens the door."""
    lines = [f"cube C{k:02} {1 + k % 8},{1 + k // 8},3 - - -" for k in range(cubes)]
    lines += [f"bridge G{y} 1,{y},3 east B1 -" for y in range(1, 9)]
    x, y = 1 + (cubes - 1) % 8, 1 + (cubes - 1) // 8
    ends = (
        "start A1 1,9,1 - - -\nfloor F1 1,9,1 - - -\nfloor F2 10,9,1 - - -\n"
        "exit X1 10,9,1 - - -\n"
        f"cube C99 2,9,1 - - -\nbutton B1 2,9,1 - - -\nbutton B2 {x},{y},1 - - -\n"
        "door D1 9,9,1;9,9,2 - B2 -\n"
    )
    text = chamber_text("/".join(["11111111.."] * 8) + "/11111111:1", ends + "\n".join(lines))
    assert plan_chamber(text)[0] == (["take C99", "leave"] if cubes == 63 else [])


def test_a_search_begins_with_an_orange_portal_alone() -> None:
    rules = StepRules(StaticTables(parse_chamber(WORLDS["one sees past a corner"][0])))
    rules.beginning = rules.beginning._replace(portals=(UNSET, 0))
    found = find_shortest_plan(rules)
    assert found.plan is not None and found == chamber_search.find_shortest_plan(rules)


def test_a_search_remembers_thousands_of_states() -> None:
    """Two switches that run for long, at any times: nearly all pairs of times are states."""
    text = chamber_text(
        "111.1",
        "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 5,1,1 - - -\n"
        "exit X1 5,1,1 - - -\n"
        "switch S1 2,1,1 - - 60\nswitch S2 3,1,1 - - 80",
    )
    assert plan_chamber(text)[1].visited > 4_500


def test_a_search_remembers_a_thousand_situations() -> None:
    """Any two of the panels, and any one, and none."""
    panels = [
        f"panel P{x}{way[0]} {x},1,1 {way} - -" for x in range(1, 25) for way in ("north", "south")
    ]
    ends = "start A1 1,1,1 - - -\nfloor F1 1,1,1 - - -\nfloor F2 26,1,1 - - -\nexit X1 26,1,1 - - -"
    found = find_shortest_plan(
        StepRules(
            StaticTables(parse_chamber(chamber_text("1" * 24 + ".1", "\n".join((ends, *panels)))))
        )
    )
    assert found.proven and found.plan is None and found.visited == 1 + 48 + 48 * 47 // 2
