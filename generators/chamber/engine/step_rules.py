"""The rules: which steps are possible in a state, what state they lead to, and when it is over.

`after` carries a step out: the player acts, everything that has lost its hold moves until all is at
rest, and then time passes: each running switch stays on for one step less. A step that cannot be
done, or that nothing survives, is refused with the reason; a plan with such a step has failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from facelet.generators.chamber.engine.flights import Flight, Lost
from facelet.generators.chamber.engine.resting import Refused, Resting
from facelet.generators.chamber.engine.situation import Situation
from facelet.generators.chamber.engine.state import AWAY, CARRIED, State
from facelet.generators.chamber.world.grid import COMPASS, DOWN, LEVEL
from facelet.generators.chamber.world.steps import COLOURS, Step


class Rules(Resting):
    """The rules of one chamber; see the module."""

    # --- doing ------------------------------------------------------------------------------------

    def after(self, state: State, step: Step) -> State:
        """Return the state after a step.

        Raises:
            Refused: it cannot be done.
        """
        if step.verb == "leave":
            self._leave(state)
            return state
        try:
            done, pressed = self.act(state, step)
        except Lost as lost:
            raise Refused(f"you {lost}") from None
        return self.passed(done, pressed)

    def act(self, state: State, step: Step) -> tuple[State, int]:
        """Return the state right after an act, and the switch that it pressed, or -1.

        Raises:
            Refused: it cannot be done.
            Lost: the player would not come to rest.
        """
        verb, args = step
        if verb == "shoot":
            return self._shoot(state, args[0], {args[1]: args[2]}), -1
        if verb == "both":
            if args[1] == args[2]:
                raise Refused("a panel takes one portal")
            return self._shoot(state, args[0], dict(zip(COLOURS, args[1:], strict=True))), -1
        if verb == "take":
            return self._take(state, args[0]), -1
        if verb == "put":
            return self._put(state, *args), -1
        if verb == "press":
            return self._press(state, args[0])
        if verb == "stand":
            return self._stand(state, args[0]), -1
        if verb == "enter":
            return self._enter(state, args[0]), -1
        if verb == "drop":
            return self._drop(state, args[0]), -1
        if verb == "wait":
            return state._replace(player=self._origin(state, args[0])), -1
        raise Refused(f"there is no step {verb!r}")

    def _leave(self, state: State) -> None:
        area = self.chart.area_of[self.chart.exit]
        if not self.zone(state) >> area & 1:
            raise Refused("you cannot walk to the exit")

    def _shoot(self, state: State, origin: str, wanted: dict[str, str]) -> State:
        if CARRIED in state.things:
            raise Refused("your hands are not free to shoot")
        place = self._origin(state, origin)
        now = (self.walking if place in self.chart.area_of else self.situation)(state)
        blue, orange = state.portals
        for colour, name in wanted.items():
            panel = self.chart.panel.get(name)
            if panel is None:
                raise Refused(f"there is no panel {name}")
            if not now.sees(place, panel):
                raise Refused(f"{name} cannot be seen from {origin}")
            blue, orange = (panel, orange) if colour == COLOURS[0] else (blue, panel)
        if blue == orange:
            raise Refused("a panel takes one portal")
        if len(wanted) > 1 and not self.chart.both_seen(place, (blue, orange), now.closed):
            raise Refused(f"no place on {origin} sees both panels")
        return state._replace(player=place, portals=(blue, orange))

    def _origin(self, state: State, name: str) -> int:
        """Return the cell of a floor that the player can walk to, or of what it stands on."""
        area = self.chart.area_named.get(name)
        if area is not None:
            if not self.zone(state) >> area & 1:
                raise Refused(f"you cannot walk to {name}")
            return self.chart.anchor[area]
        number = self.chart.number.get(name, -1)
        if self.chart.special.get(self._below(state)) != number or number < 0:
            raise Refused(f"you are not on {name}")
        return state.player

    def _below(self, state: State) -> int:
        """Return the ground cell of the player's column."""
        return self.chart.ground(state.player % self.chart.layer)

    def _take(self, state: State, name: str) -> State:
        if CARRIED in state.things:
            raise Refused("you carry something already")
        thing = self.chart.thing.get(name, -1)
        cell = AWAY if thing < 0 else state.things[thing]
        if cell == AWAY:
            raise Refused(f"{name} is not there")
        player = self._to_hand(state, cell, name)
        things = (*state.things[:thing], CARRIED, *state.things[thing + 1 :])
        return state._replace(player=player, things=things)

    def _to_hand(self, state: State, cell: int, name: str) -> int:
        """Return where the player is when it reaches for something at a cell."""
        area = self.chart.area_of.get(cell)
        zone = self.zone(state)
        if area is not None:
            if not zone >> area & 1:
                raise Refused(f"you cannot walk to {name}")
            return self.chart.anchor[area]
        near = {a for a, height in self.chart.beside(cell) if height <= 1 and zone >> a & 1}
        return self.chart.anchor[self._one(near, name)]

    def _one(self, areas: set[int], name: str) -> int:
        """Return the only one of some areas."""
        if not areas:
            raise Refused(f"you cannot get to {name}")
        if len(areas) > 1:
            raise Refused(f"it does not say from which floor you get to {name}")
        return next(iter(areas))

    def _target(self, name: str, verb: str) -> int:
        """Return the number of a fixture that a verb can be used with."""
        number = self.chart.number.get(name)
        if number is None or verb not in self.chart.devices[number].verbs:
            raise Refused(f"there is no {name} that this could be done with")
        return number

    def _put(self, state: State, name: str, direction: str = "") -> State:
        if CARRIED not in state.things:
            raise Refused("you carry nothing")
        thing = state.things.index(CARRIED)
        turns = self.chart.devices[self.chart.things[thing]].turns
        if turns != (direction in COMPASS):
            raise Refused("a mirror cube faces a direction, other things none")
        number = self._target(name, "put")
        area, entry = self._way_to(state, number, burdened=True)
        facings = state.facings
        if turns:
            facings = (*facings[:thing], COMPASS.index(direction), *facings[thing + 1 :])
        try:
            cell = Flight(self.walking(state), alone=True, burdened=True).fall(entry)
        except Lost as lost:
            if not lost.gone:
                raise Refused(f"it {lost}") from None
            cell = AWAY
        if cell != AWAY and cell in state.things:
            raise Refused("something lies there already")
        things = (*state.things[:thing], cell, *state.things[thing + 1 :])
        return state._replace(player=self.chart.anchor[area], things=things, facings=facings)

    def _way_to(self, state: State, number: int, *, burdened: bool) -> tuple[int, int]:
        """Return the area from which something is reached, and the cell that one enters it by."""
        chart = self.chart
        fixture, kind = chart.fixtures[number], chart.devices[number]
        now, zone = self.walking(state), self.zone(state)
        if kind.ray(fixture, True) is not None:
            return self._way_into_beam(now, zone, number)
        cell = now.top(chart.cell(fixture.cell))
        area = chart.area_of.get(cell)
        if area is not None:
            if not zone >> area & 1:
                raise Refused(f"you cannot walk to {fixture.name}")
            return area, cell
        ways = [
            (height, near)
            for near, height in chart.beside(cell)
            if zone >> near & 1
            and (height <= 1 or chart.reading.jumps or kind.plunge)
            and all(now.open(cell + k * chart.layer) for k in range(max(height, 0) + 1))
        ]
        if not ways:
            raise Refused(f"you cannot get to {fixture.name}")
        # Into a portal or onto gel from as high as can be, onto all else from as near as can be.
        best = (max if kind.plunge else min)(abs(height) for height, _ in ways)
        area = self._one({near for height, near in ways if abs(height) == best}, fixture.name)
        lift = max(0, max(height for height, near in ways if near == area and abs(height) == best))
        return area, cell + lift * chart.layer

    def _way_into_beam(self, now: Situation, zone: int, number: int) -> tuple[int, int]:
        """Return an area beside a beam, and a cell of the beam."""
        chart = self.chart
        name = chart.fixtures[number].name
        path = next((path for i, kind, path in now.paths if i == number and kind == "beam"), None)
        if path is None:
            raise Refused(f"{name} is off")
        near: set[int] = set()
        for cell in path.cells:
            if cell in chart.area_of:
                near.add(chart.area_of[cell])
            near.update(area for area, height in chart.beside(cell) if height <= 1)
        return self._one({area for area in near if zone >> area & 1}, name), path.cells[0]

    def _press(self, state: State, name: str) -> tuple[State, int]:
        number = self._target(name, "press")
        cell = self.chart.cell(self.chart.fixtures[number].cell)
        area = self.chart.area_of.get(cell, -1)
        if area < 0 or not self.zone(state) >> area & 1:
            raise Refused(f"you cannot walk to {name}")
        switch = self.chart.switch[name]
        lasts = self.chart.lasting[switch]
        timers = (*state.timers[:switch], lasts or 1, *state.timers[switch + 1 :])
        return state._replace(player=self.home(cell), timers=timers), switch

    def _stand(self, state: State, name: str) -> State:
        number = self._target(name, "stand")
        return self._flown(state, *self._way_to(state, number, burdened=False))

    def _enter(self, state: State, name: str) -> State:
        number = self._target(name, "enter")
        panel = self.chart.panel.get(name)
        if panel is None:
            return self._flown(state, *self._way_to(state, number, burdened=False))
        now = self.walking(state)
        cell, direction = self.chart.face[panel]
        if (cell, direction) not in now.links:
            raise Refused(f"{name} holds no portal that leads anywhere")
        if direction == DOWN:
            return self._flown(state, *self._way_to(state, number, burdened=False))
        area = self.chart.area_of.get(cell)
        if direction not in LEVEL or area is None or not self.zone(state) >> area & 1:
            raise Refused(f"you cannot walk into the portal at {name}")
        flight = self._flight(now, state, area)
        return self.landed(state, flight.leave(now.links[cell, direction], 0))

    def _flown(self, state: State, area: int, entry: int) -> State:
        """Return the state after the player fell from a cell that it stepped into from an area."""
        return self.landed(state, self._flight(self.walking(state), state, area).fall(entry))

    def _flight(self, now: Situation, state: State, origin: int) -> Flight:
        burdened = CARRIED in state.things
        return Flight(now, alone=False, burdened=burdened, origin=origin)

    def _drop(self, state: State, name: str) -> State:
        area = self.chart.area_named.get(name, -1)
        if area < 0:
            raise Refused(f"there is no floor {name}")
        now = self.walking(state)
        for entry in self._edges(state, area):
            flight = Flight(now, alone=False, burdened=CARRIED in state.things)
            try:
                cell = flight.fall(entry)
                if self.chart.area_of.get(cell) == area:
                    return state._replace(player=self.home(cell))
            except Lost:
                continue
        raise Refused(f"you cannot jump down to {name}")

    def _edges(self, state: State, area: int) -> Iterator[int]:
        """Yield the cells that one steps into to jump down to an area."""
        chart = self.chart
        zone = self.zone(state)
        for upper, entry in chart.drops(area):
            if zone >> upper & 1:
                yield entry
        if state.player not in chart.area_of:
            for ground, height in chart.around(state.player):
                if height <= -2 and chart.area_of.get(ground) == area:
                    yield ground - height * chart.layer
