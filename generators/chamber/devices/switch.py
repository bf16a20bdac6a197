"""Switch: after it is pressed, it is on for its number of steps; 0 means for good."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Lock
from facelet.generators.chamber.world.chamber_records import Fixture


class Switch(Lock):
    """The kind; see the module."""

    def active_steps(self, fixture: Fixture) -> int:
        """Return its number."""
        return fixture.numbers[0]

    def place_key(self, plot: ChamberPlot) -> str:
        """Put a switch onto a floor; it stays on for one to three steps."""
        return plot.on_floor(self.kind, plot.draw_floor_cell(), numbers=(plot.draw_number(1, 3),))

    def place_early_keys(self, plot: ChamberPlot) -> tuple[str, ...]:
        """Put two switches that stay on for good; either may be the one that is needed."""
        site, band = plot.draw_reachable_strip()
        cells = site.free_cells(band)
        names = [
            plot.on_floor(self.kind, cell, numbers=(0,))
            for cell in (plot.draw_one(cells[:1]), plot.draw_one(cells[1:]))
        ]
        name, other = plot.shuffle_items(names)
        plot.place_idle_ray(site, band, other)
        return (name,)


DEVICE = Switch("switch", "S", "switch", senses="time", verbs=frozenset({"press"}))
