"""Receiver: on a wall; it is on while a laser ends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.devices import mirror
from facelet.generators.chamber.world.device import Lock
from facelet.generators.chamber.world.grid import LEVEL, opposite
from facelet.generators.core.task import Reject

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Receiver(Lock):
    """The kind; see the module. Like a panel, it is a face of its cell."""

    kind = "receiver"
    letter = "R"
    noun = "receiver"
    senses = "light"
    stays = True

    def key(self, plot: Plot) -> str:
        """Put a laser, and a receiver that it reaches through portals or by a mirror cube."""
        if plot.portals and (plot.chance(60) or "mirror" not in plot.kinds):
            return self._by_portals(plot)
        return self._by_mirror(plot)

    def early(self, plot: Plot) -> tuple[str, ...]:
        """Put a laser, a receiver that it reaches by a mirror cube that stays behind, and a spot.

        Either spot may be the one that is needed; where it is not, that is noticed much later.
        """
        if "mirror" not in plot.kinds:
            raise Reject("portals do not stay behind")
        name = self._by_mirror(plot)
        spot = next(f.cell for f in reversed(plot.fixtures) if f.kind == "spot")
        site, band = next((site, b) for site, b in plot.homes if spot in site.cells(b))
        plot.on_floor("spot", plot.one(site.plain(band)))
        return (name,)

    def _by_portals(self, plot: Plot) -> str:
        plot.line("laser", 1)
        site, band = plot.home()
        face = plot.one([f for f in site.walls(band, (1,)) if plot.clear(*f)])
        plot.on_face("panel", face)
        way = opposite(face[1])
        end = (plot.run(face[0], way)[-1], way)
        if end in plot.faces:
            raise Reject("a receiver's place is taken")
        return plot.on_face(self.kind, end)

    def _by_mirror(self, plot: Plot) -> str:
        homes = plot.shuffled(plot.homes)
        for band, cell, back in ((b, *face) for site, b in homes for face in site.walls(b, (0,))):
            line = plot.run(cell, opposite(back))[1:]
            plain = {c for site, other in homes if other == band for c in site.plain(band)}
            spots = [c for c in line if c in plain]
            for spot in plot.shuffled(spots):
                for way in plot.shuffled(LEVEL):
                    end = (plot.run(spot, way)[-1], way)
                    if (
                        way % 2 != back % 2
                        and end[0] != spot
                        and plot.clear(*end, 2)
                        and end not in plot.faces
                    ):
                        plot.faces.add((cell, back))
                        plot.add("laser", (cell,), opposite(back))
                        plot.on_floor("spot", spot)
                        mirror.DEVICE.supply(plot)
                        return plot.on_face(self.kind, end)
        raise Reject("no mirror finds a place")


DEVICE = Receiver()
