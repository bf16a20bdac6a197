"""Composing: one chamber from the start to the exit, every obstacle after what overcomes it.

Room by room, something leads from the strip that one enters to the strip that one leaves by: a
device, or panels for portals. Doors, and devices that need power, get their keys in strips that can
be reached before. Nothing here is relied on: the planner decides whether a chamber can be solved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from facelet.generators.chamber.composing import portals
from facelet.generators.chamber.composing.layout import FALLING, Cellar, lay_out, strips
from facelet.generators.chamber.composing.plot import (
    HIGH,
    LEDGE,
    LOW,
    NO_AIMS,
    Aims,
    Band,
    Plot,
)
from facelet.generators.chamber.composing.site import Site
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.world.chambers import Chamber, Fixture, arranged
from facelet.generators.chamber.world.device import Lock
from facelet.generators.chamber.world.grid import AHEAD, DOWN, LEFT, LEVEL, UP, opposite, step
from facelet.generators.chamber.world.kinds import device, kinds
from facelet.generators.core.task import Reject

TRIES = 12
"""How often a room is built, until it is no good however it is built."""
_MOST_LATE = max(kind.late for kind in map(device, kinds()) if isinstance(kind, Lock))
"""Steps that show late if they are mistaken, of the sources in one earlier place, at most."""
Judge = Callable[[Chamber, int, Sequence[str]], None]
"""Told a chamber up to a room, how many rooms that are, and the insights that it should need by
then; raises Reject if it is no good."""


def compose(
    rooms: int,
    decoys: int,
    used: Sequence[str],
    rng: np.random.Generator,
    *,
    through_portals: bool = True,
    aims: Aims = NO_AIMS,
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
        judge: what is told the chamber after each room, with an exit in that room.

    Raises:
        Reject: something found no room, or the judge rejected it.
    """
    wide, deep, cellars = lay_out(rooms, rng)
    plot = Plot(wide, deep, rng, used, portals=through_portals, aims=aims)
    level = plot.one((LOW, LOW, LEDGE))
    long = [number for number, cellar in enumerate(cellars) if cellar.length >= FALLING]
    due = plot.one(long) if aims.momentum else rooms
    for number in range(rooms):
        plot.swift = number == due
        asked = ("momentum",) if number >= due else ()
        before = plot.saved()
        for trial in range(TRIES if judge else 1):
            try:
                if number:
                    level = plot.sites[-1].bands[-1].level
                    _doorway(plot.sites[-1], cellars[number - 1], cellars[number])
                site = _room(plot, cellars[number], level)
                last = number == rooms - 1
                still = 0 if last else _MOST_LATE * len(plot.past)
                if (plot.early + still) * rooms < aims.early * (number + 1):
                    raise Reject("too few sources lie early")
                if last:
                    _end(plot, site, decoys)
                if judge:
                    judge(_until(plot, site), number + 1, asked)
                break
            except Reject:
                if not judge or trial == TRIES - 1:
                    raise
                plot.restore(before)
    return _named(plot)


def _end(plot: Plot, site: Site, decoys: int) -> None:
    """Put the exit into the last room, and decoys anywhere."""
    plot.on_floor("exit", plot.one(site.plain(site.bands[-1])))
    for _ in range(decoys):
        _decoy(plot)


def _until(plot: Plot, site: Site) -> Chamber:
    """Return the chamber so far, with an exit in its last room if it has none yet."""
    if any(fixture.kind == "exit" for fixture in plot.fixtures):
        return _named(plot)
    before = plot.saved()
    plot.on_floor("exit", plot.one(site.plain(site.bands[-1])))
    chamber = _named(plot)
    plot.restore(before)
    return chamber


def _room(plot: Plot, cellar: Cellar, level: int) -> Site:
    """Carve a room that is entered at a level, and lead from its first strip to its last."""
    bands, tower = strips(level, cellar.length, plot.rng, drops=plot.swift)
    site = Site(plot, cellar.box, cellar.way, bands)
    if tower:
        _tower(site, site.bands[0])
    for band in site.bands:
        if band.sort == "pool":
            plot.add("liquid", site.cells(band))
    groups = _groups(site.bands)
    plot.homes += [(site, band) for band in groups[0]]
    if len(plot.sites) == 1:
        plot.on_floor("start", plot.one(site.plain(site.bands[0])))
    for near, far in pairwise(groups):
        between = site.bands[site.bands.index(far[0]) - 1]
        if between.sort == "wall":
            guards = [kind for kind in map(device, plot.kinds) if kind.guards]
            if not (guards and plot.chance(50) and plot.one(guards).guard(site, between)):
                _inner_doorway(site, between)
        else:
            _lead(site, near, far[0])
        plot.homes += [(site, band) for band in far]
    return site


def _groups(bands: Sequence[Band]) -> list[list[Band]]:
    """Return the strips of floor; those that one only has to jump down to follow in one list."""
    groups: list[list[Band]] = []
    before: Band | None = None
    for band in bands:
        if band.sort == "floor":
            if before is not None and before.sort == "floor" and before.level > band.level:
                groups[-1].append(band)
            else:
                groups.append([band])
        before = band
    return groups


def _tower(site: Site, near: Band) -> None:
    """Raise three steps to a height from which one can fall."""
    v = site.plot.one((0, site.width - 1))
    first = site.plot.number(0, near.last - 3)
    for k in range(3):
        cell = site.at(first + k, v, near.level + 1 + k)
        site.plot.carve(cell)
        site.plot.taken.add(cell)


def _lead(site: Site, near: Sequence[Band], far: Band) -> None:
    """Lead from strips that can be reached to the next one."""
    plot = site.plot
    ways = [kind.cross for kind in map(device, plot.kinds) if kind.crosses]
    if plot.portals:
        ways += [portals.cross] * (1 + len(ways))
    order = plot.shuffled(ways)
    seldom = [kind.cross for kind in map(device, plot.kinds) if kind.crosses and kind.seldom]
    if seldom and plot.chance(50):
        order = [*plot.shuffled(seldom), *order]
    if plot.swift and plot.portals:
        order = [portals.swift, *order]
    for way in order:
        if way(site, near[0] if way in (portals.cross, portals.swift) else plot.one(near), far):
            plot.passed()
            return
    raise Reject("nothing leads across a room")


def _inner_doorway(site: Site, wall: Band) -> None:
    """Put a door into a wall that stands inside a room."""
    plot = site.plot
    lanes = []
    for v in range(site.width):
        sides = {site.at(u, v, wall.level) for u in (wall.first - 1, wall.first + 1)}
        near = {step(cell, UP, k) for cell in sides for k in range(2)}
        if not sides & plot.taken and near.isdisjoint(cell for cell, _ in plot.faces):
            lanes.append(v)
    cell = site.doorway(wall.first, plot.one(lanes), wall.level)
    plot.add("door", (cell, step(cell, UP)), inputs=plot.inputs())


def _doorway(site: Site, cellar: Cellar, following: Cellar) -> None:
    """Open the wall to the next room, behind a door or a shield or freely."""
    plot, far = site.plot, site.bands[-1]
    if cellar.turn == AHEAD:
        places = [(site.length, v) for v in range(site.width)]
    else:
        v = site.width if cellar.turn == LEFT else -1
        places = [(u, v) for u in range(far.first, far.last + 1)]
    west, south, east, north = following.box
    fitting = []
    for u, v in places:
        cell = site.at(u, v, far.level)
        x, y, _ = step(cell, following.way)
        before = step(cell, opposite(following.way))
        faces = {(step(before, UP, k), following.way) for k in range(2)}
        inside = west <= x < east and south <= y < north
        if inside and before not in plot.taken and not faces & plot.faces:
            fitting.append((u, v))
    door = site.doorway(*plot.one(fitting), far.level)
    cells = (door, step(door, UP))
    fate = plot.number(0, 99)
    if fate < 60 or plot.lacks_early():
        plot.add("door", cells, inputs=plot.inputs())
    elif fate < 75 and "shield" in plot.kinds:
        plot.add("shield", cells)
        plot.passed()


def _decoy(plot: Plot) -> None:
    """Put something that leads nowhere."""
    site = plot.one(plot.sites)
    band = plot.one([band for band in site.bands if band.sort == "floor"])
    choice = plot.number(0, 9)
    if choice < (2 if plot.aims.momentum else 5):
        faces = site.walls(band, range(0, LEDGE + 1))
        if choice == 0:
            faces = [(cell, DOWN) for cell in (site.spare(band),)]
        elif choice == 1:
            faces = [((*cell[:2], HIGH - 1), UP) for cell in site.plain(band)]
        faces = [face for face in faces if face not in plot.faces and plot.free(face[0])]
        plot.on_face("panel", plot.one(faces))
    elif choice < 7:
        plot.idle(site, band, plot.on_floor("button", site.spare(band)))
    elif choice == 7:
        numbers = (plot.number(1, 3),)
        name = plot.on_floor("switch", plot.one(site.plain(band)), numbers=numbers)
        plot.idle(site, band, name)
    elif choice == 8:
        plot.on_floor("cube", plot.one(site.plain(band)))
    else:
        facing = plot.one(LEVEL)
        throw = (plot.number(2, 6), plot.number(1, 4))
        plot.on_floor("plate", site.spare(band), facing=facing, numbers=throw)


def _named(plot: Plot) -> Chamber:
    """Return the chamber with a name for each piece of floor, written where there is room."""
    chart = Chart(plot.chamber(), finished=False)
    used = {cell[:2] for fixture in plot.fixtures for cell in fixture.cells}
    names = []
    for number, area in enumerate(chart.areas, 1):
        cells = [chart.place(cell) for cell in area]
        x = sum(cell[0] for cell in cells) / len(cells)
        y = sum(cell[1] for cell in cells) / len(cells)
        cells.sort(key=lambda c: (c[:2] in used, (c[0] - x) ** 2 + (c[1] - y) ** 2, c))
        names.append(Fixture("floor", f"F{number}", (cells[0],)))
    whole = plot.chamber()
    return Chamber(
        whole.size,
        whole.floors,
        whole.ceilings,
        whole.rooms,
        arranged((*whole.fixtures, *names)),
    )
