"""Define the interface of a device kind: its properties and its rules.

The engine implements walking, falling, portals, sight, rays and time, and knows no kind of device.
Each module of `devices` exports one DEVICE with the rules of its kind. The rules are pure functions
of a fixture and of whether it is on. How the composer places a device is defined in
`composition.chamber_plot`.

A device is on while all of its inputs are on; one without inputs is always on. A source is on
while it senses something:

    weight  a thing or the player is in its cell
    time    it was pressed and its time has not run out
    light   a laser ends on its face
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from facelet.generators.chamber.world.chamber_records import Cell, Fixture

RayKind = Literal["laser", "bridge", "beam"]
Sense = Literal["weight", "time", "light"]
Verb = Literal["take", "put", "press", "stand", "enter"]


@dataclass(frozen=True, slots=True)
class EmittedRay:
    """What a device sends along a line of cells, beginning in its own cell.

    Attributes:
        kind: a laser lights receivers, a bridge is a deck to walk on, a beam carries everything in
            it.
        backwards: whether a beam pulls towards its source.
    """

    kind: RayKind
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class ParabolicThrow:
    """A throw in a parabola: `rise` cells up at its middle, level again after `distance` cells."""

    direction: int
    distance: int
    rise: int


@dataclass(frozen=True, slots=True)
class RunwaySprint:
    """A run over a row of `count` cells to its last one, and an arc from there.

    Its speed is `faster` times the cells that were run over, both ends counted.
    """

    direction: int
    count: int
    faster: int


BOUNCE: Final = "bounce"
"""The player rises as high as it fell; a thing never comes to rest."""
Landing = Literal["rest", "lost", "bounce"] | ParabolicThrow | RunwaySprint
"""What happens to a thing that lands on a device's cell."""


@dataclass(frozen=True)
class Device:
    """A kind of fixture; subclasses override the rules that differ.

    Attributes:
        kind: the name of the kind, one word.
        letter: what names of its fixtures begin with.
        noun: what texts call it.
        joint: whether the player may walk over its cells but not stay there.
        special: whether its cells are no plain floor, so that the player enters them only by a
            step that names them.
        senses: what turns it on if it drives others; None if it drives none.
        thing: whether it is carried about; its cell is then where it begins.
        turns: whether it is put down facing a direction, and bends lasers that way.
        plunge: whether the player jumps onto it from the highest floor beside it, not from the
            nearest.
        verbs: what a step can do with it.
        ray: what it sends out while it is on.
        landing: what happens to a thing that lands on it.
        closes: whether its cells are solid while it is off.
        screens: whether its cells are closed to things and shots.
    """

    kind: str
    letter: str
    noun: str
    joint: bool = False
    special: bool = False
    senses: Sense | None = None
    thing: bool = False
    turns: bool = False
    plunge: bool = False
    verbs: frozenset[Verb] = frozenset()
    ray: RayKind | None = None
    landing: Landing = "rest"
    closes: bool = False
    screens: bool = False

    def is_special(self, fixture: Fixture) -> bool:
        """Return whether the cells of a fixture are special."""
        return self.special

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return cells that are closed to everything; their contents are lifted on top."""
        return fixture.cells if self.closes and not on else ()

    def list_screened_cells(self, fixture: Fixture) -> tuple[Cell, ...]:
        """Return cells that are closed to things, to a player with a thing, and to shots."""
        return fixture.cells if self.screens else ()

    def list_watched_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the floor cells that it watches, the nearest first.

        It sees them up to the first one that is closed or contains a thing, which it does not see.
        """
        return ()

    def emit_ray(self, fixture: Fixture, on: bool) -> EmittedRay | None:
        """Return what it sends out from its cell, the way that it faces."""
        return EmittedRay(self.ray) if self.ray and on else None

    def active_steps(self, fixture: Fixture) -> int:
        """Return how many steps it stays on after it was pressed; 0 for good."""
        return 0

    def landing_result(self, fixture: Fixture) -> Landing:
        """Return what happens to a thing that lands on it."""
        return self.landing

    def drop_cell(self, fixture: Fixture) -> Cell | None:
        """Return where its things appear anew whenever it goes on; None if it gives none."""
        return None
