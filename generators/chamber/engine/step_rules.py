"""Decide which steps are legal in a state, what state they lead to, and how far a plan gets.

After an action, `TimeStep` moves everything until it is at rest: unsupported things fall or are
carried, and dispensers that went on drop their things. Then time advances by one step: the timer of
each running switch decreases by one, unless the switch stays on for good.

`StepRules.apply_step` performs a step: the player acts, then a `TimeStep` follows. A step that is
impossible, or that the player would not survive, raises StepRefused with the reason.

`run_plan` runs a plan from the beginning, step by step, up to the first illegal step; a plan with
such a step fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.chamber.engine.active_devices import (
    ActiveDevices,
    NeverAtRest,
    SituationCache,
)
from facelet.generators.chamber.engine.flight_paths import Flight, LostInFlight
from facelet.generators.chamber.engine.state import AWAY, CARRIED, NOWHERE, UNSET, State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.world.chamber_records import (
    COLOURS,
    COMPASS,
    DOWN,
    LEAVE,
    LEVEL,
    Chamber,
    Step,
)

MOST_MOVES = 64
"""Most rounds of falling and carrying before motion counts as endless."""


class StepRefused(Exception):  # noqa: N818 - a step may be so; no program is wrong
    """A step that cannot be done; the message is the reason, in words for the player."""


class TimeStep:
    """How a chamber changes after the player has acted.

    Attributes:
        chart: its chart.
        beginning: its first state.
    """

    def __init__(self, chart: StaticTables) -> None:
        """Move everything until it is at rest.

        Raises:
            ValueError: it does not.
        """
        self.chart = chart
        self._situations = SituationCache(chart)
        fixtures = [chart.fixtures[i] for i in chart.things]
        first = State(
            player=self.anchor_cell(chart.start),
            things=tuple(chart.cell_to_number(f.first_cell) if f.cells else AWAY for f in fixtures),
            facings=tuple(f.facing for f in fixtures),
            portals=(UNSET, UNSET),
            timers=(0,) * len(chart.switches),
            given=0,
        )
        try:
            self.beginning = self._at_rest(first)
        except StepRefused as refused:
            raise ValueError(f"the chamber has no beginning: {refused}") from None

    # --- looking ----------------------------------------------------------------------------------

    def resting_situation(self, state: State) -> ActiveDevices:
        """Return the situation in a state of rest."""
        return self._situations.situation_in(state)

    def walking_situation(self, state: State) -> ActiveDevices:
        """Return the situation while the player walks: it releases a button it was on first."""
        if state.player in self.chart.area_of:
            return self._situations.situation_in(state)
        return self._situations.situation_in(state._replace(player=NOWHERE))

    def anchor_cell(self, cell: int) -> int:
        """Return the canonical cell of a player: the anchor of its area, if it is in one.

        Where beams carry a player on a floor, the cell itself counts until the next walk.
        """
        if (area := self.chart.area_of.get(cell)) is None or self.chart.reading.beams == "floors":
            return cell
        return self.chart.anchor[area]

    def reachable_areas(self, state: State) -> int:
        """Return the areas that the player can walk to, as bits."""
        zones = self.walking_situation(state).walkable_zones(CARRIED in state.things)
        return zones.reachable_from(state.player)

    def settle_player(self, state: State) -> State:
        """Return the state in which the player went to the first area that a walk leads to.

        Since walks are free, the same steps are possible in both states.
        """
        if self.chart.area_of.get(state.player) is None:
            return state
        zone = self.reachable_areas(state)
        return state._replace(player=self.chart.anchor[(zone & -zone).bit_length() - 1])

    def start_timer(self, state: State, switch: int) -> State:
        """Return the state after a switch was pressed."""
        lasts = self.chart.lasting[switch] or 1
        return state._replace(timers=(*state.timers[:switch], lasts, *state.timers[switch + 1 :]))

    def pass_time(self, done: State, pressed: int = -1) -> State:
        """Return the state after the player acted, everything is at rest, and one step has passed.

        Args:
            done: the state right after the act.
            pressed: the switch that was pressed by it, or -1.

        Raises:
            StepRefused: something would never come to rest, now or when the player steps off its
                place, or the player does not survive.
        """
        done = self._at_rest(done)
        if any(done.timers):
            timers = tuple(
                timer if s == pressed or not self.chart.lasting[s] else max(0, timer - 1)
                for s, timer in enumerate(done.timers)
            )
            if timers != done.timers:
                done = self._at_rest(done._replace(timers=timers))
        try:
            self.walking_situation(done)
        except NeverAtRest as restless:
            raise StepRefused(f"once you stepped off, {restless}") from None
        return done

    # --- coming to rest ---------------------------------------------------------------------------

    def _at_rest(self, state: State) -> State:
        """Return the state when nothing moves any more.

        Raises:
            StepRefused: it never does, or the player does not survive.
        """
        try:
            for _ in range(MOST_MOVES):
                now = self._situations.situation_in(state)
                moved = self._dispense_things(self._move_loose_things(state, now), now)
                if moved is state:
                    return state
                state = moved
        except NeverAtRest as restless:
            raise StepRefused(f"{restless}") from None
        raise StepRefused("it would never come to rest")

    def land_player(self, state: State, cell: int) -> State:
        """Return the state after the player came to rest at a cell.

        Raises:
            StepRefused: the player cannot stand there.
        """
        if self.chart.ground_cell(cell % self.chart.layer) in self.chart.joints:
            raise StepRefused("you would land in a doorway or on stairs")
        return state._replace(player=self.anchor_cell(cell))

    def _move_loose_things(self, state: State, now: ActiveDevices) -> State:
        """Return the state after an unsupported thing moved; the same object if none is."""
        chart, player = self.chart, state.player
        loose = player not in chart.area_of and not _is_held(now, player)
        if chart.reading.beams != "said" and player in now.rides:
            loose = chart.reading.beams == "floors" and now.rides[player] != player
        if loose:
            flight = Flight(now, alone=False, burdened=CARRIED in state.things)
            return self.land_player(state, self._carry_to_rest(now, flight, player, "you"))
        for thing, cell in enumerate(state.things):
            if cell >= 0 and not _is_held(now, cell):
                flight = Flight(now, alone=True, burdened=True)
                name = chart.fixtures[chart.things[thing]].name
                if (to := self._carry_to_rest(now, flight, cell, name)) >= 0 and to in state.things:
                    raise StepRefused(f"{name} would come to lie on another thing")
                return state._replace(
                    things=(*state.things[:thing], to, *state.things[thing + 1 :])
                )
        return state

    def _carry_to_rest(self, now: ActiveDevices, flight: Flight, cell: int, who: str) -> int:
        """Return where an unsupported thing comes to rest, or AWAY if it is lost."""
        try:
            return flight.fall_from(now.top_cell(cell))
        except LostInFlight as lost:
            if who != "you" and lost.gone:
                return AWAY
            raise StepRefused(f"{who} {lost}") from None

    def _dispense_things(self, state: State, now: ActiveDevices) -> State:
        """Return the state after dispensers that went on gave their things."""
        given = 0
        for bit, (fixture, cell, things) in enumerate(self.chart.givers):
            if not now.on[fixture]:
                continue
            given |= 1 << bit
            if not state.given >> bit & 1:
                places = list(state.things)
                for thing in things:
                    places[thing] = AWAY
                for thing in things:
                    to = self._carry_to_rest(
                        now, Flight(now, alone=True, burdened=True), cell, "it"
                    )
                    if to in places and to >= 0:
                        raise StepRefused("something lies below the dispenser")
                    places[thing] = to
                state = state._replace(things=tuple(places))
        return state if given == state.given else state._replace(given=given)


def _is_held(now: ActiveDevices, cell: int) -> bool:
    """Return whether something at a cell stays there."""
    if cell in now.rides:
        return now.rides[cell] == cell
    return cell not in now.closed and now.holds_still(cell)


class StepRules(TimeStep):
    """The rules of one chamber; see the module."""

    # --- doing ------------------------------------------------------------------------------------

    def apply_step(self, state: State, step: Step) -> State:
        """Return the state after a step.

        Raises:
            StepRefused: it cannot be done.
        """
        if step.verb == "leave":
            self._leave_chamber(state)
            return state
        try:
            done, pressed = self.perform_act(state, step)
        except LostInFlight as lost:
            raise StepRefused(f"you {lost}") from None
        return self.pass_time(done, pressed)

    def perform_act(self, state: State, step: Step) -> tuple[State, int]:
        """Return the state right after an act, and the switch that it pressed, or -1.

        Raises:
            StepRefused: it cannot be done.
            LostInFlight: the player would never land.
        """
        if (act := _ACTS.get(step.verb)) is None:
            raise StepRefused(f"there is no step {step.verb!r}")
        done = act(self, state, *step.args)
        return done, self.chart.switch[step.args[0]] if step.verb == "press" else -1

    def _leave_chamber(self, state: State) -> None:
        area = self.chart.area_of[self.chart.exit]
        if not self.reachable_areas(state) >> area & 1:
            raise StepRefused("you cannot walk to the exit")

    def _shoot_one(self, state: State, origin: str, colour: str, panel: str) -> State:
        return self._shoot_portal(state, origin, {colour: panel})

    def _shoot_both(self, state: State, origin: str, blue: str, orange: str) -> State:
        if blue == orange:
            raise StepRefused("a panel takes one portal")
        return self._shoot_portal(state, origin, dict(zip(COLOURS, (blue, orange), strict=True)))

    def _shoot_portal(self, state: State, origin: str, wanted: dict[str, str]) -> State:
        if CARRIED in state.things:
            raise StepRefused("your hands are not free to shoot")
        place = self._origin_cell(state, origin)
        now = (self.walking_situation if place in self.chart.area_of else self.resting_situation)(
            state
        )
        blue, orange = state.portals
        for colour, name in wanted.items():
            if (panel := self.chart.panel.get(name)) is None:
                raise StepRefused(f"there is no panel {name}")
            if not now.sees_panel(place, panel):
                raise StepRefused(f"{name} cannot be seen from {origin}")
            blue, orange = (panel, orange) if colour == COLOURS[0] else (blue, panel)
        if blue == orange:
            raise StepRefused("a panel takes one portal")
        if len(wanted) > 1 and not self.chart.both_seen(place, (blue, orange), now.closed):
            raise StepRefused(f"no place on {origin} sees both panels")
        return state._replace(player=place, portals=(blue, orange))

    def _origin_cell(self, state: State, name: str) -> int:
        """Return the cell of a floor that the player can walk to, or of the device it is on."""
        if (area := self.chart.area_named.get(name)) is not None:
            if not self.reachable_areas(state) >> area & 1:
                raise StepRefused(f"you cannot walk to {name}")
            return self.chart.anchor[area]
        number = self.chart.number.get(name, -1)
        if self.chart.special.get(self._ground_below(state)) != number or number < 0:
            raise StepRefused(f"you are not on {name}")
        return state.player

    def _ground_below(self, state: State) -> int:
        """Return the ground cell of the player's column."""
        return self.chart.ground_cell(state.player % self.chart.layer)

    def _take_thing(self, state: State, name: str) -> State:
        if CARRIED in state.things:
            raise StepRefused("you carry something already")
        thing = self.chart.thing.get(name, -1)
        cell = AWAY if thing < 0 else state.things[thing]
        if cell == AWAY:
            raise StepRefused(f"{name} is not there")
        player = self._to_hand(state, cell, name)
        things = (*state.things[:thing], CARRIED, *state.things[thing + 1 :])
        return state._replace(player=player, things=things)

    def _to_hand(self, state: State, cell: int, name: str) -> int:
        """Return where the player is when it reaches for something at a cell."""
        area = self.chart.area_of.get(cell)
        zone = self.reachable_areas(state)
        if area is not None:
            if not zone >> area & 1:
                raise StepRefused(f"you cannot walk to {name}")
            return self.chart.anchor[area]
        near = {
            a for a, height in self.chart.neighbour_areas(cell) if height <= 1 and zone >> a & 1
        }
        return self.chart.anchor[self._only_area(near, name)]

    def _only_area(self, areas: set[int], name: str) -> int:
        """Return the only one of some areas."""
        if not areas:
            raise StepRefused(f"you cannot get to {name}")
        if len(areas) > 1:
            raise StepRefused(f"it does not say from which floor you get to {name}")
        return next(iter(areas))

    def _target_fixture(self, name: str, verb: str) -> int:
        """Return the number of a fixture that a verb can be used with."""
        number = self.chart.number.get(name)
        if number is None or verb not in self.chart.devices[number].verbs:
            raise StepRefused(f"there is no {name} that this could be done with")
        return number

    def _put_thing(self, state: State, name: str, direction: str = "") -> State:
        if CARRIED not in state.things:
            raise StepRefused("you carry nothing")
        thing = state.things.index(CARRIED)
        turns = self.chart.devices[self.chart.things[thing]].turns
        if turns != (direction in COMPASS):
            raise StepRefused("a mirror cube faces a direction, other things none")
        number = self._target_fixture(name, "put")
        area, entry = self._way_to(state, number, burdened=True)
        facings = state.facings
        if turns:
            facings = (*facings[:thing], COMPASS.index(direction), *facings[thing + 1 :])
        try:
            cell = Flight(self.walking_situation(state), alone=True, burdened=True).fall_from(entry)
        except LostInFlight as lost:
            if not lost.gone:
                raise StepRefused(f"it {lost}") from None
            cell = AWAY
        if cell != AWAY and cell in state.things:
            raise StepRefused("something lies there already")
        things = (*state.things[:thing], cell, *state.things[thing + 1 :])
        return state._replace(player=self.chart.anchor[area], things=things, facings=facings)

    def _way_to(self, state: State, number: int, *, burdened: bool) -> tuple[int, int]:
        """Return the area from which a fixture is reached, and its entry cell."""
        chart = self.chart
        fixture, kind = chart.fixtures[number], chart.devices[number]
        now, zone = self.walking_situation(state), self.reachable_areas(state)
        if kind.emit_ray(fixture, True) is not None:
            return self._way_into_beam(now, zone, number)
        cell = now.top_cell(chart.cell_to_number(fixture.first_cell))
        if (area := chart.area_of.get(cell)) is not None:
            if not zone >> area & 1:
                raise StepRefused(f"you cannot walk to {fixture.name}")
            return area, cell
        ways = [
            (height, near)
            for near, height in chart.neighbour_areas(cell)
            if zone >> near & 1
            and (height <= 1 or chart.reading.jumps or kind.plunge)
            and all(now.is_open(cell + k * chart.layer) for k in range(max(height, 0) + 1))
        ]
        if not ways:
            raise StepRefused(f"you cannot get to {fixture.name}")
        # Into a portal or onto gel from as high as can be, onto all else from as near as can be.
        best = (max if kind.plunge else min)(abs(height) for height, _ in ways)
        area = self._only_area({near for height, near in ways if abs(height) == best}, fixture.name)
        lift = max(0, max(height for height, near in ways if near == area and abs(height) == best))
        return area, cell + lift * chart.layer

    def _way_into_beam(self, now: ActiveDevices, zone: int, number: int) -> tuple[int, int]:
        """Return an area beside a beam, and a cell of the beam."""
        chart = self.chart
        name = chart.fixtures[number].name
        path = next((path for i, kind, path in now.paths if i == number and kind == "beam"), None)
        if path is None:
            raise StepRefused(f"{name} is off")
        near: set[int] = set()
        for cell in path.cells:
            if cell in chart.area_of:
                near.add(chart.area_of[cell])
            near.update(area for area, height in chart.neighbour_areas(cell) if height <= 1)
        return self._only_area({area for area in near if zone >> area & 1}, name), path.cells[0]

    def _press_switch(self, state: State, name: str) -> State:
        number = self._target_fixture(name, "press")
        cell = self.chart.cell_to_number(self.chart.fixtures[number].first_cell)
        area = self.chart.area_of.get(cell, -1)
        if area < 0 or not self.reachable_areas(state) >> area & 1:
            raise StepRefused(f"you cannot walk to {name}")
        state = state._replace(player=self.anchor_cell(cell))
        return self.start_timer(state, self.chart.switch[name])

    def _wait(self, state: State, origin: str) -> State:
        return state._replace(player=self._origin_cell(state, origin))

    def _stand_on(self, state: State, name: str) -> State:
        number = self._target_fixture(name, "stand")
        return self._fall_from_step(state, *self._way_to(state, number, burdened=False))

    def _enter_portal(self, state: State, name: str) -> State:
        number = self._target_fixture(name, "enter")
        if (panel := self.chart.panel.get(name)) is None:
            return self._fall_from_step(state, *self._way_to(state, number, burdened=False))
        now = self.walking_situation(state)
        cell, direction = self.chart.face[panel]
        if (cell, direction) not in now.links:
            raise StepRefused(f"{name} holds no portal that leads anywhere")
        if direction == DOWN:
            return self._fall_from_step(state, *self._way_to(state, number, burdened=False))
        area = self.chart.area_of.get(cell)
        if direction not in LEVEL or area is None or not self.reachable_areas(state) >> area & 1:
            raise StepRefused(f"you cannot walk into the portal at {name}")
        flight = self._make_flight(now, state, area)
        return self.land_player(state, flight.leave_portal(now.links[cell, direction], 0))

    def _fall_from_step(self, state: State, area: int, entry: int) -> State:
        """Return the state after the player fell from a cell that it stepped into from an area."""
        return self.land_player(
            state, self._make_flight(self.walking_situation(state), state, area).fall_from(entry)
        )

    def _make_flight(self, now: ActiveDevices, state: State, origin: int) -> Flight:
        burdened = CARRIED in state.things
        return Flight(now, alone=False, burdened=burdened, origin=origin)

    def _drop_down(self, state: State, name: str) -> State:
        if (area := self.chart.area_named.get(name, -1)) < 0:
            raise StepRefused(f"there is no floor {name}")
        now = self.walking_situation(state)
        for entry in self._iterate_edges(state, area):
            flight = Flight(now, alone=False, burdened=CARRIED in state.things)
            try:
                cell = flight.fall_from(entry)
                if self.chart.area_of.get(cell) == area:
                    return state._replace(player=self.anchor_cell(cell))
            except LostInFlight:
                continue
        raise StepRefused(f"you cannot jump down to {name}")

    def _iterate_edges(self, state: State, area: int) -> Iterator[int]:
        """Yield the cells that one steps into to jump down to an area."""
        chart = self.chart
        zone = self.reachable_areas(state)
        yield from (entry for upper, entry in chart.drop_sources(area) if zone >> upper & 1)
        if state.player not in chart.area_of:
            yield from (
                ground - height * chart.layer
                for ground, height in chart.iterate_neighbour_grounds(state.player)
                if height <= -2 and chart.area_of.get(ground) == area
            )


_ACTS: dict[str, Callable[..., State]] = {
    "shoot": StepRules._shoot_one,
    "both": StepRules._shoot_both,
    "take": StepRules._take_thing,
    "put": StepRules._put_thing,
    "press": StepRules._press_switch,
    "stand": StepRules._stand_on,
    "enter": StepRules._enter_portal,
    "drop": StepRules._drop_down,
    "wait": StepRules._wait,
}
"""What each verb does, from the rules, a state and the arguments of the step."""


@dataclass(frozen=True, slots=True)
class PlanRun:
    """How a plan went.

    Attributes:
        states: the states, from the beginning, as far as it went.
        failed: the number of the step that could not be done, from 0; None if all could.
        reason: why it could not.
        left: whether the player left through the exit.
    """

    states: tuple[State, ...]
    failed_step: int | None
    reason: str
    has_left: bool


def run_plan(rules: StepRules, plan: tuple[Step, ...]) -> PlanRun:
    """Carry a plan out, up to the first step that cannot be done.

    Args:
        rules: the rules of its chamber.
        plan: its steps; what follows after leaving does not matter.
    """
    states = [rules.beginning]
    for number, step in enumerate(plan):
        try:
            states.append(rules.apply_step(states[-1], step))
        except StepRefused as refused:
            return PlanRun(tuple(states), number, str(refused), has_left=False)
        if step == LEAVE:
            return PlanRun(tuple(states), None, "", has_left=True)
    return PlanRun(tuple(states), None, "", has_left=False)


@lru_cache(maxsize=64)
def chamber_rules(chamber: Chamber) -> StepRules:
    """Return the rules of a chamber; the same object as long as it is remembered.

    Raises:
        ValueError: its fixtures do not fit; the message names one.
    """
    return StepRules(StaticTables(chamber))
