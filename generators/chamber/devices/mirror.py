"""Mirror: a cube that weighs like any other, and sends lasers on the way that it faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.device_protocol import Supply
from facelet.generators.chamber.world.grid import LEVEL

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import RockGrid


class Mirror(Supply):
    """The kind; see the module."""

    kind = "mirror"
    letter = "M"
    noun = "mirror cube"
    thing = True
    turns = True
    verbs = frozenset({"take"})

    def place_supply(self, plot: RockGrid) -> None:
        """Lay a mirror cube onto a floor; it faces anywhere."""
        site, band = plot.draw_reachable_strip()
        plot.on_floor(self.kind, plot.draw_one(site.free_cells(band)), facing=plot.draw_one(LEVEL))


DEVICE = Mirror()
