"""Button: a plate in the floor that is on while a thing or the player is on it."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Lock


class Button(Lock):
    """The kind; see the module."""

    late = 2

    def place_key(self, plot: ChamberPlot) -> str:
        """Put a button into a floor, and give a weight for it."""
        site, band = plot.draw_reachable_strip()
        name = plot.on_floor(self.kind, site.spare_cell(band))
        plot.place_weight()
        return name

    def place_early_keys(self, plot: ChamberPlot) -> tuple[str, ...]:
        """Put a button that needs a weight, one that drives a ray, and one with a cube on it.

        Either of the first two may be the needed one; without its cube, the third turns off what
        it drives. Both mistakes show much later.
        """
        site, band = plot.draw_reachable_strip()
        plot.place_weight()
        names = [plot.on_floor(self.kind, site.spare_cell(band)) for _ in range(2)]
        name, other = plot.shuffle_items(names)
        plot.place_idle_ray(site, band, other)
        held = plot.on_floor(self.kind, site.spare_cell(band))
        plot.add_fixture("cube", (plot.fixtures[-1].first_cell,))
        return name, held


DEVICE = Button(
    "button", "B", "button", senses="weight", special=True, verbs=frozenset({"put", "stand"})
)
