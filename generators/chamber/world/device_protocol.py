"""Device: all that is to know about a kind of fixture, as answers to a few questions.

The engine (chart, situation, flights, rules) knows walking, falling, portals, sight, rays and time;
it knows no kind of device. A device is one module of `devices`, whose DEVICE answers for all of its
kind: its rules, which are pure and see the fixture and whether it is on; and how a composer of
chambers uses it.

A device is on while all of its inputs are; one without inputs is always on. A source is on while
what it senses is there:

    weight  a thing lies, or the player stands, in its cell
    time    it was pressed, and its time still runs
    light   a laser ends in its face
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.grid import Cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import Face, FloorStrip, RockGrid
    from facelet.generators.chamber.composition.room_builder import RoomSite

RayKind = Literal["laser", "bridge", "beam"]
Sense = Literal["weight", "time", "light"]
Verb = Literal["take", "put", "press", "stand", "enter"]


@dataclass(frozen=True, slots=True)
class EmittedRay:
    """What a device sends along a line of cells, beginning in its own cell.

    Attributes:
        kind: a laser lights receivers, a bridge carries what stands on it, a beam carries off what
            is in it.
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
"""The player comes up as high as it fell; a thing never comes to rest."""
Landing = Literal["rest", "lost", "bounce"] | ParabolicThrow | RunwaySprint
"""What becomes of a thing that comes to lie on a device's cell."""


class Device:
    """A kind of fixture; a subclass says what differs.

    Attributes:
        kind: the name of the kind, one word.
        letter: what names of its fixtures begin with.
        noun: what texts call it.
        named: whether steps and pictures call its fixtures by their names.
        joint: whether one may walk over its cells, but not stay there.
        senses: what turns it on if it drives others; None if it drives none.
        thing: whether it is carried about; its cell is then where it begins.
        turns: whether it is put down facing a direction, and bends lasers that way.
        plunge: whether one jumps onto it from the highest floor beside it, not from the nearest.
        verbs: what a step can do with it.
    """

    kind: ClassVar[str]
    letter: ClassVar[str]
    noun: ClassVar[str]
    named: ClassVar[bool] = True
    joint: ClassVar[bool] = False
    senses: ClassVar[Sense | None] = None
    thing: ClassVar[bool] = False
    turns: ClassVar[bool] = False
    plunge: ClassVar[bool] = False
    verbs: ClassVar[frozenset[Verb]] = frozenset()

    @property
    def is_source(self) -> bool:
        """Whether it drives others."""
        return self.senses is not None

    def is_special(self, fixture: Fixture) -> bool:
        """Return whether its cells are no plain floor.

        Nobody walks over such a cell by the way; one goes there only by a step that says so.
        """
        return False

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return cells that are closed to everything; what stands in them is lifted on top."""
        return ()

    def list_screened_cells(self, fixture: Fixture) -> tuple[Cell, ...]:
        """Return cells that are closed to things, to whoever carries one, and to shots."""
        return ()

    def list_watched_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return floor cells in which nobody walks who is seen there, the nearest first.

        They are seen up to the first that is closed or that a thing lies in, that one left out.
        """
        return ()

    def emit_ray(self, fixture: Fixture, on: bool) -> EmittedRay | None:
        """Return what it sends out from its cell, the way that it faces."""
        return None

    def active_steps(self, fixture: Fixture) -> int:
        """Return how many steps it stays on after it was pressed; 0 for good."""
        return 0

    def landing_result(self, fixture: Fixture) -> Landing:
        """Return what becomes of what comes to lie on it."""
        return "rest"

    def drop_cell(self, fixture: Fixture) -> Cell | None:
        """Return where its things appear anew whenever it goes on; None if it gives none."""
        return None

    # --- how chambers use it ----------------------------------------------------------------------

    crosses: ClassVar[bool] = False
    """Whether `build_crossing` may find a way."""

    seldom: ClassVar[bool] = False
    """Whether few strips suit `build_crossing`, so that it is often tried first."""
    guards: ClassVar[bool] = False
    """Whether `build_guard` may stand for a wall with a door."""

    def build_guard(self, site: RoomSite, wall: FloorStrip) -> bool:
        """Build what keeps the player from one side of a row to the other; return whether it could.

        Args:
            site: the room.
            wall: the row, which is rock so far.

        Raises:
            Reject: there is no room for it.
        """
        return False

    hides: ClassVar[bool] = False
    """Whether `hide_panel` may close a panel to the player."""

    def hide_panel(self, plot: RockGrid, face: Face) -> None:
        """Build what hides a panel until its sources are on, if that suits the panel's face.

        Raises:
            Reject: there is no room for a source.
        """

    def build_crossing(self, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
        """Build a way from one strip of a room to another; return whether one was found.

        Args:
            site: the room.
            near: the strip that the player can be in.
            far: the strip that it cannot get to yet.

        Raises:
            Reject: there is no room for it.
        """
        return False


class Lock(Device, ABC):
    """A kind of source that can lock a chamber's way.

    Attributes:
        stays: whether `place_early_keys` builds something that stays on while the player is
            elsewhere.
        late: how many steps it then takes whose mistakes show late.
    """

    stays: ClassVar[bool] = False
    late: ClassVar[int] = 1

    def place_early_keys(self, plot: RockGrid) -> tuple[str, ...]:
        """Build sources that stay on, which the player must turn on before it goes on.

        Raises:
            Reject: there is no room for it.
        """
        return (self.place_key(plot),)

    @abstractmethod
    def place_key(self, plot: RockGrid) -> str:
        """Build a source that the player can turn on by now, and return its name.

        Raises:
            Reject: there is no room for it.
        """


class Supply(Device, ABC):
    """A kind that gives weights."""

    @abstractmethod
    def place_supply(self, plot: RockGrid) -> None:
        """Build something that gives the player a thing to weigh down a button with.

        Raises:
            Reject: there is no room for it.
        """
