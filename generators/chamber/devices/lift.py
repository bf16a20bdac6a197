"""Lift: a square of floor, raised by its number of cells except while it is on.

What is on it goes down and up with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.devices import switch
from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device
from facelet.generators.chamber.world.grid import UP, Cell, step

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Lift(Device):
    """The kind; see the module. Its cell is the one above it when it is down."""

    kind = "lift"
    letter = "E"
    noun = "lift"
    crosses = True
    seldom = True
    verbs = frozenset({"put", "stand"})

    def special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def solid(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised column."""
        return () if on else tuple(step(fixture.cell, UP, k) for k in range(fixture.numbers[0]))

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Lift up to a ledge, whenever the time of a switch is over."""
        plot = site.plot
        if far.level - near.level < 2:
            return False
        foot = [c for c in site.plain(near) if c in site.row(far.first - 1, near.level)]
        cell = plot.one(foot)
        plot.taken.add(cell)
        sources = {switch.DEVICE.key(plot), *(plot.inputs() if plot.lacks_early() else ())}
        plot.on_floor(
            self.kind, cell, inputs=tuple(sorted(sources)), numbers=(far.level - near.level,)
        )
        return True


DEVICE = Lift()
