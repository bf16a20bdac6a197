"""The rules: which steps are possible in a state, what state they lead to, and when it is over.

`after` carries a step out: the player acts, everything that has lost its hold moves until all is at
rest, and then time passes: each running switch stays on for one step less. A step that cannot be
done, or that nothing survives, is refused with the reason; a plan with such a step has failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.chamber.chambers import Chamber
from facelet.generators.chamber.chart import Chart, chart
from facelet.generators.chamber.flights import Flight, Lost
from facelet.generators.chamber.grid import COMPASS, DOWN, LEVEL
from facelet.generators.chamber.situation import Restless, Situation, Situations
from facelet.generators.chamber.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.steps import COLOURS, LEAVE, Step

MOST_MOVES = 64
"""Rounds of falling and carrying after which nothing will come to rest any more."""


class Refused(Exception):  # noqa: N818 - a step may be so; no program is wrong
    """A step that cannot be done; the message says why, in words for the player."""


class Rules:
    """The rules of one chamber.

    Attributes:
        chart: its chart.
        beginning: its first state.
    """

    def __init__(self, chart: Chart) -> None:
        """Let everything come to rest.

        Raises:
            ValueError: it does not.
        """
        self.chart = chart
        self._situations = Situations(chart)
        fixtures = [chart.fixtures[i] for i in chart.things]
        first = State(
            player=self.home(chart.start),
            things=tuple(chart.cell(f.cell) if f.cells else AWAY for f in fixtures),
            facings=tuple(f.facing for f in fixtures),
            portals=(UNSET, UNSET),
            timers=(0,) * len(chart.switches),
            given=0,
        )
        try:
            self.beginning = self._at_rest(first)
        except Refused as refused:
            raise ValueError(f"the chamber has no beginning: {refused}") from None

    # --- looking ----------------------------------------------------------------------------------

    def situation(self, state: State) -> Situation:
        """Return what holds in a state of rest."""
        return self._situations.of(state)

    def home(self, cell: int) -> int:
        """Return what stands for a player's cell: the anchor of its area, if it is in one."""
        area = self.chart.area_of.get(cell)
        return cell if area is None else self.chart.anchor[area]

    def zone(self, state: State) -> int:
        """Return the areas that the player can walk to, as bits."""
        zones = self.situation(state).zones(CARRIED in state.things)
        return zones.around(state.player)

    def settled(self, state: State) -> State:
        """Return the state in which the player went to the first area that a walk leads to.

        As walks are free, all that can be done in the one can be done in the other.
        """
        area = self.chart.area_of.get(state.player)
        if area is None:
            return state
        zone = self.zone(state)
        return state._replace(player=self.chart.anchor[(zone & -zone).bit_length() - 1])

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

    def passed(self, done: State, pressed: int = -1) -> State:
        """Return the state after a player acted: all comes to rest, and a step of time passes.

        Args:
            done: the state right after the act.
            pressed: the switch that was pressed by it, or -1.

        Raises:
            Refused: it does not come to rest, or the player does not survive it.
        """
        done = self._at_rest(done)
        if any(done.timers):
            timers = tuple(
                timer if s == pressed else max(0, timer - 1) for s, timer in enumerate(done.timers)
            )
            if timers != done.timers:
                done = self._at_rest(done._replace(timers=timers))
        return done

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
            return state, -1
        raise Refused(f"there is no step {verb!r}")

    def _leave(self, state: State) -> None:
        area = self.chart.area_of[self.chart.exit]
        if not self.zone(state) >> area & 1:
            raise Refused("you cannot walk to the exit")

    def _shoot(self, state: State, origin: str, wanted: dict[str, str]) -> State:
        if CARRIED in state.things:
            raise Refused("your hands are not free to shoot")
        place = self._origin(state, origin)
        now = self.situation(state)
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
            cell = Flight(self.situation(state), alone=True, burdened=True).fall(entry)
        except Lost as lost:
            if not lost.gone:
                raise Refused(f"it {lost}") from None
            cell = AWAY
        if cell in state.things:
            raise Refused("something lies there already")
        things = (*state.things[:thing], cell, *state.things[thing + 1 :])
        return state._replace(player=self.chart.anchor[area], things=things, facings=facings)

    def _way_to(self, state: State, number: int, *, burdened: bool) -> tuple[int, int]:
        """Return the area from which something is reached, and the cell that one enters it by."""
        chart = self.chart
        fixture, kind = chart.fixtures[number], chart.devices[number]
        now, zone = self.situation(state), self.zone(state)
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
            and all(now.open(cell + k * chart.layer) for k in range(max(height, 0) + 1))
        ]
        if not ways:
            raise Refused(f"you cannot get to {fixture.name}")
        # Onto a panel in the floor from as high as can be, onto all else from as near as can be.
        best = (max if fixture.kind == "panel" else min)(abs(height) for height, _ in ways)
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
        area = self.chart.area_of.get(self.chart.cell(self.chart.fixtures[number].cell), -1)
        if area < 0 or not self.zone(state) >> area & 1:
            raise Refused(f"you cannot walk to {name}")
        switch = self.chart.switch[name]
        lasts = self.chart.devices[number].lasts(self.chart.fixtures[number])
        timers = (*state.timers[:switch], lasts, *state.timers[switch + 1 :])
        return state._replace(player=self.chart.anchor[area], timers=timers), switch

    def _stand(self, state: State, name: str) -> State:
        _, entry = self._way_to(state, self._target(name, "stand"), burdened=False)
        return self._flown(state, entry)

    def _enter(self, state: State, name: str) -> State:
        number = self._target(name, "enter")
        panel = self.chart.panel.get(name)
        if panel is None:
            return self._flown(state, self._way_to(state, number, burdened=False)[1])
        now = self.situation(state)
        cell, direction = self.chart.face[panel]
        if (cell, direction) not in now.links:
            raise Refused(f"{name} holds no portal that leads anywhere")
        if direction == DOWN:
            return self._flown(state, self._way_to(state, number, burdened=False)[1])
        area = self.chart.area_of.get(cell)
        if direction not in LEVEL or area is None or not self.zone(state) >> area & 1:
            raise Refused(f"you cannot walk into the portal at {name}")
        flight = Flight(now, alone=False, burdened=CARRIED in state.things)
        return self._landed(state, flight.leave(now.links[cell, direction], 0))

    def _flown(self, state: State, entry: int) -> State:
        """Return the state after the player fell from a cell."""
        flight = Flight(self.situation(state), alone=False, burdened=CARRIED in state.things)
        return self._landed(state, flight.fall(entry))

    def _landed(self, state: State, cell: int) -> State:
        if self.chart.ground(cell % self.chart.layer) in self.chart.joints:
            raise Refused("you would land in a doorway or on stairs")
        return state._replace(player=self.home(cell))

    def _drop(self, state: State, name: str) -> State:
        area = self.chart.area_named.get(name, -1)
        if area < 0:
            raise Refused(f"there is no floor {name}")
        now = self.situation(state)
        flight = Flight(now, alone=False, burdened=CARRIED in state.things)
        for entry in self._edges(state, area):
            try:
                if self.chart.area_of.get(flight.fall(entry)) == area:
                    return state._replace(player=self.chart.anchor[area])
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

    # --- coming to rest ---------------------------------------------------------------------------

    def _at_rest(self, state: State) -> State:
        """Return the state when everything has come to rest.

        Raises:
            Refused: it never does, or the player does not survive it.
        """
        try:
            for _ in range(MOST_MOVES):
                now = self._situations.of(state)
                moved = self._given(self._moved(state, now), now)
                if moved is state:
                    return state
                state = moved
        except Restless as restless:
            raise Refused(f"{restless}") from None
        raise Refused("it would never come to rest")

    def _moved(self, state: State, now: Situation) -> State:
        """Return the state after everything without a hold moved; the same object if nothing."""
        chart = self.chart
        if state.player not in chart.area_of and not _held(now, state.player):
            flight = Flight(now, alone=False, burdened=CARRIED in state.things)
            return self._landed(state, self._carried(now, flight, state.player, "you"))
        for thing, cell in enumerate(state.things):
            if cell >= 0 and not _held(now, cell):
                flight = Flight(now, alone=True, burdened=True)
                name = chart.fixtures[chart.things[thing]].name
                to = self._carried(now, flight, cell, name)
                if to >= 0 and to in state.things:
                    raise Refused(f"{name} would come to lie on another thing")
                return state._replace(things=(*state.things[:thing], to, *state.things[thing + 1 :]))
        return state

    def _carried(self, now: Situation, flight: Flight, cell: int, who: str) -> int:
        """Return where something without a hold comes to rest, or AWAY if a thing is lost."""
        try:
            return flight.fall(now.top(cell))
        except Lost as lost:
            if who != "you" and lost.gone:
                return AWAY
            raise Refused(f"{who} {lost}") from None

    def _given(self, state: State, now: Situation) -> State:
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
                    to = self._carried(now, Flight(now, alone=True, burdened=True), cell, "it")
                    if to in places and to >= 0:
                        raise Refused("something lies below the dispenser")
                    places[thing] = to
                state = state._replace(things=tuple(places))
        return state if given == state.given else state._replace(given=given)


def _held(now: Situation, cell: int) -> bool:
    """Return whether something at a cell stays there."""
    if cell in now.rides:
        return now.rides[cell] == cell
    return cell not in now.closed and now.holds(cell)


@dataclass(frozen=True, slots=True)
class Run:
    """How a plan went.

    Attributes:
        states: the states, from the beginning, as far as it went.
        failed: the number of the step that could not be done, from 0; None if all could.
        reason: why it could not.
        left: whether the player left through the exit.
    """

    states: tuple[State, ...]
    failed: int | None
    reason: str
    left: bool


def run(rules: Rules, plan: tuple[Step, ...]) -> Run:
    """Carry a plan out, up to the first step that cannot be done.

    Args:
        rules: the rules of its chamber.
        plan: its steps; what follows after leaving does not matter.
    """
    states = [rules.beginning]
    for number, step in enumerate(plan):
        try:
            states.append(rules.after(states[-1], step))
        except Refused as refused:
            return Run(tuple(states), number, str(refused), left=False)
        if step == LEAVE:
            return Run(tuple(states), None, "", left=True)
    return Run(tuple(states), None, "", left=False)


@lru_cache(maxsize=64)
def rules(chamber: Chamber) -> Rules:
    """Return the rules of a chamber; the same object as long as it is remembered.

    Raises:
        ValueError: its fixtures do not fit; the message names one.
    """
    return Rules(chart(chamber))
