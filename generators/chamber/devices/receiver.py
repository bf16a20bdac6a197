"""Receiver: on a wall; it is on while a laser ends on it."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Lock
from facelet.generators.chamber.devices import mirror
from facelet.generators.chamber.world.chamber_records import LEVEL, opposite_direction
from facelet.generators.core.task import Reject


class Receiver(Lock):
    """Like a panel, it is a face of its cell."""

    def place_key(self, plot: ChamberPlot) -> str:
        """Put a laser, and a receiver that it reaches through portals or by a mirror cube."""
        if plot.portals and (plot.draw_chance(60) or "mirror" not in plot.kinds):
            return self._by_portals(plot)
        return self._by_mirror(plot)

    def place_early_keys(self, plot: ChamberPlot) -> tuple[str, ...]:
        """Put a laser, a receiver that it reaches by a mirror cube that stays behind, and a spot.

        Either spot may be the one that is needed; where it is not, that is noticed much later.
        """
        if "mirror" not in plot.kinds:
            raise Reject("portals do not stay behind")
        name = self._by_mirror(plot)
        spot = next(f.first_cell for f in reversed(plot.fixtures) if f.kind == "spot")
        site, band = next((site, b) for site, b in plot.homes if spot in site.strip_cells(b))
        plot.on_floor("spot", plot.draw_one(site.free_cells(band)))
        return (name,)

    def _by_portals(self, plot: ChamberPlot) -> str:
        plot.place_ray_source("laser", 1)
        site, band = plot.draw_reachable_strip()
        face = plot.draw_one(
            [f for f in site.free_wall_faces(band, (1,)) if plot.is_line_clear(*f)]
        )
        plot.on_face("panel", face)
        way = opposite_direction(face[1])
        end = (plot.cells_to_rock(face[0], way)[-1], way)
        if end in plot.faces:
            raise Reject("a receiver's place is taken")
        return plot.on_face(self.kind, end)

    def _by_mirror(self, plot: ChamberPlot) -> str:
        homes = plot.shuffle_items(plot.homes)
        for band, cell, back in (
            (b, *face) for site, b in homes for face in site.free_wall_faces(b, (0,))
        ):
            line = plot.cells_to_rock(cell, opposite_direction(back))[1:]
            plain = {c for site, other in homes if other == band for c in site.free_cells(band)}
            spots = [c for c in line if c in plain]
            for spot in plot.shuffle_items(spots):
                for way in plot.shuffle_items(LEVEL):
                    end = (plot.cells_to_rock(spot, way)[-1], way)
                    if (
                        way % 2 != back % 2
                        and end[0] != spot
                        and plot.is_line_clear(*end, 2)
                        and end not in plot.faces
                    ):
                        plot.faces.add((cell, back))
                        plot.add_fixture("laser", (cell,), opposite_direction(back))
                        plot.on_floor("spot", spot)
                        mirror.DEVICE.place_supply(plot)
                        return plot.on_face(self.kind, end)
        raise Reject("no mirror finds a place")


DEVICE = Receiver("receiver", "R", "receiver", senses="light")
