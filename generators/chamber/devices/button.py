"""Button: a plate in the floor that is on while a thing lies on it or the player stands on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Lock

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Button(Lock):
    """The kind; see the module."""

    kind = "button"
    letter = "B"
    noun = "button"
    senses = "weight"
    verbs = frozenset({"put", "stand"})

    def special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def key(self, plot: Plot) -> str:
        """Put a button into a floor, and give a weight for it."""
        site, band = plot.home()
        name = plot.on_floor(self.kind, site.spare(band))
        plot.supply()
        return name


DEVICE = Button()
