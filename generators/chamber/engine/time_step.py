"""Move everything after an action until it is at rest, then advance time by one step.

Unsupported things fall or are carried, dispensers that went on drop their things, and then the
timer of each running switch decreases by one, unless the switch stays on for good.
"""

from __future__ import annotations

from facelet.generators.chamber.engine.active_devices import (
    ActiveDevices,
    NeverAtRest,
    SituationCache,
)
from facelet.generators.chamber.engine.flight_paths import Flight, LostInFlight
from facelet.generators.chamber.engine.state import AWAY, CARRIED, NOWHERE, UNSET, State
from facelet.generators.chamber.engine.static_tables import StaticTables

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
