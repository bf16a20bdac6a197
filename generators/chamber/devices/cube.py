"""Cube: a weight to carry; it holds buttons down and stops lasers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.device import Supply

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Cube(Supply):
    """The kind; see the module."""

    kind = "cube"
    letter = "C"
    noun = "weighted cube"
    thing = True
    verbs = frozenset({"take"})

    def supply(self, plot: Plot) -> None:
        """Lay a cube onto a floor."""
        site, band = plot.home()
        plot.on_floor(self.kind, plot.one(site.plain(band)))


DEVICE = Cube()
