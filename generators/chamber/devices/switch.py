"""Switch: pressed by hand, it is on during the next steps, as many as its number says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device, Sensed

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Switch(Device):
    """The kind; see the module."""

    kind = "switch"
    letter = "S"
    noun = "switch"
    locks = True
    source = True
    verbs = frozenset({"press"})

    def signal(self, fixture: Fixture, sensed: Sensed) -> bool:
        """Return whether its time runs."""
        return fixture.name in sensed.running

    def lasts(self, fixture: Fixture) -> int:
        """Return its number."""
        return fixture.numbers[0]

    def key(self, plot: Plot) -> str:
        """Put a switch onto a floor; it stays on for one to three steps."""
        site, band = plot.home()
        return plot.on_floor(self.kind, plot.one(site.plain(band)), numbers=(plot.number(1, 3),))


DEVICE = Switch()
