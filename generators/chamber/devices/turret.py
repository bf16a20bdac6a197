"""Turret: watches a row of floor that begins with its own square, and shoots players there.

It sees its cells up to the first one that is closed or contains a thing; it does not see that one.
It is off while its inputs are on, if it has any. The player cannot stay in its row, seen or not;
flights over or through the row are too fast for it.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    FloorStrip,
    Guard,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import LEFT, RIGHT, Cell, Fixture, step_cell


class Turret(Guard):
    """Its cells are the row, its own first."""

    def list_watched_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the row, unless what drives it is on."""
        return () if fixture.inputs and on else fixture.cells

    def build_guard(self, plot: ChamberPlot, site: RoomSite, wall: FloorStrip) -> bool:
        """Watch the row of a wall; a cube or a source makes the turret harmless."""
        row = site.row_cells(wall.first, wall.level)
        behind = {step_cell(cell, way)[:2] for cell, way in plot.faces}
        if any(cell[:2] in behind for cell in row):
            return False
        for cell in row:
            plot.carve_column(cell)
            plot.taken.add(cell)
        way = plot.draw_one((LEFT, RIGHT))
        cells = row if way == LEFT else row[::-1]
        if plot.draw_chance(50):
            plot.add_fixture(
                self.kind, cells, site.frame_to_direction(way), inputs=plot.draw_inputs()
            )
            return True
        plot.add_fixture(self.kind, cells, site.frame_to_direction(way))
        if plot.draw_chance(60):
            plot.add_fixture("spot", (plot.draw_one(cells[1:-1]),))
        plot.place_weight()
        return True


DEVICE = Turret("turret", "U", "turret", joint=True, verbs=frozenset({"put"}))
