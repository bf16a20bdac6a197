"""Switch: pressed by hand, it is on for as many steps as its number says; 0 is for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Lock

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Switch(Lock):
    """The kind; see the module."""

    kind = "switch"
    letter = "S"
    noun = "switch"
    senses = "time"
    stays = True
    verbs = frozenset({"press"})

    def lasts(self, fixture: Fixture) -> int:
        """Return its number."""
        return fixture.numbers[0]

    def key(self, plot: Plot) -> str:
        """Put a switch onto a floor; it stays on for one to three steps."""
        site, band = plot.home()
        return plot.on_floor(self.kind, plot.one(site.plain(band)), numbers=(plot.number(1, 3),))

    def early(self, plot: Plot) -> tuple[str, ...]:
        """Put two switches that stay on for good; either may be the one that is needed."""
        site, band = plot.home()
        cells = site.plain(band)
        names = [
            plot.on_floor(self.kind, cell, numbers=(0,))
            for cell in (plot.one(cells[:1]), plot.one(cells[1:]))
        ]
        name, other = plot.shuffled(names)
        plot.idle(site, band, other)
        return (name,)


DEVICE = Switch()
