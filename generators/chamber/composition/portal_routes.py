"""Place pairs of panels that lead from one strip of a room to another through portals.

    walk   a panel at the height of each floor
    high   out of a wall above the far floor, and down onto it
    fling  down a drop into the floor, and out of a wall in a parabola that ends on the far floor
    pop    down a drop into the floor, and up through another one, onto the ledge beside it

The engine computes where a parabola ends, in the room without fixtures.
"""

from __future__ import annotations

from dataclasses import replace

from facelet.generators.chamber.composition.chamber_plot import (
    HIGH,
    LEDGE,
    ChamberPlot,
    Face,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.engine.active_devices import ActiveDevices
from facelet.generators.chamber.engine.flight_paths import Flight, LostInFlight
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.world.chamber_records import DOWN, LEVEL, step_cell


def place_portal_way(plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
    """Put panels that lead from one strip to another; return whether a way was found."""
    return any(
        way(plot, site, near, far)
        for way in plot.shuffle_items(
            (_place_walk_way, _place_high_way, _place_fling_way, _place_fling_way, _place_pop_way)
        )
    )


def place_fast_portal_way(
    plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
) -> bool:
    """Put panels that lead to the other strip only at speed; return whether a way was found."""
    return any(
        way(plot, site, near, far) for way in plot.shuffle_items((_place_fling_way, _place_pop_way))
    )


def _place_walk_way(plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
    if far.level > near.level:
        return False
    return _place_panel_pair(
        plot, site.free_wall_faces(near, (0,)), site.free_wall_faces(far, (0,))
    )


def _place_high_way(plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
    height = max(1, near.level - far.level + 1)
    heights = [h for h in (height, height + 1) if far.level + h < HIGH]
    return _place_panel_pair(
        plot, site.free_wall_faces(near, (0,)), site.free_wall_faces(far, heights)
    )


def _place_panel_pair(plot: ChamberPlot, one: list[Face], other: list[Face]) -> bool:
    if not one or not other:
        return False
    plot.on_face("panel", one[0])
    plot.on_face("panel", other[0])
    _hide_panel(plot, other[0])
    return True


def _faces_below_edges(site: RoomSite, near: FloorStrip) -> list[tuple[Face, int]]:
    """Return faces in the floor below edges of the near strip, with the heights of the drops."""
    plot = site.plot
    columns = {cell[:2] for cell in site.strip_cells(near)}
    found = []
    for band in site.bands[: site.bands.index(near) + 2]:
        if band.sort != "floor":
            continue
        for cell in site.free_cells(band):
            drops = [
                plot.floor_cell(beside) - cell[2]
                for beside in (step_cell(cell, way) for way in LEVEL)
                if beside[:2] in columns
            ]
            if max(drops, default=0) >= 2:
                found.append(((cell, DOWN), max(drops)))
    return plot.shuffle_items(found)


def _place_pop_way(plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
    low = site.bands[site.bands.index(far) - 1]
    rise = far.level - low.level
    if low.sort != "floor" or rise < 2:
        return False
    ups = site.foot_cells(low, far)
    for face, drop in _faces_below_edges(site, near):
        for up in ups:
            if drop >= rise and up != face[0]:
                plot.on_face("panel", face)
                plot.on_face("panel", (up, DOWN))
                return True
    return False


def _place_fling_way(plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
    if not (feet := _faces_below_edges(site, near)):
        return False
    face, drop = feet[0]
    now = bare_situation(plot)
    goal = {now.chart.cell_to_number(cell) for cell in site.strip_cells(far)}
    walls = plot.shuffle_items(
        [
            wall
            for band in site.bands
            if band.sort != "wall"
            for wall in site.free_wall_faces(band, range(LEDGE + 2 - band.level))
        ]
    )
    ends = {wall: landing_cell(now, wall, drop) for wall in walls}
    # Out of a wall above the far floor one would get there without speed.
    good = [w for w in walls if ends[w] in goal and landing_cell(now, w, 0) not in goal]
    if not good:
        return False
    plot.on_face("panel", face)
    plot.on_face("panel", good[0])
    _hide_panel(plot, good[0])
    return True


def _hide_panel(plot: ChamberPlot, face: Face) -> None:
    """Hide a panel at times, where there are devices that can."""
    if plot.covers and plot.draw_chance(60):
        plot.draw_one(plot.covers).hide_panel(plot, face)


def bare_situation(plot: ChamberPlot) -> ActiveDevices:
    """Return the situation of the rock and its liquids alone."""
    chamber = plot.build_chamber()
    chart = StaticTables(replace(chamber, fixtures=chamber.fixtures_of("liquid")), finished=False)
    return ActiveDevices(chart, {}, (True,) * len(chart.fixtures), frozenset(), (), frozenset())


def landing_cell(now: ActiveDevices, wall: Face, speed: int) -> int:
    """Return the cell where a thing that leaves a wall comes to rest, or -1 if it is lost."""
    try:
        flight = Flight(now, alone=False, burdened=False)
        return flight.leave_portal((now.chart.cell_to_number(wall[0]), wall[1]), speed)
    except LostInFlight:
        return -1
