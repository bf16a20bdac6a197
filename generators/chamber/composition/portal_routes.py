"""Ways through portals: pairs of panels that lead from one strip of a room to another.

    walk   a panel at the height of each floor
    high   out of a wall above the far floor, and down onto it
    fling  down a drop into the floor, and out of a wall in a parabola that ends on the far floor
    pop    down a drop into the floor, and up through another one, onto the ledge beside it

Where a parabola ends is not asserted but tried, with the rules of the engine, in the bare room.
"""

from __future__ import annotations

from dataclasses import replace

from facelet.generators.chamber.composing.plot import HIGH, LEDGE, Band, Face, Plot
from facelet.generators.chamber.composing.site import Site
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.flights import Flight, Lost
from facelet.generators.chamber.engine.situation import Situation
from facelet.generators.chamber.world.grid import DOWN, LEVEL, step
from facelet.generators.chamber.world.kinds import device


def cross(site: Site, near: Band, far: Band) -> bool:
    """Put panels that lead from one strip to another; return whether a way was found."""
    return any(
        way(site, near, far) for way in site.plot.shuffled((_walk, _high, _fling, _fling, _pop))
    )


def swift(site: Site, near: Band, far: Band) -> bool:
    """Put panels that lead to the other strip only at speed; return whether a way was found."""
    return any(way(site, near, far) for way in site.plot.shuffled((_fling, _pop)))


def _walk(site: Site, near: Band, far: Band) -> bool:
    if far.level > near.level:
        return False
    return _pair(site, site.walls(near, (0,)), site.walls(far, (0,)))


def _high(site: Site, near: Band, far: Band) -> bool:
    height = max(1, near.level - far.level + 1)
    heights = [h for h in (height, height + 1) if far.level + h < HIGH]
    return _pair(site, site.walls(near, (0,)), site.walls(far, heights))


def _pair(site: Site, one: list[Face], other: list[Face]) -> bool:
    if not one or not other:
        return False
    site.plot.on_face("panel", one[0])
    site.plot.on_face("panel", other[0])
    _hidden(site.plot, other[0])
    return True


def _feet(site: Site, near: Band) -> list[tuple[Face, int]]:
    """Return faces in the floor below edges of the near strip, with the heights of the drops."""
    plot = site.plot
    columns = {cell[:2] for cell in site.cells(near)}
    found = []
    for band in site.bands[: site.bands.index(near) + 2]:
        if band.sort != "floor":
            continue
        for cell in site.plain(band):
            drops = [
                plot.floor(beside) - cell[2]
                for beside in (step(cell, way) for way in LEVEL)
                if beside[:2] in columns
            ]
            if max(drops, default=0) >= 2:
                found.append(((cell, DOWN), max(drops)))
    return plot.shuffled(found)


def _pop(site: Site, near: Band, far: Band) -> bool:
    low = site.bands[site.bands.index(far) - 1]
    rise = far.level - low.level
    if low.sort != "floor" or rise < 2:
        return False
    foot = set(site.row(low.last, low.level))
    ups = [cell for cell in site.plain(low) if cell in foot]
    for face, drop in _feet(site, near):
        for up in ups:
            if drop >= rise and up != face[0]:
                site.plot.on_face("panel", face)
                site.plot.on_face("panel", (up, DOWN))
                return True
    return False


def _fling(site: Site, near: Band, far: Band) -> bool:
    plot = site.plot
    feet = _feet(site, near)
    if not feet:
        return False
    face, drop = feet[0]
    now = bare(plot)
    goal = {now.chart.cell(cell) for cell in site.cells(far)}
    walls = plot.shuffled(
        [
            wall
            for band in site.bands
            if band.sort != "wall"
            for wall in site.walls(band, range(LEDGE + 2 - band.level))
        ]
    )
    ends = {wall: landing(now, wall, drop) for wall in walls}
    # Out of a wall above the far floor one would get there without speed.
    good = [w for w in walls if ends[w] in goal and landing(now, w, 0) not in goal]
    if not good:
        return False
    plot.on_face("panel", face)
    plot.on_face("panel", good[0])
    _hidden(plot, good[0])
    return True


def _hidden(plot: Plot, face: Face) -> None:
    """Hide a panel at times, where there are devices that can."""
    hiding = [kind for kind in map(device, plot.kinds) if kind.hides]
    if hiding and plot.chance(60):
        plot.one(hiding).hide(plot, face)


def bare(plot: Plot) -> Situation:
    """Return the situation of the rock and its liquids alone."""
    chamber = plot.chamber()
    chart = Chart(replace(chamber, fixtures=chamber.of("liquid")), finished=False)
    return Situation(chart, {}, (True,) * len(chart.fixtures), frozenset(), (), frozenset())


def landing(now: Situation, wall: Face, speed: int) -> int:
    """Return the cell where what leaves a wall comes to rest, or -1 if it is lost."""
    try:
        flight = Flight(now, alone=False, burdened=False)
        return flight.leave((now.chart.cell(wall[0]), wall[1]), speed)
    except Lost:
        return -1
