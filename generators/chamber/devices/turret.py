"""Turret: watches a row of floor, beginning with its own square, and shoots who walks there.

It sees up to the first of its cells that is closed or that a thing lies in; that one it does not
see. It is off while what drives it is on, if anything does. Nobody stays in its row, whether it
sees that or not; what flies over or falls through is too fast for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device
from facelet.generators.chamber.world.grid import LEFT, RIGHT, Cell, step

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Turret(Device):
    """The kind; see the module. Its cells are the row, its own first."""

    kind = "turret"
    letter = "U"
    noun = "turret"
    guards = True
    joint = True
    verbs = frozenset({"put"})

    def watch(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the row, unless what drives it is on."""
        return () if fixture.inputs and on else fixture.cells

    def guard(self, site: Site, wall: Band) -> bool:
        """Watch the row in which a wall would stand; a cube, or a source, makes it harmless."""
        plot = site.plot
        row = site.row(wall.first, wall.level)
        behind = {step(cell, way)[:2] for cell, way in plot.faces}
        if any(cell[:2] in behind for cell in row):
            return False
        for cell in row:
            plot.carve(cell)
            plot.taken.add(cell)
        way = plot.one((LEFT, RIGHT))
        cells = row if way == LEFT else row[::-1]
        if plot.chance(50):
            plot.add(self.kind, cells, site.toward(way), inputs=plot.inputs())
            return True
        plot.add(self.kind, cells, site.toward(way))
        if plot.chance(60):
            plot.add("spot", (plot.one(cells[1:-1]),))
        plot.supply()
        return True


DEVICE = Turret()
