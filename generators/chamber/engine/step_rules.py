"""Decide which steps are legal in a state and what state they lead to.

`apply_step` performs a step: the player acts, everything unsupported moves until all is at rest,
and then the timer of each running switch decreases by one. A step that is impossible, or that the
player would not survive, raises StepRefused with the reason; a plan with such a step fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from facelet.generators.chamber.engine.active_devices import ActiveDevices
from facelet.generators.chamber.engine.flight_paths import Flight, LostInFlight
from facelet.generators.chamber.engine.state import AWAY, CARRIED, State
from facelet.generators.chamber.engine.time_step import StepRefused, TimeStep
from facelet.generators.chamber.world.grid import COMPASS, DOWN, LEVEL
from facelet.generators.chamber.world.step_records import COLOURS, Step


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
