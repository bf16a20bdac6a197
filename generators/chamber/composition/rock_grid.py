"""The plot: rock that rooms are carved into, and what has been put where so far.

A room is built in a frame of its own: u runs ahead, in the direction in which the chamber is meant
to be crossed, from 0 at the wall that one enters by; v runs to the left of it. A band is a strip of
such a room, across its whole width, at one height. `homes` are the bands that a player can be in
at this point of the composition, the latest last: there keys are put.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import numpy as np

from facelet.generators.chamber.world.chamber_records import (
    NOWHERE,
    Chamber,
    Fixture,
    Room,
    sort_fixtures,
)
from facelet.generators.chamber.world.device_protocol import Lock, Supply
from facelet.generators.chamber.world.device_registry import find_device
from facelet.generators.chamber.world.grid import (
    DOWN,
    Cell,
    opposite_direction,
    step_cell,
)
from facelet.generators.core.task import Reject

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.room_builder import RoomSite

Saved: TypeAlias = (
    "tuple[list[int], list[int], list[Room], list[Fixture], list[tuple[RoomSite, FloorStrip]], "
    "list[list[tuple[RoomSite, FloorStrip]]], int, list[tuple[RoomSite, "
    "set[Cell]]], set[Cell], set[Face]]"
)
T = TypeVar("T")
Sort = Literal["floor", "pool", "wall"]
Face = tuple[Cell, int]

HIGH = 8
"""Cells from bottom to top."""
POOL, LOW, LEDGE = 0, 1, 4
"""Heights of floors: of liquid, of most rooms, and of what is too high to climb."""


@dataclass(frozen=True, slots=True)
class FloorStrip:
    """A strip of a room: columns from u = `first` to `last`, both inclusive, at one height.

    Attributes:
        first: its first u.
        last: its last u.
        level: the height of its floor.
        sort: a floor, a pool of liquid, or a wall with a doorway in it.
    """

    first: int
    last: int
    level: int
    sort: Sort = "floor"


@dataclass(frozen=True, slots=True)
class ChamberAims:
    """What a chamber is to need; its proof is sought afterwards.

    Attributes:
        momentum: a way through portals that speed is needed for; one room is built for it.
        early: fewest steps with sources that lie where one was before; who omits them is stuck
            later.
    """

    momentum: bool = False
    early: int = 0


NO_AIMS = ChamberAims()


class RockGrid:
    """The plot; see the module.

    Attributes:
        rng: the randomness of the chamber.
        kinds: the kinds of devices that may be used.
        portals: whether portals may be counted on.
        aims: what the chamber is to need.
        swift: whether the room that is being built is the one that speed is needed in.
        size: its size.
        fixtures: what has been put so far; names are provisional.
        homes: the sites and bands that can be reached by now.
        past: earlier homes without an early source, stage by stage; one may not get back there.
        early: how many steps with sources in earlier homes show late if they are mistaken.
        taken: cells that are in use.
        faces: faces that are in use.
    """

    def __init__(
        self,
        wide: int,
        deep: int,
        rng: np.random.Generator,
        kinds: Sequence[str],
        *,
        portals: bool = True,
        aims: ChamberAims = NO_AIMS,
    ) -> None:
        """Begin with solid rock.

        Args:
            wide: columns from west to east.
            deep: columns from south to north.
            rng: the randomness of the chamber.
            kinds: the kinds of devices that may be used.
            portals: whether portals may be counted on.
            aims: what the chamber is to need.
        """
        self.rng = rng
        self.kinds = tuple(kinds)
        self.portals = portals
        self.aims = aims
        self.swift = False
        self.size = (wide, deep, HIGH)
        self._floors = [HIGH] * (wide * deep)
        self._ceilings = [HIGH] * (wide * deep)
        self._rooms: list[Room] = []
        self.fixtures: list[Fixture] = []
        self.homes: list[tuple[RoomSite, FloorStrip]] = []
        self.past: list[list[tuple[RoomSite, FloorStrip]]] = []
        self.early = 0
        self.sites: list[RoomSite] = []
        self.taken: set[Cell] = set()
        self.faces: set[Face] = set()

    # --- rock -------------------------------------------------------------------------------------

    def carve_column(self, cell: Cell, ceiling: int = HIGH) -> None:
        """Open a column from a cell up to a ceiling."""
        column = cell[0] + self.size[0] * cell[1]
        self._floors[column] = cell[2]
        self._ceilings[column] = ceiling

    def floor_cell(self, cell: Cell) -> int:
        """Return the floor of a cell's column."""
        return self._floors[cell[0] + self.size[0] * cell[1]]

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is no rock."""
        x, y, z = cell
        if not (0 <= x < self.size[0] and 0 <= y < self.size[1]):
            return False
        column = x + self.size[0] * y
        return self._floors[column] <= z < self._ceilings[column]

    def cells_to_rock(self, cell: Cell, direction: int) -> list[Cell]:
        """Return the cells of a straight line from a cell up to the rock."""
        cells = [cell]
        while self.is_free(step_cell(cells[-1], direction)):
            cells.append(step_cell(cells[-1], direction))
        return cells

    # --- trying -----------------------------------------------------------------------------------

    def save_state(self) -> Saved:
        """Return what `restore_state` takes back."""
        return (
            list(self._floors),
            list(self._ceilings),
            list(self._rooms),
            list(self.fixtures),
            list(self.homes),
            [list(homes) for homes in self.past],
            self.early,
            [(site, set(site.doorways)) for site in self.sites],
            set(self.taken),
            set(self.faces),
        )

    def restore_state(self, saved: Saved) -> None:
        """Take back all that was built since; the randomness goes on.

        Args:
            saved: what `save_state` returned; it stays as it is.
        """
        self._floors, self._ceilings = list(saved[0]), list(saved[1])
        self._rooms, self.fixtures = list(saved[2]), list(saved[3])
        self.homes, self.past = list(saved[4]), [list(homes) for homes in saved[5]]
        self.early = saved[6]
        self.sites = [site for site, _ in saved[7]]
        for site, doorways in saved[7]:
            site.doorways = set(doorways)
        self.taken, self.faces = set(saved[8]), set(saved[9])

    # --- fixtures ---------------------------------------------------------------------------------

    def add_fixture(
        self,
        kind: str,
        cells: Sequence[Cell],
        facing: int = NOWHERE,
        inputs: Sequence[str] = (),
        numbers: Sequence[int] = (),
    ) -> str:
        """Put a fixture and return its name.

        Args:
            kind: its kind.
            cells: its cells.
            facing: its direction.
            inputs: names of what drives it.
            numbers: the figures of its kind.
        """
        name = f"{find_device(kind).letter}{1 + sum(f.kind == kind for f in self.fixtures)}"
        self.fixtures.append(
            Fixture(kind, name, tuple(cells), facing, tuple(sorted(inputs)), tuple(numbers))
        )
        return name

    def on_floor(self, kind: str, cell: Cell, **more: object) -> str:
        """Put a fixture onto a free floor cell, which is taken from then on."""
        self.taken.add(cell)
        return self.add_fixture(kind, (cell,), **more)  # type: ignore[arg-type]

    def on_face(self, kind: str, face: Face, **more: object) -> str:
        """Put a fixture onto a face of the rock, which is taken from then on."""
        self.faces.add(face)
        if face[1] == DOWN:
            self.taken.add(face[0])
        return self.add_fixture(kind, (face[0],), face[1], **more)  # type: ignore[arg-type]

    def build_chamber(self, extra: Iterable[Fixture] = ()) -> Chamber:
        """Return what has been built so far."""
        return Chamber(
            self.size,
            tuple(self._floors),
            tuple(self._ceilings),
            tuple(self._rooms),
            sort_fixtures((*self.fixtures, *extra)),
        )

    # --- locks and keys ---------------------------------------------------------------------------

    def draw_inputs(self) -> tuple[str, ...]:
        """Return new sources that the player can turn on by now; mostly one, sometimes two.

        Some must be turned on before the player went on to where it is; see `Lock.early`.
        """
        keys: list[str] = []
        while self.lacks_early() and (not keys or self.draw_chance(60)):
            keys += self._early_keys()
        if not keys or self.draw_chance(20):
            keys.append(self.draw_source())
        return tuple(dict.fromkeys(keys))

    def lacks_early(self) -> bool:
        """Return whether a source in an earlier place is wanted, and there is such a place."""
        return bool(self.past) and self.early < self.aims.early

    def draw_source(self) -> str:
        """Return a new source that the player can turn on by now.

        Raises:
            Reject: there is no room for it.
        """
        locks = [kind for kind in map(find_device, self.kinds) if isinstance(kind, Lock)]
        for kind in self.shuffle_items(locks):
            try:
                return kind.place_key(self)
            except Reject:
                continue
        raise Reject("there is no room for a source")

    def _early_keys(self) -> tuple[str, ...]:
        """Return new sources that stay on, in a place that the player has been to before.

        The earliest place is taken first, and no two of them are in one such place: what is done
        there could be done in any order.
        """
        locks = [
            kind for kind in map(find_device, self.kinds) if isinstance(kind, Lock) and kind.stays
        ]
        locks = self.shuffle_items(locks)
        now = self.homes
        try:
            for homes in list(self.past):
                self.homes = homes
                for kind in locks:
                    try:
                        keys = kind.place_early_keys(self)
                    except Reject:
                        continue
                    self.past.remove(self.homes)
                    self.early += kind.late
                    return keys
        finally:
            self.homes = now
        raise Reject("there is no room for an early source")

    def mark_passed(self) -> None:
        """Note that the player may not get back to where it was."""
        if self.homes:
            self.past.append(self.homes)
        self.homes = []

    def place_weight(self) -> None:
        """Give the player something to weigh down a button with.

        Raises:
            Reject: there is no room for it.
        """
        kinds = map(find_device, self.kinds)
        self.draw_one([kind for kind in kinds if isinstance(kind, Supply)]).place_supply(self)

    def place_ray_source(self, kind: str, height: int, numbers: Sequence[int] = ()) -> None:
        """Put a source of rays that ends on a panel, above the floor.

        Args:
            kind: the kind of the source.
            height: how far above the floor, at least.
            numbers: its figures.

        Raises:
            Reject: there is no room for it.
        """
        site, band = self.draw_reachable_strip()
        for cell, back in site.free_wall_faces(band, (height, height + 1)):
            way = opposite_direction(back)
            end = (self.cells_to_rock(cell, way)[-1], way)
            if self.is_line_clear(cell, back) and end not in self.faces:
                self.faces.add((cell, back))
                self.add_fixture(kind, (cell,), way, numbers=numbers)
                self.on_face("panel", end)
                return
        raise Reject("no line is free")

    def place_idle_ray(self, site: RoomSite, band: FloorStrip, source: str) -> None:
        """Let a source drive a ray above a floor, so that driving nothing tells no decoy."""
        kinds = [kind for kind in ("beam", "bridge", "laser") if kind in self.kinds]
        faces = [
            face for face in site.free_wall_faces(band, range(2, 4)) if self.is_line_clear(*face)
        ]
        if kinds and faces:
            kind, (cell, back) = self.draw_one(kinds), self.draw_one(faces)
            self.faces.add((cell, back))
            numbers = (0,) if kind == "beam" else ()
            self.add_fixture(
                kind, (cell,), opposite_direction(back), inputs=(source,), numbers=numbers
            )

    def is_line_clear(self, cell: Cell, back: int, least: int = 3) -> bool:
        """Return whether a line from a face leads over some cells and through no doorway."""
        run = self.cells_to_rock(cell, opposite_direction(back))
        doors = {door[:2] for site in self.sites for door in site.doorways}
        return len(run) >= least and all(place[:2] not in doors for place in run)

    # --- choosing ---------------------------------------------------------------------------------

    def draw_chance(self, percent: int) -> bool:
        """Return whether something that happens so often happens."""
        return int(self.rng.integers(100)) < percent

    def draw_number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return int(self.rng.integers(low, high + 1))

    def draw_one(self, things: Sequence[T]) -> T:
        """Return one of some things.

        Raises:
            Reject: there are none.
        """
        if not things:
            raise Reject("there is no room for a device")
        return things[int(self.rng.integers(len(things)))]

    def shuffle_items(self, things: Sequence[T]) -> list[T]:
        """Return things in random order."""
        return [things[int(place)] for place in self.rng.permutation(len(things))]

    def draw_reachable_strip(self) -> tuple[RoomSite, FloorStrip]:
        """Return a band that can be reached by now, rather a late one."""
        count = len(self.homes)
        return self.homes[max(self.draw_number(0, count - 1), self.draw_number(0, count - 1))]
