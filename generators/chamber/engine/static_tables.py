"""Precompute everything in a chamber that never changes: cells, named floors, and what is visible.

A panel is visible from a cell in front of it if the line from the middle of the cell to the middle
of the panel's face passes only through the insides of open cells. It may graze edges and corners,
unless a reading forbids it. Lines are traced in integers: coordinates are doubled, so that middles
are integers and borders are even.

A reading of the rules changes only what counts as visible, what counts as a walk, and whom a beam
carries. SAID is the rules as stated, and labels follow it; OTHERS are other ways in which a careful
reader may understand them. Maps must not depend on the choice:
facelet.generators.chamber.maps.map_generator checks that.

In the tables, cells are numbers: x + wide * (y + deep * z). The tables have one more layer of rock
above the top. Since negative indices wrap around, it also serves as a layer below the bottom, so a
step from any free cell leads to a cell of the tables.

Areas are the named floors: plain floor that is connected by walking while no device is on and no
portal is open. The player climbs and descends one cell where there is head room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from facelet.generators.chamber.world.chamber_records import DELTAS, LEVEL, Cell, Chamber, Fixture
from facelet.generators.chamber.world.device_registry import find_device


def is_in_front(cell: Cell, target: Cell, direction: int) -> bool:
    """Return whether a cell is in front of a face.

    Args:
        cell: where the eye is.
        target: the cell that the face belongs to.
        direction: which of its faces.
    """
    axis = next(axis for axis, part in enumerate(DELTAS[direction]) if part)
    # The border of the target cell on the side of the face, as seen along the face's direction.
    ahead = (target[axis] - cell[axis]) * DELTAS[direction][axis]
    return ahead >= 0


def cells_between(
    cell: Cell, target: Cell, direction: int, *, touched: bool = False
) -> Iterator[Cell]:
    """Yield the cells that the line from a cell to a face in front passes through, both ends in.

    Args:
        cell: where the eye is.
        target: the cell that the face belongs to.
        direction: which of its faces.
        touched: whether to yield those as well of which it touches an edge or a corner only.
    """
    spans = [
        2 * (there - here) + part
        for here, there, part in zip(cell, target, DELTAS[direction], strict=True)
    ]
    whole = 1
    for span in spans:
        whole *= abs(span) or 1
    # Times at which the line crosses the next border on each axis, over one common denominator.
    units = [whole // abs(span) if span else 0 for span in spans]
    signs = [(span > 0) - (span < 0) for span in spans]
    after = [unit if unit else whole for unit in units]
    place = list(cell)
    yield cell
    while (time := min(after)) < whole:
        crossed = [axis for axis in range(3) if after[axis] == time]
        for count in range(1, len(crossed) if touched else 1):
            for some in combinations(crossed, count):
                x, y, z = (part + signs[k] * (k in some) for k, part in enumerate(place))
                yield x, y, z
        for axis in crossed:
            place[axis] += signs[axis]
            after[axis] += 2 * units[axis]
        yield place[0], place[1], place[2]


@dataclass(frozen=True, slots=True)
class RuleReading:
    """A way to read the rules; without arguments, the rules as stated.

    Attributes:
        eye: how many cells above the feet the eye is, 0 or 1; it stays below where rock is above.
        grazing: whether a line of sight may graze closed edges and corners.
        one_place: whether both portals of one step are shot from one cell of a floor, not each from
            a cell of its own.
        jumps: whether the player may jump onto a button, a lift or a launch plate from a ledge, or
            drop something onto it; otherwise it can step there only over one cell of height.
        beams: whether a beam also carries a player on a floor in it ("floors"), or no player at
        rest
            in it ("nobody"); as stated, it carries the player where there is no floor ("said").
    """

    eye: int = 0
    grazing: bool = True
    one_place: bool = False
    jumps: bool = True
    beams: Literal["said", "floors", "nobody"] = "said"


SAID = RuleReading()
OTHERS: Mapping[str, RuleReading] = {
    "an eye one cell higher": RuleReading(eye=1),
    "no grazing of edges": RuleReading(grazing=False),
    "both portals from one place": RuleReading(one_place=True),
    "no jump onto a device": RuleReading(jumps=False),
    "a beam carries a player on a floor": RuleReading(beams="floors"),
    "a beam carries no player at rest": RuleReading(beams="nobody"),
}


Sights = tuple[frozenset[int], ...]
"""Ways to see something: each is the set of cells, of those that may close, that must be open."""


class StaticTables:
    """The tables of a chamber, indexed by fixture, panel, thing or area; see the module.

    Attributes:
        chamber: the chamber.
        reading: how its rules are read.
        wide: columns from west to east.
        layer: columns in all.
        offsets: what to add to a cell to get the next one, by direction.
        free: for every cell whether it is no rock.
        fixtures: all fixtures.
        devices: the device of each.
        number: the number of a fixture, by its name.
        inputs: the numbers of the inputs of each fixture.
        panels: the fixtures that take portals.
        panel: the number of a panel, by its name.
        face: cell and direction of each panel.
        things: the fixtures that are carried.
        thing: the number of a thing, by its name.
        switches: the fixtures that are pressed.
        switch: the number of a switch, by its name.
        lasting: how many steps each switch stays on; 0 for good.
        givers: fixture, cell and things of each dispenser.
        emitters: fixture, cell and direction of all that may send out rays.
        lasers: whether any of them is a laser.
        special: the fixture of each special cell.
        watchers: what may watch rows of floor, by fixture.
        joints: the lowest cell of each joint column, with its fixture.
        screens: cells closed to things and shots.
        changing: cells that are closed at times.
        areas: the cells of each area.
        area_of: the area of a cell of plain floor.
        area_named: the area of a floor's name.
        area_name: its inverse.
        anchor: one cell of each area, which represents it.
        start: where the player begins.
        exit: the cell from which the player can leave.
    """

    def __init__(
        self, chamber: Chamber, *, finished: bool = True, reading: RuleReading = SAID
    ) -> None:
        """Compute the tables.

        Args:
            chamber: the chamber.
            finished: whether it must have a start, an exit and a name for each floor; one that is
                still being built has none of them.
            reading: how its rules are read.

        Raises:
            ValueError: fixtures do not fit each other or the plan; the message names one.
        """
        self.chamber = chamber
        self.reading = reading
        self.wide, deep, high = chamber.size
        self.layer = self.wide * deep
        self.offsets = tuple(x + self.wide * (y + deep * z) for x, y, z in DELTAS)
        self.free = bytes(
            floor <= z < ceiling
            for z in range(high)
            for floor, ceiling in zip(chamber.floors, chamber.ceilings, strict=True)
        ) + bytes(self.layer)
        self.fixtures = chamber.fixtures
        self.devices = tuple(find_device(fixture.kind) for fixture in chamber.fixtures)
        self.number = {fixture.name: place for place, fixture in enumerate(self.fixtures)}
        self.inputs = tuple(
            tuple(self.number[name] for name in fixture.inputs) for fixture in self.fixtures
        )
        self._index_fixtures()
        self._index_columns()
        self._index_areas()
        self.start = self.exit = -1
        if finished:
            self._index_names()
        self._lines: dict[tuple[int, int], frozenset[int] | None] = {}
        self._sights: dict[tuple[int, int], Sights] = {}
        self._beside: dict[int, tuple[tuple[int, int], ...]] = {}
        self._drops: dict[int, tuple[tuple[int, int], ...]] = {}

    def read_as(self, reading: RuleReading) -> StaticTables:
        """Return the chart of the same chamber, its rules read in another way."""
        other = copy(self)
        other.reading = reading
        other._lines, other._sights = {}, {}
        return other

    # --- making -----------------------------------------------------------------------------------

    def _index_fixtures(self) -> None:
        pairs = tuple(enumerate(zip(self.fixtures, self.devices, strict=True)))
        self.panels = tuple(i for i, (f, _) in pairs if f.kind == "panel")
        self.panel = {self.fixtures[i].name: p for p, i in enumerate(self.panels)}
        faces = (self.fixtures[i] for i in self.panels)
        self.face = tuple((self.cell_to_number(f.first_cell), f.facing) for f in faces)
        self.things = tuple(i for i, (_, d) in pairs if d.thing)
        self.thing = {self.fixtures[i].name: t for t, i in enumerate(self.things)}
        self.switches = tuple(i for i, (_, d) in pairs if "press" in d.verbs)
        self.switch = {self.fixtures[i].name: s for s, i in enumerate(self.switches)}
        self.lasting = tuple(self.devices[i].active_steps(self.fixtures[i]) for i in self.switches)
        self.givers = tuple(
            (
                i,
                self.cell_to_number(where),
                tuple(t for t, j in enumerate(self.things) if i in self.inputs[j]),
            )
            for i, (f, d) in pairs
            if (where := d.drop_cell(f)) is not None
        )
        self.watchers = tuple(
            i
            for i, (f, d) in pairs
            if d.list_watched_cells(f, True) or d.list_watched_cells(f, False)
        )
        rays = [(i, f, d.emit_ray(f, True) or d.emit_ray(f, False)) for i, (f, d) in pairs]
        self.emitters = tuple(
            (i, self.cell_to_number(f.first_cell), f.facing) for i, f, ray in rays if ray
        )
        self.lasers = any(ray is not None and ray.kind == "laser" for _, _, ray in rays)

    def _only_fixture(self, kind: str) -> Fixture:
        found = self.chamber.fixtures_of(kind)
        if len(found) != 1:
            raise ValueError(f"there are {len(found)} fixtures of kind {kind}; give one")
        return found[0]

    def _index_columns(self) -> None:
        self.special: dict[int, int] = {}
        self.joints: dict[int, int] = {}
        screens: set[int] = set()
        changing: set[int] = set()
        for i, (fixture, kind) in enumerate(zip(self.fixtures, self.devices, strict=True)):
            cells = [self.cell_to_number(cell) for cell in fixture.cells]
            if not all(self.free[c] for c in cells):
                raise ValueError(f"{fixture.name} is in the rock; use a free cell")
            if kind.is_special(fixture):
                for cell in cells:
                    if self.special.setdefault(cell, i) != i or not self.is_ground(cell):
                        raise ValueError(f"{fixture.name} needs a piece of floor of its own")
            for cell in map(self.cell_to_number, kind.list_watched_cells(fixture, False)):
                if not (kind.joint and self.is_ground(cell)):
                    raise ValueError(
                        f"{fixture.name} watches {self.number_to_cell(cell)}; use floor alone"
                    )
            if kind.joint:
                self.joints |= {cell: i for cell in cells if self.is_ground(cell)}
            screens.update(map(self.cell_to_number, kind.list_screened_cells(fixture)))
            for on in (False, True):
                changing.update(map(self.cell_to_number, kind.solid_cells(fixture, on)))
        for cell, direction in self.face:
            if self.free[cell + self.offsets[direction]]:
                raise ValueError("a panel hangs in the air; put it onto rock")
        self.screens = frozenset(screens)
        self.changing = frozenset(changing)

    def _index_areas(self) -> None:
        self.area_of: dict[int, int] = {}
        areas: list[tuple[int, ...]] = []
        taken = self.special.keys() | self.joints.keys()
        for first in self.iterate_columns():
            if first in taken or first in self.area_of:
                continue
            self.area_of[first] = len(areas)
            found = [first]
            for cell in found:
                for neighbour in self.iterate_walks(cell):
                    if neighbour not in taken and neighbour not in self.area_of:
                        self.area_of[neighbour] = len(areas)
                        found.append(neighbour)
            areas.append(tuple(sorted(found)))
        self.areas = tuple(areas)
        self.anchor = tuple(area[0] for area in areas)

    def _index_names(self) -> None:
        areas = self.areas
        self.area_named = {
            fixture.name: self.area_of.get(self.cell_to_number(fixture.first_cell), -1)
            for fixture in self.chamber.fixtures_of("floor")
        }
        self.area_name = {area: name for name, area in self.area_named.items()}
        if sorted(self.area_named.values()) != list(range(len(areas))):
            raise ValueError(
                f"there are {len(areas)} pieces of floor and {len(self.area_named)} names; "
                "give each piece one name"
            )
        self.start, self.exit = (
            self.cell_to_number(self._only_fixture(kind).first_cell) for kind in ("start", "exit")
        )
        for name, cell in (("start", self.start), ("exit", self.exit)):
            if cell not in self.area_of:
                raise ValueError(f"the {name} is on no plain floor; put it on one")

    # --- places -----------------------------------------------------------------------------------

    def cell_to_number(self, cell: Cell) -> int:
        """Return the number of a cell."""
        x, y, z = cell
        return x + self.wide * y + self.layer * z

    def number_to_cell(self, cell: int) -> Cell:
        """Return the cell of a number."""
        height, column = divmod(cell, self.layer)
        return column % self.wide, column // self.wide, height

    def iterate_columns(self) -> Iterator[int]:
        """Yield the lowest free cell of each column that has one, in order."""
        for column, (floor, ceiling) in enumerate(
            zip(self.chamber.floors, self.chamber.ceilings, strict=True)
        ):
            if floor < ceiling:
                yield column + self.layer * floor

    def is_ground(self, cell: int) -> bool:
        """Return whether a cell is the lowest free one of its column."""
        height, column = divmod(cell, self.layer)
        return height == self.chamber.floors[column] < self.chamber.ceilings[column]

    def ground_cell(self, column: int) -> int:
        """Return the lowest free cell of a column that has one."""
        return column + self.layer * self.chamber.floors[column]

    def iterate_walks(self, cell: int) -> Iterator[int]:
        """Yield the ground cells that a step from a ground cell leads to."""
        yield from (
            neighbour
            for neighbour, height in self.iterate_neighbour_grounds(cell)
            if abs(height) <= 1 and self.head_room(cell, neighbour, height)
        )

    def iterate_neighbour_grounds(self, cell: int) -> Iterator[tuple[int, int]]:
        """Yield the ground cells of the four columns beside a cell, and how much higher each is."""
        height, column = divmod(cell, self.layer)
        floors, ceilings = self.chamber.floors, self.chamber.ceilings
        for direction in LEVEL:
            beside = column + self.offsets[direction]
            if floors[beside] < ceilings[beside]:
                yield beside + self.layer * floors[beside], floors[beside] - height

    def head_room(self, cell: int, neighbour: int, height: int) -> bool:
        """Return whether rock leaves room for a step to a neighbour that is `height` higher."""
        if height == 1:
            return bool(self.free[cell + self.layer])
        return height == 0 or bool(self.free[neighbour + self.layer])

    def neighbour_areas(self, cell: int) -> tuple[tuple[int, int], ...]:
        """Return the areas of the four columns beside a cell, and how much higher than it each is.

        Areas from which one gets to the cell: at most one lower, and with a free way to it.
        """
        if cell not in self._beside:
            self._beside[cell] = tuple(
                (self.area_of[ground], height)
                for ground, height in self.iterate_neighbour_grounds(cell)
                if height >= -1
                if ground in self.area_of and self._is_way_open(cell, ground, height)
            )
        return self._beside[cell]

    def _is_way_open(self, cell: int, ground: int, height: int) -> bool:
        if height < 0:
            return bool(self.free[ground + self.layer])
        return all(self.free[cell + k * self.layer] for k in range(height + 1))

    def drop_sources(self, area: int) -> tuple[tuple[int, int], ...]:
        """Return the areas from which an area is reached by a jump down, with the entry cells."""
        if area not in self._drops:
            edges = {
                (upper, cell + height * self.layer)
                for cell in self.areas[area]
                for upper, height in self.neighbour_areas(cell)
                if height >= 2
            }
            self._drops[area] = tuple(sorted(edges))
        return self._drops[area]

    # --- sight ------------------------------------------------------------------------------------

    def sight_line(self, cell: int, panel: int) -> frozenset[int] | None:
        """Return which cells must be open for a panel to be seen from a cell; None if none help."""
        key = (cell, panel)
        if key not in self._lines:
            self._lines[key] = self._trace_sight_line(cell, *self.face[panel])
        return self._lines[key]

    def _trace_sight_line(self, cell: int, target: int, direction: int) -> frozenset[int] | None:
        over = cell + self.layer * self.reading.eye
        eye, face = (
            self.number_to_cell(over if self.free[over] else cell),
            self.number_to_cell(target),
        )
        if not is_in_front(eye, face, direction):
            return None
        found = []
        for x, y, z in cells_between(eye, face, direction, touched=not self.reading.grazing):
            number = x + self.wide * y + self.layer * z
            if not self.free[number] or number in self.screens:
                return None
            if number in self.changing:
                found.append(number)
        return frozenset(found)

    def both_seen(self, origin: int, panels: Sequence[int], closed: frozenset[int]) -> bool:
        """Return whether panels that are seen from a place may be shot in one step there.

        Args:
            origin: a player's cell; in an area its anchor.
            panels: the panels.
            closed: the cells that devices close.
        """
        area = self.area_of.get(origin)
        if not self.reading.one_place or area is None:
            return True
        for cell in self.areas[area]:
            lines = [self.sight_line(cell, panel) for panel in panels]
            if all(line is not None and line.isdisjoint(closed) for line in lines):
                return True
        return False

    def area_sight_lines(self, area: int, panel: int) -> Sights:
        """Return the ways to see a panel from anywhere in an area."""
        key = (area, panel)
        if key not in self._sights:
            self._sights[key] = self._ways_to_see(area, panel)
        return self._sights[key]

    def _ways_to_see(self, area: int, panel: int) -> Sights:
        found: set[frozenset[int]] = set()
        for cell in self.areas[area]:
            if (line := self.sight_line(cell, panel)) is not None:
                if not line:
                    return (line,)
                found.add(line)
        least = [one for one in found if not any(other < one for other in found)]
        return tuple(sorted(least, key=sorted))
