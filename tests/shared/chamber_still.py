"""What holds in a chamber at one moment, where one can walk, and where a flight ends.

The half of the second simulator (see chamber_twin) that changes nothing.
"""

from dataclasses import dataclass, replace

from facelet.generators.chamber.world.chamber_records import Chamber, Fixture

Cell = tuple[int, int, int]
WAYS: tuple[Cell, ...] = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
NAMES = ("east", "north", "west", "south")
BACK = (2, 3, 0, 1, 5, 4)
SPECIAL = ("button", "lift", "liquid", "plate", "runway", "spring")
THINGS = ("cube", "mirror")


class ImpossibleStep(Exception):  # noqa: N818
    """A step that cannot be done."""


class SwallowedThing(ImpossibleStep):
    """What flies is swallowed."""


@dataclass(frozen=True)
class Moment:
    """All that changes: `hand` is the thing carried; a thing that is not there has no place."""

    player: Cell
    places: dict[str, Cell]
    hand: str
    facing: dict[str, int]
    portals: dict[str, str]
    timers: dict[str, int]
    dispensed_things: frozenset[str]
    is_weightless: bool = False
    """Whether the player is on its way and weighs on nothing."""


def shift_cell(cell: Cell, way: int, times: int = 1) -> Cell:
    dx, dy, dz = WAYS[way]
    return cell[0] + dx * times, cell[1] + dy * times, cell[2] + dz * times


class ChamberStatics:
    """One chamber at any moment."""

    def __init__(self, chamber: Chamber) -> None:
        self.chamber = chamber
        self.fixtures = {f.name: f for f in chamber.fixtures}
        wide, deep, _ = chamber.size
        self.ground: dict[tuple[int, int], int] = {}
        for y in range(deep):
            for x in range(wide):
                if chamber.floors[x + wide * y] < chamber.ceilings[x + wide * y]:
                    self.ground[x, y] = chamber.floors[x + wide * y]
        self.special = {
            c: f
            for f in chamber.fixtures
            if f.kind in SPECIAL or (f.kind == "panel" and f.facing == 5)
            for c in f.cells
        }
        self.joints = {
            c: f
            for f in chamber.fixtures
            if f.kind in ("door", "shield", "stairs", "piston", "turret")
            for c in f.cells
            if self.ground[c[:2]] == c[2]
        }
        self.step_floor: frozenset[Cell] | None = None
        """The floor that the step began on, while the player jumps or steps off it."""
        self.screens = {c for f in chamber.fixtures if f.kind == "shield" for c in f.cells}

    # --- what holds -------------------------------------------------------------------------------

    def is_free_cell(self, cell: Cell) -> bool:
        x, y, z = cell
        wide, deep, _ = self.chamber.size
        if not (0 <= x < wide and 0 <= y < deep):
            return False
        column = x + wide * y
        return self.chamber.floors[column] <= z < self.chamber.ceilings[column]

    def is_plain_floor(self, cell: Cell) -> bool:
        """Whether a cell is plain floor."""
        return (
            self.ground.get(cell[:2]) == cell[2]
            and cell not in self.special
            and cell not in self.joints
        )

    def portal_links(self, now: Moment) -> dict[tuple[Cell, int], tuple[Cell, int]]:
        if len(now.portals) < 2:
            return {}
        one, two = (self.fixtures[now.portals[c]] for c in ("blue", "orange"))
        a, b = (one.first_cell, one.facing), (two.first_cell, two.facing)
        return {a: b, b: a}

    def power_states(self, now: Moment) -> dict[str, bool]:
        """Return which fixtures are on: rounds from all off until nothing changes."""
        on = dict.fromkeys(self.fixtures, False)
        for _ in range(70):
            lit = set()
            for f in self.chamber.fixtures_of("laser"):
                if on[f.name]:
                    end = self.trace_ray(f, now, on)[1]
                    lit.add(end)
            new = {}
            heavy = {*now.places.values(), *(() if now.is_weightless else (now.player,))}
            for f in self.chamber.fixtures:
                if f.kind == "button":
                    new[f.name] = f.first_cell in heavy
                elif f.kind == "switch":
                    new[f.name] = now.timers[f.name] > 0
                elif f.kind == "receiver":
                    new[f.name] = (f.first_cell, f.facing) in lit
                elif not f.inputs:
                    new[f.name] = True
            for f in self.chamber.fixtures:
                if f.inputs:
                    new[f.name] = all(new.get(i, False) for i in f.inputs)
            if new == on:
                return on
            on = new
        raise ImpossibleStep("restless")

    def closed_cells(self, on: dict[str, bool]) -> set[Cell]:
        shut: set[Cell] = set()
        for f in self.chamber.fixtures:
            if f.kind in ("door", "cover") and not on[f.name]:
                shut |= set(f.cells)
            elif f.kind == "lift" and not on[f.name]:
                shut |= {shift_cell(f.first_cell, 4, k) for k in range(f.numbers[0])}
            elif f.kind == "piston" and on[f.name]:
                for c in f.cells:
                    shut |= {shift_cell(c, 4, k) for k in range(f.numbers[0])}
            elif f.kind == "stairs" and on[f.name]:
                for n, c in enumerate(f.cells):
                    shut |= {shift_cell(c, 4, k) for k in range(n + 1)}
        return shut

    def trace_ray(
        self, f: Fixture, now: Moment, on: dict[str, bool]
    ) -> tuple[list[Cell], tuple[Cell, int] | None]:
        """Return the cells of a ray, and the face in which it ends."""
        shut, links = self.closed_cells(on), self.portal_links(now)
        cell, way, cells, seen = f.first_cell, f.facing, [], set()
        if cell in shut:
            return [], None
        while (cell, way) not in seen:
            seen.add((cell, way))
            cells.append(cell)
            if f.kind == "laser":
                here = [t for t, c in now.places.items() if c == cell]
                if here:
                    if self.fixtures[here[0]].kind == "cube":
                        return cells, None
                    way = now.facing[here[0]]
            ahead = shift_cell(cell, way)
            if self.is_free_cell(ahead):
                if ahead in shut:
                    return cells, (cell, way)
                cell = ahead
            elif (cell, way) in links:
                cell, out = links[cell, way]
                way = BACK[out]
                if cell in shut:
                    return cells, (cell, way)
            else:
                return cells, (cell, way)
        return cells, None

    def watched_cells(self, now: Moment, on: dict[str, bool]) -> set[Cell]:
        """Return the squares that turrets watch."""
        shut, found = self.closed_cells(on), set()
        for f in self.chamber.fixtures_of("turret"):
            if f.inputs and on[f.name]:
                continue
            for c in f.cells:
                if c in shut or c in now.places.values():
                    break
                found.add(c)
        return found

    def beam_ends(self, now: Moment, on: dict[str, bool]) -> dict[Cell, Cell]:
        """Return where each cell of a beam leads; where two cross it holds."""
        found: dict[Cell, Cell] = {}
        for f in self.chamber.fixtures_of("beam"):
            back = f.numbers[0] == 1 and on[f.name]
            if f.numbers[0] == 1 or on[f.name]:
                cells = self.trace_ray(f, now, on)[0]
                if cells:
                    end = cells[0] if back else cells[-1]
                    found |= {c: end if found.get(c, end) == end else c for c in cells}
        return found

    def bridge_cells(self, now: Moment, on: dict[str, bool]) -> set[Cell]:
        return {
            c
            for f in self.chamber.fixtures_of("bridge")
            if on[f.name]
            for c in self.trace_ray(f, now, on)[0]
        }

    # --- walking ----------------------------------------------------------------------------------

    def reachable_cells(self, now: Moment) -> set[Cell]:
        """Return all cells that the player can walk to: a flood."""
        now = replace(now, is_weightless=True)
        on = self.power_states(now)
        shut, decks, links = (
            self.closed_cells(on),
            self.bridge_cells(now, on),
            self.portal_links(now),
        )
        over = {c for c in decks if not self.is_plain_floor(c) and c not in self.special}
        for c in self.joints:
            while c in shut:
                c = shift_cell(c, 4)
            if self.is_free_cell(c) and (
                c in decks or not self.is_open_cell(shift_cell(c, 5), shut)
            ):
                over.add(c)
        if now.hand:
            over -= self.screens
        over -= self.watched_cells(now, on)

        def can_stride(a: Cell, b: Cell) -> bool:
            """Whether one can step between neighbouring columns."""
            if abs(a[2] - b[2]) > 1:
                return False
            if a[2] == b[2]:
                return True
            low = shift_cell(min(a, b, key=lambda c: c[2]), 4)
            if self.is_plain_floor(a) and self.is_plain_floor(b):
                return self.is_free_cell(low)
            if self.is_plain_floor(a) or self.is_plain_floor(b):
                return self.is_free_cell(low)
            return self.is_free_cell(low) and low not in shut

        walkable = over | {
            (x, y, z) for (x, y), z in self.ground.items() if self.is_plain_floor((x, y, z))
        }
        found = [now.player]
        for cell in found:
            around = [
                (cell[0] + dx, cell[1] + dy, cell[2] + dz)
                for dx, dy, _ in WAYS[:4]
                for dz in (-1, 0, 1)
            ]
            if cell in walkable:
                for way in range(4):
                    if (cell, way) in links:
                        to, facing = links[cell, way]
                        if facing < 4:
                            around.append(to)
            for other in around:
                if other not in walkable or other in found:
                    continue
                beside = abs(other[0] - cell[0]) + abs(other[1] - cell[1]) == 1
                linked = any(links.get((cell, w), (None,))[0] == other for w in range(4))
                if (beside and can_stride(cell, other)) or (linked and cell in walkable):
                    found.append(other)
        return set(found)

    def is_open_cell(self, cell: Cell, shut: set[Cell]) -> bool:
        return self.is_free_cell(cell) and cell not in shut

    # --- flying -----------------------------------------------------------------------------------

    def find_rest(self, now: Moment, at: Cell, *, alone: bool) -> Cell:
        """Return where something that is let go at a cell comes to rest."""
        return self.fall_down(now, at, 0, 0, alone, self.flight_settings(now, alone))

    def flight_settings(self, now: Moment, alone: bool) -> tuple[object, ...]:
        on = self.power_states(now)
        bar = self.closed_cells(on) | (self.screens if alone or now.hand else set())
        return bar, self.bridge_cells(now, on), self.beam_ends(now, on), self.portal_links(now)

    def fall_down(self, now, at, speed, hops, alone, world) -> Cell:
        """Fall straight down from a cell at a speed."""
        bar, decks, beams, _ = world
        if not self.is_open_cell(at, bar):
            raise ImpossibleStep("shut")
        while at not in beams:
            if at in decks or not self.is_open_cell(shift_cell(at, 5), bar):
                return self.land_on(now, at, speed, hops, alone, world)
            at, speed = shift_cell(at, 5), speed + 1
        return beams[at]

    def land_on(self, now, at, speed, hops, alone, world) -> Cell:
        """Come down on a cell."""
        _, decks, _, links = world
        fixture = self.special.get(at)
        if at in decks or (fixture is None and (at, 5) not in links):
            return at
        if hops == 12:
            raise ImpossibleStep("for ever")
        hops += 1
        if (at, 5) in links:
            return self.leave_portal(now, links[at, 5], speed, hops, alone, world)
        if fixture.kind == "liquid":
            raise SwallowedThing("liquid")
        if fixture.kind == "spring":
            return self.rise_up(now, at, speed, alone, world, self.step_floor)
        if fixture.kind == "runway":
            left = fixture.cells[fixture.cells.index(at) :]
            for cell in left:
                if cell in world[2]:
                    return world[2][cell]
                if cell != at and not self.is_open_cell(cell, world[0]):
                    raise ImpossibleStep("stopped")
            arc = [-(d * d // (8 * len(left))) for d in range(200)]
            return self.fly_curve(now, left[-1], fixture.facing, arc, hops, alone, world)
        if fixture.kind != "plate":
            return at
        distance, rise = fixture.numbers
        arc = [4 * rise * d * (distance - d) // distance**2 for d in range(200)]
        return self.fly_curve(now, at, fixture.facing, arc, hops, alone, world)

    def fly_curve(self, now, at, way, arc, hops, alone, world) -> Cell:
        """Follow heights above where it began, one for each column; up, then across, then down."""
        bar, decks, beams, _ = world
        base = best = at[2]
        for height in arc[1:]:
            while at not in beams and at[2] < base + height:
                if not self.is_open_cell(shift_cell(at, 4), bar):
                    return self.fall_down(now, at, 0, hops, alone, world)
                at = shift_cell(at, 4)
                best = max(best, at[2])
            if at in beams:
                return beams[at]
            if not self.is_open_cell(shift_cell(at, way), bar):
                return self.fall_down(now, at, best - at[2], hops, alone, world)
            at = shift_cell(at, way)
            while at not in beams and at[2] > base + height:
                if at in decks or not self.is_open_cell(shift_cell(at, 5), bar):
                    return self.land_on(now, at, best - at[2], hops, alone, world)
                at = shift_cell(at, 5)
            if at in beams:
                return beams[at]
        raise AssertionError("no wall in sight")

    def leave_portal(self, now, face, speed, hops, alone, world) -> Cell:
        """Leave a portal."""
        at, facing = face
        bar = world[0]
        if not self.is_open_cell(at, bar):
            raise ImpossibleStep("shut")
        if facing == 4:
            return self.fall_down(now, at, speed, hops, alone, world)
        if facing < 4:
            if speed == 0:
                return self.fall_down(now, at, 0, hops, alone, world)
            arc = [-(d * d // (4 * speed)) for d in range(200)]
            return self.fly_curve(now, at, BACK[facing], arc, hops, alone, world)
        return self.rise_up(now, at, speed, alone, world, None)

    def rise_up(self, now, at, speed, alone, world, not_onto) -> Cell:
        """Come up through a portal or from a spring, and step aside."""
        bar, decks, beams, _ = world
        if alone:
            raise ImpossibleStep("falls back")
        risen = 0
        while at not in beams and risen < speed and self.is_open_cell(shift_cell(at, 4), bar):
            at, risen = shift_cell(at, 4), risen + 1
        if at in beams:
            return beams[at]
        for height in range(risen, -2, -1):
            level = shift_cell(at, 5, risen - height)
            sides = [shift_cell(level, w) for w in range(4)]
            good = [
                c
                for c in sides
                if (self.is_plain_floor(c) or c in decks) and self.is_open_cell(c, bar)
            ]
            if not_onto is not None:
                good = [c for c in good if self.floor_piece(c) != not_onto]
            if height < 0:
                good = [c for c in good if self.is_open_cell(shift_cell(c, 4), bar)]
            if good:
                floors = {self.floor_piece(c) for c in good}
                if len(good) > 1 and (len(floors) > 1 or None in floors):
                    raise ImpossibleStep("which floor")
                return min(good, key=lambda c: (c[2], c[1], c[0]))
        raise ImpossibleStep("falls back")

    def floor_piece(self, cell: Cell) -> frozenset[Cell] | None:
        """Return the plain floor around a cell that needs no device."""
        if not self.is_plain_floor(cell):
            return None
        found = [cell]
        for at in found:
            for w in range(4):
                x, y, _ = shift_cell(at, w)
                to = (x, y, self.ground.get((x, y), -9))
                if self.is_plain_floor(to) and abs(to[2] - at[2]) <= 1 and to not in found:
                    if to[2] == at[2] or self.is_free_cell(
                        shift_cell(min(at, to, key=lambda c: c[2]), 4)
                    ):
                        found.append(to)
        return frozenset(found)
