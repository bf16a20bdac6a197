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
    stays = True
    late = 2
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

    def early(self, plot: Plot) -> tuple[str, ...]:
        """Put a button that needs a weight, one that drives a ray, and one on which a cube lies.

        Of the first two either may be the one that is needed; who takes the cube off the third
        loses what it drives. Both are noticed much later.
        """
        site, band = plot.home()
        plot.supply()
        names = [plot.on_floor(self.kind, site.spare(band)) for _ in range(2)]
        name, other = plot.shuffled(names)
        plot.idle(site, band, other)
        held = plot.on_floor(self.kind, site.spare(band))
        plot.add("cube", (plot.fixtures[-1].cell,))
        return name, held


DEVICE = Button()
