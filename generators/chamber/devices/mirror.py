"""Mirror: a cube that weighs like any other, and sends lasers on the way that it faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.device import Supply
from facelet.generators.chamber.world.grid import LEVEL

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Mirror(Supply):
    """The kind; see the module."""

    kind = "mirror"
    letter = "M"
    noun = "mirror cube"
    thing = True
    turns = True
    verbs = frozenset({"take"})

    def supply(self, plot: Plot) -> None:
        """Lay a mirror cube onto a floor; it faces anywhere."""
        site, band = plot.home()
        plot.on_floor(self.kind, plot.one(site.plain(band)), facing=plot.one(LEVEL))


DEVICE = Mirror()
