"""Compose a chamber room by room, from the start to the exit.

Rooms are laid out on a coarse grid, along a path that never crosses itself. Each is a row of strips
at different heights, which depend on the height of its entrance; see `_SHAPES`.

In every room a device, or panels for portals, connect the entrance strip with the exit strip. The
keys of doors and of powered devices are placed in strips that the player can reach earlier. The
composer guarantees nothing: the planner decides whether a chamber can be solved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from facelet.generators.chamber.composition import portal_routes
from facelet.generators.chamber.composition.chamber_plot import (
    HIGH,
    LEDGE,
    LOW,
    NO_AIMS,
    POOL,
    ChamberAims,
    ChamberPlot,
    FloorStrip,
    Lock,
    RoomSite,
    Sort,
)
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.world.chamber_records import (
    AHEAD,
    DELTAS,
    DOWN,
    EAST,
    LEFT,
    LEVEL,
    UP,
    WEST,
    Chamber,
    Fixture,
    Room,
    opposite_direction,
    step_cell,
)
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.task import Reject

SIDE = 3
"""Rooms of the coarse grid along each side."""
LENGTHS = (6, 7, 8, 9, 10)
"""Columns of a room along a side, walls excluded."""

_SHAPES: dict[int, tuple[str, ...]] = {
    LOW: (
        *("l", "lwl", "lwh", "lh", "twl", "twh"),
        *("ldl", "lwldl", "ldlwl", "ldlwh", "lwhdh", "lhdh", "ldlh", "lwlwl", "lwhl"),
    ),
    LEDGE: (
        *("h", "hl", "hlh", "hwh", "hwl", "hlwl", "hlwh"),
        *("hdh", "hldl", "hlhdh", "hdhwh", "hwldl", "hdhl", "hlwhl"),
    ),
}
"""Strips by the height of the first: l low, h on a ledge, w liquid, t with a tower, d a wall."""
_DROPS = ("t", "hlh", "hlw")
"""How shapes begin in which one falls from a height and then has to get across something."""
FALLING = 8
"""Columns that each level has such strips for."""
_LEVELS = {"l": LOW, "t": LOW, "h": LEDGE, "w": POOL}
_SORTS: dict[str, Sort] = {"w": "pool", "d": "wall"}
_LEAST = {"t": 4, "d": 1}
"""Fewest columns of a strip, where they are not 2."""


@dataclass(frozen=True, slots=True)
class RoomSlot:
    """Where a room is, and how it is crossed.

    Attributes:
        box: its columns.
        way: the direction in which it is entered.
        turn: where it is left: AHEAD, LEFT or RIGHT of that.
    """

    box: Room
    way: int
    turn: int

    @property
    def column_count(self) -> int:
        """Return how many columns it has along the direction in which it is entered."""
        west, south, east, north = self.box
        return east - west if self.way in (EAST, WEST) else north - south


def lay_out(rooms: int, rng: np.random.Generator) -> tuple[int, int, list[RoomSlot]]:
    """Return width and depth of a plot, and its rooms in the order of the way.

    Args:
        rooms: how many rooms, at most SIDE * SIDE.
        rng: its randomness.
    """
    ways = None
    while ways is None:
        ways = _draw_directions(rooms, rng)
    places = [(0, 0)]
    for way in ways[1:-1]:
        dx, dy, _ = DELTAS[way]
        places.append((places[-1][0] + dx, places[-1][1] + dy))
    west, south = min(x for x, _ in places), min(y for _, y in places)
    places = [(x - west, y - south) for x, y in places]
    columns = [int(rng.choice(LENGTHS)) for _ in range(1 + max(x for x, _ in places))]
    rows = [int(rng.choice(LENGTHS)) for _ in range(1 + max(y for _, y in places))]
    found = []
    for number, (x, y) in enumerate(places):
        left, low = 1 + sum(columns[:x]) + x, 1 + sum(rows[:y]) + y
        box = (left, low, left + columns[x], low + rows[y])
        way, turn = ways[number], (ways[number + 1] - ways[number]) % 4
        found.append(RoomSlot(box, way, turn))
    return sum(columns) + len(columns) + 1, sum(rows) + len(rows) + 1, found


def _draw_directions(rooms: int, rng: np.random.Generator) -> list[int] | None:
    """Return the directions in which rooms are entered, and the one of the last exit.

    None if the way ran into itself.
    """
    ways = [int(rng.choice(LEVEL))]
    places = [(0, 0)]
    while len(places) < rooms:
        free = []
        for way in LEVEL:
            dx, dy, _ = DELTAS[way]
            place = (places[-1][0] + dx, places[-1][1] + dy)
            across = [max(axis) - min(axis) for axis in zip(*places, place, strict=True)]
            if place not in places and max(across) < SIDE:
                free.append((way, place))
        if not free:
            return None
        way, place = free[int(rng.integers(len(free)))]
        # A first room is entered so that one does not leave it where one came in.
        if len(places) == 1:
            ways[0] = [way, (way + 1) % 4, (way + 3) % 4][int(rng.integers(3))]
        ways.append(way)
        places.append(place)
    return [*ways, (ways[-1] + (0, 1, 3)[int(rng.integers(3))]) % 4]


def draw_strips(
    level: int, length: int, rng: np.random.Generator, *, drops: bool = False
) -> tuple[tuple[FloorStrip, ...], bool]:
    """Return strips that fill a length, the first at a level, and whether there is a tower.

    Args:
        level: the height of the first.
        length: columns that they fill.
        rng: the randomness of the chamber.
        drops: whether there must be a height to fall from, if `column_count` is FALLING or more.
    """
    shapes = [
        shape for shape in _SHAPES[level] if sum(_LEAST.get(sign, 2) for sign in shape) <= length
    ]
    high = [shape for shape in shapes if shape.startswith(_DROPS)]
    if drops and high:
        shapes = high
    shape = str(rng.choice(shapes))
    sizes = [_LEAST.get(sign, 2) for sign in shape]
    growing = [place for place, sign in enumerate(shape) if sign != "d"]
    for _ in range(length - sum(sizes)):
        sizes[growing[int(rng.integers(len(growing)))]] += 1
    bands, first = [], 0
    for sign, size in zip(shape, sizes, strict=True):
        level = _LEVELS.get(sign, level)
        bands.append(FloorStrip(first, first + size - 1, level, _SORTS.get(sign, "floor")))
        first += size
    return tuple(bands), shape[0] == "t"


TRIES = 12
"""Attempts to build a room before the chamber is rejected."""
_MOST_LATE = max(kind.late for kind in devices_by_kind().values() if isinstance(kind, Lock))
"""Most steps with sources in one earlier place whose mistakes show late."""
Judge = Callable[[Chamber, int, Sequence[str]], None]
"""Called with a chamber up to a room, the number of its rooms, and the insights that it should need
so far; raises Reject if the chamber does not fit."""


def compose_chamber(
    rooms: int,
    decoys: int,
    used: Sequence[str],
    rng: np.random.Generator,
    *,
    through_portals: bool = True,
    aims: ChamberAims = NO_AIMS,
    judge: Judge | None = None,
) -> Chamber:
    """Return a chamber with provisional names; without a judge it may have no solution.

    A room that is rejected is built anew, up to TRIES times; those before it stay.

    Args:
        rooms: how many rooms.
        decoys: how many devices that lead nowhere.
        used: the kinds of devices to use.
        rng: its randomness.
        through_portals: whether portals may be counted on.
        aims: what the chamber is to need.
        judge: called with the chamber after each room, with an exit in that room.

    Raises:
        Reject: something found no room, or the judge rejected it.
    """
    wide, deep, cellars = lay_out(rooms, rng)
    plot = ChamberPlot(wide, deep, rng, used, portals=through_portals, aims=aims)
    level = plot.draw_one((LOW, LOW, LEDGE))
    long = [number for number, cellar in enumerate(cellars) if cellar.column_count >= FALLING]
    due = plot.draw_one(long) if aims.momentum else rooms
    for number in range(rooms):
        plot.swift = number == due
        asked = ("momentum",) if number >= due else ()
        before = plot.save_state()
        for trial in range(TRIES if judge else 1):
            try:
                if number:
                    level = plot.sites[-1].bands[-1].level
                    _open_doorway(plot, plot.sites[-1], cellars[number - 1], cellars[number])
                site = _carve_room(plot, cellars[number], level)
                last = number == rooms - 1
                still = 0 if last else _MOST_LATE * len(plot.past)
                if (plot.early + still) * rooms < aims.early * (number + 1):
                    raise Reject("too few sources lie early")
                if last:
                    _place_exit(plot, site, decoys)
                if judge:
                    judge(_finish_so_far(plot, site), number + 1, asked)
                break
            except Reject:
                if not judge or trial == TRIES - 1:
                    raise
                plot.restore_state(before)
    return _name_floors(plot)


def _place_exit(plot: ChamberPlot, site: RoomSite, decoys: int) -> None:
    """Put the exit into the last room, and decoys anywhere."""
    plot.on_floor("exit", plot.draw_one(site.free_cells(site.bands[-1])))
    for _ in range(decoys):
        _place_decoy(plot)


def _finish_so_far(plot: ChamberPlot, site: RoomSite) -> Chamber:
    """Return the chamber so far, with an exit in its last room if it has none yet."""
    if any(fixture.kind == "exit" for fixture in plot.fixtures):
        return _name_floors(plot)
    before = plot.save_state()
    plot.on_floor("exit", plot.draw_one(site.free_cells(site.bands[-1])))
    chamber = _name_floors(plot)
    plot.restore_state(before)
    return chamber


def _carve_room(plot: ChamberPlot, cellar: RoomSlot, level: int) -> RoomSite:
    """Carve a room that is entered at a level, and lead from its first strip to its last."""
    bands, tower = draw_strips(level, cellar.column_count, plot.rng, drops=plot.swift)
    site = RoomSite(plot, cellar.box, cellar.way, bands)
    plot.sites.append(site)
    if tower:
        _build_tower(site, site.bands[0])
    for band in site.bands:
        if band.sort == "pool":
            plot.add_fixture("liquid", site.strip_cells(band))
    groups = _group_strips(site.bands)
    plot.homes += [(site, band) for band in groups[0]]
    if len(plot.sites) == 1:
        plot.on_floor("start", plot.draw_one(site.free_cells(site.bands[0])))
    for near, far in pairwise(groups):
        between = site.bands[site.bands.index(far[0]) - 1]
        if between.sort == "wall":
            if not (
                plot.guards
                and plot.draw_chance(50)
                and plot.draw_one(plot.guards).build_guard(plot, site, between)
            ):
                _inner_doorway(plot, site, between)
        else:
            _connect_strips(plot, site, near, far[0])
        plot.homes += [(site, band) for band in far]
    return site


def _group_strips(bands: Sequence[FloorStrip]) -> list[list[FloorStrip]]:
    """Return the strips of floor; those that one only has to jump down to follow in one list."""
    groups: list[list[FloorStrip]] = []
    before: FloorStrip | None = None
    for band in bands:
        if band.sort == "floor":
            if before is not None and before.sort == "floor" and before.level > band.level:
                groups[-1].append(band)
            else:
                groups.append([band])
        before = band
    return groups


def _build_tower(site: RoomSite, near: FloorStrip) -> None:
    """Build three steps up to a height from which the player can fall."""
    v = site.plot.draw_one((0, site.width - 1))
    first = site.plot.draw_number(0, near.last - 3)
    for k in range(3):
        cell = site.frame_to_cell(first + k, v, near.level + 1 + k)
        site.plot.carve_column(cell)
        site.plot.taken.add(cell)


def _connect_strips(
    plot: ChamberPlot, site: RoomSite, near: Sequence[FloorStrip], far: FloorStrip
) -> None:
    """Lead from strips that can be reached to the next one."""
    ways = [device.build_crossing for device in plot.crossings]
    if plot.portals:
        ways += [portal_routes.place_portal_way] * (1 + len(ways))
    order = plot.shuffle_items(ways)
    seldom = [device.build_crossing for device in plot.crossings if device.seldom]
    if seldom and plot.draw_chance(50):
        order = [*plot.shuffle_items(seldom), *order]
    if plot.swift and plot.portals:
        order = [portal_routes.place_fast_portal_way, *order]
    for way in order:
        by_portal = way in (portal_routes.place_portal_way, portal_routes.place_fast_portal_way)
        if way(plot, site, near[0] if by_portal else plot.draw_one(near), far):
            plot.mark_passed()
            return
    raise Reject("nothing leads across a room")


def _inner_doorway(plot: ChamberPlot, site: RoomSite, wall: FloorStrip) -> None:
    """Put a door into a wall inside a room."""
    lanes = []
    for v in range(site.width):
        sides = {site.frame_to_cell(u, v, wall.level) for u in (wall.first - 1, wall.first + 1)}
        near = {step_cell(cell, UP, k) for cell in sides for k in range(2)}
        if not sides & plot.taken and near.isdisjoint(cell for cell, _ in plot.faces):
            lanes.append(v)
    cell = site.open_doorway(wall.first, plot.draw_one(lanes), wall.level)
    plot.add_fixture("door", (cell, step_cell(cell, UP)), inputs=plot.draw_inputs())


def _open_doorway(plot: ChamberPlot, site: RoomSite, cellar: RoomSlot, following: RoomSlot) -> None:
    """Open the wall to the next room, behind a door or a shield or freely."""
    far = site.bands[-1]
    if cellar.turn == AHEAD:
        places = [(site.length, v) for v in range(site.width)]
    else:
        v = site.width if cellar.turn == LEFT else -1
        places = [(u, v) for u in range(far.first, far.last + 1)]
    west, south, east, north = following.box
    fitting = []
    for u, v in places:
        cell = site.frame_to_cell(u, v, far.level)
        x, y, _ = step_cell(cell, following.way)
        before = step_cell(cell, opposite_direction(following.way))
        faces = {(step_cell(before, UP, k), following.way) for k in range(2)}
        inside = west <= x < east and south <= y < north
        if inside and before not in plot.taken and not faces & plot.faces:
            fitting.append((u, v))
    door = site.open_doorway(*plot.draw_one(fitting), far.level)
    cells = (door, step_cell(door, UP))
    fate = plot.draw_number(0, 99)
    if fate < 60 or plot.lacks_early():
        plot.add_fixture("door", cells, inputs=plot.draw_inputs())
    elif fate < 75 and "shield" in plot.kinds:
        plot.add_fixture("shield", cells)
        plot.mark_passed()


def _place_decoy(plot: ChamberPlot) -> None:
    """Put something that leads nowhere."""
    site = plot.draw_one(plot.sites)
    band = plot.draw_one([band for band in site.bands if band.sort == "floor"])
    choice = plot.draw_number(0, 9)
    if choice < (2 if plot.aims.momentum else 5):
        faces = site.free_wall_faces(band, range(0, LEDGE + 1))
        if choice == 0:
            faces = [(cell, DOWN) for cell in (site.spare_cell(band),)]
        elif choice == 1:
            faces = [((*cell[:2], HIGH - 1), UP) for cell in site.free_cells(band)]
        faces = [face for face in faces if face not in plot.faces and plot.is_free(face[0])]
        plot.on_face("panel", plot.draw_one(faces))
    elif choice < 7:
        plot.place_idle_ray(site, band, plot.on_floor("button", site.spare_cell(band)))
    elif choice == 7:
        numbers = (plot.draw_number(1, 3),)
        name = plot.on_floor("switch", plot.draw_one(site.free_cells(band)), numbers=numbers)
        plot.place_idle_ray(site, band, name)
    elif choice == 8:
        plot.on_floor("cube", plot.draw_one(site.free_cells(band)))
    else:
        facing = plot.draw_one(LEVEL)
        throw = (plot.draw_number(2, 6), plot.draw_number(1, 4))
        plot.on_floor("plate", site.spare_cell(band), facing=facing, numbers=throw)


def _name_floors(plot: ChamberPlot) -> Chamber:
    """Return the chamber with a name for each piece of floor, written where there is room."""
    chart = StaticTables(plot.build_chamber(), finished=False)
    used = {cell[:2] for fixture in plot.fixtures for cell in fixture.cells}
    names = []
    for number, area in enumerate(chart.areas, 1):
        cells = [chart.number_to_cell(cell) for cell in area]
        x = sum(cell[0] for cell in cells) / len(cells)
        y = sum(cell[1] for cell in cells) / len(cells)
        cells.sort(key=lambda c: (c[:2] in used, (c[0] - x) ** 2 + (c[1] - y) ** 2, c))
        names.append(Fixture("floor", f"F{number}", (cells[0],)))
    return plot.build_chamber(names)
