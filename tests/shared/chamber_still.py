"""What holds in a chamber at one moment, where one can walk, and where a flight ends.

The half of the second simulator (see chamber_twin) that changes nothing.
"""

from dataclasses import dataclass, replace

from facelet.generators.chamber.world.chambers import Chamber, Fixture

Cell = tuple[int, int, int]
WAYS: tuple[Cell, ...] = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
NAMES = ("east", "north", "west", "south")
BACK = (2, 3, 0, 1, 5, 4)
SPECIAL = ("button", "lift", "liquid", "plate", "runway", "spring")
THINGS = ("cube", "mirror")


class No(Exception):  # noqa: N818
    """A step that cannot be done."""


class Gone(No):
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
    given: frozenset[str]
    off: bool = False
    """Whether the player is on its way and weighs on nothing."""


def plus(cell: Cell, way: int, times: int = 1) -> Cell:
    dx, dy, dz = WAYS[way]
    return cell[0] + dx * times, cell[1] + dy * times, cell[2] + dz * times


class Still:
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
        self.began: frozenset[Cell] | None = None
        """The floor that the step began on, while the player jumps or steps off it."""
        self.screens = {c for f in chamber.fixtures if f.kind == "shield" for c in f.cells}

    # --- what holds -------------------------------------------------------------------------------

    def free(self, cell: Cell) -> bool:
        return self.chamber.free(cell)

    def plain(self, cell: Cell) -> bool:
        """Whether a cell is plain floor."""
        return (
            self.ground.get(cell[:2]) == cell[2]
            and cell not in self.special
            and cell not in self.joints
        )

    def links(self, now: Moment) -> dict[tuple[Cell, int], tuple[Cell, int]]:
        if len(now.portals) < 2:
            return {}
        one, two = (self.fixtures[now.portals[c]] for c in ("blue", "orange"))
        a, b = (one.cell, one.facing), (two.cell, two.facing)
        return {a: b, b: a}

    def powered(self, now: Moment) -> dict[str, bool]:
        """Return which fixtures are on: rounds from all off until nothing changes."""
        on = dict.fromkeys(self.fixtures, False)
        for _ in range(70):
            lit = set()
            for f in self.chamber.of("laser"):
                if on[f.name]:
                    end = self.line(f, now, on)[1]
                    lit.add(end)
            new = {}
            heavy = {*now.places.values(), *(() if now.off else (now.player,))}
            for f in self.chamber.fixtures:
                if f.kind == "button":
                    new[f.name] = f.cell in heavy
                elif f.kind == "switch":
                    new[f.name] = now.timers[f.name] > 0
                elif f.kind == "receiver":
                    new[f.name] = (f.cell, f.facing) in lit
                elif not f.inputs:
                    new[f.name] = True
            for f in self.chamber.fixtures:
                if f.inputs:
                    new[f.name] = all(new.get(i, False) for i in f.inputs)
            if new == on:
                return on
            on = new
        raise No("restless")

    def closed(self, on: dict[str, bool]) -> set[Cell]:
        shut: set[Cell] = set()
        for f in self.chamber.fixtures:
            if f.kind in ("door", "cover") and not on[f.name]:
                shut |= set(f.cells)
            elif f.kind == "lift" and not on[f.name]:
                shut |= {plus(f.cell, 4, k) for k in range(f.numbers[0])}
            elif f.kind == "piston" and on[f.name]:
                for c in f.cells:
                    shut |= {plus(c, 4, k) for k in range(f.numbers[0])}
            elif f.kind == "stairs" and on[f.name]:
                for n, c in enumerate(f.cells):
                    shut |= {plus(c, 4, k) for k in range(n + 1)}
        return shut

    def line(
        self, f: Fixture, now: Moment, on: dict[str, bool]
    ) -> tuple[list[Cell], tuple[Cell, int] | None]:
        """Return the cells of a ray, and the face in which it ends."""
        shut, links = self.closed(on), self.links(now)
        cell, way, cells, seen = f.cell, f.facing, [], set()
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
            ahead = plus(cell, way)
            if self.free(ahead):
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

    def watched(self, now: Moment, on: dict[str, bool]) -> set[Cell]:
        """Return the squares that turrets watch."""
        shut, found = self.closed(on), set()
        for f in self.chamber.of("turret"):
            if f.inputs and on[f.name]:
                continue
            for c in f.cells:
                if c in shut or c in now.places.values():
                    break
                found.add(c)
        return found

    def beams(self, now: Moment, on: dict[str, bool]) -> dict[Cell, Cell]:
        """Return where each cell of a beam leads; where two cross it holds."""
        found: dict[Cell, Cell] = {}
        for f in self.chamber.of("beam"):
            back = f.numbers[0] == 1 and on[f.name]
            if f.numbers[0] == 1 or on[f.name]:
                cells = self.line(f, now, on)[0]
                if cells:
                    end = cells[0] if back else cells[-1]
                    found |= {c: end if found.get(c, end) == end else c for c in cells}
        return found

    def decks(self, now: Moment, on: dict[str, bool]) -> set[Cell]:
        return {
            c for f in self.chamber.of("bridge") if on[f.name] for c in self.line(f, now, on)[0]
        }

    # --- walking ----------------------------------------------------------------------------------

    def reach(self, now: Moment) -> set[Cell]:
        """Return all cells that the player can walk to: a flood."""
        now = replace(now, off=True)
        on = self.powered(now)
        shut, decks, links = self.closed(on), self.decks(now, on), self.links(now)
        over = {c for c in decks if not self.plain(c) and c not in self.special}
        for c in self.joints:
            while c in shut:
                c = plus(c, 4)
            if self.free(c) and (c in decks or not self.open(plus(c, 5), shut)):
                over.add(c)
        if now.hand:
            over -= self.screens
        over -= self.watched(now, on)

        def stride(a: Cell, b: Cell) -> bool:
            """Whether one can step between neighbouring columns."""
            if abs(a[2] - b[2]) > 1:
                return False
            if a[2] == b[2]:
                return True
            low = plus(min(a, b, key=lambda c: c[2]), 4)
            if self.plain(a) and self.plain(b):
                return self.free(low)
            if self.plain(a) or self.plain(b):
                return self.free(low)
            return self.free(low) and low not in shut

        walkable = over | {(x, y, z) for (x, y), z in self.ground.items() if self.plain((x, y, z))}
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
                if (beside and stride(cell, other)) or (linked and cell in walkable):
                    found.append(other)
        return set(found)

    def open(self, cell: Cell, shut: set[Cell]) -> bool:
        return self.free(cell) and cell not in shut

    # --- flying -----------------------------------------------------------------------------------

    def fly(self, now: Moment, at: Cell, *, alone: bool) -> Cell:
        """Return where something that is let go at a cell comes to rest."""
        return self.hop(now, at, 0, 0, alone, self.settings(now, alone))

    def settings(self, now: Moment, alone: bool) -> tuple[object, ...]:
        on = self.powered(now)
        bar = self.closed(on) | (self.screens if alone or now.hand else set())
        return bar, self.decks(now, on), self.beams(now, on), self.links(now)

    def hop(self, now, at, speed, hops, alone, world) -> Cell:
        """Fall straight down from a cell at a speed."""
        bar, decks, beams, _ = world
        if not self.open(at, bar):
            raise No("shut")
        while at not in beams:
            if at in decks or not self.open(plus(at, 5), bar):
                return self.down(now, at, speed, hops, alone, world)
            at, speed = plus(at, 5), speed + 1
        return beams[at]

    def down(self, now, at, speed, hops, alone, world) -> Cell:
        """Come down on a cell."""
        _, decks, _, links = world
        fixture = self.special.get(at)
        if at in decks or (fixture is None and (at, 5) not in links):
            return at
        if hops == 12:
            raise No("for ever")
        hops += 1
        if (at, 5) in links:
            return self.out(now, links[at, 5], speed, hops, alone, world)
        if fixture.kind == "liquid":
            raise Gone("liquid")
        if fixture.kind == "spring":
            return self.rise(now, at, speed, alone, world, self.began)
        if fixture.kind == "runway":
            left = fixture.cells[fixture.cells.index(at) :]
            for cell in left:
                if cell in world[2]:
                    return world[2][cell]
                if cell != at and not self.open(cell, world[0]):
                    raise No("stopped")
            arc = [-(d * d // (8 * len(left))) for d in range(200)]
            return self.curve(now, left[-1], fixture.facing, arc, hops, alone, world)
        if fixture.kind != "plate":
            return at
        distance, rise = fixture.numbers
        arc = [4 * rise * d * (distance - d) // distance**2 for d in range(200)]
        return self.curve(now, at, fixture.facing, arc, hops, alone, world)

    def curve(self, now, at, way, arc, hops, alone, world) -> Cell:
        """Follow heights above where it began, one for each column; up, then across, then down."""
        bar, decks, beams, _ = world
        base = best = at[2]
        for height in arc[1:]:
            while at not in beams and at[2] < base + height:
                if not self.open(plus(at, 4), bar):
                    return self.hop(now, at, 0, hops, alone, world)
                at = plus(at, 4)
                best = max(best, at[2])
            if at in beams:
                return beams[at]
            if not self.open(plus(at, way), bar):
                return self.hop(now, at, best - at[2], hops, alone, world)
            at = plus(at, way)
            while at not in beams and at[2] > base + height:
                if at in decks or not self.open(plus(at, 5), bar):
                    return self.down(now, at, best - at[2], hops, alone, world)
                at = plus(at, 5)
            if at in beams:
                return beams[at]
        raise AssertionError("no wall in sight")

    def out(self, now, face, speed, hops, alone, world) -> Cell:
        """Leave a portal."""
        at, facing = face
        bar = world[0]
        if not self.open(at, bar):
            raise No("shut")
        if facing == 4:
            return self.hop(now, at, speed, hops, alone, world)
        if facing < 4:
            if speed == 0:
                return self.hop(now, at, 0, hops, alone, world)
            arc = [-(d * d // (4 * speed)) for d in range(200)]
            return self.curve(now, at, BACK[facing], arc, hops, alone, world)
        return self.rise(now, at, speed, alone, world, None)

    def rise(self, now, at, speed, alone, world, not_onto) -> Cell:
        """Come up through a portal or from a spring, and step aside."""
        bar, decks, beams, _ = world
        if alone:
            raise No("falls back")
        risen = 0
        while at not in beams and risen < speed and self.open(plus(at, 4), bar):
            at, risen = plus(at, 4), risen + 1
        if at in beams:
            return beams[at]
        for height in range(risen, -2, -1):
            level = plus(at, 5, risen - height)
            sides = [plus(level, w) for w in range(4)]
            good = [c for c in sides if (self.plain(c) or c in decks) and self.open(c, bar)]
            if not_onto is not None:
                good = [c for c in good if self.piece(c) != not_onto]
            if height < 0:
                good = [c for c in good if self.open(plus(c, 4), bar)]
            if good:
                floors = {self.piece(c) for c in good}
                if len(good) > 1 and (len(floors) > 1 or None in floors):
                    raise No("which floor")
                return min(good, key=lambda c: (c[2], c[1], c[0]))
        raise No("falls back")

    def piece(self, cell: Cell) -> frozenset[Cell] | None:
        """Return the plain floor around a cell that needs no device."""
        if not self.plain(cell):
            return None
        found = [cell]
        for at in found:
            for w in range(4):
                x, y, _ = plus(at, w)
                to = (x, y, self.ground.get((x, y), -9))
                if self.plain(to) and abs(to[2] - at[2]) <= 1 and to not in found:
                    if to[2] == at[2] or self.free(plus(min(at, to, key=lambda c: c[2]), 4)):
                        found.append(to)
        return frozenset(found)
