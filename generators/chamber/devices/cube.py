"""Cube: a weight to carry; it holds buttons down and stops lasers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.device_protocol import Supply

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import RockGrid


class Cube(Supply):
    """The kind; see the module."""

    kind = "cube"
    letter = "C"
    noun = "weighted cube"
    thing = True
    verbs = frozenset({"take"})

    def place_supply(self, plot: RockGrid) -> None:
        """Lay a cube onto a floor."""
        site, band = plot.draw_reachable_strip()
        plot.on_floor(self.kind, plot.draw_one(site.free_cells(band)))


DEVICE = Cube()
