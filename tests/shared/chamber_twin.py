"""A second simulator of chambers, written for the tests alone: slow, cell by cell, no tables.

It shares with the engine the records (chambers, steps) and nothing else. The player has an exact
cell, a walk is a flood of single strides, and every kind of device is an `if` in the code. Here is
what a step does and how all comes to rest; chamber_still says what holds at one moment.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from chamber_still import NAMES, THINGS, WAYS, Cell, Gone, Moment, No, Still, plus

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.steps import Step

__all__ = ["Moment", "No", "Twin"]


class Twin(Still):
    """The rules of one chamber."""

    def begin(self) -> Moment:
        """Return the first moment."""
        things = [f for f in self.chamber.fixtures if f.kind in THINGS]
        return self.rest(
            Moment(
                self.chamber.of("start")[0].cell,
                {f.name: f.cell for f in things if f.cells},
                "",
                {f.name: f.facing for f in things},
                {},
                {f.name: 0 for f in self.chamber.of("switch")},
                frozenset(),
            )
        )

    # --- steps ------------------------------------------------------------------------------------

    def after(self, now: Moment, step: Step) -> Moment:
        """Return the moment after a step."""
        verb, args = step
        if verb == "leave":
            if self.chamber.of("exit")[0].cell not in self.reach(now):
                raise No("exit")
            return now
        self.began = None
        pressed = args[0] if verb == "press" else ""
        off = verb not in ("shoot", "both", "wait")
        then = getattr(self, f"do_{verb}")(replace(now, off=off), *args)
        self.began = None
        then = self.rest(replace(then, off=False))
        timers = {
            name: left if name == pressed else max(0, left - 1)
            for name, left in then.timers.items()
        }
        then = self.rest(replace(then, timers=timers)) if timers != then.timers else then
        # Whoever stands on something can step off it again: the devices settle then as well.
        self.powered(replace(then, off=True))
        return then

    def do_wait(self, now: Moment, origin: str) -> Moment:
        return replace(now, player=self.at_origin(now, origin)[1])

    def do_shoot(self, now: Moment, origin: str, colour: str, panel: str) -> Moment:
        return self.shots(now, origin, {colour: panel})

    def do_both(self, now: Moment, origin: str, blue: str, orange: str) -> Moment:
        if blue == orange:
            raise No("one panel")
        return self.shots(now, origin, {"blue": blue, "orange": orange})

    def shots(self, now: Moment, origin: str, wanted: dict[str, str]) -> Moment:
        if now.hand:
            raise No("hands")
        eyes, player = self.at_origin(now, origin)
        away = self.fixtures[origin].kind == "floor"
        shut = self.closed(self.powered(replace(now, off=away))) | self.screens
        for panel in wanted.values():
            if panel not in self.fixtures or self.fixtures[panel].kind != "panel":
                raise No("panel")
            if not any(self.visible(eye, self.fixtures[panel], shut) for eye in eyes):
                raise No("sight")
        portals = now.portals | wanted
        if len(set(portals.values())) < len(portals):
            raise No("one panel")
        return replace(now, player=player, portals=portals)

    def at_origin(self, now: Moment, origin: str) -> tuple[set[Cell], Cell]:
        """Return all cells that a place to act from has, and where the player then is."""
        if origin not in self.fixtures:
            raise No("nowhere")
        place = self.fixtures[origin]
        if place.kind == "floor":
            eyes = self.piece(place.cell)
            if not self.reach(now) & eyes:
                raise No("walk")
            player = place.cell
        else:
            under = self.special.get((*now.player[:2], self.ground[now.player[:2]]))
            if under is not place:
                raise No("not there")
            eyes, player = {now.player}, now.player
        return set(eyes), player

    def visible(self, eye: Cell, panel: Fixture, shut: set[Cell]) -> bool:
        """Walk the line in small equal parts, exact in fractions of 1 over a common multiple."""
        axis = next(k for k in range(3) if WAYS[panel.facing][k])
        if (panel.cell[axis] - eye[axis]) * WAYS[panel.facing][axis] < 0:
            return False
        # In eighths of half cells times the spans: every crossing of a border is a whole number.
        span = [2 * (panel.cell[k] - eye[k]) + WAYS[panel.facing][k] for k in range(3)]
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
            if not self.open(cell, shut):
                return False
        return self.open(eye, shut)

    def do_take(self, now: Moment, name: str) -> Moment:
        if now.hand or name not in now.places:
            raise No("nothing")
        cell = now.places[name]
        places = {t: c for t, c in now.places.items() if t != name}
        return replace(now, player=self.hand_from(now, cell), places=places, hand=name)

    def hand_from(self, now: Moment, cell: Cell) -> Cell:
        if self.plain(cell):
            if cell not in self.reach(now):
                raise No("walk")
            return cell
        return self.only({c for c, h in self.sides(cell) if h <= 1} & self.reach(now))

    def only(self, cells: set[Cell]) -> Cell:
        if len({self.piece(c) for c in cells}) != 1:
            raise No("no one floor")
        return min(cells)

    def sides(self, cell: Cell) -> Iterator[tuple[Cell, int]]:
        """Yield plain cells beside a cell from which one gets to it, and how much higher."""
        for w in range(4):
            x, y, _ = plus(cell, w)
            side = (x, y, self.ground.get((x, y), -9))
            height = side[2] - cell[2]
            if side[2] < 0 or not self.plain(side) or height < -1:
                continue
            if height < 0:
                clear = self.free(plus(side, 4))
            else:
                clear = all(self.free(plus(cell, 4, k)) for k in range(height + 1))
            if clear:
                yield side, height

    def approach(self, now: Moment, name: str, kinds: tuple[str, ...]) -> tuple[Cell, Cell]:
        """Return from where something is entered, and the cell one steps into."""
        fixture = self.fixtures.get(name)
        if fixture is None or fixture.kind not in kinds:
            raise No("target")
        reach, on = self.reach(now), self.powered(now)
        shut = self.closed(on)
        if fixture.kind == "beam":
            if fixture.numbers[0] == 0 and not on[name]:
                raise No("off")
            cells = self.line(fixture, now, on)[0]
            if not cells:
                raise No("off")
            near = {c for c in cells if self.plain(c)}
            near |= {s for c in cells for s, h in self.sides(c) if h <= 1}
            return self.only(near & reach), cells[0]
        cell = fixture.cell
        while cell in shut:
            cell = plus(cell, 4)
        if self.plain(cell):
            if cell not in reach:
                raise No("walk")
            return cell, cell
        ways = [
            (h, s)
            for s, h in self.sides(cell)
            if s in reach and all(self.open(plus(cell, 4, k), shut) for k in range(max(h, 0) + 1))
        ]
        if not ways:
            raise No("no way")
        best = (max if fixture.kind in ("panel", "spring") else min)(abs(h) for h, _ in ways)
        side = self.only({s for h, s in ways if abs(h) == best})
        rise = max(
            0, max(h for h, s in ways if abs(h) == best and self.piece(s) == self.piece(side))
        )
        return side, plus(cell, 4, rise)

    def do_put(self, now: Moment, name: str, facing: str = "") -> Moment:
        if not now.hand or (self.fixtures[now.hand].kind == "mirror") != (facing in NAMES):
            raise No("hand")
        targets = ("button", "lift", "spot", "plate", "beam", "panel", "turret")
        side, entry = self.approach(now, name, targets)
        turned = now.facing | ({now.hand: NAMES.index(facing)} if facing else {})
        places = dict(now.places)
        try:
            to = self.fly(now, entry, alone=True)
        except Gone:
            pass
        else:
            if to in places.values():
                raise No("occupied")
            places[now.hand] = to
        return replace(now, player=side, places=places, hand="", facing=turned)

    def do_press(self, now: Moment, name: str) -> Moment:
        fixture = self.fixtures.get(name)
        if fixture is None or fixture.kind != "switch" or fixture.cell not in self.reach(now):
            raise No("switch")
        timers = now.timers | {name: fixture.numbers[0] or math.inf}
        return replace(now, player=fixture.cell, timers=timers)

    def do_stand(self, now: Moment, name: str) -> Moment:
        side, entry = self.approach(now, name, ("button", "lift"))
        self.began = self.piece(side)
        return self.landed(now, self.fly(now, entry, alone=False))

    def do_enter(self, now: Moment, name: str) -> Moment:
        fixture = self.fixtures.get(name)
        if fixture is not None and fixture.kind == "panel":
            face = (fixture.cell, fixture.facing)
            links = self.links(now)
            if face not in links:
                raise No("portal")
            if fixture.facing != 5:
                if fixture.facing == 4 or not self.plain(fixture.cell):
                    raise No("no way in")
                if fixture.cell not in self.reach(now):
                    raise No("walk")
                self.began = self.piece(fixture.cell)
                world = self.settings(now, False)
                return self.landed(now, self.out(now, links[face], 0, 0, False, world))
        kinds = ("panel", "plate", "beam", "spring", "runway")
        side, entry = self.approach(now, name, kinds)
        self.began = self.piece(side)
        return self.landed(now, self.fly(now, entry, alone=False))

    def do_drop(self, now: Moment, name: str) -> Moment:
        fixture = self.fixtures.get(name)
        if fixture is None or fixture.kind != "floor":
            raise No("floor")
        goal, reach = self.piece(fixture.cell), self.reach(now)
        edges = {
            (*low[:2], high[2])
            for low in goal
            for high, rise in self.sides(low)
            if rise >= 2 and high in reach
        }
        if not self.plain(now.player):
            for w in range(4):
                x, y, _ = plus(now.player, w)
                low = (x, y, self.ground.get((x, y), -9))
                if low in goal and low[2] - now.player[2] <= -2:
                    edges.add((x, y, now.player[2]))
        for entry in edges:
            try:
                to = self.fly(now, entry, alone=False)
            except No:
                continue
            if to in goal:
                return replace(now, player=to)
        raise No("no drop")

    def landed(self, now: Moment, cell: Cell) -> Moment:
        if (*cell[:2], self.ground[cell[:2]]) in self.joints:
            raise No("doorway")
        return replace(now, player=cell)

    # --- coming to rest ---------------------------------------------------------------------------

    def rest(self, now: Moment) -> Moment:
        for _ in range(70):
            then = self.pull(now)
            then = self.give(then, self.powered(now))
            if then == now:
                return now
            now = then
        raise No("restless")

    def pull(self, now: Moment) -> Moment:
        """Move one thing that nothing holds; the player first."""
        on = self.powered(now)
        shut, decks, beams = self.closed(on), self.decks(now, on), self.beams(now, on)

        def held(cell: Cell) -> bool:
            if cell in beams:
                return beams[cell] == cell
            return cell not in shut and (cell in decks or not self.open(plus(cell, 5), shut))

        def up(cell: Cell) -> Cell:
            while cell in shut:
                cell = plus(cell, 4)
            return cell

        if not self.plain(now.player) and not held(now.player):
            return self.landed(now, self.fly(now, up(now.player), alone=False))
        for name in sorted(now.places):
            cell = now.places[name]
            if not held(cell):
                places = dict(now.places)
                try:
                    to = self.fly(now, up(cell), alone=True)
                except Gone:
                    del places[name]
                else:
                    if to in places.values():
                        raise No("on another")
                    places[name] = to
                return replace(now, places=places)
        return now

    def give(self, now: Moment, on: dict[str, bool]) -> Moment:
        """Drop the things of dispensers that have just gone on."""
        given = frozenset(f.name for f in self.chamber.of("dispenser") if on[f.name])
        for name in sorted(given - now.given):
            things = [f.name for f in self.chamber.fixtures if name in f.inputs]
            things = [t for t in things if self.fixtures[t].kind in THINGS]
            places = {t: c for t, c in now.places.items() if t not in things}
            hand = "" if now.hand in things else now.hand
            for thing in things:
                hatch = self.fixtures[name].cell
                while hatch in self.closed(on):
                    hatch = plus(hatch, 4)
                try:
                    to = self.fly(now, hatch, alone=True)
                except Gone:
                    continue
                if to in places.values():
                    raise No("below")
                places[thing] = to
            now = replace(now, places=places, hand=hand)
        return replace(now, given=given)
