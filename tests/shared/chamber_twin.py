"""A second simulator of chambers, written for the tests alone: slow, cell by cell, no tables.

It shares with the engine the records (chambers, steps) and nothing else. The player has an exact
cell, a walk is a flood of single strides, and every kind of device is an `if` in the code. Here is
what a step does and how all comes to rest; chamber_still says what holds at one moment.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from chamber_still import (
    NAMES,
    THINGS,
    WAYS,
    Cell,
    ChamberStatics,
    ImpossibleStep,
    Moment,
    SwallowedThing,
    shift_cell,
)

from facelet.generators.chamber.world.chamber_records import Fixture, Step

__all__ = ["ChamberTwin", "ImpossibleStep", "Moment"]


class ChamberTwin(ChamberStatics):
    """The rules of one chamber."""

    def first_moment(self) -> Moment:
        """Return the first moment."""
        things = [f for f in self.chamber.fixtures if f.kind in THINGS]
        return self.settle_things(
            Moment(
                self.chamber.fixtures_of("start")[0].first_cell,
                {f.name: f.first_cell for f in things if f.cells},
                "",
                {f.name: f.facing for f in things},
                {},
                {f.name: 0 for f in self.chamber.fixtures_of("switch")},
                frozenset(),
            )
        )

    # --- steps ------------------------------------------------------------------------------------

    def apply_step(self, now: Moment, step: Step) -> Moment:
        """Return the moment after a step."""
        verb, args = step
        if verb == "leave":
            if self.chamber.fixtures_of("exit")[0].first_cell not in self.reachable_cells(now):
                raise ImpossibleStep("exit")
            return now
        self.step_floor = None
        pressed = args[0] if verb == "press" else ""
        off = verb not in ("shoot", "both", "wait")
        then = getattr(self, f"do_{verb}")(replace(now, is_weightless=off), *args)
        self.step_floor = None
        then = self.settle_things(replace(then, is_weightless=False))
        timers = {
            name: left if name == pressed else max(0, left - 1)
            for name, left in then.timers.items()
        }
        then = self.settle_things(replace(then, timers=timers)) if timers != then.timers else then
        # Whoever stands on something can step off it again: the devices settle then as well.
        self.power_states(replace(then, is_weightless=True))
        return then

    def do_wait(self, now: Moment, origin: str) -> Moment:
        return replace(now, player=self.cells_at_origin(now, origin)[1])

    def do_shoot(self, now: Moment, origin: str, colour: str, panel: str) -> Moment:
        return self.shoot_panels(now, origin, {colour: panel})

    def do_both(self, now: Moment, origin: str, blue: str, orange: str) -> Moment:
        if blue == orange:
            raise ImpossibleStep("one panel")
        return self.shoot_panels(now, origin, {"blue": blue, "orange": orange})

    def shoot_panels(self, now: Moment, origin: str, wanted: dict[str, str]) -> Moment:
        if now.hand:
            raise ImpossibleStep("hands")
        eyes, player = self.cells_at_origin(now, origin)
        away = self.fixtures[origin].kind == "floor"
        shut = self.closed_cells(self.power_states(replace(now, is_weightless=away))) | self.screens
        for panel in wanted.values():
            if panel not in self.fixtures or self.fixtures[panel].kind != "panel":
                raise ImpossibleStep("panel")
            if not any(self.is_panel_visible(eye, self.fixtures[panel], shut) for eye in eyes):
                raise ImpossibleStep("sight")
        portals = now.portals | wanted
        if len(set(portals.values())) < len(portals):
            raise ImpossibleStep("one panel")
        return replace(now, player=player, portals=portals)

    def cells_at_origin(self, now: Moment, origin: str) -> tuple[set[Cell], Cell]:
        """Return all cells that a place to act from has, and where the player then is."""
        if origin not in self.fixtures:
            raise ImpossibleStep("nowhere")
        place = self.fixtures[origin]
        if place.kind == "floor":
            eyes = self.floor_piece(place.first_cell)
            if not self.reachable_cells(now) & eyes:
                raise ImpossibleStep("walk")
            player = place.first_cell
        else:
            under = self.special.get((*now.player[:2], self.ground[now.player[:2]]))
            if under is not place:
                raise ImpossibleStep("not there")
            eyes, player = {now.player}, now.player
        return set(eyes), player

    def is_panel_visible(self, eye: Cell, panel: Fixture, shut: set[Cell]) -> bool:
        """Walk the line in small equal parts, exact in fractions of 1 over a common multiple."""
        axis = next(k for k in range(3) if WAYS[panel.facing][k])
        if (panel.first_cell[axis] - eye[axis]) * WAYS[panel.facing][axis] < 0:
            return False
        # In eighths of half cells times the spans: every crossing of a border is a whole number.
        span = [2 * (panel.first_cell[k] - eye[k]) + WAYS[panel.facing][k] for k in range(3)]
        parts = 4
        for s in span:
            parts *= abs(s) or 1
        times = {0, parts}
        for k in range(3):
            for border in range(1, abs(span[k]) + 1, 2):
                times.add(border * parts // abs(span[k]))
        order = sorted(times)
        for a, b in pairwise(order):
            # The middle of a piece between two crossings lies inside one cell.
            middle = a + b
            cell = tuple(
                (2 * parts * (2 * eye[k] + 1) + middle * span[k]) // (4 * parts) for k in range(3)
            )
            if not self.is_open_cell(cell, shut):
                return False
        return self.is_open_cell(eye, shut)

    def do_take(self, now: Moment, name: str) -> Moment:
        if now.hand or name not in now.places:
            raise ImpossibleStep("nothing")
        cell = now.places[name]
        places = {t: c for t, c in now.places.items() if t != name}
        return replace(now, player=self.hand_over_from(now, cell), places=places, hand=name)

    def hand_over_from(self, now: Moment, cell: Cell) -> Cell:
        if self.is_plain_floor(cell):
            if cell not in self.reachable_cells(now):
                raise ImpossibleStep("walk")
            return cell
        return self.only_cell(
            {c for c, h in self.iterate_sides(cell) if h <= 1} & self.reachable_cells(now)
        )

    def only_cell(self, cells: set[Cell]) -> Cell:
        if len({self.floor_piece(c) for c in cells}) != 1:
            raise ImpossibleStep("no one floor")
        return min(cells)

    def iterate_sides(self, cell: Cell) -> Iterator[tuple[Cell, int]]:
        """Yield plain cells beside a cell from which one gets to it, and how much higher."""
        for w in range(4):
            x, y, _ = shift_cell(cell, w)
            side = (x, y, self.ground.get((x, y), -9))
            height = side[2] - cell[2]
            if side[2] < 0 or not self.is_plain_floor(side) or height < -1:
                continue
            if height < 0:
                clear = self.is_free_cell(shift_cell(side, 4))
            else:
                clear = all(self.is_free_cell(shift_cell(cell, 4, k)) for k in range(height + 1))
            if clear:
                yield side, height

    def find_approach(self, now: Moment, name: str, kinds: tuple[str, ...]) -> tuple[Cell, Cell]:
        """Return from where something is entered, and the cell one steps into."""
        fixture = self.fixtures.get(name)
        if fixture is None or fixture.kind not in kinds:
            raise ImpossibleStep("target")
        reach, on = self.reachable_cells(now), self.power_states(now)
        shut = self.closed_cells(on)
        if fixture.kind == "beam":
            if fixture.numbers[0] == 0 and not on[name]:
                raise ImpossibleStep("off")
            cells = self.trace_ray(fixture, now, on)[0]
            if not cells:
                raise ImpossibleStep("off")
            near = {c for c in cells if self.is_plain_floor(c)}
            near |= {s for c in cells for s, h in self.iterate_sides(c) if h <= 1}
            return self.only_cell(near & reach), cells[0]
        cell = fixture.first_cell
        while cell in shut:
            cell = shift_cell(cell, 4)
        if self.is_plain_floor(cell):
            if cell not in reach:
                raise ImpossibleStep("walk")
            return cell, cell
        ways = [
            (h, s)
            for s, h in self.iterate_sides(cell)
            if s in reach
            and all(self.is_open_cell(shift_cell(cell, 4, k), shut) for k in range(max(h, 0) + 1))
        ]
        if not ways:
            raise ImpossibleStep("no way")
        best = (max if fixture.kind in ("panel", "spring") else min)(abs(h) for h, _ in ways)
        side = self.only_cell({s for h, s in ways if abs(h) == best})
        rise = max(
            0,
            max(
                h
                for h, s in ways
                if abs(h) == best and self.floor_piece(s) == self.floor_piece(side)
            ),
        )
        return side, shift_cell(cell, 4, rise)

    def do_put(self, now: Moment, name: str, facing: str = "") -> Moment:
        if not now.hand or (self.fixtures[now.hand].kind == "mirror") != (facing in NAMES):
            raise ImpossibleStep("hand")
        targets = ("button", "lift", "spot", "plate", "beam", "panel", "turret")
        side, entry = self.find_approach(now, name, targets)
        turned = now.facing | ({now.hand: NAMES.index(facing)} if facing else {})
        places = dict(now.places)
        try:
            to = self.find_rest(now, entry, alone=True)
        except SwallowedThing:
            pass
        else:
            if to in places.values():
                raise ImpossibleStep("occupied")
            places[now.hand] = to
        return replace(now, player=side, places=places, hand="", facing=turned)

    def do_press(self, now: Moment, name: str) -> Moment:
        fixture = self.fixtures.get(name)
        if (
            fixture is None
            or fixture.kind != "switch"
            or fixture.first_cell not in self.reachable_cells(now)
        ):
            raise ImpossibleStep("switch")
        timers = now.timers | {name: fixture.numbers[0] or math.inf}
        return replace(now, player=fixture.first_cell, timers=timers)

    def do_stand(self, now: Moment, name: str) -> Moment:
        side, entry = self.find_approach(now, name, ("button", "lift"))
        self.step_floor = self.floor_piece(side)
        return self.land_player(now, self.find_rest(now, entry, alone=False))

    def do_enter(self, now: Moment, name: str) -> Moment:
        fixture = self.fixtures.get(name)
        if fixture is not None and fixture.kind == "panel":
            face = (fixture.first_cell, fixture.facing)
            links = self.portal_links(now)
            if face not in links:
                raise ImpossibleStep("portal")
            if fixture.facing != 5:
                if fixture.facing == 4 or not self.is_plain_floor(fixture.first_cell):
                    raise ImpossibleStep("no way in")
                if fixture.first_cell not in self.reachable_cells(now):
                    raise ImpossibleStep("walk")
                self.step_floor = self.floor_piece(fixture.first_cell)
                world = self.flight_settings(now, False)
                return self.land_player(
                    now, self.leave_portal(now, links[face], 0, 0, False, world)
                )
        kinds = ("panel", "plate", "beam", "spring", "runway")
        side, entry = self.find_approach(now, name, kinds)
        self.step_floor = self.floor_piece(side)
        return self.land_player(now, self.find_rest(now, entry, alone=False))

    def do_drop(self, now: Moment, name: str) -> Moment:
        fixture = self.fixtures.get(name)
        if fixture is None or fixture.kind != "floor":
            raise ImpossibleStep("floor")
        goal, reach = self.floor_piece(fixture.first_cell), self.reachable_cells(now)
        edges = {
            (*low[:2], high[2])
            for low in goal
            for high, rise in self.iterate_sides(low)
            if rise >= 2 and high in reach
        }
        if not self.is_plain_floor(now.player):
            for w in range(4):
                x, y, _ = shift_cell(now.player, w)
                low = (x, y, self.ground.get((x, y), -9))
                if low in goal and low[2] - now.player[2] <= -2:
                    edges.add((x, y, now.player[2]))
        for entry in edges:
            try:
                to = self.find_rest(now, entry, alone=False)
            except ImpossibleStep:
                continue
            if to in goal:
                return replace(now, player=to)
        raise ImpossibleStep("no drop")

    def land_player(self, now: Moment, cell: Cell) -> Moment:
        if (*cell[:2], self.ground[cell[:2]]) in self.joints:
            raise ImpossibleStep("doorway")
        return replace(now, player=cell)

    # --- coming to rest ---------------------------------------------------------------------------

    def settle_things(self, now: Moment) -> Moment:
        for _ in range(70):
            then = self.pull_one(now)
            then = self.drop_dispensed(then, self.power_states(now))
            if then == now:
                return now
            now = then
        raise ImpossibleStep("restless")

    def pull_one(self, now: Moment) -> Moment:
        """Move one thing that nothing holds; the player first."""
        on = self.power_states(now)
        shut, decks, beams = (
            self.closed_cells(on),
            self.bridge_cells(now, on),
            self.beam_ends(now, on),
        )

        def is_supported(cell: Cell) -> bool:
            if cell in beams:
                return beams[cell] == cell
            return cell not in shut and (
                cell in decks or not self.is_open_cell(shift_cell(cell, 5), shut)
            )

        def carry_up(cell: Cell) -> Cell:
            while cell in shut:
                cell = shift_cell(cell, 4)
            return cell

        if not self.is_plain_floor(now.player) and not is_supported(now.player):
            return self.land_player(now, self.find_rest(now, carry_up(now.player), alone=False))
        for name in sorted(now.places):
            cell = now.places[name]
            if not is_supported(cell):
                places = dict(now.places)
                try:
                    to = self.find_rest(now, carry_up(cell), alone=True)
                except SwallowedThing:
                    del places[name]
                else:
                    if to in places.values():
                        raise ImpossibleStep("on another")
                    places[name] = to
                return replace(now, places=places)
        return now

    def drop_dispensed(self, now: Moment, on: dict[str, bool]) -> Moment:
        """Drop the things of dispensers that have just gone on."""
        given = frozenset(f.name for f in self.chamber.fixtures_of("dispenser") if on[f.name])
        for name in sorted(given - now.dispensed_things):
            things = [f.name for f in self.chamber.fixtures if name in f.inputs]
            things = [t for t in things if self.fixtures[t].kind in THINGS]
            places = {t: c for t, c in now.places.items() if t not in things}
            hand = "" if now.hand in things else now.hand
            for thing in things:
                hatch = self.fixtures[name].first_cell
                while hatch in self.closed_cells(on):
                    hatch = shift_cell(hatch, 4)
                try:
                    to = self.find_rest(now, hatch, alone=True)
                except SwallowedThing:
                    continue
                if to in places.values():
                    raise ImpossibleStep("below")
                places[thing] = to
            now = replace(now, places=places, hand=hand)
        return replace(now, dispensed_things=given)
