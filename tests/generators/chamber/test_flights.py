"""Flights against the twin: every fall, fling, rise and throw there can be in small chambers.

Random play rarely flings anything. So here everything is let go everywhere, at every speed, with
portals on any two panels, and comes down at the same cell in both simulators.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from chamber_twin import ChamberTwin, ImpossibleStep, Moment

from facelet.generators.chamber.composition.chamber_composer import compose_chamber
from facelet.generators.chamber.engine.flight_paths import Flight, LostInFlight
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules
from facelet.generators.chamber.world.chamber_records import (
    DOWN,
    NOWHERE,
    UP,
    Chamber,
    Fixture,
    Step,
    format_chamber,
    parse_chamber,
    sort_fixtures,
)
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.task import Reject

SPEEDS = range(7)
PAIRS = 12
"""Pairs of panels that are tried in a chamber."""


def iterate_chambers(count: int, kinds_: tuple[str, ...]) -> Iterator[Chamber]:
    seed = found = 0
    while found < count:
        seed += 1
        try:
            chamber = compose_chamber(1 + seed % 2, 8, kinds_, np.random.default_rng(seed))
            StepRules(StaticTables(chamber))
        except (Reject, ValueError):
            continue
        found += 1
        yield chamber


def iterate_portals(
    rules: StepRules, twin: ChamberTwin, rng: np.random.Generator
) -> Iterator[tuple[State, Moment]]:
    """Yield worlds as they begin, with portals on two panels, blue and orange."""
    chart = rules.chart
    pairs = list(permutations(range(len(chart.panels)), 2))
    for place in rng.permutation(len(pairs))[:PAIRS]:
        one, two = pairs[int(place)]
        names = [chart.fixtures[chart.panels[panel]].name for panel in (one, two)]
        now = replace(
            twin.first_moment(), portals=dict(zip(("blue", "orange"), names, strict=True))
        )
        yield rules.beginning._replace(portals=(one, two)), now


def flight_outcome(fly: Callable[..., object], *args: object, **more: object) -> object:
    """Return where something comes to rest, or that it does not."""
    try:
        return fly(*args, **more)
    except (LostInFlight, ImpossibleStep):
        return "lost"


def outcome_place(chart: StaticTables, found: object) -> object:
    """Return the cell of an outcome in coordinates."""
    return chart.number_to_cell(found) if isinstance(found, int) else found


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("burdened", [False, True])
def test_whatever_leaves_a_portal_lands_where_the_twin_says(alone: bool, burdened: bool) -> None:
    rng = np.random.default_rng(5)
    landed: Counter[str] = Counter()
    for chamber in iterate_chambers(12, tuple(devices_by_kind())):
        rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
        chart = rules.chart
        for state, now in iterate_portals(rules, twin, rng):
            here = rules.resting_situation(state)
            carrying = replace(now, hand="anything" if burdened else "")
            world = twin.flight_settings(carrying, alone)
            for face, to in here.links.items():
                end = (chart.number_to_cell(to[0]), to[1])
                for speed in SPEEDS:
                    flight = Flight(here, alone=alone, burdened=burdened or alone)
                    one = outcome_place(chart, flight_outcome(flight.leave_portal, to, speed))
                    two = flight_outcome(twin.leave_portal, carrying, end, speed, 0, alone, world)
                    assert one == two, (format_chamber(chamber), face, to, speed)
                    way = {UP: "ceiling", DOWN: "floor"}.get(to[1], "wall")
                    landed[way] += one != "lost"
    assert landed["wall"] > 200 and (landed["floor"] > 20 or alone)


@pytest.mark.parametrize("alone", [False, True])
def test_whatever_is_let_go_lands_where_the_twin_says(alone: bool) -> None:
    rng = np.random.default_rng(6)
    landed = 0
    for chamber in iterate_chambers(8, tuple(devices_by_kind())):
        rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
        chart = rules.chart
        for state, now in list(iterate_portals(rules, twin, rng))[:2]:
            here, world = rules.resting_situation(state), twin.flight_settings(now, alone)
            for cell in range(0, len(chart.free), 3):
                if not chart.free[cell]:
                    continue
                at = chart.number_to_cell(cell)
                flight = Flight(here, alone=alone, burdened=alone)
                one = outcome_place(chart, flight_outcome(flight.fall_from, cell))
                assert one == flight_outcome(twin.fall_down, now, at, 0, 0, alone, world)
                landed += one != "lost"
    assert landed > 500


def build_hall(*fixtures: Fixture) -> Chamber:
    """A hall of 20 by 3 cells, 8 high, with a start, an exit, and more."""
    rows = ["8" * 22, *["8" + "1" * 20 + "8"] * 3, "8" * 22]
    text = (
        f"size 22,5,8\nroom 1,1,21,4\nfloors {'/'.join(rows)}\nceilings {'/'.join(['8' * 22] * 5)}"
    )
    bare = parse_chamber(
        f"{text}\nstart A1 1,1,1 - - -\nfloor F1 2,2,1 - - -\nexit X1 20,3,1 - - -"
    )
    return replace(bare, fixtures=sort_fixtures((*bare.fixtures, *fixtures)))


@pytest.mark.parametrize("distance", range(2, 9))
@pytest.mark.parametrize("rise", range(1, 7))
def test_a_throw_is_level_again_after_its_distance_and_ends_in_the_next_column(
    distance: int, rise: int
) -> None:
    chamber = build_hall(Fixture("plate", "J1", ((3, 2, 1),), 0, (), (distance, rise)))
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    chart = rules.chart
    flight = Flight(rules.resting_situation(rules.beginning), alone=False, burdened=False)
    landed = chart.number_to_cell(flight.fall_from(chart.cell_to_number((3, 2, 1))))
    assert (
        landed
        == twin.find_rest(twin.first_moment(), (3, 2, 1), alone=False)
        == (4 + distance, 2, 1)
    )


@pytest.mark.parametrize("drop", [1, 2, 3, 4, 5])
def test_a_fling_has_the_range_that_physics_says(drop: int) -> None:
    """Off a wall k cells above the floor at speed v: as far as d with d * d / (4 * v) = k."""
    for height in range(1, 6):
        chamber = build_hall(
            Fixture("panel", "P1", ((1, 2, 1 + height),), 2),
            Fixture("panel", "P2", ((20, 2, 3),), 0),
        )
        chart = StepRules(StaticTables(chamber)).chart
        here = StepRules(StaticTables(chamber)).resting_situation(
            StepRules(StaticTables(chamber)).beginning
        )
        flight = Flight(here, alone=False, burdened=False)
        x, _, z = chart.number_to_cell(
            flight.leave_portal((chart.cell_to_number((1, 2, 1 + height)), 2), drop)
        )
        # It falls on to the floor in the first column in which the arc is that deep or deeper.
        across = next(d for d in range(40) if d * d // (4 * drop) > height)
        assert z == 1 and x == min(20, 1 + across)


def test_where_two_beams_cross_things_are_held() -> None:
    chamber = build_hall(
        Fixture("beam", "T1", ((1, 2, 2),), 0, (), (0,)),
        Fixture("beam", "T2", ((10, 1, 2),), 1, (), (0,)),
    )
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    chart, here = rules.chart, rules.resting_situation(rules.beginning)
    ends = {(5, 2, 5): (20, 2, 2), (10, 2, 5): (10, 2, 2), (10, 1, 5): (10, 3, 2)}
    for begin, end in ends.items():
        flight = Flight(here, alone=True, burdened=True)
        assert chart.number_to_cell(flight.fall_from(chart.cell_to_number(begin))) == end
        assert twin.find_rest(twin.first_moment(), begin, alone=True) == end


def test_one_jumps_onto_a_panel_in_the_floor_from_as_high_as_can_be() -> None:
    """From four cells up the fling clears the liquid; from two it would end in it."""
    chamber = build_hall(
        Fixture("panel", "P1", ((5, 2, 1),), DOWN),
        Fixture("panel", "P2", ((20, 2, 4),), 0),
        Fixture("liquid", "W1", ((14, 2, 1),)),
        Fixture("floor", "F2", ((18, 2, 1),)),
    )
    wide = chamber.size[0]
    floors = list(chamber.floors)
    stairs = {(2, 1): 2, (3, 1): 3, (4, 1): 4, (5, 1): 5, (6, 1): 4, (6, 2): 3}
    rock = dict.fromkeys([(4, 2), (4, 3), (5, 3), (7, 1)], 8)
    for (x, y), height in (stairs | rock).items():
        floors[x + wide * y] = height
    chamber = replace(chamber, floors=tuple(floors))
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    chart = rules.chart
    panels = [chart.fixtures[panel].name for panel in chart.panels]
    state = rules.beginning._replace(portals=(panels.index("P1"), panels.index("P2")))
    now = replace(twin.first_moment(), portals={"blue": "P1", "orange": "P2"})
    step = Step("enter", ("P1",))
    assert twin.apply_step(now, step).player == (12, 2, 1)
    after = rules.apply_step(state, step)
    assert chart.area_name[chart.area_of[after.player]] == "F2"


def test_a_thing_that_only_falls_back_into_its_portal_is_refused_and_not_lost() -> None:
    chamber = build_hall(
        Fixture("panel", "P1", ((5, 2, 1),), DOWN),
        Fixture("panel", "P2", ((9, 2, 1),), DOWN),
        Fixture("switch", "S1", ((2, 3, 1),), NOWHERE, (), (2,)),
        Fixture("dispenser", "N1", ((5, 2, 7),), NOWHERE, ("S1",)),
        Fixture("cube", "C1", (), NOWHERE, ("N1",)),
    )
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    press = Step("press", ("S1",))
    # Without portals the cube lies on the panel.
    assert rules.chart.number_to_cell(rules.apply_step(rules.beginning, press).things[0]) == (
        5,
        2,
        1,
    )
    with pytest.raises(StepRefused, match="fall back"):
        rules.apply_step(rules.beginning._replace(portals=(0, 1)), press)
    with pytest.raises(ImpossibleStep):
        twin.apply_step(replace(twin.first_moment(), portals={"blue": "P1", "orange": "P2"}), press)


@pytest.mark.parametrize("cube", [False, True])
def test_a_laser_ends_on_a_cube_and_lights_no_receiver_behind_it(cube: bool) -> None:
    things = (Fixture("cube", "C1", ((6, 2, 1),)),) if cube else ()
    chamber = build_hall(
        Fixture("laser", "L1", ((1, 2, 1),), 0),
        Fixture("receiver", "R1", ((20, 2, 1),), 0),
        *things,
    )
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    here = rules.resting_situation(rules.beginning)
    assert (
        here.on[rules.chart.number["R1"]]
        == twin.power_states(twin.first_moment())["R1"]
        == (not cube)
    )
    (path,) = (path for _, kind, path in here.paths if kind == "laser")
    assert rules.chart.number_to_cell(path.cells[-1]) == ((6, 2, 1) if cube else (20, 2, 1))
