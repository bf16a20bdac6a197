"""Lift: a square of floor, raised by its number of cells except while it is on.

What is on it goes down and up with it.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.devices import switch
from facelet.generators.chamber.world.chamber_records import UP, Cell, Fixture, step_cell


class Lift(Crossing):
    """Its cell is the one above it when it is down."""

    seldom = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised column."""
        return (
            ()
            if on
            else tuple(step_cell(fixture.first_cell, UP, k) for k in range(fixture.numbers[0]))
        )

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Lift up to a ledge, whenever the time of a switch is over."""
        if far.level - near.level < 2:
            return False
        cell = plot.draw_one(site.foot_cells(near, far))
        plot.taken.add(cell)
        sources = {
            switch.DEVICE.place_key(plot),
            *(plot.draw_inputs() if plot.lacks_early() else ()),
        }
        plot.on_floor(
            self.kind, cell, inputs=tuple(sorted(sources)), numbers=(far.level - near.level,)
        )
        return True


DEVICE = Lift("lift", "E", "lift", special=True, verbs=frozenset({"put", "stand"}))
