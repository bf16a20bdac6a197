"""Stairs: a row of floor squares that rise to one step each, more by one than the last, while on.

Off they lie flat. The first of its cells rises by one, the second by two, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device
from facelet.generators.chamber.world.grid import UP, Cell, step

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Stairs(Device):
    """The kind; see the module."""

    kind = "stairs"
    letter = "K"
    noun = "stairs"
    crosses = True
    seldom = True
    named = False
    joint = True

    def solid(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised columns."""
        if not on:
            return ()
        return tuple(
            step(cell, UP, k) for place, cell in enumerate(fixture.cells) for k in range(place + 1)
        )

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Lead up to a ledge."""
        plot = site.plot
        count = far.level - near.level - 1
        if count < 1 or near.last - near.first < count:
            return False
        rows = [
            set(site.plain(near)) & set(site.row(far.first - count + k, near.level))
            for k in range(count)
        ]
        lanes = [
            [site.at(far.first - count + k, v, near.level) for k in range(count)]
            for v in range(site.width)
        ]
        cells = plot.one(
            [lane for lane in lanes if all(c in row for c, row in zip(lane, rows, strict=True))]
        )
        plot.taken.update(cells)
        plot.add(self.kind, cells, inputs=plot.inputs())
        return True


DEVICE = Stairs()
