"""Lift: a square of floor, raised by its number of cells except while it is on.

What is on it goes down and up with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.devices import switch
from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.grid import UP, Cell, step_cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import FloorStrip
    from facelet.generators.chamber.composition.room_builder import RoomSite


class Lift(Device):
    """The kind; see the module. Its cell is the one above it when it is down."""

    kind = "lift"
    letter = "E"
    noun = "lift"
    crosses = True
    seldom = True
    verbs = frozenset({"put", "stand"})

    def is_special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised column."""
        return (
            ()
            if on
            else tuple(step_cell(fixture.first_cell, UP, k) for k in range(fixture.numbers[0]))
        )

    def build_crossing(self, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
        """Lift up to a ledge, whenever the time of a switch is over."""
        plot = site.plot
        if far.level - near.level < 2:
            return False
        foot = [c for c in site.free_cells(near) if c in site.row_cells(far.first - 1, near.level)]
        cell = plot.draw_one(foot)
        plot.taken.add(cell)
        sources = {
            switch.DEVICE.place_key(plot),
            *(plot.draw_inputs() if plot.lacks_early() else ()),
        }
        plot.on_floor(
            self.kind, cell, inputs=tuple(sorted(sources)), numbers=(far.level - near.level,)
        )
        return True


DEVICE = Lift()
